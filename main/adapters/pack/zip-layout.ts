import type { FileHandle } from 'node:fs/promises'
import type { Entry } from 'yauzl'
import { quote } from '../../core/plain-text.ts'
import { type Limits, unreadable, unsafe } from './limits.ts'

/** Record layouts: PKWARE APPNOTE 6.3.10, §4.3.7 (local header), §4.3.9 (data descriptor), §4.3.16 (end of central directory). */
const END_SIGNATURE = 0x06054b50
const END_BYTES = 22
const LOCAL_SIGNATURE = 0x04034b50
const LOCAL_BYTES = 30
const DESCRIPTOR_SIGNATURE = 0x08074b50
const ENCRYPTED = 0x0041
const HAS_DESCRIPTOR = 0x0008

/** Where the list of entries begins. Refuses archives with anything after their end, in several parts, or in the 64-bit form. */
export async function readEnd(
  file: FileHandle,
  size: number,
  limits: Limits,
): Promise<{ readonly directoryAt: number; readonly entries: number }> {
  if (size < END_BYTES) throw unreadable('the file is too short for an archive')
  const end = await bytesAt(file, size - END_BYTES, END_BYTES)
  if (end.readUInt32LE(0) !== END_SIGNATURE || end.readUInt16LE(20) !== 0) {
    const start = await bytesAt(file, 0, 4)
    throw start.readUInt32LE(0) === LOCAL_SIGNATURE
      ? unsafe('the archive does not end where the file ends')
      : unreadable('the file is not a zip archive')
  }
  const [disk, directoryDisk, here, entries] = [4, 6, 8, 10].map((at) => end.readUInt16LE(at))
  const [directorySize = 0, directoryAt = 0] = [12, 16].map((at) => end.readUInt32LE(at))
  if (entries === 0xffff || directorySize === 0xffffffff || directoryAt === 0xffffffff)
    throw unsafe('the archive uses the 64-bit form, which no pack needs')
  if (disk !== 0 || directoryDisk !== 0 || here !== entries) throw unsafe('the archive is one of several parts')
  if (entries === undefined || entries > limits.entries)
    throw unsafe(`the archive has ${entries} entries; at most ${limits.entries} are read`)
  if (directoryAt + directorySize !== size - END_BYTES)
    throw unsafe('the archive has bytes between its list of entries and its end, or before its start')
  return { directoryAt, entries }
}

/** Checks what an entry says of itself before a byte of it is read. */
export function checkEntry(entry: Entry, name: string, limits: Limits): void {
  const called = quote(name)
  if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) throw unsafe(`entry ${called} is encrypted`)
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
    throw unsafe(`entry ${called} is packed by method ${entry.compressionMethod}`)
  const kind = (entry.externalFileAttributes >>> 16) & 0o170000
  if (kind === 0o120000) throw unsafe(`entry ${called} is a symbolic link`)
  if (kind !== 0 && kind !== 0o100000) throw unsafe(`entry ${called} is not an ordinary file`)
  checkExtra(entry.extraFieldRaw, called)
  if (entry.compressionMethod === 0 && entry.compressedSize !== entry.uncompressedSize)
    throw unsafe(`entry ${called} is stored and states two sizes`)
  if (entry.uncompressedSize > Math.max(entry.compressedSize, 1) * limits.ratio)
    throw unsafe(`entry ${called} would unpack to more than ${limits.ratio} times its size`)
}

/**
 * Checks that entries lie one after the other from the first byte of the file to the list of entries, with nothing before, between or
 * shared, and that each entry's own header says the same as the list: some readers believe the one, some the other.
 */
