import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { folderIn, isCopied, isOwnFolder, isRebuilt, objectListPath } from '../../core/base/layout.ts'
import { quote } from '../../core/base/plain-text.ts'
import {
  blobKey,
  type ChainSize,
  chainSizeOf,
  chainSizeText,
  filesOfLists,
  headKey,
  type KeptFile,
  type ListedFile,
  listKey,
  listText,
  notListed,
  OBJECTS,
  type ObjectList,
  type ObjectStore,
  type ObjectVersion,
  textBytes,
  yearsLater,
} from '../../core/objects.ts'
import { compare, type StoredBytes } from '../../core/recording/recording.ts'
import { mapConcurrently } from '../common/concurrency.ts'
import { withFiles } from '../history/backup.ts'
import { type ChainBelow, chainsBelow } from '../history/rebuild-history.ts'
import { byKey, keepObject, readChainSizes, readState, type StoreState } from './state.ts'

export interface CopyInput {
  readonly root: string
  readonly engagement: string
  readonly years: number
}

interface Copied {
  /** Files that were new or changed. */
  readonly files: number
  /** Objects that were stored for them; the others were there. */
  readonly objects: number
  /** Files in the store, including the new ones. */
  readonly all: number
  /** Until when the new ones are kept; null without new ones. */
  readonly until: string | null
  /** What was excluded, with the reason. */
  readonly notIncluded: readonly string[]
}

/** Files of a folder that the store did not confirm yet. */
export interface Waiting {
  readonly files: number
  /** When the one that waits longest was written, ISO 8601; null where none waits. */
  readonly since: string | null
}

/**
 * State between copies of one folder: digests of files that have not been written to since, and the files that are
 * not copied yet.
 */
interface CopySession {
  readonly digests: Map<string, { readonly mark: string; readonly content: StoredBytes }>
  /** Lists and sizes of run chains as they were read, by key and version. */
  readonly read: Map<string, Uint8Array>
  listed: ReadonlyMap<string, KeptFile>
  waiting: Waiting
}

export const newCopySession = (): CopySession => ({
  digests: new Map(),
  read: new Map(),
  listed: new Map(),
  waiting: { files: 0, since: null },
})

/** The ports that a copy uses. */
export type CopyPorts = Pick<Ports, 'clock' | 'files' | 'openRunChain'>

const WIDTH = 8
/** Up to this number, objects are looked up one by one instead of through a listing. */
const FEW = 200
const ROUNDS = 3

/**
 * Copies the files of a folder that its store does not have: objects first, then the list that names them, then the
 * sizes of run chains. A list is written only after the store confirmed every object in it and its retention. Nothing
 * has to be undone after a kill: files that no list names are copied next time. Fails with objects.altered where the
 * store has more of a run chain than the folder, or another chain.
 */
export async function copyToStore(
  ports: CopyPorts,
  store: ObjectStore,
  input: CopyInput,
  session: CopySession = newCopySession(),
): Promise<Outcome<Copied>> {
  const lock = await ports.files.hold(folderIn(input.root, 'objectLists'))
  if (!lock.ok) return lock
  try {
    for (let round = 1; ; round += 1) {
      const copied = await copyOnce(ports, store, input, session)
      if (!copied.ok || copied.value !== null) return copied as Outcome<Copied>
      if (round === ROUNDS) return fail('store.failed', 'files were written to while they were copied; copy again')
    }
  } finally {
    await lock.value.release()
  }
}

interface PlannedFile extends ListedFile {
  readonly content: StoredBytes
}

