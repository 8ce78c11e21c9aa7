import type { Isolation } from '../../schemas/types.ts'
import { canonicalJson } from './canonical-json.ts'
import type { Check, Context, Step } from './check.ts'
import { type Sha256, sha256 } from './digest.ts'
import type { Framework } from './framework.ts'
import type { Parsed, Probe } from './probe.ts'

/** The four isolation answers before their reasons cite captures. */
export type IsolationArgument = Omit<Isolation, 'reasons'> & { readonly because: readonly Step[] }

/** Everything we ask, conclude and map, as one value that assess() and verify() take. */
export interface Catalog {
  readonly version: string
  readonly probes: readonly Probe<unknown>[]
  readonly checks: readonly Check[]
  readonly frameworks: readonly Framework[]
  readonly arguesIsolation: (readings: ReadonlyMap<string, Parsed<unknown>>, context: Context) => IsolationArgument
}

/** The catalog without its functions: what a pack carries so that a reader sees what was asked and claimed. */
export function catalogSnapshot(catalog: Catalog): unknown {
  return {
    version: catalog.version,
    probes: catalog.probes.map(({ id, title, why, commands }) => ({ id, title, why, commands })),
    checks: catalog.checks.map(({ id, property, claim, limits, needs, wants }) => ({
      id,
      property,
      claim,
      limits,
      needs: Object.values(needs).map((probe) => probe.id),
      wants: Object.values(wants ?? {}).map((probe) => probe.id),
    })),
    frameworks: catalog.frameworks,
  }
}

export const catalogDigest = (catalog: Catalog): Sha256 => sha256(canonicalJson(catalogSnapshot(catalog)))
