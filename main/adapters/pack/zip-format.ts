/**
 * The records of an archive by PKWARE APPNOTE 6.3.10: 4.3.7 local header, 4.3.9 data descriptor, 4.3.12 list of
 * entries, 4.3.14 to 4.3.16 its end, 4.5.3 the 64-bit form of an entry.
 */
export const SIGNATURES = {
  local: 0x04034b50,
  listed: 0x02014b50,
  descriptor: 0x08074b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
} as const

export const LOCAL_BYTES = 30
export const LISTED_BYTES = 46
export const END_BYTES = 22
export const END64_BYTES = 56
export const LOCATOR64_BYTES = 20
export const EXTRA64 = 0x0001

/**
 * In these fields, "the value is in the 64-bit form" (APPNOTE, section 4.4.1.4). Values from here on need that form,
 * and no others use it.
 */
export const FULL16 = 0xffff
export const FULL32 = 0xffffffff

export const STORED = 0
export const DEFLATED = 8

/** Unsigned 64 bits. Above 2^53 the value is approximate, and beyond every limit. */
export const readUInt64 = (bytes: Buffer, at: number): number =>
  bytes.readUInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at)

const NAMES_ARE_UTF8 = 0x0800
// 1 January 1980, midnight: no date is stated.
const NO_DATE = 0x0021
const MADE_ON_UNIX = (3 << 8) | 63
const ORDINARY_FILE = 0o100644
const VERSION = 20
const VERSION64 = 45

/** A stored file in an archive that Barewitness writes. */
interface StoredEntry {
  /** ASCII. */
  readonly name: string
  readonly size: number
  readonly crc: number
  /** Start of its local header. */
  readonly at: number
}

/** The header before the bytes of an entry. */
export function localHeader({ name, size, crc }: Omit<StoredEntry, 'at'>): Buffer {
  const wide = size >= FULL32 ? [size, size] : []
  const header = startRecord(SIGNATURES.local, LOCAL_BYTES, name, wide)
  writeCommon(header, 4, { name, size, crc, wide })
  return header
}

/** Position of the checksum in a local header: it is written again after the bytes. */
export const LOCAL_CRC_AT = 14

/** The record of an entry in the list of entries. */
export function listedRecord({ name, size, crc, at }: StoredEntry): Buffer {
  const wide = [...(size >= FULL32 ? [size, size] : []), ...(at >= FULL32 ? [at] : [])]
  const record = startRecord(SIGNATURES.listed, LISTED_BYTES, name, wide)
  record.writeUInt16LE(MADE_ON_UNIX, 4)
  writeCommon(record, 6, { name, size, crc, wide })
  record.writeUInt32LE((ORDINARY_FILE << 16) >>> 0, 38)
  record.writeUInt32LE(Math.min(at, FULL32), 42)
  return record
}

/**
 * The end of the archive: the 64-bit records if a count, size or position needs them, then the end that every archive
 * has.
 */
export function endRecords(entries: number, listAt: number, listBytes: number): Buffer {
  const end = Buffer.alloc(END_BYTES)
  end.writeUInt32LE(SIGNATURES.end, 0)
  end.writeUInt16LE(Math.min(entries, FULL16), 8)
  end.writeUInt16LE(Math.min(entries, FULL16), 10)
  end.writeUInt32LE(Math.min(listBytes, FULL32), 12)
  end.writeUInt32LE(Math.min(listAt, FULL32), 16)
  if (entries < FULL16 && listBytes < FULL32 && listAt < FULL32) return end
  const end64 = Buffer.alloc(END64_BYTES)
  end64.writeUInt32LE(SIGNATURES.end64, 0)
  end64.writeBigUInt64LE(BigInt(END64_BYTES - 12), 4)
  end64.writeUInt16LE(MADE_ON_UNIX, 12)
  end64.writeUInt16LE(VERSION64, 14)
  for (const [index, value] of [entries, entries, listBytes, listAt].entries())
    end64.writeBigUInt64LE(BigInt(value), 24 + index * 8)
  const locator = Buffer.alloc(LOCATOR64_BYTES)
  locator.writeUInt32LE(SIGNATURES.locator64, 0)
  locator.writeBigUInt64LE(BigInt(listAt + listBytes), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([end64, locator, end])
}

/** A record with its signature, its name, and the 64-bit form of those values that need it. */
function startRecord(signature: number, fixedBytes: number, name: string, wide: readonly number[]): Buffer {
  const extraAt = fixedBytes + name.length
  // In one piece: this is done for each of many thousand entries.
  const record = Buffer.allocUnsafe(extraAt + extraBytes(wide)).fill(0, 0, fixedBytes)
  record.writeUInt32LE(signature, 0)
  record.write(name, fixedBytes, 'latin1')
  if (wide.length === 0) return record
  record.writeUInt16LE(EXTRA64, extraAt)
  record.writeUInt16LE(wide.length * 8, extraAt + 2)
  for (const [index, value] of wide.entries()) record.writeBigUInt64LE(BigInt(value), extraAt + 4 + index * 8)
  return record
}

const extraBytes = (wide: readonly number[]): number => (wide.length === 0 ? 0 : 4 + wide.length * 8)

/** The fields that a local header and its record in the list share, from `at` on. */
function writeCommon(
  into: Buffer,
  at: number,
  { name, size, crc, wide }: Omit<StoredEntry, 'at'> & { readonly wide: readonly number[] },
): void {
  into.writeUInt16LE(wide.length > 0 ? VERSION64 : VERSION, at)
  into.writeUInt16LE(NAMES_ARE_UTF8, at + 2)
  into.writeUInt16LE(STORED, at + 4)
  into.writeUInt16LE(NO_DATE, at + 8)
  into.writeUInt32LE(crc, at + 10)
  into.writeUInt32LE(Math.min(size, FULL32), at + 14)
  into.writeUInt32LE(Math.min(size, FULL32), at + 18)
  into.writeUInt16LE(name.length, at + 22)
  into.writeUInt16LE(extraBytes(wide), at + 24)
}
