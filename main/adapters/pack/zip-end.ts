import type { FileHandle } from 'node:fs/promises'
import { bytesAt } from './blocks.ts'
import { type Limits, unreadable, unsafe } from './limits.ts'
import {
  END_BYTES,
  END64_BYTES,
  endRecords,
  FULL16,
  FULL32,
  LISTED_BYTES,
  LOCATOR64_BYTES,
  readUInt64,
  SIGNATURES,
} from './zip-format.ts'

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