export async function checkLayout(
  file: FileHandle,
  entries: readonly { readonly name: string; readonly entry: Entry }[],
  directoryAt: number,
): Promise<void> {
  let expected = 0
  for (const { name, entry } of [...entries].sort(
    (a, b) => a.entry.relativeOffsetOfLocalHeader - b.entry.relativeOffsetOfLocalHeader,
  )) {
    const at = entry.relativeOffsetOfLocalHeader
    const called = quote(name)
    if (at < expected) throw unsafe(`entry ${called} overlaps the one before it`)
    if (at > expected) throw unsafe(`there are ${at - expected} bytes before entry ${called} that belong to no entry`)
    const dataAt = await checkLocalHeader(file, entry, called)
    expected = await endOfEntry(file, entry, dataAt)
    if (expected > directoryAt) throw unsafe(`entry ${called} reaches into the list of entries`)
  }
  if (expected !== directoryAt) throw unsafe('there are bytes before the list of entries that belong to no entry')
}

// Extra fields (APPNOTE 4.5, 4.6.9) that give an entry other sizes or another name for readers that look at them.
const MISLEADING: ReadonlySet<number> = new Set([0x0001, 0x7075])

function checkExtra(extra: Buffer, called: string): void {
  for (let at = 0; at < extra.length; ) {
    if (at + 4 > extra.length || MISLEADING.has(extra.readUInt16LE(at)))
      throw unsafe(`entry ${called} has additional fields that mean different things to different readers`)
    at += 4 + extra.readUInt16LE(at + 2)
  }
}

/** Compares an entry's own header with the list; gives where its data begins. */
async function checkLocalHeader(file: FileHandle, entry: Entry, called: string): Promise<number> {
  const at = entry.relativeOffsetOfLocalHeader
  const header = await bytesAt(file, at, LOCAL_BYTES)
  if (header.readUInt32LE(0) !== LOCAL_SIGNATURE) throw unsafe(`entry ${called} has no header of its own`)
  const [nameLength = 0, extraLength = 0] = [26, 28].map((field) => header.readUInt16LE(field))
  const own = await bytesAt(file, at + LOCAL_BYTES, nameLength)
  if (!own.equals(Buffer.from(entry.fileNameRaw))) throw unsafe(`entry ${called} has another name in its own header`)
  checkExtra(await bytesAt(file, at + LOCAL_BYTES + nameLength, extraLength), called)
  const later = (entry.generalPurposeBitFlag & HAS_DESCRIPTOR) !== 0
  const sizes = [14, 18, 22].map((field) => header.readUInt32LE(field))
  const listed = [entry.crc32, entry.compressedSize, entry.uncompressedSize]
  const agree = sizes.every((value, index) => value === listed[index] || (later && value === 0))
  const same =
    header.readUInt16LE(6) === entry.generalPurposeBitFlag &&
    header.readUInt16LE(8) === entry.compressionMethod &&
    header.readUInt16LE(10) === entry.lastModFileTime &&
    header.readUInt16LE(12) === entry.lastModFileDate
  if (!agree || !same) throw unsafe(`entry ${called} says other things in its own header than in the list`)
  return at + LOCAL_BYTES + nameLength + extraLength
}

/** The end of an entry's data, with the descriptor that may follow it (12 bytes, or 16 with its signature). */
async function endOfEntry(file: FileHandle, entry: Entry, dataAt: number): Promise<number> {
  const end = dataAt + entry.compressedSize
  if ((entry.generalPurposeBitFlag & HAS_DESCRIPTOR) === 0) return end
  const marked = (await bytesAt(file, end, 4)).readUInt32LE(0) === DESCRIPTOR_SIGNATURE
  const descriptor = await bytesAt(file, end + (marked ? 4 : 0), 12)
  const agrees = [entry.crc32, entry.compressedSize, entry.uncompressedSize].every(
    (value, index) => descriptor.readUInt32LE(index * 4) === value,
  )
  if (!agrees) throw unsafe(`entry ${quote(String(entry.fileName))} says other things after its data than in the list`)
  return end + (marked ? 16 : 12)
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await file.read(bytes, 0, length, at)
  if (bytesRead !== length) throw unreadable('the archive ends early')
  return bytes
}
