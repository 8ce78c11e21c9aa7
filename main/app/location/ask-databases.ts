import type { AddressAnswer, DeclaredLocation, Fleet, Scope, VantageRecord } from '../../../schemas/types.ts'
import { regionOfPolicy } from '../../catalog/location/discs.ts'
import { ADDRESS_WANTS, type AddressFacts, dataPeers, publicAddresses } from '../../catalog/location/peers.ts'
import type { OpenAddressDatabase, Ports } from '../../core/all-ports.ts'
import { jsonBytes } from '../../core/base/canonical-json.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { quote } from '../../core/base/plain-text.ts'
import { readProbe } from '../../core/recording/probe.ts'
import { capturesByKey } from '../../core/recording/readings.ts'
import { compare, type LoadedRecording, type RecordingSource } from '../../core/recording/recording.ts'

/**
 * Readers accept no more per node, and no scope contains more in total (DeclaredLocation). Omitted addresses are stated
 * next to the node.
 */
const MOST_OF_NODE = 400
const MOST = 200_000

/**
 * Adds to the scope the database entries for the addresses in the recordings: those at which each node is reached,
 * and those to which it sends data. The entries are stored in the scope, because the databases are too large for a
 * pack. One recording is in memory at a time; the order of recordings matters only when the limit on addresses is
 * exceeded. Fails as loading a recording does.
 */
export async function askDatabases(
  scope: Scope,
  databases: readonly OpenAddressDatabase[],
  recordings: readonly RecordingSource[],
): Promise<Outcome<Scope>> {
  if (databases.length === 0) return ok(scope)
  const addresses = new Set<string>()
  const declared = new Set(scope.population)
  const ordered = [...recordings].sort((a, b) => compare(keyOf(a), keyOf(b)))
  for (const source of ordered.filter(({ recording }) => declared.has(recording.node.name))) {
    const loaded = await source.load()
    if (!loaded.ok) return loaded
    for (const address of addressesOf(loaded.value)) if (addresses.size < MOST) addresses.add(address)
  }
  const sorted = [...addresses].sort(compare)
  const asked = databases.map(({ about, answer }) => ({
    ...about,
    answers: sorted.flatMap((address): AddressAnswer[] => {
      const found = answer(address)
      return found === null ? [] : [found]
    }),
  }))
  return ok({ ...scope, location: { ...scope.location, databases: asked } })
}

const keyOf = ({ recording: { node, endedAt, id } }: RecordingSource): string => `${node.name} ${endedAt} ${id}`

/** The node's own addresses first, so that they are never omitted. */
function addressesOf({ recording, captures }: LoadedRecording): readonly string[] {
  const byKey = capturesByKey(captures)
  const facts = Object.fromEntries(
    Object.entries(ADDRESS_WANTS).map(([name, probe]) => [name, readProbe<unknown>(probe, byKey)]),
  ) as unknown as AddressFacts
  const own = publicAddresses(facts, { node: recording.node }).map(({ address }) => address.text)
  const peers = dataPeers(facts).flatMap(({ address }) => address?.text ?? [])
  return [...new Set([...own, ...peers])].slice(0, MOST_OF_NODE)
}

/** Location sources that a fleet file names in addition to its nodes. */
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
