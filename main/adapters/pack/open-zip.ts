import { type FileHandle, open } from 'node:fs/promises'
import type { OpenPack } from '../../core/all-ports.ts'
import { quote } from '../../core/plain-text.ts'
import { blockReader } from './blocks.ts'
import { emptyContents, packOf, putDigest } from './contents.ts'
import { tally } from './departures.ts'
import { type Limits, repacked, unreadable, unsafe } from './limits.ts'
import { FOLDER, isDesktopFile } from './names.ts'
import { type ListPlace, readEnd } from './zip-end.ts'
import { type EntryList, readList } from './zip-list.ts'
import { passEntry, unpack } from './zip-unpack.ts'

/**
 * Opens an archive; nothing is ever written to disk. Every entry is unpacked once as a stream, counted and hashed
 * before any is returned, so that later reads return what was checked. Throws a Refusal.
 */
export async function openZip(path: string, limits: Limits): Promise<OpenPack> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const place = await readEnd(file, size, limits)
    const list = await readList(file, place, limits)
    const outside = list.names.find((name) => !name.startsWith(FOLDER))
    if (outside !== undefined && list.names.every((name) => name.startsWith(FOLDER) || isDesktopFile(name)))
      throw repacked(`entry ${quote(outside)} was added by a desktop system and is not part of a pack`)
    if (outside !== undefined) throw unreadable(`entry ${quote(outside)} is not in the folder ${FOLDER}`)
    return await unpackOnce(file, list, place, limits)
  } catch (problem) {
    await file.close()
    throw problem
  }
}

async function unpackOnce(
  file: FileHandle,
  list: EntryList,
  { listAt, asWritten }: ListPlace,
  limits: Limits,
): Promise<OpenPack> {
  const byName = Uint32Array.from(list.names.keys()).sort((a, b) =>
    (list.names[a] ?? '') < (list.names[b] ?? '') ? -1 : 1,
  )
  const rank = new Uint32Array(byName.length)
  for (const [place, index] of byName.entries()) rank[index] = place
  const contents = emptyContents(Array.from(byName, (index) => (list.names[index] ?? '').slice(FOLDER.length)))
  const dataAt = new Float64Array(byName.length)
  const reader = blockReader(file, 0, listAt, 'an entry reaches into the list of entries')
  const otherwise = tally('is packed differently than Barewitness packs it')
  for (const index of list.inFileOrder) {
    const entry = list.entry(index)
    const unpacked = await passEntry(reader, entry)
    const place = rank[index] ?? 0
    putDigest(contents, place, unpacked.sha256)
    if (!unpacked.asWritten) otherwise.note(entry.name)
    contents.sizes[place] = entry.size
    dataAt[place] = unpacked.dataAt
  }
  if (reader.position() !== listAt) throw unsafe('there are bytes before the list of entries that belong to no entry')
  const open = (place: number): AsyncIterable<Uint8Array> => {
    const entry = list.entry(byName[place] ?? 0)
    const start = dataAt[place] ?? 0
    return lasting(unpack(blockReader(file, start, start + entry.packed, 'the archive ends early'), entry))
  }
  const departures = [
    ...list.departures,
    ...otherwise.sentences(),
    ...(asWritten ? [] : ['The end of the archive differs from the one that Barewitness writes.']),
  ]
  return packOf(contents, limits, { folder: null, departures, open, close: () => file.close() })
}

// Chunks with their own memory: those of a reader are valid only until the next.
async function* lasting(chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield new Uint8Array(chunk)
}