/** Null where a file was written to during the copy: a list names files as they were at one moment. */
async function copyOnce(
  ports: CopyPorts,
  store: ObjectStore,
  { root, engagement, years }: CopyInput,
  session: CopySession,
): Promise<Outcome<Copied | null>> {
  const chains = await chainsBelow(ports, root)
  if (!chains.ok) return chains
  const planned = await filesToCopy(ports, root, session)
  if (!planned.ok) return planned
  const { files, notIncluded } = planned.value
  await setWaiting(ports, root, session, files)
  const known = remembering(store, session.read)
  const state = await readState(known, engagement)
  if (!state.ok) return state
  session.listed = state.value.files
  const fresh = await setWaiting(ports, root, session, files)
  const sizes = await chainSizesToKeep(known, chains.value)
  if (!sizes.ok) return sizes
  const at = ports.clock.now()
  const until = yearsLater(at, years)
  const list: ObjectList | null =
    fresh.length === 0
      ? null
      : {
          engagement,
          number: (state.value.last?.number ?? 0) + 1,
          previous: state.value.last?.sha256 ?? null,
          at,
          until,
          locked: store.locks,
          files: fresh.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
        }
  const objects = await keepFiles(ports, store, state.value, { root, until, fresh, session })
  if (!objects.ok || objects.value === null) return objects as Outcome<null>
  for (const [key, text] of [
    ...(list === null ? [] : [[listKey(list.number), listText(list)] as const]),
    ...sizes.value.map((size) => [headKey(size.chain, size.size), chainSizeText(size)] as const),
  ]) {
    const kept = await keepObject(store, key, textBytes(text), { until, found: [], isKnown: false })
    if (!kept.ok) return kept
  }
  const listed = list === null ? state.value.files : filesOfLists([...state.value.lists, list])
  session.listed = listed
  await setWaiting(ports, root, session, files)
  const texts = new Map([
    ...state.value.texts,
    ...(list === null ? [] : [[listKey(list.number), listText(list)] as const]),
  ])
  const mirrored = await mirrorLists(ports, root, texts)
  if (!mirrored.ok) return mirrored
  const end = list === null ? null : until
  return ok({ files: fresh.length, objects: objects.value, all: listed.size, until: end, notIncluded })
}

/** The same store with a cache of versions that were read completely: no version ever changes. */
const remembering = (store: ObjectStore, read: Map<string, Uint8Array>): ObjectStore => ({
  ...store,
  stored: (version, sha256) => {
    const content = store.stored(version, sha256)
    const name = `${version.key} ${version.version}`
    return {
      size: content.size,
      sha256,
      open: () => content.open(),
      read: async () => {
        const bytes = read.get(name) ?? (await content.read())
        read.set(name, bytes)
        return bytes
      },
    }
  },
})

/**
 * The files of a root that belong into its store, as they are at one moment. A file that has not been written to
 * since it was last read is not read again.
 */
export async function filesToCopy(
  ports: Pick<Ports, 'files'>,
  root: string,
  session: CopySession,
): Promise<Outcome<{ readonly files: readonly PlannedFile[]; readonly notIncluded: readonly string[] }>> {
  const stored = rememberedBytes(ports, session)
  const below = await ports.files.below(root)
  if (!below.ok) return below
  // Large folders take long to read, which is done before anything is locked. A file that is gone or locked by then
  // is read below.
  for (const path of below.value.files) if (mayBeCopied(path)) await stored(`${root}/${path}`)
  return await withFiles(ports, root, { isOurs: isCopied, stored }, async ({ kept, notIncluded }) =>
    ok({
      files: kept.map(([path, content]) => ({ path, size: content.size, sha256: content.sha256, content })),
      notIncluded,
    }),
  )
}

/** Whether a file is evidence, a declaration, or possibly in a folder with a pack. */
function mayBeCopied(path: string): boolean {
  const [top = ''] = path.split('/')
  return isCopied(top) ? !isRebuilt(path) : path.includes('/') && !isOwnFolder(top)
}

/** Reads the bytes of a file, from memory where it has not been written to since it was last read. */
const rememberedBytes =
  (ports: Pick<Ports, 'files'>, session: CopySession) =>
  async (path: string): Promise<Outcome<StoredBytes>> => {
    const now = await ports.files.mark(path)
    const known = session.digests.get(path)
    if (now !== null && known?.mark === now.mark) return ok(known.content)
    const read = await ports.files.stored(path)
    if (read.ok && now !== null) session.digests.set(path, { mark: now.mark, content: read.value })
    return read
  }

