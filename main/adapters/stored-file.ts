import { createHash } from 'node:crypto'
import { closeSync, constants, createReadStream, fstatSync, openSync, readFileSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { StoredBytes } from '../core/recording.ts'

/**
 * A file on this computer as bytes of known size and digest. Links are not followed; the reader compares the result.
 */
export const storedFile = (path: string, size: number, sha256: string): StoredBytes =>
  new StoredFile(dirname(path), basename(path), size, sha256)

/** As storedFile, for a file named by its digest. */
export const storedBlob = (folder: string, size: number, sha256: string): StoredBytes =>
  new StoredFile(folder, sha256, size, sha256)

/**
 * A class, with its path in two parts, only because a pack has some hundred thousand of these: functions and a path of
 * its own for each would take more memory than the rest.
 */
class StoredFile implements StoredBytes {
  readonly folder: string
  readonly name: string
  readonly size: number
  readonly sha256: string
  constructor(folder: string, name: string, size: number, sha256: string) {
    this.folder = folder
    this.name = name
    this.size = size
    this.sha256 = sha256
  }
  async read(): Promise<Uint8Array> {
    return readWhole(join(this.folder, this.name), this.size)
  }
  open(): AsyncIterable<Uint8Array> {
    return opened(join(this.folder, this.name))
  }
}

/** Synchronously: for many small files, switching takes longer than reading them. */
function readWhole(path: string, size: number): Uint8Array {
  const file = openSync(path, READ_ONLY)
  try {
    const { size: there } = fstatSync(file)
    if (there !== size) throw new Error(`${path} has ${there} bytes, not ${size}`)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

async function* opened(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path, READ_ONLY)
  yield* handle.createReadStream()
}

/** Opening a link fails, a pipe does not wait for a writer. Where the system has no such flags, 0 omits them. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Size and SHA-256 of a file, read as a stream. Rejects as the file system does. */
export async function digestOfFile(path: string): Promise<{ readonly size: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer)
  return { size: (await stat(path)).size, sha256: hash.digest('hex') }
}
