import type { DraftObservation } from '../../core/check.ts'
import type { Parsed, Probe } from '../../core/probe.ts'

/** Which part of a machine a signal comes from. Signals of one family can share one cause, so they are never counted twice in full. */
export const FAMILIES = [
  'cpu-identity',
  'cpu-features',
  'timing',
  'firmware',
  'pci',
  'storage',
  'network',
  'gpu',
  'management',
  'session',
] as const
export type Family = (typeof FAMILIES)[number]

/**
 * What it costs a provider to make a guest show what hardware shows:
 * S0 a setting or text; S1 rebuilt firmware or a patched machine monitor; S2 a patched hypervisor kernel with coherent emulation of
 * devices; S3 the physical part, or a private key.
 */
export type SpoofingEffort = 'S0' | 'S1' | 'S2' | 'S3'

/**
 * How much a sign of virtualization states: names: a hypervisor names itself, or something only a hypervisor provides is there (rule R1);
 * impossible: cannot happen on the hardware that the machine states it is (an anomaly of class “impossible”); odd: happens on hardware too, and
 * needs an explanation (class “unexplained”); hint: fits a guest, and decides nothing.
 */
export type Weight = 'names' | 'impossible' | 'odd' | 'hint'

export interface Sign {
  readonly weight: Weight
  /** One of the names in platform-name.ts, or null where it names none. */
  readonly platform: string | null
  readonly step: DraftObservation
}

/** What a signal found on one node. Unreadable is never absent: only a complete response can be `bare-metal`. */
export type Observation =
  | { readonly indicates: 'unreadable'; readonly reason: string; readonly probe: Probe<unknown> }
  | { readonly indicates: 'not-applicable'; readonly reason: string }
  | {
      /** virtual: the signal is there; bare-metal: it was searched for and hardware's response is there; neutral: neither. */
      readonly indicates: 'virtual' | 'bare-metal' | 'neutral'
      /** What was read, in a few words; words of the node only through `plain` or `quote`. */
      readonly value: string
      /** For `virtual` at least one. */
      readonly signs: readonly Sign[]
      /** What to state for hardware, or what stays open; none where there is nothing worth a sentence. */
      readonly steps: readonly DraftObservation[]
    }

/** The reading of a probe on this node: a fact, or the reason why there is none. */
export type Read = <F, C extends string>(probe: Probe<F, C>) => Parsed<F>

/**
 * One thing that distinguishes hardware from a guest: what it looks at, how it looks on either, what it costs to fake, where it misleads
 * and who states this. Only `observe` is code. The weight of a signal is not here: it comes from the counts of measured machines
 * (counts.ts).
 */
export interface Signal {
  readonly id: string
  readonly family: Family
  readonly title: string
  /** What hardware shows, and what guests show, each in a few words. */
  readonly onMetal: string
  readonly onGuest: string
  readonly spoofingEffort: SpoofingEffort
  /** Where it states "virtual" of hardware, or is no evidence of a guest. */
  readonly pitfalls: readonly string[]
  /** Standard and clause, kernel file, vendor manual, or "measured" with what. */
  readonly source: string
  readonly probes: readonly Probe<unknown>[]
  readonly observe: (read: Read) => Observation
}

export const sign = (weight: Weight, platform: string | null, step: DraftObservation): Sign => ({
  weight,
  platform,
  step,
})

export const unreadable = (probe: Probe<unknown>, reason: string): Observation => ({
  indicates: 'unreadable',
  reason,
  probe,
})
export const notApplicable = (reason: string): Observation => ({ indicates: 'not-applicable', reason })
export const virtual = (value: string, ...signs: readonly Sign[]): Observation => ({
  indicates: 'virtual',
  value,
  signs,
  steps: [],
})
export const metal = (value: string, ...steps: readonly DraftObservation[]): Observation => ({
  indicates: 'bare-metal',
  value,
  signs: [],
  steps,
})
export const neutral = (value: string, ...steps: readonly DraftObservation[]): Observation => ({
  indicates: 'neutral',
  value,
  signs: [],
  steps,
})
