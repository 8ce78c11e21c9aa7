import type { FileHandle } from 'node:fs/promises'
import { quote } from '../../core/base/plain-text.ts'
import { checkDistinct, checkName, type Limits, repacked, unreadable, unsafe } from './limits.ts'
import { blockReader, bytesAt } from './write.ts'
import {
  DEFLATED,
  END_BYTES,
  END64_BYTES,
  EXTRA64,
  endRecords,
  FULL16,
  FULL32,
  LISTED_BYTES,
  LOCAL_BYTES,
  LOCATOR64_BYTES,
  listedRecord,
  readUInt64,
  SIGNATURES,
  STORED,
} from './zip-format.ts'

/** An entry in the list of entries. */
export interface ListedEntry {
  readonly name: string
  readonly flags: number
  readonly method: number
  /** Time and date as one number; used for comparison only. */
  readonly modified: number
  readonly crc: number
  readonly packed: number
  readonly size: number
  /** Start of its local header. */
  readonly at: number
}

/** The list of entries in columns: an object for each of 400,000 would take several times the memory. */
export interface EntryList {
  readonly names: readonly string[]
  readonly entry: (index: number) => ListedEntry
  /** Indices in the order of the entries in the file. */
  readonly inFileOrder: Uint32Array
  /** Where the list differs from the one that Barewitness writes for these entries. */
  readonly departures: readonly string[]
}

// Encrypted, strongly encrypted, or with a masked header (APPNOTE, section 4.4.4).
const ENCRYPTED = 0x2041
// Extra fields (section 4.6.9) that give an entry another name for readers that use them.
const OTHER_NAME = 0x7075

/**
 * Reads the list of entries (APPNOTE, section 4.3.12) and checks all of it, before a byte of an entry is unpacked:
 * names, kinds, methods, sizes, the 64-bit form only where it is needed, and that no two entries share bytes. Throws a
 * Refusal.
 */
export async function readList(file: FileHandle, place: ListPlace, limits: Limits): Promise<EntryList> {
  const { entries: count, listAt, listBytes } = place
  const reader = blockReader(file, listAt, listAt + listBytes, 'the number of entries differs from the stated one')
  const names: string[] = []
  const [flags, methods] = [new Uint16Array(count), new Uint16Array(count)]
  const [modified, crcs] = [new Uint32Array(count), new Uint32Array(count)]
  const [packed, sizes, starts] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)]
  const otherwise = tally('differs in the list of entries from the form that Barewitness writes')
  let total = 0
  let folders = 0
  for (let index = 0; index < count; index += 1) {
    // A copy: later data may replace these bytes.
    const fixed = Buffer.from(await reader.take(LISTED_BYTES))
    const record = readRecord(fixed)
    const tail = await reader.take(record.nameLength + record.extraLength + record.commentLength)
    const name = tail.toString('latin1', 0, record.nameLength)
    const extra = tail.subarray(record.nameLength, record.nameLength + record.extraLength)
    const entry = entryOf(record, widened(record, extra, name), name)
    const isFolder = isFolderEntry(entry, record.attributes)
    checkName(isFolder ? name.slice(0, -1) : name)
    if (isFolder) {
      folders += 1
      continue
    }
    checkEntry(entry, record.attributes, limits)
    total += entry.size
    if (total > limits.totalBytes)
      throw unsafe(`the archive would unpack to more than ${limits.totalBytes} bytes; no more are read`)
    const expected = listedRecord(entry)
    const before = names.length - 1
    const inOrder = before < 0 || ((names[before] ?? '') < name && (starts[before] ?? 0) < entry.at)
    if (!inOrder || !sameBytes(expected, fixed, tail)) otherwise.note(name)
    const place = names.push(name) - 1
    flags[place] = entry.flags
    methods[place] = entry.method
    modified[place] = entry.modified
    crcs[place] = entry.crc
    packed[place] = entry.packed
    sizes[place] = entry.size
    starts[place] = entry.at
  }
  if (total > Math.max(limits.wholeRatioFrom, limits.wholeRatio * (listAt + listBytes)))
    throw unsafe(`the archive would unpack to more than ${limits.wholeRatio} times its size`)
  if (reader.position() !== listAt + listBytes) throw unsafe('the number of entries differs from the stated one')
  checkDistinct(names)
  const inFileOrder = Uint32Array.from(names.keys()).sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0))
  const entry = (index: number): ListedEntry => ({
    name: names[index] ?? '',
    flags: flags[index] ?? 0,
    method: methods[index] ?? 0,
    modified: modified[index] ?? 0,
    crc: crcs[index] ?? 0,
    packed: packed[index] ?? 0,
    size: sizes[index] ?? 0,
    at: starts[index] ?? 0,
  })
  checkPlaces(inFileOrder, entry, listAt)
  // Only now: an archive that is built to do harm is reported as such first.
  if (folders > 0) throw repacked(`it has ${folders} folder entries, which Barewitness does not write`)
  return { names, entry, inFileOrder, departures: otherwise.sentences() }
}

