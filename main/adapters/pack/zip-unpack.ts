import { createHash, hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as zlib from 'node:zlib'
import { quote } from '../../core/base/plain-text.ts'
import { unreadable, unsafe } from './limits.ts'
import { type BlockReader, LARGEST_TAKE } from './write.ts'
import { DEFLATED, FULL32, LOCAL_BYTES, localHeader, readUInt64, SIGNATURES } from './zip-format.ts'
import { findExtra64, type ListedEntry, needless, sameBytes } from './zip-list.ts'

const HAS_DESCRIPTOR = 0x0008

/** The result of unpacking an entry once. */
interface Unpacked {
  /** 64 hex characters. */
  readonly sha256: string
  /** Start of its packed bytes. */
  readonly dataAt: number
  /** Its own header is, byte for byte, the one that Barewitness writes. */
  readonly asWritten: boolean
}

/**
 * Unpacks the entry at the reader's position, and moves past it. Its own header, and the record after its data, must
 * agree with the list: some readers use the one, some the other. Throws a Refusal.
 */
export async function passEntry(reader: BlockReader, entry: ListedEntry): Promise<Unpacked> {
  const { name } = entry
  const gap = entry.at - reader.position()
  if (gap < 0) throw unsafe(`entry ${quote(name)} overlaps the one before it`)
  if (gap > 0) throw unsafe(`there are ${gap} bytes before entry ${quote(name)} that belong to no entry`)
  const asWritten = await checkOwnHeader(reader, entry)
  const dataAt = reader.position()
  const { sha256, crc } = await digestEntry(reader, entry)
  if (crc !== entry.crc) throw unreadable(`entry ${quote(name)} does not match its checksum`)
  if ((entry.flags & HAS_DESCRIPTOR) !== 0) await checkDescriptor(reader, entry)
  return { sha256, dataAt, asWritten }
}

const isWide = ({ size, packed }: ListedEntry): boolean => size >= FULL32 || packed >= FULL32

async function checkOwnHeader(reader: BlockReader, entry: ListedEntry): Promise<boolean> {
  const { name } = entry
  const fixed = Buffer.from(await reader.take(LOCAL_BYTES))
  if (fixed.readUInt32LE(0) !== SIGNATURES.local) throw unsafe(`entry ${quote(name)} has no header of its own`)
  const [flags, method] = [fixed.readUInt16LE(6), fixed.readUInt16LE(8)]
  const [modified, crc, packed, size] = [
    fixed.readUInt32LE(10),
    fixed.readUInt32LE(14),
    fixed.readUInt32LE(18),
    fixed.readUInt32LE(22),
  ]
  const [nameLength, extraLength] = [fixed.readUInt16LE(26), fixed.readUInt16LE(28)]
  const tail = await reader.take(nameLength + extraLength)
  if (tail.toString('latin1', 0, nameLength) !== name)
    throw unsafe(`entry ${quote(name)} has another name in its own header`)
  const wide = findExtra64(tail.subarray(nameLength), name)
  // Here both sizes are in the 64-bit form if either needs it (APPNOTE, section 4.5.3).
  if ((wide?.length ?? 0) !== (isWide(entry) ? 16 : 0)) throw needless(name)
  const later = (flags & HAS_DESCRIPTOR) !== 0
  const agrees = (stated: number, listed: number): boolean => stated === listed || (later && stated === 0)
  const agreesWide = (stated: number, listed: number, at: number): boolean =>
    wide === null
      ? agrees(stated, listed)
      : (stated === FULL32 || agrees(stated, listed)) && agrees(readUInt64(wide, at), listed)
  const same =
    flags === entry.flags &&
    method === entry.method &&
    modified === entry.modified &&
    agrees(crc, entry.crc) &&
    agreesWide(size, entry.size, 0) &&
    agreesWide(packed, entry.packed, 8)
  if (!same) throw unsafe(`entry ${quote(name)} has a header that differs from the list`)
  return sameBytes(localHeader(entry), fixed, tail)
}

/**
 * The record that may follow the data: with or without its signature, sizes of 64 bits for an entry that needs them
 * (section 4.3.9).
 */
async function checkDescriptor(reader: BlockReader, entry: ListedEntry): Promise<void> {
  const width = isWide(entry) ? 8 : 4
  const start = (await reader.take(4)).readUInt32LE(0)
  const crc = start === SIGNATURES.descriptor ? (await reader.take(4)).readUInt32LE(0) : start
  const sizes = await reader.take(2 * width)
  const stated = [0, width].map((at) => (width === 8 ? readUInt64(sizes, at) : sizes.readUInt32LE(at)))
  if (crc !== entry.crc || stated[0] !== entry.packed || stated[1] !== entry.size)
    throw unsafe(`entry ${quote(entry.name)} has a data descriptor that differs from the list`)
}

interface Digested {
  /** 64 hex characters. */
  readonly sha256: string
  readonly crc: number
}

async function digestEntry(reader: BlockReader, entry: ListedEntry): Promise<Digested> {
  if (entry.packed <= LARGEST_TAKE && entry.size <= LARGEST_TAKE) {
    const packed = await reader.take(entry.packed)
    const bytes = entry.method === DEFLATED ? inflateWhole(packed, entry) : packed
    return { sha256: hash('sha256', bytes), crc: zlib.crc32(bytes) }
  }
  const digest = createHash('sha256')
  let crc = 0
  for await (const chunk of unpack(reader, entry)) {
    digest.update(chunk)
    crc = zlib.crc32(chunk, crc)
  }
  return { sha256: digest.digest('hex'), crc }
}

/** The bytes of the entry at the reader's position. Their number is as stated, or it throws a Refusal. */
export async function* unpack(
  reader: BlockReader,
  entry: Pick<ListedEntry, 'method' | 'name' | 'packed' | 'size'>,
): AsyncGenerator<Buffer> {
  const packed = takeInParts(reader, entry.packed)
  let size = 0
  for await (const chunk of entry.method === DEFLATED ? inflate(packed, entry) : packed) {
    size += chunk.length
    if (size > entry.size) throw larger(entry)
    yield chunk
  }
  if (size !== entry.size) throw smaller(entry)
}

async function* takeInParts(reader: BlockReader, count: number): AsyncGenerator<Buffer> {
  for (let left = count; left > 0; left -= Math.min(left, LARGEST_TAKE)) yield reader.take(Math.min(left, LARGEST_TAKE))
}

/** The packed and unpacked size in the list of entries. */
interface Stated {
  readonly name: string
  readonly packed: number
  readonly size: number
}

const larger = ({ name }: Stated) => unsafe(`entry ${quote(name)} is larger than its stated size`)
const smaller = ({ name }: Stated) => unsafe(`entry ${quote(name)} is smaller than its stated size`)
const broken = ({ name }: Stated) => unsafe(`entry ${quote(name)} cannot be unpacked`)
const trailing = ({ name }: Stated) => unsafe(`entry ${quote(name)} has bytes after its end that belong to no entry`)

/** Unpacks a small entry (RFC 1951) at once, to no more than its stated size. Throws a Refusal. */
export function inflateWhole(packed: Buffer, entry: Stated): Buffer {
  try {
    // With `info` it returns its engine too, which counts the bytes it used; the types lack this.
    const { buffer, engine } = zlib.inflateRawSync(packed, {
      maxOutputLength: Math.max(entry.size, 1),
      info: true,
    }) as unknown as { readonly buffer: Buffer; readonly engine: zlib.Zlib }
    if (engine.bytesWritten !== packed.length) throw trailing(entry)
    if (buffer.length < entry.size) throw smaller(entry)
    if (buffer.length > entry.size) throw larger(entry)
    return buffer
  } catch (problem) {
    const { code } = problem as { readonly code?: string }
    if (code?.startsWith('pack.')) throw problem
    throw code === 'ERR_BUFFER_TOO_LARGE' ? larger(entry) : broken(entry)
  }
}

/** Unpacks an entry of any size as a stream; the caller limits the output size. Throws a Refusal. */
async function* inflate(packed: AsyncIterable<Buffer>, entry: Stated): AsyncGenerator<Buffer> {
  const engine = zlib.createInflateRaw({ chunkSize: 64 * 1024 })
  const fed = pipeline(Readable.from(copies(packed)), engine)
  // Its failure is reported by the engine as well.
  fed.catch(() => undefined)
  try {
    for await (const chunk of engine as AsyncIterable<Buffer>) yield chunk
  } catch {
    throw broken(entry)
  } finally {
    engine.destroy()
    // The reader that feeds it is idle again.
    await fed.catch(() => undefined)
  }
  if (engine.bytesWritten !== entry.packed) throw trailing(entry)
}

// The engine works on a chunk while the reader may already reuse its memory.
async function* copies(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}
