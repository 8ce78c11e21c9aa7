import type { OpenPack, Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import {
  evidenceFolder,
  evidenceOfRun,
  inEvidence,
  isBackedUp,
  isBlobOfRun,
  isOwnFolder,
  isRebuilt,
  pooledBlob,
} from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'
import { BAG_DECLARATION, manifestLines, PATHS } from '../../core/pack/pack.ts'
import { compare, type StoredBytes } from '../../core/recording/recording.ts'
import { type BackedUpFile, backupFiles, FILES_PATH, parseBackup } from '../../core/retention/backup.ts'
import { withPack } from '../common/pack-shelf.ts'
import { chainFoldersBelow, chainsBelow, listedRuns, packsBelow } from './rebuild-history.ts'

interface BackedUp {
  readonly files: number
  readonly bytes: number
  /** What was excluded, with the reason: runs that are being collected, links. */
  readonly notIncluded: readonly string[]
  /** Names in the root that Barewitness did not write; they are not in the backup either. */
  readonly notOurs: readonly string[]
}

/** Rebuilt from other files, locked by a process, or incomplete; the pool holds second names of files in recordings. */
const NOT_KEPT = /(^|\/)(index\.db[^/]*|lock\.[0-9a-f]{8}\.[^/]*|[^/]*\.part-\d+)$/

/**
 * Writes one archive of everything in a root: evidence, packs, chains, history, schedules and register. Bytes that
 * several files share are stored once. The chains are locked until the end, so that no seal is half written. Runs
 * that are being collected are excluded and named. Signing identities are stored elsewhere and are not in it. Fails
 * with input.refused where the archive already exists.
 */
export async function backUp(
  ports: Pick<Ports, 'files' | 'packs'>,
  root: string,
  to: string,
): Promise<Outcome<BackedUp>> {
  if (!(await ports.packs.isFree(to))) return fail('input.refused', `${to} already exists; nothing was written`)
  return await withFiles(ports, root, { isOurs: isBackedUp, stored: ports.files.stored }, async (files) => {
    if (files.kept.length === 0) return fail('input.not-found', `there are no Barewitness files in ${root}`)
    const contents = backupFiles(files.kept)
    const declared = new Map([[PATHS.bag, new TextEncoder().encode(BAG_DECLARATION)]])
    const manifest = new TextEncoder().encode(manifestLines(contents))
    const written = await ports.packs.write(to, new Map([...contents, ...declared, [PATHS.manifest, manifest]]))
    if (!written.ok) return written
    const bytes = files.kept.reduce((sum, [, { size }]) => sum + size, 0)
    const { notIncluded, notOurs } = files
    return ok({ files: files.kept.length, bytes, notIncluded, notOurs })
  })
}

/** The files of a root at one moment. */
interface FilesOfRoot extends Pick<BackedUp, 'notIncluded' | 'notOurs'> {
  readonly kept: readonly BackedUpFile[]
}

/**
 * The names directly below a root that belong to it, in addition to folders of packs, and the function that reads its
 * files.
 */
interface FilesWanted {
  readonly isOurs: (name: string) => boolean
  readonly stored: (path: string) => Promise<Outcome<StoredBytes>>
}

/**
 * Does work on the files of a root with its chains locked, and its runs. Runs that are being collected are excluded
 * and named. Fails as the work does, and with store.failed where another program has locked a chain.
 */
export async function withFiles<T>(
  ports: Pick<Ports, 'files'>,
  root: string,
  wanted: FilesWanted,
  work: (files: FilesOfRoot) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const chains = await chainFoldersBelow(ports, root)
  if (!chains.ok) return chains
  const held: (() => Promise<void>)[] = []
  try {
    for (const folder of chains.value) {
      const lock = await ports.files.hold(folder)
      if (!lock.ok) return lock
      held.push(lock.value.release)
    }
    const files = await filesOf(ports, root, wanted, held)
    return files.ok ? await work(files.value) : files
  } finally {
    for (const release of held) await release()
  }
}

async function filesOf(
  ports: Pick<Ports, 'files'>,
  root: string,
  { isOurs: isOwn, stored: read }: FilesWanted,
  held: (() => Promise<void>)[],
): Promise<Outcome<FilesOfRoot>> {
  const below = await ports.files.below(root)
  const packs = await packsBelow(ports, root)
  if (!below.ok || !packs.ok) return below.ok ? (packs as Outcome<never>) : below
  const folders = new Set(packs.value.map((path) => path.split('/')[0] ?? ''))
  const topOf = (path: string): string => path.split('/')[0] ?? ''
  const isOurTop = (top: string): boolean => isOwn(top) || (folders.has(top) && !isOwnFolder(top))
  const isOurs = (path: string): boolean => isOurTop(topOf(path)) && !NOT_KEPT.test(path) && !isRebuilt(path)
  const tops = new Set([...below.value.files, ...below.value.others].map(topOf))
  const notOurs = [...tops].filter((top) => !isOurTop(top)).sort(compare)
  const notIncluded = below.value.others.filter(isOurs).map((path) => `${path}: not a regular file`)
  const going = await runsGoingOn(ports, root, below.value.files, held)
  const kept: BackedUpFile[] = []
  for (const run of going) notIncluded.push(`${evidenceOfRun('.', run).slice(2)}: collection in progress`)
  for (const path of below.value.files.filter(isOurs)) {
    if (going.has(inEvidence(path)?.run ?? '')) continue
    const stored = await read(`${root}/${path}`)
    if (!stored.ok) return stored
    kept.push([path, stored.value])
  }
  return ok({ kept, notIncluded, notOurs })
}

/**
 * Runs that another process is collecting. The others are locked like the chains, so that no collection starts until
 * the end.
 */
async function runsGoingOn(
  ports: Pick<Ports, 'files'>,
  root: string,
  files: readonly string[],
  held: (() => Promise<void>)[],
): Promise<ReadonlySet<string>> {
  const runs = new Set(
    files.flatMap((path) => {
      const found = inEvidence(path)
      return found !== null && found.below.length > 1 ? [found.run] : []
    }),
  )
  const going = new Set<string>()
  for (const run of runs) {
    const lock = await ports.files.hold(evidenceOfRun(root, run), 0)
    if (lock.ok) held.push(lock.value.release)
    else going.add(run)
  }
  return going
}

export interface Restored {
  readonly files: number
  /** Fleets whose chain opened after the restore, with the number of entries. */
  readonly chains: readonly { readonly fleet: string; readonly entries: number }[]
  /** Number of runs in the history. */
  readonly runs: number
}

/**
 * Restores a backup into a new or empty folder. All lists and digests in the archive are checked before anything is
 * written, and each file again while it is written; then the chains and the history are opened. Fails with
 * input.refused, pack.unsafe, pack.unreadable, pack.altered or store.failed.
 */
export async function restore(
  ports: Pick<Ports, 'files' | 'openHistory' | 'openRunChain' | 'packs'>,
  archive: string,
  to: string,
): Promise<Outcome<Restored>> {
  const empty = await isEmptyFolder(ports, to)
  if (!empty.ok) return empty
  if (!empty.value) return fail('input.refused', `${to} is not empty; restore a backup into a new folder`)
  return await withPack(ports, archive, async (pack) => {
    const listed = await checked(pack)
    return listed.ok ? await restoreFiles(ports, listed.value, to) : listed
  })
}

/** Writes files into an empty folder, each compared with its digest; then opens chains and history. Fails as these do. */
export async function restoreFiles(
  ports: Pick<Ports, 'files' | 'openHistory' | 'openRunChain'>,
  files: readonly BackedUpFile[],
  to: string,
): Promise<Outcome<Restored>> {
  const written = await unpacked(ports, files, to)
  if (!written.ok) return written
  const chains = await chainsBelow(ports, to)
  if (!chains.ok) return chains
  const heads = await listedRuns(ports, to)
  if (!heads.ok) return heads
  return ok({
    files: files.length,
    chains: chains.value.map(({ chain: { fleet, entries } }) => ({ fleet, entries: entries.length })),
    runs: heads.value.length,
  })
}

/** Whether a folder is empty or does not exist. Fails as the file system does. */
export async function isEmptyFolder(ports: Pick<Ports, 'files'>, folder: string): Promise<Outcome<boolean>> {
  const there = await ports.files.below(folder)
  return there.ok ? ok(there.value.files.length === 0 && there.value.others.length === 0) : there
}

/** The files of a backup, after the archive was checked against its list. */
async function checked(pack: OpenPack): Promise<Outcome<readonly BackedUpFile[]>> {
  const altered = (why: string): Outcome<never> => fail('pack.altered', plain(why, 600))
  try {
    const there = new Set(pack.paths)
    const payload = pack.paths.filter((path) => path.startsWith('data/'))
    const manifest = manifestLines(new Map(payload.map((path) => [path, pack.stored(path)])))
    if (new TextDecoder().decode(await pack.read(PATHS.manifest)) !== manifest)
      return altered(`${PATHS.manifest} does not list exactly the files in the archive`)
    const files = parseBackup(new TextDecoder().decode(await pack.read(FILES_PATH)), (path): StoredBytes | null =>
      there.has(path) ? pack.stored(path) : null,
    )
    return typeof files === 'string' ? altered(files) : ok(files)
  } catch (problem) {
    return fail('pack.unreadable', plain(problem instanceof Error ? problem.message : String(problem), 600))
  }
}

/**
 * Writes the files. Evidence files with the same bytes share them again, also with the evidence pool, so that later
 * recordings do too. On a file system without hard links, each file gets separate bytes and there is no pool.
 */
async function unpacked(
  ports: Pick<Ports, 'files'>,
  files: readonly BackedUpFile[],
  to: string,
): Promise<Outcome<null>> {
  const first = new Map<string, string>()
  for (const [path, content] of files) {
    const { sha256 } = content
    const same = inEvidence(path) !== null ? first.get(sha256) : undefined
    const shared = same === undefined ? ok(false) : await ports.files.linkNew(`${to}/${same}`, `${to}/${path}`)
    if (!shared.ok) return shared
    if (shared.value) continue
    const written = await ports.files.putNew(`${to}/${path}`, content)
    if (!written.ok) return written
    if (!isBlobOfRun(path)) continue
    const pool = pooledBlob(evidenceFolder(to), sha256)
    const pooled = same === undefined ? await ports.files.linkNew(`${to}/${path}`, pool) : shared
    if (!pooled.ok) return pooled
    // Once a file has reached the limit of hard links, later files link to the copy that was made instead.
    first.set(sha256, path)
  }
  return ok(null)
}