/** Whether two pieces, one after the other, are the expected bytes. */
export const sameBytes = (expected: Buffer, first: Buffer, second: Buffer): boolean =>
  expected.length === first.length + second.length &&
  first.equals(expected.subarray(0, first.length)) &&
  second.equals(expected.subarray(first.length))

function readRecord(bytes: Buffer) {
  if (bytes.readUInt32LE(0) !== SIGNATURES.listed) throw unsafe('the number of entries differs from the stated one')
  if (bytes.readUInt16LE(34) !== 0) throw unsafe('the archive is one of several parts')
  return {
    flags: bytes.readUInt16LE(8),
    method: bytes.readUInt16LE(10),
    modified: bytes.readUInt32LE(12),
    crc: bytes.readUInt32LE(16),
    packed: bytes.readUInt32LE(20),
    size: bytes.readUInt32LE(24),
    nameLength: bytes.readUInt16LE(28),
    extraLength: bytes.readUInt16LE(30),
    commentLength: bytes.readUInt16LE(32),
    attributes: bytes.readUInt32LE(38),
    at: bytes.readUInt32LE(42),
  }
}

interface Sizes {
  readonly size: number
  readonly packed: number
  readonly at: number
}

/** An entry from its record and its sizes. Members are named one by one: spreading objects took a fifth of the time of reading a list. */
const entryOf = (
  { flags, method, modified, crc }: Pick<ListedEntry, 'flags' | 'method' | 'modified' | 'crc'>,
  { size, packed, at }: Sizes,
  name: string,
): ListedEntry => ({ name, flags, method, modified, crc, packed, size, at })

/**
 * The sizes and the position of an entry, from their 64-bit form (section 4.5.3) exactly where their own fields cannot
 * contain them.
 */
function widened({ size, packed, at }: Sizes, extra: Buffer, name: string): Sizes {
  const wide = findExtra64(extra, name)
  const full = [size, packed, at].filter((value) => value === FULL32).length
  if ((wide?.length ?? 0) !== full * 8) throw needless(name)
  let next = 0
  const read = (narrow: number): number => {
    if (narrow !== FULL32 || wide === null) return narrow
    const value = readUInt64(wide, next)
    next += 8
    if (value < FULL32) throw needless(name)
    return value
  }
  // In this order, whichever of them are present.
  const [first, second, third] = [read(size), read(packed), read(at)]
  return { size: first, packed: second, at: third }
}

export const needless = (name: string) =>
  unsafe(`entry ${quote(name)} has additional fields that use the 64-bit form where it is not needed, or incompletely`)

/** Walks additional fields (section 4.5). Returns the content of the 64-bit form, or null. */
export function findExtra64(extra: Buffer, name: string): Buffer | null {
  let found: Buffer | null = null
  for (let at = 0; at < extra.length; ) {
    const end = at + 4 > extra.length ? Number.POSITIVE_INFINITY : at + 4 + extra.readUInt16LE(at + 2)
    const wide = end <= extra.length && extra.readUInt16LE(at) === EXTRA64
    if (end > extra.length || extra.readUInt16LE(at) === OTHER_NAME || (wide && found !== null))
      throw unsafe(`entry ${quote(name)} has additional fields that different readers interpret differently`)
    if (wide) found = extra.subarray(at + 4, end)
    at = end
  }
  return found
}

/** An entry for a folder, as most programs write them: a name that ends in a slash, and no content. */
const isFolderEntry = ({ name, flags, size, packed }: ListedEntry, attributes: number): boolean => {
  const kind = (attributes >>> 16) & 0o170000
  return (
    /[^/]\/$/.test(name) && size === 0 && packed <= 2 && (flags & ENCRYPTED) === 0 && (kind === 0 || kind === 0o040000)
  )
}

function checkEntry(entry: ListedEntry, attributes: number, limits: Limits): void {
  const { flags, method, packed, size } = entry
  const problem = (): string | null => {
    if ((flags & ENCRYPTED) !== 0) return 'is encrypted'
    if (method !== STORED && method !== DEFLATED) return `is packed by method ${method}`
    const kind = (attributes >>> 16) & 0o170000
    if (kind === 0o120000) return 'is a symbolic link'
    if (kind !== 0 && kind !== 0o100000) return 'is not a regular file'
    if (method === STORED && packed !== size) return 'is stored and states two sizes'
    if (size > limits.ratioFrom && size > Math.max(packed, 1) * limits.ratio)
      return `would unpack to more than ${limits.ratio} times its size`
    return null
  }
  const found = problem()
  if (found !== null) throw unsafe(`entry ${quote(entry.name)} ${found}`)
}

/**
 * By the list, entries must follow one another without sharing bytes. Bytes between them are found when they are
 * unpacked.
 */
