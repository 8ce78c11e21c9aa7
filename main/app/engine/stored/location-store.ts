import type { DeclaredLocation, Fleet, Scope, VantageRecord } from '../../../../schemas/types.ts'
import { sha256 } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { fileIn, fleetPath, shelfPath } from '../../../core/base/layout.ts'
import { inMemory, type LoadedRecording } from '../../../core/recording/recording.ts'
import { askDatabases, declaredLocation, type LocationMatter } from '../../location/ask-databases.ts'
import { readKept, writeKept } from '../context/kept-json.ts'
import type { DeclaredShelf } from './engagement-store.ts'

/** Sources that locate the nodes of a fleet: the files that the fleet names; for the demo fleet, its stored copy. */
export interface LocationShelf extends DeclaredShelf {
  readonly fleet: Fleet | null
}

type Located = Pick<LocationMatter, 'location' | 'sites'>
const NOTHING: Located = { sites: null }
/** Larger than any site record with the maximum number of lines. */
const LARGEST_SITES = 64 * 1024 * 1024

const demoPath = ({ folder }: DeclaredShelf, file: 'location' | 'sites'): string =>
  fileIn(shelfPath(folder, true), file)

/**
 * Location sources other than the nodes themselves. Address databases are separate, see `askedOrNone`. Fails as the
 * readers do.
 */
export async function locationOf(shelf: LocationShelf): Promise<Outcome<Located>> {
  if (shelf.demo) return await keptLocation(shelf)
  if (shelf.fleet === null) return ok(NOTHING)
  const { addressDatabases: _, ...fleet } = shelf.fleet
  return await declaredLocation(shelf.ports, fleet, fleetPath(shelf.folder))
}

/**
 * The location sources as a part of a scope, for showing a run whose nodes showed these host keys. Unreadable sources
 * count as not declared; an export is then refused, see sitesForExport(). Demo servers show new keys at each start,
 * so records of other starts are excluded.
 */
export async function locationOrNone(
  shelf: LocationShelf,
  hostKeys: readonly string[],
): Promise<Pick<Scope, 'location'>> {
  const located = await locationOf(shelf)
  if (!located.ok || located.value.location === undefined) return {}
  const { vantages, ...location } = located.value.location
  const isOfRun = ({ measurements }: VantageRecord): boolean =>
    !shelf.demo || measurements.some(({ hostKey }) => hostKey !== null && hostKeys.includes(hostKey))
  const used = vantages?.filter(isOfRun) ?? []
  return { location: { ...location, ...(used.length === 0 ? {} : { vantages: used }) } }
}

/** Stores the location sources of the demo fleet, for showing its runs after its servers have stopped. */
export async function keepDemoLocation(
  shelf: DeclaredShelf,
  { location, sites }: { readonly location: DeclaredLocation; readonly sites: Uint8Array },
  vantage: VantageRecord,
): Promise<Outcome<null>> {
  const { files } = shelf.ports
  const kept = await keptLocation(shelf)
  if (!kept.ok) return kept
  const before = kept.value
  // The bytes first: the stored record never names a file that is not there.
  const stored = before.location === undefined ? await files.write(demoPath(shelf, 'sites'), sites) : ok(null)
  if (!stored.ok) return stored
  const vantages = [vantage, ...(before.location?.vantages ?? [])].slice(0, MOST_VANTAGES)
  return await writeKept(shelf.ports, demoPath(shelf, 'location'), { ...(before.location ?? location), vantages })
}

/** Number of starts of the demo fleet whose record is kept. */
const MOST_VANTAGES = 10

/**
 * The bytes of the provider's record that a scope names. Fails with engagement.unreadable where they are no longer
 * there.
 */
export async function sitesForExport(shelf: LocationShelf, { location }: Scope): Promise<Outcome<Uint8Array | null>> {
  const file = location?.sites?.file
  const located = await locationOf(shelf)
  if (!located.ok) return fail('engagement.unreadable', located.error.detail)
  if (file === undefined) return ok(null)
  const { sites } = located.value
  return sites !== null && sha256(sites) === file.sha256
    ? ok(sites)
    : fail('engagement.unreadable', `${file.name} is missing or differs from the file read for this run`)
}

async function keptLocation(shelf: DeclaredShelf): Promise<Outcome<Located>> {
  const { ports } = shelf
  const fits = (value: unknown): value is DeclaredLocation =>
    ports.validator.problems('scope', { fleet: 'demo', population: [], frameworks: [], location: value }).length === 0
  const kept = await readKept(ports, demoPath(shelf, 'location'), fits)
  if (!kept.ok) return kept
  if (kept.value === null) return ok(NOTHING)
  const bytes = await ports.files.read(demoPath(shelf, 'sites'), LARGEST_SITES)
  return ok({ location: kept.value, sites: bytes.ok ? bytes.value : null })
}

/**
 * Adds the entries of the address databases for these recordings to a scope. The databases are opened when a run ends
 * or is opened, and closed at once: they can have half a gigabyte, and a view needs only the entries. A database that
 * cannot be read counts as not declared; an export is then refused, see databasesForExport().
 */
export async function askedOrNone(
  shelf: LocationShelf,
  scope: Scope,
  recordings: readonly LoadedRecording[],
): Promise<Scope> {
  const asked = await asking(shelf, scope, recordings)
  return asked.ok ? asked.value : scope
}

async function asking(
  shelf: LocationShelf,
  scope: Scope,
  recordings: readonly LoadedRecording[],
): Promise<Outcome<Scope>> {
  const { addressDatabases } = (shelf.demo ? null : shelf.fleet) ?? {}
  if (addressDatabases === undefined) return ok(scope)
  const read = await declaredLocation(shelf.ports, { addressDatabases }, fleetPath(shelf.folder))
  return read.ok ? await askDatabases(scope, read.value.databases, recordings.map(inMemory)) : read
}

/** Fails with engagement.unreadable where a run was not evaluated with every database that the fleet file names. */
export async function databasesForExport(shelf: LocationShelf, { location }: Scope): Promise<Outcome<null>> {
  const named = (shelf.demo ? null : shelf.fleet)?.addressDatabases ?? []
  if (named.length === (location?.databases ?? []).length) return ok(null)
  const read = await declaredLocation(shelf.ports, { addressDatabases: named }, fleetPath(shelf.folder))
  return fail(
    'engagement.unreadable',
    read.ok
      ? 'this run was not evaluated with the address databases that the fleet file names now; open it again'
      : read.error.detail,
  )
}
