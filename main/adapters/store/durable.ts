import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readFile,
  readFileSync,
} from 'node:fs'
import { link, lstat, mkdir, open, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { isSha256, type Sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome } from '../../core/base/failure.ts'
import { RECORDING } from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'

/**
 * Bytes shared by several recordings of one store are on the disk once: `sha256/<2 hex>/<hex>` next to the runs,
 * hard-linked (link(2)) into each recording's own folder. Every recording is complete by itself; without the pool only
 * later ones take more space.
 */
export const POOL = RECORDING.blobs

/** Stores bytes under a new path, on the disk when it resolves; the name needs a sync of its folder. */
export type PutBlob = (path: string, digest: Sha256, bytes: Uint8Array) => Promise<void>

/** Without a pool: each recording has bytes of its own. */
export const putAlone: PutBlob = (path, _, bytes) => writeAside(path, bytes)

/**
 * Never relies on a digest in the pool: a file is linked only after a comparison with the bytes to be written, or with
 * the same bytes a moment ago in this process, if the file is unchanged since.
 */
export function poolIn(root: string, clock: () => number = () => performance.now()): PutBlob {
  const pool = join(root, POOL)
  const pace = blockingPace()
  const made = new Map<string, Promise<unknown>>()
  const known = new Map<Sha256, string>()
  const remember = async (digest: Sha256, pooled: string): Promise<void> => {
    const first = known.size < MOST_KNOWN ? undefined : known.keys().next().value
    if (first !== undefined) known.delete(first)
    known.set(digest, await markOf(pooled))
  }
  const isKnown = async (digest: Sha256, pooled: string): Promise<boolean> =>
    known.has(digest) && known.get(digest) === (await markOf(pooled).catch(() => ''))
  const folderOf = (digest: Sha256): string => join(pool, digest.slice(0, 2))
  /** Makes the two system calls synchronously: handing them to another thread takes several times their processor time. */
  const linkedAtOnce = (digest: Sha256, path: string): boolean => {
    const mark = known.get(digest)
    if (mark === undefined || !pace.mayBlock()) return false
    const began = clock()
    const pooled = join(folderOf(digest), digest)
    try {
      if (markIn(lstatSync(pooled, { bigint: true })) !== mark) return false
      linkSync(pooled, path)
      return true
    } catch {
      // As in `linked`: the caller then writes the bytes.
      return false
    } finally {
      pace.took(clock() - began)
    }
  }
  const put: PutBlob = async (path, digest, bytes) => {
    const folder = folderOf(digest)
    const pooled = join(folder, digest)
    if (linkedAtOnce(digest, path)) return
    if ((await isKnown(digest, pooled)) && (await linked(pooled, path))) return
    const before = await readPlain(pooled, bytes.length).catch((problem) =>
      isCode(problem, 'ENOENT') ? null : 'other',
    )
    if (before instanceof Uint8Array && before.equals(bytes)) {
      await remember(digest, pooled).catch(() => undefined)
      if (await linked(pooled, path)) return
    }
    await writeAside(path, bytes)
    // The recording is complete. A later failure costs space, not evidence.
    const folderMade = made.get(folder) ?? makeFolder(folder, 0o700)
    made.set(folder, folderMade)
    await folderMade.then(() => pooledFrom(path, pooled, before === null)).catch(() => undefined)
  }
  const putInTurn = inTurn(put)
  return async (path, digest, bytes) => {
    if (!linkedAtOnce(digest, path)) await putInTurn(path, digest, bytes)
  }
}

/** Number of files written concurrently, over all recordings: more are not faster, and each has its own buffers. */
export const WIDTH = 16
/** Number of remembered digests: bytes that are equal on many nodes recur soon. */
const MOST_KNOWN = 20_000

/** Identifies a file and its state: a new link to it changes none of these values. */
const markOf = async (path: string): Promise<string> => markIn(await lstat(path, { bigint: true }))

const markIn = ({ ino, size, mtimeNs }: BigIntStats): string => `${ino} ${size} ${mtimeNs}`

/** A pair of calls that takes more milliseconds is slow: on a local disk it takes a hundredth of this. */
const SLOW_MS = 0.5
/** After so many more slow pairs than quick ones, the calls are handed over: a single slow pair may be caused by another program. */
const SLOW_PAIRS = 4
/** Number of pairs that other threads then make concurrently, before a synchronous one is tried again. */
const HANDED_OVER = 500

/** Decides whether the thread that serves connections may wait for the file system: not for a slow one, such as a network file system. */
export function blockingPace(): { readonly mayBlock: () => boolean; readonly took: (milliseconds: number) => void } {
  let [slow, left] = [0, 0]
  return {
    mayBlock: () => {
      if (left === 0) return true
      left -= 1
      return false
    },
    took: (milliseconds) => {
      slow = Math.max(0, slow + (milliseconds > SLOW_MS ? 1 : -1))
      if (slow < SLOW_PAIRS) return
      slow = 0
      left = HANDED_OVER
    },
  }
}

function inTurn(put: PutBlob): PutBlob {
  let free = WIDTH
  const waiting: (() => void)[] = []
  return async (...one) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      await put(...one)
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch {
    // Deleted meanwhile, too many links, another disk, a file system without links: it is written instead.
    return false
  }
}

/** A file that is damaged, or at its link limit, is replaced and never edited: earlier recordings link to it. */
async function pooledFrom(path: string, pooled: string, isNew: boolean): Promise<void> {
  if (isNew) return await link(path, pooled)
  const temporary = `${pooled}.part-${process.pid}`
  await link(path, temporary)
  await orRemoved(temporary, () => rename(temporary, pooled))
}

/** Deletes what no recording refers to any more; returns the number of bytes freed. */
export async function sweepPool(root: string): Promise<number> {
  const pool = join(root, POOL)
  let freed = 0
  for (const part of await namesIn(pool)) {
    for (const name of await namesIn(join(pool, part))) {
      const path = join(pool, part, name)
      const stat = await lstat(path)
      const isOurs = stat.isFile() && (isSha256(name) || /\.part-\d+$/.test(name))
      if (!isOurs || stat.nlink > 1) continue
      await unlink(path)
      freed += stat.size
    }
    await rmdir(join(pool, part)).catch(() => undefined)
  }
  return freed
}

const namesIn = (folder: string): Promise<readonly string[]> =>
  readdir(folder).catch((problem) => {
    if (isCode(problem, 'ENOENT') || isCode(problem, 'ENOTDIR')) return []
    throw problem
  })

export const isCode = (problem: unknown, code: string): boolean =>
  (problem as NodeJS.ErrnoException | null)?.code === code

const NO_LINKS = ['EPERM', 'EMLINK', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

/** Whether link(2) failed because a file can have no second name there, or no further one. */
export const isWithoutLinks = (problem: unknown): boolean => NO_LINKS.some((code) => isCode(problem, code))

/** Whether there is something at a path; false as well where it cannot be inspected. */
export const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Whether there is a process of this number: one that we may not signal is running, too. */
export function isRunning(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch (problem) {
    return isCode(problem, 'EPERM')
  }
}

/**
 * Creates a folder and its parents, each of this mode; an existing one is not changed. Rejects as mkdir(2) does, so
 * that a read-only disk is reported as one. Node's own recursive form loops forever where mkdir(2) returns ENOENT below
 * an existing folder, as in /proc.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const made = await mkdir(path, { mode }).then(
    () => null,
    (problem: unknown) => problem,
  )
  if (made === null) return
  if (isCode(made, 'EEXIST') && (await stat(path)).isDirectory()) return
  const parent = dirname(path)
  if (!isCode(made, 'ENOENT') || parent === path) throw made
  await makeFolder(parent, mode)
  await mkdir(path, { mode }).catch((problem: unknown) => {
    // Another process may have created it meanwhile.
    if (!isCode(problem, 'EEXIST')) throw problem
  })
}

const IN_WORDS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'the folder does not exist and cannot be created',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is not a folder',
}

export const messageOf = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem))

/** Why writing failed, in words where the system's error code has some, with its own message. */
export function problemInWords(problem: unknown): string {
  const message = messageOf(problem)
  const { code } = (problem ?? {}) as { readonly code?: unknown }
  const words = typeof code === 'string' ? IN_WORDS[code] : undefined
  return words === undefined ? message : `${words} (${message})`
}

/** Writes a whole file next to its final path, then renames it. It is on the disk, its name too, when this resolves. */
export async function writeWhole(path: string, bytes: Uint8Array | string): Promise<void> {
  await writeAside(path, bytes)
  await syncFolder(dirname(path))
}

/** As writeWhole, except that the name is only durable after the folder was synced: for many files in one folder. */
export async function writeAside(path: string, bytes: Uint8Array | string): Promise<void> {
  const temporary = `${path}.part-${process.pid}`
  await makeFile(temporary, 'w', bytes)
  await orRemoved(temporary, () => rename(temporary, path))
}

/**
 * Creates a file of mode 0600, its bytes on the disk when this resolves; removes it again when it cannot be written
 * completely.
 */
export async function makeFile(path: string, flags: 'w' | 'wx', bytes: Uint8Array | string): Promise<void> {
  const handle = await open(path, flags, 0o600)
  await orRemoved(path, async () => {
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
  })
}

/** Does the work on a file that the caller has created, and removes that file when the work fails. */
export async function orRemoved(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (problem) {
    // Of the two errors, the first is the relevant one.
    await unlink(path).catch(() => undefined)
    throw problem
  }
}

/**
 * A name in a folder survives a power failure only after the folder itself was synced. Windows cannot do that, and need
 * not.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Larger files are read by another thread; with smaller ones the switch takes longer than reading them. */
const READ_AT_ONCE = 1024 * 1024
const readLarge = promisify(readFile)

/** Reads a regular file of bounded size. Links, pipes and devices are refused, never opened. */
export async function readPlain(path: string, largest: number): Promise<Buffer> {
  if (!lstatSync(path).isFile()) throw new Error(`${path} is not a regular file`)
  // NONBLOCK: if a pipe replaced the file meanwhile, opening it would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const there = fstatSync(file)
    if (!there.isFile()) throw new Error(`${path} is not a regular file`)
    if (there.size > largest) throw new Error(`${path} is larger than ${largest} bytes`)
    return there.size <= READ_AT_ONCE ? readFileSync(file) : await readLarge(file)
  } finally {
    closeSync(file)
  }
}

/** Reads as readPlain(); null where there is no such file. */
export const bytesIfThere = (path: string, largest: number): Promise<Buffer | null> =>
  readPlain(path, largest).catch((problem) => {
    if (isCode(problem, 'ENOENT')) return null
    throw problem
  })

/** File errors in words: `store.failed`, with advice where the disk is full. */
export function storeFailure(problem: unknown): Outcome<never> {
  const detail = plain(problemInWords(problem), 500)
  const { code } = (problem ?? {}) as { readonly code?: unknown }
  return fail(
    'store.failed',
    code === 'ENOSPC' || code === 'EDQUOT' ? `${detail}; free some space, then try again` : detail,
  )
}

/** Does work on files; what it throws becomes a failure, as by storeFailure(). */
export const guarded = async <T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> =>
  await work().catch(storeFailure)
