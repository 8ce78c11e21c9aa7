import type { DeclaredLocation, Fleet, VantageRecord } from '../../../schemas/types.ts'
import { regionOfPolicy } from '../../catalog/location/countries.ts'
import type { OpenAddressDatabase, Ports } from '../../core/all-ports.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { jsonBytes } from '../../core/pack-files.ts'
import { quote } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'

/** Location sources that a fleet file names besides its nodes. */
export interface LocationMatter {
  /** Absent where it names none. The address databases were not queried yet. */
  readonly location?: DeclaredLocation
  /** The bytes of the provider's record of machine locations; null without one. */
  readonly sites: Uint8Array | null
  readonly databases: readonly OpenAddressDatabase[]
}

/** They are in the scope, which readers of a pack hold in memory. */
const LARGEST_TOGETHER = 64 * 1024 * 1024

/**
 * Reads them. Paths are relative to the folder of the fleet file, or to the working folder. Fails as the readers do.
 */
export async function declaredLocation(
  { declarations }: Pick<Ports, 'declarations'>,
  fleet: Pick<Fleet, 'vantages' | 'sites' | 'addressDatabases' | 'residency'>,
  path: string | null,
): Promise<Outcome<LocationMatter>> {
  for (const [index, policy] of (fleet.residency ?? []).entries()) {
    const region = regionOfPolicy(policy)
    if (!region.ok) return fail('input.refused', `residency[${index}]: ${region.error}`)
  }
  const vantages: VantageRecord[] = []
  for (const file of fleet.vantages ?? []) {
    const vantage = await declarations.vantage(file, path)
    if (!vantage.ok) return vantage
    const { id } = vantage.value
    if (vantages.some((other) => other.id === id))
      return fail('input.refused', `vantages: two records have the id ${quote(id)}`)
    vantages.push(vantage.value)
  }
  if (vantages.reduce((bytes, record) => bytes + jsonBytes(record).length, 0) > LARGEST_TOGETHER)
    return fail('input.refused', 'vantages: the records exceed 64 MiB in total, the limit of a pack')
  const databases: OpenAddressDatabase[] = []
  for (const declared of fleet.addressDatabases ?? []) {
    const database = await declarations.addressDatabase(declared, path)
    if (!database.ok) return database
    databases.push(database.value)
  }
  const sites = fleet.sites === undefined ? null : await declarations.sites(fleet.sites, path)
  if (sites?.ok === false) return sites
  const { residency } = fleet
  const location: DeclaredLocation = {
    ...(vantages.length === 0 ? {} : { vantages }),
    ...(sites === null ? {} : { sites: sites.value.sites }),
    ...(residency === undefined ? {} : { residency }),
  }
  return ok({
    ...(Object.keys(location).length === 0 ? {} : { location }),
    sites: sites?.value.bytes ?? null,
    databases,
  })
}
