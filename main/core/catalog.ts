import type { Contradiction, Isolation } from '../../schemas/types.ts'
import { canonicalJson } from './canonical-json.ts'
import type { Check, Context, Step } from './check.ts'
import { type Sha256, sha256 } from './digest.ts'
import type { Framework } from './framework.ts'
import type { Parsed, Probe } from './probe.ts'
import type { Threshold } from './profile.ts'

/** The four isolation answers before their reasons and contradictions cite captures. */
export type IsolationArgument = Omit<Isolation, 'reasons' | 'contradictions'> & {
  readonly because: readonly Step[]
  readonly contradictions: readonly (Omit<Contradiction, 'text' | 'probe' | 'captures'> & { readonly step: Step })[]
}

/** What the catalog says about one signal of isolation, apart from the code that reads it. */
export interface SignalNote {
  readonly id: string
  readonly family: Contradiction['family']
  readonly title: string
  readonly onMetal: string
  readonly onGuest: string
  /** What it costs to fake: S0 a setting, S1 rebuilt firmware, S2 a patched hypervisor kernel, S3 the physical part or a private key. */
  readonly spoof: 'S0' | 'S1' | 'S2' | 'S3'
  readonly traps: readonly string[]
  readonly source: string
  readonly probes: readonly string[]
  /** Machines of known truth that read “virtual”, out of those read: honest guests, guests dressed up as hardware, hardware. */
  readonly counts: {
    readonly vm: readonly [number, number]
    readonly dressed: readonly [number, number]
    readonly metal: readonly [number, number]
  } | null
}

/** Everything we ask, conclude and map, as one value that assess() and verify() take. */
export interface Catalog {
  readonly version: string
  readonly probes: readonly Probe<unknown>[]
  readonly checks: readonly Check[]
  readonly frameworks: readonly Framework[]
  readonly signals: readonly SignalNote[]
  /** The numbers that checks compare against, by profile. */
  readonly thresholds: readonly Threshold[]
  readonly arguesIsolation: (readings: ReadonlyMap<string, Parsed<unknown>>, context: Context) => IsolationArgument
}

/** The catalog without its functions: what a pack carries so that a reader sees what was asked and claimed. */
export function catalogSnapshot(catalog: Catalog): unknown {
  return {
    version: catalog.version,
    probes: catalog.probes.map(({ id, title, why, live, commands }) => ({
      id,
      title,
      why,
      ...(live === true ? { live } : {}),
      commands,
    })),
    checks: catalog.checks.map(({ id, property, claim, limits, ends, needs, wants }) => ({
      id,
      property,
      claim,
      limits,
      ...(ends === undefined ? {} : { ends }),
      needs: Object.values(needs).map((probe) => probe.id),
      wants: Object.values(wants ?? {}).map((probe) => probe.id),
    })),
    frameworks: catalog.frameworks,
    signals: catalog.signals,
    thresholds: catalog.thresholds,
  }
}

export const catalogDigest = (catalog: Catalog): Sha256 => sha256(canonicalJson(catalogSnapshot(catalog)))
