import { createHash, hash } from 'node:crypto'
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as zlib from 'node:zlib'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain, quote } from '../../core/base/plain-text.ts'
import { isSafePath, type PackContent, type PackFiles, pathsInOrder, sizeOf } from '../../core/pack/pack-files.ts'
import type { StoredBytes } from '../../core/recording/recording.ts'
import { makeFolder, messageOf, orRemoved, syncFolder } from '../store/durable.ts'
import { FOLDER, LIMITS, unreadable, unsafe } from './limits.ts'
import { claimedNew, type Put, withPart } from './name.ts'
import { endRecords, LOCAL_CRC_AT, listedRecord, localHeader } from './zip-format.ts'

/** Files are read and written in blocks of this size, two at a time: one in use while the other is transferred. */
const BLOCK = 4 * 1024 ** 2

/** Maximum size that `BlockReader.take` returns at once. */
export const LARGEST_TAKE = 1024 ** 2

interface BlockWriter {
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Bytes written so far. */
  readonly position: () => number
  /** Resolves when all of it was passed to the operating system. */
  readonly flush: () => Promise<void>
}

/** Writes a file from its start. Bytes are copied at once and their buffer may be reused. */
function blockWriter(file: FileHandle): BlockWriter {
  let filling = Buffer.allocUnsafeSlow(BLOCK)
  let other = Buffer.allocUnsafeSlow(BLOCK)
  let used = 0
  let handedOver = 0
  let writing = Promise.resolve()
  const handOver = async (): Promise<void> => {
    await writing
    writing = writeAll(file, filling.subarray(0, used), handedOver)
    // Awaited with the next block; until then its rejection is unhandled.
    writing.catch(() => undefined)
    handedOver += used
    used = 0
    ;[filling, other] = [other, filling]
  }
  return {
    write: async (bytes) => {
      for (let from = 0; from < bytes.length; ) {
        const part = bytes.subarray(from, from + BLOCK - used)
        filling.set(part, used)
        used += part.length
        from += part.length
        if (used === BLOCK) await handOver()
      }
    },
    position: () => handedOver + used,
    flush: async () => {
      await handOver()
      await writing
    },
  }
}

/** Writes all of `bytes` at a position in a file, in as many steps as the system needs. */
async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
}

export interface BlockReader {
  /** The next `count` bytes, at most LARGEST_TAKE, valid until the next call. Throws a Refusal when fewer are left. */
  readonly take: (count: number) => Promise<Buffer>
  /** Position of the next byte in the file. */
  readonly position: () => number
}

/** The method of an open file that readers use. */
export interface Readable {
  readonly read: (
    into: Buffer,
    offset: number,
    length: number,
    position: number,
  ) => Promise<{ readonly bytesRead: number }>
}

/** Reads the bytes from `start` to `end` of a file, in order. `early` is the error for a request beyond the end. */
export function blockReader(file: Readable, start: number, end: number, early: string): BlockReader {
  const size = Math.min(BLOCK, end - start)
  let free: Buffer | null = null
  let block: Buffer = Buffer.alloc(0)
  let used = 0
  let position = start
  let fetched = start
  let coming: Promise<Buffer> | null = null
  const fetch = (): Promise<Buffer> => {
    const into = (free ?? Buffer.allocUnsafeSlow(size)).subarray(0, Math.min(size, end - fetched))
    const reading = readAll(file, into, fetched)
    reading.catch(() => undefined)
    fetched += into.length
    return reading
  }
  const advance = async (): Promise<void> => {
    const spent = block
    block = await (coming ?? fetch())
    used = 0
    free = spent.length === size ? spent : null
    coming = fetched < end ? fetch() : null
  }
  return {
    position: () => position,
    take: async (count) => {
      if (count > end - position || count > LARGEST_TAKE) throw unsafe(early)
      position += count
      if (block.length - used >= count) {
        used += count
        return block.subarray(used - count, used)
      }
      const joined = Buffer.allocUnsafe(count)
      for (let done = 0; done < count; ) {
        if (used === block.length) await advance()
        const part = block.subarray(used, used + count - done)
        joined.set(part, done)
        used += part.length
        done += part.length
      }
      return joined
    },
  }
}