async function setWaiting(
  ports: CopyPorts,
  root: string,
  session: CopySession,
  files: readonly PlannedFile[],
): Promise<readonly PlannedFile[]> {
  const waiting = notListed(files, session.listed)
  const written = await mapConcurrently(
    waiting,
    WIDTH,
    async ({ path }) => (await ports.files.mark(`${root}/${path}`))?.writtenAt,
  )
  const [since = null] = written.filter((one) => one !== undefined).sort(compare)
  session.waiting = { files: waiting.length, since }
  return waiting
}

/** The sizes of chains that the store does not have yet. Fails with objects.altered where it has more of a chain, or another one. */
async function chainSizesToKeep(
  store: ObjectStore,
  chains: readonly ChainBelow[],
): Promise<Outcome<readonly ChainSize[]>> {
  const kept = await readChainSizes(store)
  if (!kept.ok) return kept
  const [problem] = chainProblems(kept.value, chains)
  if (problem !== undefined) return fail('objects.altered', problem)
  const known = new Set(kept.value.map(({ chain, size }) => headKey(chain, size)))
  return ok(chains.map(({ chain }) => chainSizeOf(chain)).filter(({ chain, size }) => !known.has(headKey(chain, size))))
}

/** In words, which chains of a folder lost entries that the store confirms, or have others. */
export function chainProblems(kept: readonly ChainSize[], chains: readonly ChainBelow[]): readonly string[] {
  const latest = new Map<string, ChainSize>()
  for (const size of kept) if (size.size >= (latest.get(size.chain)?.size ?? 0)) latest.set(size.chain, size)
  return [...latest.values()].flatMap((size) => {
    const of = `the run chain of ${quote(size.fleet)}`
    const chain = chains.find((one) => one.chain.id === size.chain)?.chain
    if (chain === undefined) return [`${of} is not in the folder; the store confirms ${size.size} entries`]
    if (chain.entries.length < size.size)
      return [`${of} has ${chain.entries.length} entries; the store confirms ${size.size}`]
    return chainSizeOf(chain, size.size).root === size.root
      ? []
      : [`${of} has other entries than the store confirms among the first ${size.size}`]
  })
}

/**
 * Stores the bytes of files and confirms each. Returns the number of new objects; null where a file was written to
 * during the copy.
 */
async function keepFiles(
  ports: CopyPorts,
  store: ObjectStore,
  { files: listed }: StoreState,
  {
    root,
    until,
    fresh,
    session,
  }: {
    readonly root: string
    readonly until: string
    readonly fresh: readonly PlannedFile[]
    readonly session: CopySession
  },
): Promise<Outcome<number | null>> {
  const known = new Set([...listed.values()].map(({ sha256 }) => sha256))
  const bytes = [...new Map(fresh.map((file) => [file.sha256, file])).values()]
  const there = bytes.length > FEW ? await store.versions(OBJECTS.blobs) : ok(null)
  if (!there.ok) return there
  const all = there.value === null ? null : byKey(there.value)
  let failure: Outcome<never> | null = null
  let [objects, isMoved] = [0, false]
  await mapConcurrently(bytes, WIDTH, async ({ path, sha256, content }) => {
    if (failure !== null || isMoved) return
    const key = blobKey(sha256)
    const found: Outcome<readonly ObjectVersion[]> = all === null ? await store.versions(key) : ok(all.get(key) ?? [])
    const kept = found.ok
      ? await keepObject(store, key, content, { until, found: found.value, isKnown: known.has(sha256) })
      : found
    if (kept.ok) objects += kept.value ? 1 : 0
    else if ((await ports.files.mark(`${root}/${path}`))?.mark !== session.digests.get(`${root}/${path}`)?.mark)
      isMoved = true
    else failure ??= kept
  })
  return failure ?? ok(isMoved ? null : objects)
}

/**
 * Copies the lists next to the evidence, so that files deleted here can be distinguished from those that the store
 * keeps, without a request to it.
 */
async function mirrorLists(ports: CopyPorts, root: string, texts: ReadonlyMap<string, string>): Promise<Outcome<null>> {
  for (const [key, text] of texts) {
    const path = objectListPath(root, key)
    if (await ports.files.isThere(path)) continue
    const written = await ports.files.write(path, text)
    if (!written.ok) return written
  }
  return ok(null)
}
