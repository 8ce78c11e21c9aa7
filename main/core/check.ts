import type { DeclaredLocation, DeclaredNode } from '../../schemas/types.ts'
import type { Property, Verdict } from '../../schemas/words.ts'
import type { Parsed, Probe } from './probe.ts'
import type { ThresholdValues } from './profile.ts'
import { type Recent, recentResults } from './recent.ts'
import type { AmongNodes } from './same-machine.ts'

/** Which probes a check reads, by the name it uses for each. */
export type Needs = Readonly<Record<string, Probe<unknown>>>

type FactOf<P> = P extends Probe<infer F, string> ? F : never
export type FactsOf<N> = { readonly [K in keyof N]: FactOf<N[K]> }
export type MaybeFactsOf<N> = { readonly [K in keyof N]: Parsed<FactOf<N[K]>> }

/** One step of an argument. `probe` names the question it rests on; `commands` narrows it to some of that probe's captures. */
export interface DraftObservation {
  readonly direction: 'supports' | 'contradicts' | 'unclear'
  /** A sentence about what was observed. Words of the node stand in it only through `quote`. */
  readonly text: string
  readonly probe: string | null
  readonly commands?: readonly string[]
}

export interface Conclusion {
  readonly verdict: Exclude<Verdict, 'not-tested'>
  readonly observations: readonly DraftObservation[]
}

/** What the evaluation may use in addition to facts: what the fleet file declared, and the moment of evaluation. Both are data. */
export interface Context {
  readonly node: DeclaredNode
  /** UTC, ISO 8601. */
  readonly asOf: string
  /** When the recording was taken. */
  readonly observedAt: string
  /** Fingerprint of the host key that the node showed; absent where none is on record. */
  readonly hostKey?: string
  /** True for a recording of a demonstration: evidence from real places does not go with it, and the other way round. */
  readonly demo?: boolean
  /** Evidence from outside the node about where it is. */
  readonly location?: DeclaredLocation
  /** The numbers to compare against, by threshold. */
  readonly thresholds: ThresholdValues
}

/**
 * A claim about a node, decided only from facts. Every probe in `needs` must have given a fact before `evaluate` runs.
 * Facts from `wants` come as they are, read or not: they may contradict the claim or raise the grade of the evidence, and
 * their absence must never make a verdict better (tested over the whole catalog).
 */
export interface Check<N extends Needs = Needs, W extends Needs = Needs> {
  readonly id: string
  readonly property: Property
  /** The claim as a sentence that "satisfied" supports. */
  readonly expected: string
  /**
   * How it can end where its evidence is there. By default the claim is supported or contradicted. `recorded`: it only records what is there,
   * since nothing asks for one thing or another. `supported-or-recorded`: support where it holds, a record where it does not.
   */
  readonly ends?: 'recorded' | 'supported-or-recorded'
  /** What "satisfied" does not show; printed next to every result. */
  readonly limitations: string
  readonly requires: N
  readonly optional?: W
  /** Ids of the thresholds that `evaluate` compares against (tested: what it reads and nothing else). */
  readonly thresholds?: readonly string[]
  readonly evaluate: (facts: FactsOf<N>, wanted: MaybeFactsOf<W>, context: Context) => Conclusion
  /**
   * For a claim that depends on other nodes of the population: what comes of the verdict that the node has by itself once all are compared.
   * `because` is added to the reasons of `evaluate`. A probe named in it has to stand in those, too, so that its captures can be cited.
   */
  readonly amongNodes?: (alone: Conclusion['verdict'], among: AmongNodes) => Conclusion
}

/** Gives a check its precise types, then forgets them, so that the catalog can list checks of every shape. */
export function defineCheck<N extends Needs, W extends Needs = Record<never, never>>(check: Check<N, W>): Check {
  return check as unknown as Check
}

/** Concludes a check, or names exactly which evidence is missing. Missing evidence never supports. */
export function conclude(check: Check, readings: ReadonlyMap<string, Parsed<unknown>>, context: Context): Conclusion {
  // A check that takes no context concludes from its readings alone.
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

/** Steps for a wanted probe that gave no fact, so that a reader sees what was not looked at. */
export const unclearAbout = (probe: Probe<unknown>, reading: Parsed<unknown>): readonly DraftObservation[] =>
  reading.ok ? [] : [{ direction: 'unclear', text: `${probe.title}: ${reading.reason}.`, probe: probe.id }]
