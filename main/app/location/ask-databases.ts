import type { AddressAnswer, Scope } from '../../../schemas/types.ts'
import { ADDRESS_WANTS, type AddressFacts, dataPeers, publicAddresses } from '../../catalog/location/peers.ts'
import type { OpenAddressDatabase } from '../../core/all-ports.ts'
import type { Outcome } from '../../core/failure.ts'
import { readProbe } from '../../core/probe.ts'
import { capturesByKey } from '../../core/readings.ts'
import { compare, type LoadedRecording, type RecordingSource } from '../../core/recording.ts'
import { ok } from '../../core/result.ts'

/**
 * Readers accept no more per node, and no scope contains more in total (DeclaredLocation). Omitted addresses are stated
 * next to the node.
 */
const MOST_OF_NODE = 400
const MOST = 200_000

/**
 * Adds to the scope the database entries for the addresses in the recordings: how each node is reached, and where its
 * data goes. The entries are stored in the scope, since the databases are too large for a pack. One recording is in
 * memory at a time; the order of recordings matters only when the limit on addresses is exceeded. Fails as loading a
 * recording does.
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
      const said = answer(address)
      return said === null ? [] : [said]
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
