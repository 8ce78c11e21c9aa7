import type { Scope } from '../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { fleetPath } from '../../core/layout.ts'
import { inMemory, type LoadedRecording } from '../../core/recording.ts'
import { askDatabases, declaredLocation } from '../location/ask-databases.ts'
import type { LocationShelf } from './location-store.ts'

/**
 * Adds the entries of the address databases for these recordings to a scope. They are opened when a run ends and when
 * one is opened, and closed at once: they can be half a gigabyte, and a view needs only the entries. One that cannot be
 * read counts as not declared; an export is then refused, see `databasesForExport`.
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
