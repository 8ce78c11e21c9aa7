import { createHash, hash } from 'node:crypto'
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as zlib from 'node:zlib'
import { fail, type Outcome } from '../../core/failure.ts'
import { isSafePath, type PackFiles, sizeOf } from '../../core/pack-files.ts'
import { plain, quote } from '../../core/plain-text.ts'
import type { StoredBytes } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import { orRemoved, syncFolder } from '../store/durable.ts'
import { type BlockWriter, blockWriter, writeAll } from './blocks.ts'
import { LIMITS } from './limits.ts'
import { FOLDER } from './names.ts'
import { endRecords, LOCAL_CRC_AT, listedRecord, localHeader } from './zip-format.ts'

/** Files up to this size are read whole, larger ones as a stream. */
const WHOLE = 1024 ** 2

/**
 * Writes files (paths inside `pack/`) as one archive, all of it or nothing. The same files give the same bytes, in any time zone and on
 * any platform: sorted names, no dates, stored rather than compressed, since compressors differ. The 64-bit form is used only where a
 * size, a place or the count needs it. Stored bytes pass through as a stream, and are checked against their size and digest.
 * Only its owner may read a new archive; one that replaces another has the mode of that one.
 * Fails with store.failed, naming the file that is not what it was said to be.
 */
export async function writePack(path: string, files: PackFiles): Promise<Outcome<null>> {
  // Names are ASCII: the order of strings is the order of their bytes.
  const names = [...files.keys()].sort()
  const unfit = names.find((name) => !isSafePath(name))
  if (unfit !== undefined) throw new Error(`a pack cannot hold the name ${JSON.stringify(unfit)}`)
  const tooMuch = beyondLimits(files)
  if (tooMuch !== null) return fail('store.failed', tooMuch)
  const temporary = `${path}.part-${process.pid}`
  try {
    await mkdir(dirname(path), { recursive: true })
    const before = await modeOf(path)
    // What a run that was killed left under this name would lend its mode.
    await rm(temporary, { force: true })
    const file = await open(temporary, 'wx', 0o600)
    await orRemoved(temporary, async () => {
      try {
        await writeArchive(file, names, files)
        if (before !== null && before !== permissions(await file.stat())) await file.chmod(before)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, path)
    })
    await syncFolder(dirname(path))
    return ok(null)
  } catch (problem) {
    return fail('store.failed', plain(messageOf(problem), 500))
  }
}

/** Who may read and write the file that is to be replaced; null when there is none. */
async function modeOf(path: string): Promise<number | null> {
  const found = await lstat(path).catch(() => null)
  return found?.isFile() === true ? permissions(found) : null
}

const permissions = ({ mode }: { readonly mode: number }): number => mode & 0o777

/** No pack is written that this program would not open. */
function beyondLimits(files: PackFiles): string | null {
  if (files.size > LIMITS.entries) return `the pack would have ${files.size} files; at most ${LIMITS.entries} are read`
  let total = 0
  for (const content of files.values()) total += sizeOf(content)
  return total > LIMITS.totalBytes ? `the pack would hold ${total} bytes; at most ${LIMITS.totalBytes} are read` : null
}

async function writeArchive(file: FileHandle, names: readonly string[], files: PackFiles): Promise<void> {
  const out = blockWriter(file)
  const crcs = new Uint32Array(names.length)
  const starts = new Float64Array(names.length)
  const late: number[] = []
  const entry = (index: number) => {
    const name = names[index] ?? ''
    const size = sizeOf(files.get(name) ?? NOTHING)
    return { name: FOLDER + name, size, crc: crcs[index] ?? 0, at: starts[index] ?? 0 }
  }
  for (const [index, name] of names.entries()) {
    const content = files.get(name) ?? NOTHING
    starts[index] = out.position()
    if (content instanceof Uint8Array || content.size <= WHOLE) {
      const bytes = content instanceof Uint8Array ? content : await readWhole(name, content)
      crcs[index] = zlib.crc32(bytes)
      await out.write(localHeader(entry(index)))
      await out.write(bytes)
    } else {
      await out.write(localHeader(entry(index)))
      crcs[index] = await copy(name, content, out)
      late.push(index)
    }
  }
  const listAt = out.position()
  for (const index of names.keys()) await out.write(listedRecord(entry(index)))
  await out.write(endRecords(names.length, listAt, out.position() - listAt))
  await out.flush()
  for (const index of late) {
    const crc = Buffer.alloc(4)
    crc.writeUInt32LE(crcs[index] ?? 0)
    await writeAll(file, crc, (starts[index] ?? 0) + LOCAL_CRC_AT)
  }
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

/** A large file, checked while it passes; the last step says whether it was what it should be. */
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

/** Copies a large file into the archive; gives its CRC-32. */
async function copy(name: string, content: StoredBytes, out: BlockWriter): Promise<number> {
  let crc = 0
  for await (const chunk of readStream(name, content)) {
    crc = zlib.crc32(chunk, crc)
    await out.write(chunk)
  }
  return crc
}

const altered = (name: string): Error => new Error(`${quote(name, 400)} is not what was stored: its bytes changed`)
const notRead = (name: string, problem: unknown): Error =>
  new Error(`${quote(name, 400)} cannot be read: ${messageOf(problem)}`)
const messageOf = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem))
