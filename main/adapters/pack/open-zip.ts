import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import * as zlib from 'node:zlib'
import { type Entry, fromFd, type ZipFile } from 'yauzl'
import { quote } from '../../core/plain-text.ts'
import type { OpenPack } from '../../core/world.ts'
import { type Limits, unreadable, unsafe } from './limits.ts'
import { checkNames } from './names.ts'
import { checkEntry, checkLayout, readEnd } from './zip-layout.ts'

const FOLDER = 'pack/'

/**
 * Opens an archive for reading in memory; nothing is ever written to disk. Every entry is unpacked once, counted and hashed before
 * anything is handed out, so that what is read later is what was checked. Throws a Refusal.
 */
export async function openZip(path: string, limits: Limits): Promise<OpenPack> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const { directoryAt, entries: count } = await readEnd(file, size, limits)
    const zip = await openDirectory(file, size)
    const entries = await listEntries(zip, count)
    checkNames(entries.map(({ name }) => name))
    for (const { entry, name } of entries) checkEntry(entry, name, limits)
    await checkLayout(file, entries, directoryAt)
    const total = entries.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0)
    if (total > limits.totalBytes)
      throw unsafe(`the archive would unpack to ${total} bytes; at most ${limits.totalBytes} are read`)
    const outside = entries.find(({ name }) => !name.startsWith(FOLDER))
    if (outside !== undefined) throw unreadable(`entry ${quote(outside.name)} is not in the folder ${FOLDER}`)
    const digests = new Map<string, string>()
    for (const { entry, name } of entries)
      digests.set(name.slice(FOLDER.length), (await unpack(zip, entry, name, limits, false)).sha256)
    const byPath = new Map(entries.map(({ entry, name }) => [name.slice(FOLDER.length), { entry, name }]))
    const known = <T>(found: T | undefined, wanted: string): T => {
      if (found === undefined) throw unreadable(`there is no ${quote(wanted)}`)
      return found
    }
    return {
      paths: [...byPath.keys()].sort(),
      sha256: async (wanted) => known(digests.get(wanted), wanted),
      read: async (wanted) => {
        const { entry, name } = known(byPath.get(wanted), wanted)
        const { bytes, sha256 } = await unpack(zip, entry, name, limits, true)
        // The file may have been changed since it was opened.
        if (sha256 !== digests.get(wanted)) throw unreadable(`${quote(wanted)} changed while it was read`)
        return bytes
      },
      close: () => file.close(),
    }
  } catch (problem) {
    await file.close()
    throw problem
  }
}

/** yauzl over an open file, names as bytes and its own checks on. It does not close the file. */
function openDirectory(file: FileHandle, size: number): Promise<ZipFile> {
  return new Promise((resolve, reject) =>
    fromFd(
      file.fd,
      { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true, strictFileNames: true },
      (problem, zip) => {
        if (problem !== null || zip === undefined || zip.fileSize !== size)
          reject(unreadable(problem?.message ?? 'the archive cannot be read'))
        else resolve(zip)
      },
    ),
  )
}

function listEntries(
  zip: ZipFile,
  count: number,
): Promise<readonly { readonly name: string; readonly entry: Entry }[]> {
  return new Promise((resolve, reject) => {
    const entries: { name: string; entry: Entry }[] = []
    zip.on('error', (problem: Error) => reject(unsafe(problem.message)))
    zip.on('end', () =>
      entries.length === count ? resolve(entries) : reject(unsafe('the number of entries is not the stated one')),
    )
    zip.on('entry', (entry: Entry) => {
      entries.push({ name: Buffer.from(entry.fileNameRaw).toString('latin1'), entry })
      zip.readEntry()
    })
    zip.readEntry()
  })
}

interface Unpacked {
  readonly sha256: string
  /** Empty unless asked for. */
  readonly bytes: Uint8Array
}

/** Unpacks one entry, counting: more bytes than stated, or than a sane ratio allows, end it at once. */
async function unpack(zip: ZipFile, entry: Entry, name: string, limits: Limits, keep: boolean): Promise<Unpacked> {
  const stream = await new Promise<Readable>((resolve, reject) =>
    zip.openReadStream(entry, (problem, opened) =>
      problem === null && opened !== undefined ? resolve(opened) : reject(unsafe(problem?.message ?? '')),
    ),
  )
  const hash = createHash('sha256')
  const kept: Buffer[] = []
  let size = 0
  let crc = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > entry.uncompressedSize || size > limits.totalBytes)
        throw unsafe(`entry ${quote(name)} is larger than it says`)
      hash.update(chunk)
      crc = zlib.crc32(chunk, crc)
      if (keep) kept.push(chunk)
    }
  } catch (problem) {
    stream.destroy()
    throw problem instanceof Error && 'code' in problem && String(problem.code).startsWith('pack.')
      ? problem
      : unsafe(`entry ${quote(name)} cannot be unpacked`)
  }
  if (size !== entry.uncompressedSize) throw unsafe(`entry ${quote(name)} is smaller than it says`)
  if (crc !== entry.crc32) throw unreadable(`entry ${quote(name)} does not match its checksum`)
  return { sha256: hash.digest('hex'), bytes: new Uint8Array(Buffer.concat(kept)) }
}
