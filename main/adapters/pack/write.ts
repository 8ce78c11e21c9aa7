import { createHash, hash, randomBytes } from 'node:crypto'
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as zlib from 'node:zlib'
import { fail, type Outcome } from '../../core/failure.ts'
import { isSafePath, type PackContent, type PackFiles, pathsInOrder, sizeOf } from '../../core/pack-files.ts'
import { plain, quote } from '../../core/plain-text.ts'
import type { StoredBytes } from '../../core/recording.ts'
import { ok } from '../../core/result.ts'
import { isCode, makeFolder, orRemoved, syncFolder } from '../store/durable.ts'
import { type BlockWriter, blockWriter, writeAll } from './blocks.ts'
import { LIMITS } from './limits.ts'
import { FOLDER } from './names.ts'
import { endRecords, LOCAL_CRC_AT, listedRecord, localHeader } from './zip-format.ts'

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
export const writePack = (path: string, files: PackFiles): Promise<Outcome<null>> => writeAt(path, files, claimed)

/**
 * As writePack, replacing the existing archive and keeping its mode: for a new archive that contains all of the old
 * one.
 */
export const replacePack = (path: string, files: PackFiles): Promise<Outcome<null>> =>
  writeAt(path, files, async (from, to) => {
    await rename(from, to)
    return true
  })

/**
 * Renames a finished archive to its final name in the same folder, in one step. Fails with input.refused where a file
 * of that name exists, and with store.failed.
 */
export async function publishPack(from: string, to: string): Promise<Outcome<null>> {
  try {
    const isPut = await claimed(from, to)
    await syncFolder(dirname(to))
    return isPut ? ok(null) : fail('input.refused', plain(`${to} already exists`, 500))
  } catch (problem) {
    return fail('store.failed', plain(messageOf(problem), 500))
  }
}

/** Gives a finished file its name, or reports that the name is taken. */
type Put = (from: string, to: string) => Promise<boolean>

async function writeAt(path: string, files: PackFiles, put: Put): Promise<Outcome<null>> {
  for (const name of files.keys())
    if (!isSafePath(name)) throw new Error(`a pack cannot contain the name ${JSON.stringify(name)}`)
  const tooMuch = beyondLimits(files)
  if (tooMuch !== null) return fail('store.failed', tooMuch)
  const temporary = `${path}.${randomBytes(4).toString('hex')}.part-${process.pid}`
  try {
    await makeFolder(dirname(path))
    const before = await modeOf(path)
    const file = await open(temporary, 'wx', 0o600)
    let isPut = false
    await orRemoved(temporary, async () => {
      try {
        await writeArchive(file, files)
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

/** In one step, so that of two at once one learns that the name is taken. */
const claimed: Put = async (from, to) => {
  try {
    await link(from, to)
  } catch (problem) {
    if (isCode(problem, 'EEXIST')) return false
    // A file system without links: an empty file of ours reserves the name until the archive replaces it.
    const holding = await open(to, 'wx', 0o600).catch((taken) => {
      if (isCode(taken, 'EEXIST')) return null
      throw taken
    })
    if (holding === null) return false
    await holding.close()
    await rename(from, to)
    return true
  }
  await unlink(from)
  return true
}

/** Permissions of the file to be replaced; null when there is none. */
async function modeOf(path: string): Promise<number | null> {
  const found = await lstat(path).catch(() => null)
  return found?.isFile() === true ? permissions(found) : null
}

const permissions = ({ mode }: { readonly mode: number }): number => mode & 0o777

/** A pack that this program could not open is not written. */
function beyondLimits(files: PackFiles): string | null {
  if (files.size > LIMITS.entries) return `the pack would have ${files.size} files; at most ${LIMITS.entries} are read`
  let total = 0
  for (const content of files.values()) total += sizeOf(content)
  return total > LIMITS.totalBytes ? `the pack would have ${total} bytes; at most ${LIMITS.totalBytes} are read` : null
}

async function writeArchive(file: FileHandle, files: PackFiles): Promise<void> {
  const out = blockWriter(file)
  const count = files.size
  const crcs = new Uint32Array(count)
  const starts = new Float64Array(count)
  const late: number[] = []
  const entry = (index: number, name: string, content: PackContent) => ({
    name: FOLDER + name,
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
const messageOf = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem))
