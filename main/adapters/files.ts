import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, copyFile, link, lstat, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Files } from '../core/all-ports.ts'
import { fail, ok } from '../core/base/failure.ts'
import { compare, type StoredBytes } from '../core/recording/recording.ts'
import { lockFolder } from './folder-lock.ts'
import {
  guarded,
  isCode,
  isRunning,
  isWithoutLinks,
  makeFolder,
  orRemoved,
  readPlain,
  storeFailure,
  syncFolder,
  writeWhole,
} from './store/durable.ts'
import { appendLine, cutTornLine, digestOfFile, storedFile } from './stored-file.ts'

const LARGEST = 512 * 1024 * 1024
const OPEN_PIPE = /^\/(?:dev\/(?:stdin$|fd\/)|proc\/self\/fd\/)/
/** How long another process may take to write a small file. */
const PATIENCE_MS = 10_000

/** Files of this computer. A file is written completely or not at all. */
export const createFiles = (): Files => ({
  read: async (path, largest) => {
    try {
      if (largest !== undefined) return ok(new Uint8Array(await readPlain(path, largest)))
      const there = await stat(path)
      // A device or a named pipe can give bytes without end, or none; a shell passes the output of a command as an open pipe.
      if (!there.isFile() && !(there.isFIFO() && OPEN_PIPE.test(path)))
        return fail('input.not-found', `${path} is not a file`)
      if (there.size > LARGEST) return fail('input.refused', `${path} is larger than ${LARGEST} bytes`)
      return ok(new Uint8Array(await readFile(path)))
    } catch (problem) {
      const refused = problem instanceof Error && !('code' in problem)
      return refused ? fail('input.refused', problem.message) : fail('input.not-found', `${path} could not be read`)
    }
  },
  digest: async (path) => {
    try {
      return ok(await digestOfFile(path))
    } catch {
      return fail('input.not-found', `${path} could not be read`)
    }
  },
  write: (path, bytes) =>
    guarded(async () => {
      await makeFolder(dirname(path))
      await writeWhole(path, bytes)
      return ok(null)
    }),
  writePieces: async (path, pieces) => {
    try {
      await makeFolder(dirname(path))
      return ok(await writeWholePieces(path, pieces))
    } catch (problem) {
      // Any other error comes from the producer of the pieces, and is a bug.
      if (!(problem instanceof Error && 'syscall' in problem)) throw problem
      return storeFailure(problem)
    }
  },
  append: (path, line) =>
    guarded(async () => {
      await makeFolder(dirname(path))
      const held = await lockFolder(dirname(path), PATIENCE_MS)
      if (!held.ok) return held
      try {
        await cutTornLine(path, LARGEST)
        await appendLine(path, `${line}\n`, LARGEST)
        return ok(null)
      } finally {
        await held.value.release()
      }
    }),
  isThere: async (path) =>
    await lstat(path).then(
      () => true,
      () => false,
    ),
  copyNew: (from, to) =>
    guarded(async () => {
      await makeFolder(dirname(to))
      try {
        await copyFile(from, to, constants.COPYFILE_EXCL)
      } catch (problem) {
        if (isCode(problem, 'EEXIST')) return fail('store.failed', `${to} already exists`)
        throw problem
      }
      // From here on the file is one that we created.
      await orRemoved(to, () => synced(to))
      return ok(await digestOfFile(to))
    }),
  below: (folder, depth = Number.POSITIVE_INFINITY) =>
    guarded(async () => {
      const [files, others]: [string[], string[]] = [[], []]
      for await (const [path, isFile] of entriesBelow(folder, '', depth)) (isFile ? files : others).push(path)
      return ok({ files: files.sort(compare), others: others.sort(compare) })
    }),
  mark: async (path) => {
    try {
      const stat = await lstat(path, { bigint: true })
      const { ino, size, mtimeNs, mtimeMs } = stat
      if (!stat.isFile()) return null
      return { mark: `${ino} ${size} ${mtimeNs}`, writtenAt: new Date(Number(mtimeMs)).toISOString() }
    } catch {
      return null
    }
  },
  stored: async (path) => {
    try {
      if (!(await lstat(path)).isFile()) return fail('input.refused', `${path} is not a regular file`)
      const { size, sha256 } = await digestOfFile(path)
      return ok(storedFile(path, size, sha256))
    } catch {
      return fail('input.not-found', `${path} could not be read`)
    }
  },
  putNew: (path, content) =>
    guarded(async () => {
      await makeFolder(dirname(path), 0o700)
      await putStored(path, content)
      return ok(null)
    }),
  linkNew: (from, to) =>
    guarded(async () => {
      await makeFolder(dirname(to), 0o700)
      try {
        await link(from, to)
        return ok(true)
      } catch (problem) {
        if (isWithoutLinks(problem)) return ok(false)
        throw problem
      }
    }),
  hold: (folder, patience = PATIENCE_MS) =>
    guarded(async () => {
      await makeFolder(folder)
      return await lockFolder(folder, patience)
    }),
  lock: (path) =>
    guarded(async () => {
      await chmod(path, 0o400)
      return ok(null)
    }),
  clearParts: (folder) =>
    guarded(async () => {
      for await (const [name, isFile] of entriesBelow(folder, '', 1)) {
        const [, pid] = /\.part-(\d{1,10})$/.exec(name) ?? []
        if (isFile && pid !== undefined && !isRunning(Number(pid))) await rm(join(folder, name), { force: true })
      }
      return ok(null)
    }),
  remove: (path) =>
    guarded(async () => {
      await rm(path, { recursive: true, force: true })
      return ok(null)
    }),
})

