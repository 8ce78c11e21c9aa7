import type { Sha256 } from '../../core/base/digest.ts'
import { type Outcome, ok } from '../../core/base/failure.ts'
import { isExportDraft, runOf } from '../../core/base/layout.ts'
import { blobKey, type KeptFile, type ObjectStore, type ObjectVersion, whyNotKept } from '../../core/objects.ts'
import { compare } from '../../core/recording/recording.ts'
import { mapConcurrently } from '../common/concurrency.ts'
import { chainsBelow } from '../history/rebuild-history.ts'
import { type CopyInput, type CopyPorts, chainProblems, filesToCopy, newCopySession } from './copy.ts'
import { byKey, readChainSizes, readState, versionWith } from './state.ts'

/** How a folder and its store compare. Every list is sorted. */
interface Compared {
  /** Number of files in the lists of the store. */
  readonly listed: number
  /** Number of distinct objects with their bytes. */
  readonly objects: number
  /** Whether every object was read and its digest compared. */
  readonly wasRead: boolean
  /** Files of the folder that no list names. */
  readonly notCopied: readonly string[]
  /** Files whose bytes differ from those in the latest list. */
  readonly differing: readonly string[]
  /** Files that the store keeps and the folder lost, except those in `retired` and `discarded`. */
  readonly lost: readonly { readonly path: string; readonly until: string }[]
  /**
   * Runs that the store still has, and that were deleted in the folder under the retention policy according to their
   * chain.
   */
  readonly retired: readonly string[]
  /** Files of exports that were discarded in the folder, and that the store still has. */
  readonly discarded: readonly string[]
  /** Files that the store does not keep as its list requires. */
  readonly notKept: readonly { readonly path: string; readonly why: string }[]
  /** Objects behind a delete marker: they are kept and read. */
  readonly hidden: readonly string[]
  /** Objects that were written again: the first version is read. */
  readonly rewritten: readonly string[]
  /** Run chains that lost entries, or have others, in words. */
  readonly chains: readonly string[]
  /** Number of the first list that is still there; 1 for all. */
  readonly first: number
}

const WIDTH = 16

/**
 * Compares a folder with its store: files, objects with their retention, run chains. With `contents`, every object is
 * read as well. Fails as both do; changes nothing.
 */
export async function compareWithStore(
  ports: CopyPorts,
  store: ObjectStore,
  { root, engagement }: Pick<CopyInput, 'root' | 'engagement'>,
  contents: boolean,
): Promise<Outcome<Compared>> {
  const state = await readState(store, engagement)
  if (!state.ok) return state
  const kept = await readChainSizes(store)
  if (!kept.ok) return kept
  const chains = await chainsBelow(ports, root)
  if (!chains.ok) return chains
  const planned = await filesToCopy(ports, root, newCopySession())
  if (!planned.ok) return planned
  const all = await store.versions('')
  if (!all.ok) return all
  const versions = byKey(all.value)
  const objects = objectsOf(state.value.files)
  const notKept = await notKeptOf(store, objects, versions, { now: ports.clock.now(), contents })
  if (!notKept.ok) return notKept
  const { files: listed, first } = state.value
  const here = new Map(planned.value.files.map((file) => [file.path, file.sha256]))
  const digestOf = (path: string): Sha256 | undefined => listed.get(path)?.sha256
  const paths = [...here.keys()]
  const entries = chains.value.flatMap(({ chain }) => chain.entries.map(({ entry }) => entry))
  const retired = new Set(entries.flatMap((entry) => (entry.kind === 'retired' ? [entry.run] : [])))
  const lost = [...listed].filter(([path]) => !here.has(path))
  const isRetired = ([path]: readonly [string, unknown]): boolean => retired.has(runOf(path) ?? '')
  return ok({
    listed: listed.size,
    objects: objects.size,
    wasRead: contents,
    notCopied: paths.filter((path) => !listed.has(path)).sort(compare),
    differing: paths.filter((path) => listed.has(path) && digestOf(path) !== here.get(path)).sort(compare),
    lost: lost
      .filter((one) => !isRetired(one) && !isExportDraft(one[0]))
      .map(([path, { until }]) => ({ path, until }))
      .sort((a, b) => compare(a.path, b.path)),
    retired: [...new Set(lost.filter(isRetired).map(([path]) => runOf(path) ?? ''))].sort(compare),
    discarded: lost
      .map(([path]) => path)
      .filter(isExportDraft)
      .sort(compare),
    notKept: notKept.value,
    hidden: [...versions].flatMap(([key, found]) => (found[0]?.hidden === true ? [key] : [])).sort(compare),
    rewritten: [...versions].flatMap(([key, found]) => (found.length > 1 ? [key] : [])).sort(compare),
    chains: chainProblems(kept.value, chains.value),
    first,
  })
}

/** Whether the store has everything in the folder, unchanged, and the folder has everything in the store. */
export const isWhole = ({ notCopied, differing, lost, notKept, chains }: Compared): boolean =>
  [notCopied, differing, lost, notKept, chains].every((one) => one.length === 0)

/** By digest: one path with these bytes, its size, and the end of its retention. */
type Objects = ReadonlyMap<Sha256, KeptFile & { readonly path: string }>

function objectsOf(files: ReadonlyMap<string, KeptFile>): Objects {
  const objects = new Map<Sha256, KeptFile & { readonly path: string }>()
  for (const [path, file] of files) {
    const known = objects.get(file.sha256)
    if (known === undefined || known.until < file.until) objects.set(file.sha256, { ...file, path })
  }
  return objects
}

/** An object may be absent once its retention has ended. */
async function notKeptOf(
  store: ObjectStore,
  objects: Objects,
  versions: ReadonlyMap<string, readonly ObjectVersion[]>,
  { now, contents }: { readonly now: string; readonly contents: boolean },
): Promise<Outcome<Compared['notKept']>> {
  let failure: Outcome<never> | null = null
  const found = await mapConcurrently([...objects.values()], WIDTH, async (file) => {
    if (failure !== null || file.until <= now) return []
    const key = blobKey(file.sha256)
    const why = await whyNot(store, versions.get(key) ?? [], file, contents)
    if (why.ok) return why.value === null ? [] : [{ path: file.path, why: why.value }]
    failure ??= why
    return []
  })
  return failure ?? ok(found.flat().sort((a, b) => compare(a.path, b.path)))
}

/** One correct version is enough: others do not affect it. */
async function whyNot(
  store: ObjectStore,
  versions: readonly ObjectVersion[],
  file: KeptFile,
  contents: boolean,
): Promise<Outcome<string | null>> {
  let why = 'is not there'
  for (const version of versions) {
    const head = await store.head(version.key, version.version)
    if (!head.ok) return head
    const problem = whyNotKept(head.value, file, store.locks)
    if (problem !== null) {
      why = problem
      continue
    }
    const read = contents ? await versionWith(store, [version], file) : ok(version)
    if (!read.ok) return read
    if (read.value !== null) return ok(null)
    why = 'has other bytes than its digest states'
  }
  return ok(why)
}
