import type { DeclaredLocation, DeclaredNode } from '../../../schemas/types.ts'
import type { Property, Verdict } from '../../../schemas/words.ts'
import { type Recent, recentResults } from '../base/recent.ts'
import type { Parsed, Probe } from '../recording/probe.ts'
import type { AmongNodes } from '../recording/same-machine.ts'
import type { ThresholdValues } from './profile.ts'

/** The probes that a check reads, by the name it uses for each. */
export type Needs = Readonly<Record<string, Probe<unknown>>>

type FactOf<P> = P extends Probe<infer F, string> ? F : never
export type FactsOf<N> = { readonly [K in keyof N]: FactOf<N[K]> }
export type MaybeFactsOf<N> = { readonly [K in keyof N]: Parsed<FactOf<N[K]>> }

/** One observation before its captures are cited. `probe` names the question it rests on; `commands` narrows it to some of that probe’s captures. */
export interface DraftObservation {
  readonly direction: 'supports' | 'contradicts' | 'unclear'
  /** A sentence stating what was observed. Text of the node appears in it only through `quote`. */
  readonly text: string
  readonly probe: string | null
  readonly commands?: readonly string[]
}

export interface Conclusion {
  readonly verdict: Exclude<Verdict, 'not-tested'>
  readonly observations: readonly DraftObservation[]
}

/** What an evaluation may use besides facts: the declarations of the fleet file, and the time of evaluation. All of it is data. */
export interface Context {
  readonly node: DeclaredNode
  /** UTC, ISO 8601. */
  readonly asOf: string
  /** Time of the recording. */
  readonly observedAt: string
  /** Fingerprint of the host key that the node presented; absent where none is on record. */
  readonly hostKey?: string
  /** True for a recording of a demonstration. Location evidence of real places does not apply to it, and vice versa. */
  readonly demo?: boolean
  /** Evidence of the node’s location from outside the node. */
  readonly location?: DeclaredLocation
  /** Values to compare with, by threshold. */
  readonly thresholds: ThresholdValues
}

/**
 * A check of one node, decided only from facts. Every probe in `needs` must have given a fact before `evaluate` runs. Readings of `wants` are
 * passed whether they gave a fact or not: they may contradict the expected condition or raise the grade of the evidence, and their absence must
 * never improve a verdict (tested over the whole catalog).
 */
export interface Check<N extends Needs = Needs, W extends Needs = Needs> {
  readonly id: string
  readonly property: Property
  /** The expected condition, as the sentence that “satisfied” supports. */
  readonly expected: string
  /**
   * The verdicts that a check can reach with its evidence present. By default satisfied or not satisfied. `recorded`: it only records facts,
   * because no criterion applies. `supported-or-recorded`: satisfied where the condition holds, otherwise a record.
   */
  readonly ends?: 'recorded' | 'supported-or-recorded'
  /** What "satisfied" does not show; printed next to every result. */
  readonly limitations: string
  readonly requires: N
  readonly optional?: W
  /** Ids of the thresholds that `evaluate` compares with (tested: exactly those that it reads). */
  readonly thresholds?: readonly string[]
  readonly evaluate: (facts: FactsOf<N>, wanted: MaybeFactsOf<W>, context: Context) => Conclusion
  /**
   * For a check that depends on other nodes of the population: revises the node’s own verdict once all nodes are compared. Its observations are
   * added to those of `evaluate`. A probe named in one must also occur in those of `evaluate`, so that its captures can be cited.
   */
  readonly amongNodes?: (alone: Conclusion['verdict'], among: AmongNodes) => Conclusion
}

/** Checks the types of a definition and then erases them, so that the catalog can list checks of any shape. */
export function defineCheck<N extends Needs, W extends Needs = Record<never, never>>(check: Check<N, W>): Check {
  return check as unknown as Check
}

/** Concludes a check, or names exactly the missing evidence. Missing evidence never supports. */
export function conclude(check: Check, readings: ReadonlyMap<string, Parsed<unknown>>, context: Context): Conclusion {
  // A check without a context parameter concludes from its readings alone.
  if (check.evaluate.length > 2) return concluded(check, readings, context)
  const recent = RECENT.get(check) ?? recentResults<Conclusion>()
  RECENT.set(check, recent)
  return recent(
    [...Object.values(check.requires), ...Object.values(check.optional ?? {})].map(({ id }) => readings.get(id)),
    () => concluded(check, readings, context),
  )
}

const RECENT = new WeakMap<Check, Recent<Conclusion>>()

function concluded(check: Check, readings: ReadonlyMap<string, Parsed<unknown>>, context: Context): Conclusion {
  const facts: Record<string, unknown> = {}
  const missing: DraftObservation[] = []
  for (const [name, probe] of Object.entries(check.requires)) {
    const reading = readings.get(probe.id) ?? NOT_COLLECTED
    if (reading.ok) facts[name] = reading.fact
    else missing.push({ direction: 'unclear', text: `${probe.title}: ${reading.reason}.`, probe: probe.id })
  }
  if (missing.length > 0) return { verdict: 'inconclusive', observations: missing }
  const wanted: Record<string, Parsed<unknown>> = {}
  for (const [name, probe] of Object.entries(check.optional ?? {}))
    wanted[name] = readings.get(probe.id) ?? NOT_COLLECTED
  return check.evaluate(facts as never, wanted as never, context)
}

const NOT_COLLECTED: Parsed<never> = { ok: false, reason: 'this was not collected' }

/** Unclear observations for a wanted probe that gave no fact, so that the reader sees what was not examined. */
export const unclearAbout = (probe: Probe<unknown>, reading: Parsed<unknown>): readonly DraftObservation[] =>
  reading.ok ? [] : [{ direction: 'unclear', text: `${probe.title}: ${reading.reason}.`, probe: probe.id }]