/** Bytes of a file, all of them or a Refusal. */
export async function bytesAt(file: Readable, at: number, count: number): Promise<Buffer> {
  return readAll(file, Buffer.alloc(count), at)
}

async function readAll(file: Readable, into: Buffer, at: number): Promise<Buffer> {
  for (let done = 0; done < into.length; ) {
    const { bytesRead } = await file.read(into, done, into.length - done, at + done)
    if (bytesRead === 0) throw unreadable('the archive ends early')
    done += bytesRead
  }
  return into
}

/** Files up to this size are read whole, larger ones as a stream. */
const WHOLE = 1024 ** 2

/**
 * Writes files (paths inside `pack/`) as one archive, completely or not at all. The same files give the same bytes, in
 * any time zone and on any platform: sorted names, no dates, stored rather than compressed, since compressors differ.
 * The 64-bit form is used only where a size, a position or the count needs it. Stored bytes pass through as a stream,
 * and are checked against their size and digest. An existing file is never overwritten, not even one that appears
 * meanwhile. Only its owner may read it. Fails with input.refused where a file exists, and with store.failed, naming
 * the file that differs from its size or digest.
 */
export const writePack = (path: string, files: PackFiles): Promise<Outcome<null>> =>
  writeAt(path, files, claimedNew, PACK)

/**
 * As writePack, for files that are handed out together: their paths are inside `folder`. Throws for a path with characters other than letters,
 * digits, hyphens, points and underscores.
 */
export const writeHandOut = (path: string, files: PackFiles, folder: string): Promise<Outcome<null>> =>
  writeAt(path, files, claimedNew, { folder: `${folder}/`, fits: isPlainPath })

/** The folder of an archive, and which paths may be in it. */
interface Inside {
  readonly folder: string
  readonly fits: (path: string) => boolean
}
const PACK: Inside = { folder: FOLDER, fits: isSafePath }
const isPlainPath = (path: string): boolean =>
  path.length <= 400 && path.split('/').every((name) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name))

/**
 * As writePack, replacing the existing archive and keeping its mode: for a new archive that contains all of the old
 * one.
 */
export const replacePack = (path: string, files: PackFiles): Promise<Outcome<null>> =>
  writeAt(path, files, replaced, PACK)

const replaced: Put = async (from, to) => {
  await rename(from, to)
  return true
}

async function writeAt(path: string, files: PackFiles, put: Put, inside: Inside): Promise<Outcome<null>> {
  for (const name of [inside.folder.slice(0, -1), ...files.keys()])
    if (!inside.fits(name)) throw new Error(`an archive cannot contain the name ${JSON.stringify(name)}`)
  const tooMuch = beyondLimits(files)
  if (tooMuch !== null) return fail('store.failed', tooMuch)
  return await withPart(path, (temporary) => written(path, temporary, { files, put, inside }))
}

async function written(
  path: string,
  temporary: string,
  { files, put, inside }: { readonly files: PackFiles; readonly put: Put; readonly inside: Inside },
): Promise<Outcome<null>> {
  try {
    await makeFolder(dirname(path))
    const before = await modeOf(path)
    const file = await open(temporary, 'wx', 0o600)
    let isPut = false
    await orRemoved(temporary, async () => {
      try {
        await writeArchive(file, files, inside.folder)
        if (before !== null && before !== permissions(await file.stat())) await file.chmod(before)
        await file.sync()
      } finally {
        await file.close()
      }
      isPut = await put(temporary, path)
      if (!isPut) await unlink(temporary)
    })
    await syncFolder(dirname(path))
    return isPut ? ok(null) : fail('input.refused', plain(`${path} already exists`, 500))
  } catch (problem) {
    return fail('store.failed', plain(messageOf(problem), 500))
  }
}