/** As writeWhole, from pieces as they come. Exceptions of the pieces are passed on, and no file remains. */
async function writeWholePieces(
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

/**
 * Pieces in blocks of BLOCK bytes, because each write is a system call. A block is valid only until the next one, as all use the same memory:
 * new blocks, or a long text encoded as a whole, add a hundred megabytes to a large export before they are collected.
 */
function* blocksOf(pieces: Iterable<string | Uint8Array>): Generator<Buffer> {
  const block = Buffer.allocUnsafe(BLOCK)
  let size = 0
  for (const piece of pieces)
    for (let from = 0; from < piece.length; ) {
      const [taken, written] = put(piece, from, block.subarray(size))
      from += taken
      size += written
      if (from === piece.length) break
      yield block.subarray(0, size)
      size = 0
    }
  yield block.subarray(0, size)
}

const encoder = new TextEncoder()

/** Copies the part of a piece that fits to `into`, a text as UTF-8. Returns how much of the piece was read, and how many bytes were written. */
function put(piece: string | Uint8Array, from: number, into: Buffer): readonly [taken: number, written: number] {
  if (typeof piece === 'string') {
    const { read, written } = encoder.encodeInto(from === 0 ? piece : piece.slice(from), into)
    return [read, written]
  }
  const part = piece.subarray(from, from + into.length)
  into.set(part)
  return [part.length, part.length]
}

/** Paths relative to a folder, and whether each is a regular file. Links to folders are not entered. */
async function* entriesBelow(folder: string, at: string, depth: number): AsyncGenerator<readonly [string, boolean]> {
  const entries = await readdir(join(folder, at), { withFileTypes: true }).catch((problem) => {
    if (isCode(problem, 'ENOENT')) return []
    throw problem
  })
  for (const entry of entries) {
    const path = at === '' ? entry.name : `${at}/${entry.name}`
    if (!entry.isDirectory()) yield [path, entry.isFile()]
    else if (depth > 1) yield* entriesBelow(folder, path, depth - 1)
  }
}

/** Writes bytes stored elsewhere as a new file, which is on the disk when this resolves. Rejects, and removes the file, where they differ from their digest. */
export async function putStored(path: string, content: StoredBytes): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  await orRemoved(path, async () => {
    try {
      const hash = createHash('sha256')
      let size = 0
      for await (const chunk of content.open()) {
        hash.update(chunk)
        size += chunk.length
        await handle.writeFile(chunk)
      }
      if (size !== content.size || hash.digest('hex') !== content.sha256)
        throw new Error(`${path}: its bytes differ from the stored digest`)
      await handle.sync()
    } finally {
      await handle.close()
    }
  })
  await syncFolder(dirname(path))
}

async function synced(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
  await syncFolder(dirname(path))
}
