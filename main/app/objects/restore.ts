import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import { blobKey, OBJECTS, type ObjectStore } from '../../core/objects.ts'
import { compare } from '../../core/recording/recording.ts'
import type { BackedUpFile } from '../../core/retention/backup.ts'
import { isEmptyFolder, type Restored, restoreFiles } from '../history/backup.ts'
import { byKey, readState, versionWith } from './state.ts'

interface RestoredFromStore extends Restored {
  /** Files that the store no longer has, and whose retention has ended. */
  readonly ended: readonly string[]
}

/**
 * Writes everything that a store has of an engagement into a new or empty folder, byte for byte: of each path the bytes that the latest list
 * names, those that were deleted in the folder included. Each is compared with its digest. Fails with input.refused for another folder, with
 * objects.altered where an object is missing or has other bytes, and as the store and the folder do.
 */
export async function restoreFromStore(
  ports: Pick<Ports, 'clock' | 'files' | 'openHistory' | 'openRunChain'>,
  store: ObjectStore,
  { engagement, to }: { readonly engagement: string; readonly to: string },
): Promise<Outcome<RestoredFromStore>> {
  const empty = await isEmptyFolder(ports, to)
  if (!empty.ok) return empty
  if (!empty.value) return fail('input.refused', `${to} is not empty; restore into a new folder`)
  const state = await readState(store, engagement)
  if (!state.ok) return state
  if (state.value.last === null) return fail('input.not-found', `${store.name} has no files of ${engagement}`)
  const blobs = await store.versions(OBJECTS.blobs)
  if (!blobs.ok) return blobs
  const versions = byKey(blobs.value)
  const files: BackedUpFile[] = []
  const ended: string[] = []
  for (const [path, file] of [...state.value.files].sort(([a], [b]) => compare(a, b))) {
    const own = (versions.get(blobKey(file.sha256)) ?? []).filter(({ size }) => size === file.size)
    // Where there are several versions, each is read first: anyone with the credentials can add one with other bytes.
    const chosen = own.length > 1 ? await versionWith(store, own, file) : ok(own[0] ?? null)
    if (!chosen.ok) return chosen
    if (chosen.value !== null) files.push([path, store.stored(chosen.value, file.sha256)])
    else if (file.until <= ports.clock.now()) ended.push(path)
    else return fail('objects.altered', plain(`${path}: the store does not have its bytes`, 300))
  }
  const restored = await restoreFiles(ports, files, to)
  return restored.ok ? ok({ ...restored.value, ended }) : restored
}