function checkPlaces(inFileOrder: Uint32Array, entry: (index: number) => ListedEntry, listAt: number): void {
  let free = 0
  for (const index of inFileOrder) {
    const { name, at, packed } = entry(index)
    if (at < free) throw unsafe(`entry ${quote(name)} overlaps the one before it`)
    free = at + LOCAL_BYTES + name.length + packed
    if (free > listAt) throw unsafe(`entry ${quote(name)} reaches into the list of entries`)
  }
}

/** Counts entries that differ from the output of `writePack`, and keeps the name of the first. */
interface Tally {
  readonly note: (name: string) => void
  /** One sentence about all of them, or none. */
  readonly sentences: () => readonly string[]
}

/** `what`: the rest of a sentence that starts with the name of an entry. */
export function tally(what: string): Tally {
  let first: string | null = null
  let count = 0
  return {
    note: (name) => {
      first ??= name
      count += 1
    },
    sentences: () => {
      if (first === null) return []
      const others = count === 1 ? '' : `, and so ${count === 2 ? 'does one more' : `do ${count - 1} more`}`
      return [`Entry ${quote(first, 160)} ${what}${others}.`]
    },
  }
}

/** Position of the list of entries. */
export interface ListPlace {
  readonly entries: number
  readonly listAt: number
  readonly listBytes: number
  /** The end is, byte for byte, the one that Barewitness writes. */
  readonly asWritten: boolean
}

interface Ending extends Omit<ListPlace, 'asWritten'> {
  /** Start of the first of the ending's records. */
  readonly startsAt: number
}

/**
 * Reads the end of an archive (APPNOTE, sections 4.3.14 to 4.3.16). Refuses archives with anything after their end or
 * before it, in several parts, or in the 64-bit form where it is not needed: then some readers use one set of numbers,
 * some the other. Throws a Refusal.
 */
export async function readEnd(file: FileHandle, size: number, limits: Limits): Promise<ListPlace> {
  if (size < END_BYTES) throw unreadable('the file is too short for an archive')
  const end = await bytesAt(file, size - END_BYTES, END_BYTES)
  if (end.readUInt32LE(0) !== SIGNATURES.end || end.readUInt16LE(20) !== 0) {
    const start = await bytesAt(file, 0, 4)
    throw start.readUInt32LE(0) === SIGNATURES.local
      ? unsafe('the archive does not end where the file ends')
      : unreadable('the file is not a zip archive')
  }
  const narrow = {
    entries: end.readUInt16LE(10),
    listBytes: end.readUInt32LE(12),
    listAt: end.readUInt32LE(16),
    startsAt: size - END_BYTES,
  }
  const wide = narrow.entries === FULL16 || narrow.listBytes === FULL32 || narrow.listAt === FULL32
  if (end.readUInt32LE(4) !== 0 || end.readUInt16LE(8) !== narrow.entries)
    throw unsafe('the archive is one of several parts')
  const place = wide ? await readEnd64(file, narrow) : narrow
  if (place.entries > limits.entries)
    throw unsafe(`the archive has ${place.entries} entries; at most ${limits.entries} are read`)
  if (place.listBytes > limits.listBytes)
    throw unsafe(`the list of entries has ${place.listBytes} bytes; at most ${limits.listBytes} are read`)
  if (place.listAt + place.listBytes !== place.startsAt)
    throw unsafe('the archive has bytes between its list of entries and its end, or before its start')
  if (place.entries * LISTED_BYTES > place.listBytes) throw unsafe('the number of entries differs from the stated one')
  const expected = endRecords(place.entries, place.listAt, place.listBytes)
  const all = await bytesAt(file, place.startsAt, size - place.startsAt)
  return { ...place, asWritten: all.equals(expected) }
}

async function readEnd64(file: FileHandle, narrow: Ending): Promise<Ending> {
  const startsAt = narrow.startsAt - END64_BYTES - LOCATOR64_BYTES
  if (startsAt < 0) throw unsafe('the archive lacks the 64-bit form of its end')
  const end = await bytesAt(file, startsAt, END64_BYTES)
  const locator = await bytesAt(file, startsAt + END64_BYTES, LOCATOR64_BYTES)
  if (
    end.readUInt32LE(0) !== SIGNATURES.end64 ||
    locator.readUInt32LE(0) !== SIGNATURES.locator64 ||
    readUInt64(end, 4) !== END64_BYTES - 12 ||
    readUInt64(locator, 8) !== startsAt
  )
    throw unsafe('the archive lacks the 64-bit form of its end')
  const [here, entries, listBytes, listAt] = [24, 32, 40, 48].map((at) => readUInt64(end, at)) as [
    number,
    number,
    number,
    number,
  ]
  if (readUInt64(end, 16) !== 0 || locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) !== 1 || here !== entries)
    throw unsafe('the archive is one of several parts')
  const agrees =
    Math.min(entries, FULL16) === narrow.entries &&
    Math.min(listBytes, FULL32) === narrow.listBytes &&
    Math.min(listAt, FULL32) === narrow.listAt
  if (!agrees) throw unsafe('the archive uses the 64-bit form where it is not needed, or states two ends')
  return { entries, listBytes, listAt, startsAt }
}
