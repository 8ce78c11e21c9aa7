import { plain } from '../../core/base/plain-text.ts'
import type { Probe } from '../../core/recording/probe.ts'
import type { Conclusion, DraftObservation } from '../../core/rules/check.ts'

export type Step = (text: string, probe: Probe<unknown> | null, ...commands: readonly string[]) => DraftObservation

const inDirection =
  (direction: DraftObservation['direction']): Step =>
  (text, probe, ...commands) =>
    commands.length === 0
      ? { direction, text, probe: probe?.id ?? null }
      : { direction, text, probe: probe?.id ?? null, commands }

export const supports: Step = inDirection('supports')
export const contradicts: Step = inDirection('contradicts')
export const unclear: Step = inDirection('unclear')

/**
 * Concludes cautiously: one contradicting observation decides against the expected condition; otherwise one unclear observation, or none at all,
 * leaves it inconclusive; only supporting observations alone support it. Removing evidence can therefore never improve a verdict.
 */
export function decide(observations: readonly DraftObservation[]): Conclusion {
  if (observations.some((step) => step.direction === 'contradicts')) return { verdict: 'not-satisfied', observations }
  if (observations.length === 0 || observations.some((step) => step.direction === 'unclear'))
    return { verdict: 'inconclusive', observations }
  return { verdict: 'satisfied', observations }
}

/** Names from a node inside a sentence, each made fit to show; a long list is cut with a count. */
export function named(names: readonly string[], max = 8): string {
  const shown = names.slice(0, max).map((name) => `“${plain(name, 64)}”`)
  const rest = names.length - shown.length
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ')
}

/** One step, “TEXT: names.”; none without a name. */
export const stepOn = (step: Step, text: string, names: readonly string[], probe: Probe<unknown>) =>
  names.length === 0 ? [] : [step(`${text}: ${named(names)}.`, probe)]

/** "1 account", "3 accounts". */
export const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`
