import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, rename, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

export const isCode = (problem: unknown, code: string): boolean =>
  (problem as NodeJS.ErrnoException | null)?.code === code

/**
 * Makes a folder and those it lies in, each of this mode; one that is there is left as it is. Rejects as mkdir(2) says, so that a
 * read-only disk is told as one. Node's own recursive form goes on for ever where mkdir(2) says ENOENT below a folder that exists, as in /proc.
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
    // Somebody else may have made it meanwhile.
    if (!isCode(problem, 'EEXIST')) throw problem
  })
}

const IN_WORDS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'there is no such folder, and none can be made there',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is not a folder',
}

/** What kept us from writing, in words where the code of the system has some, with its own message. */
export function toldProblem(problem: unknown): string {
  const message = problem instanceof Error ? problem.message : String(problem)
  const { code } = (problem ?? {}) as { readonly code?: unknown }
  const words = typeof code === 'string' ? IN_WORDS[code] : undefined
  return words === undefined ? message : `${words} (${message})`
}

/** Writes a whole file beside its place, then puts it there in one step. It is on the disk, its name too, when this resolves. */
export async function writeWhole(path: string, bytes: Uint8Array | string): Promise<void> {
  await writeAside(path, bytes)
  await syncFolder(dirname(path))
}

/** As writeWhole, except that the name is only sure after the folder was synced: for many files in one folder. */
export async function writeAside(path: string, bytes: Uint8Array | string): Promise<void> {
  const temporary = `${path}.part-${process.pid}`
  await makeFile(temporary, 'w', bytes)
  await orRemoved(temporary, () => rename(temporary, path))
}

/** As writeWhole, from pieces as they come. What the pieces throw is thrown on, and leaves nothing. */
export async function writeWholePieces(
  path: string,
  pieces: Iterable<string | Uint8Array>,
): Promise<{ readonly size: number; readonly sha256: string }> {
  const temporary = `${path}.part-${process.pid}`
  const handle = await open(temporary, 'w', 0o600)
  const digest = createHash('sha256')
  let size = 0
  await orRemoved(temporary, async () => {
    try {
      for (const block of blocksOf(pieces)) {
        await handle.writeFile(block)
        digest.update(block)
        size += block.length
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  })
  await syncFolder(dirname(path))
  return { size, sha256: digest.digest('hex') }
}

const BLOCK = 1024 * 1024

/** Small pieces joined: each write is a call of the system. */
function* blocksOf(pieces: Iterable<string | Uint8Array>): Generator<Buffer> {
  let waiting: Buffer[] = []
  let size = 0
  for (const piece of pieces) {
    const bytes =
      typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    waiting.push(bytes)
    size += bytes.length
    if (size < BLOCK) continue
    yield Buffer.concat(waiting)
    waiting = []
    size = 0
  }
  yield Buffer.concat(waiting)
}

/** Makes a file of mode 0600, its bytes on the disk when this resolves; takes it away again when it cannot be written whole. */
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

/** Does the work on a file that the caller has made, and takes that file away when the work fails. */
export async function orRemoved(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (problem) {
    // Of the two problems, the first is the one to tell.
    await unlink(path).catch(() => undefined)
    throw problem
  }
}

/** A name in a folder outlives a loss of power only after the folder itself was synced. Windows cannot, and need not. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Reads an ordinary file of bounded size. Links, pipes and devices are refused, never opened. */
export async function readPlain(path: string, largest: number): Promise<Buffer> {
  const before = await lstat(path)
  if (!before.isFile()) throw new Error(`${path} is not an ordinary file`)
  // NONBLOCK: were a pipe put there meanwhile, opening it would wait for a writer.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw new Error(`${path} is not an ordinary file`)
    if (stat.size > largest) throw new Error(`${path} is larger than ${largest} bytes`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}