/** Permissions of the file to be replaced; null when there is none. */
async function modeOf(path: string): Promise<number | null> {
  const found = await lstat(path).catch(() => null)
  return found?.isFile() === true ? permissions(found) : null
}

const permissions = ({ mode }: { readonly mode: number }): number => mode & 0o777

/** Why this program could not open the pack, which is then not written; null where it could. */
function beyondLimits(files: PackFiles): string | null {
  if (files.size > LIMITS.entries) return `the pack would have ${files.size} files; at most ${LIMITS.entries} are read`
  let total = 0
  for (const content of files.values()) total += sizeOf(content)
  return total > LIMITS.totalBytes ? `the pack would have ${total} bytes; at most ${LIMITS.totalBytes} are read` : null
}

async function writeArchive(file: FileHandle, files: PackFiles, folder: string): Promise<void> {
  const out = blockWriter(file)
  const count = files.size
  const crcs = new Uint32Array(count)
  const starts = new Float64Array(count)
  const late: number[] = []
  const entry = (index: number, name: string, content: PackContent) => ({
    name: folder + name,
    size: sizeOf(content),
    crc: crcs[index] ?? 0,
    at: starts[index] ?? 0,
  })
  for (const [index, name, content] of numbered(files)) {
    starts[index] = out.position()
    if (content instanceof Uint8Array || content.size <= WHOLE) {
      const bytes = content instanceof Uint8Array ? content : await readWhole(name, content)
      crcs[index] = zlib.crc32(bytes)
      await out.write(localHeader(entry(index, name, content)))
      await out.write(bytes)
    } else {
      await out.write(localHeader(entry(index, name, content)))
      crcs[index] = await copy(name, content, out)
      late.push(index)
    }
  }
  const listAt = out.position()
  for (const [index, name, content] of numbered(files)) await out.write(listedRecord(entry(index, name, content)))
  await out.write(endRecords(count, listAt, out.position() - listAt))
  await out.flush()
  for (const index of late) {
    const crc = Buffer.alloc(4)
    crc.writeUInt32LE(crcs[index] ?? 0)
    await writeAll(file, crc, (starts[index] ?? 0) + LOCAL_CRC_AT)
  }
}

function* numbered(files: PackFiles): Generator<readonly [number, string, PackContent]> {
  let index = 0
  for (const name of pathsInOrder(files)) yield [index++, name, files.get(name) ?? NOTHING]
}

const NOTHING = new Uint8Array()

/** A small file, checked. */
async function readWhole(name: string, content: StoredBytes): Promise<Uint8Array> {
  const bytes = await content.read().catch((problem: unknown) => {
    throw notRead(name, problem)
  })
  if (bytes.length !== content.size || hash('sha256', bytes) !== content.sha256) throw altered(name)
  return bytes
}

/** A large file, checked while it is copied; the last step reports whether it was as stated. */
async function* readStream(name: string, content: StoredBytes): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256')
  let size = 0
  try {
    for await (const chunk of content.open()) {
      size += chunk.length
      if (size > content.size) break
      digest.update(chunk)
      yield chunk
    }
  } catch (problem) {
    throw notRead(name, problem)
  }
  if (size !== content.size || digest.digest('hex') !== content.sha256) throw altered(name)
}

/** Copies a large file into the archive; returns its CRC-32. */
async function copy(name: string, content: StoredBytes, out: BlockWriter): Promise<number> {
  let crc = 0
  for await (const chunk of readStream(name, content)) {
    crc = zlib.crc32(chunk, crc)
    await out.write(chunk)
  }
  return crc
}

const altered = (name: string): Error =>
  new Error(`${quote(name, 400)} differs from what was stored: its bytes changed`)
const notRead = (name: string, problem: unknown): Error =>
  new Error(`${quote(name, 400)} cannot be read: ${messageOf(problem)}`)
