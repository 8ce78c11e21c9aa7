import type { Conclusion, Step } from '../core/check.ts'
import { plain } from '../core/plain-text.ts'
import type { Probe } from '../core/probe.ts'

type Say = (text: string, probe: Probe<unknown> | null, ...commands: readonly string[]) => Step

const say =
  (says: Step['says']): Say =>
  (text, probe, ...commands) =>
    commands.length === 0
      ? { says, text, probe: probe?.id ?? null }
      : { says, text, probe: probe?.id ?? null, commands }

export const speaksFor: Say = say('for')
export const speaksAgainst: Say = say('against')
export const leavesUnclear: Say = say('unclear')

/**
 * The cautious reading of an argument: one step against contradicts the claim; else one unclear step, or no step at all,
 * leaves it undecided; only an argument made of nothing but steps for supports it. Taking evidence away can so never help.
 */
export function weigh(because: readonly Step[]): Conclusion {
  if (because.some((step) => step.says === 'against')) return { verdict: 'not-satisfied', because }
  if (because.length === 0 || because.some((step) => step.says === 'unclear'))
    return { verdict: 'inconclusive', because }
  return { verdict: 'satisfied', because }
}

/** Names from a node inside a sentence, each made fit to show; a long list is cut with a count. */
export function named(names: readonly string[], max = 8): string {
  const shown = names.slice(0, max).map((name) => `“${plain(name, 64)}”`)
  const rest = names.length - shown.length
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ')
}

/** "1 account", "3 accounts". */
export const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`
