import { createHash, hash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, read as readOfFile, readSync } from 'node:fs'
import { type FileHandle, lstat, open, opendir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { OpenPack, Packs } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain, quote } from '../../core/base/plain-text.ts'
import type { PackSource } from '../../core/ports/ports.ts'
import { storedFile } from '../stored-file.ts'
import { type Contents, type HashedArchive, indexApart, ownProgram, type Places } from './index-apart.ts'
import {
  checkDistinct,
  checkName,
  FOLDER,
  isDesktopFile,
  LIMITS,
  type Limits,
  Refusal,
  repacked,
  unreadable,
  unsafe,
} from './limits.ts'
import { isFree, publishPack } from './name.ts'
import { blockReader, LARGEST_TAKE, type Readable, replacePack, writeHandOut, writePack } from './write.ts'
import { DEFLATED } from './zip-format.ts'
import { type EntryList, type ListPlace, readEnd, readList, tally } from './zip-list.ts'
import { passEntry, unpack } from './zip-unpack.ts'

const DIGEST_BYTES = 32

/** Space for the files with these paths, which are sorted. */
const emptyContents = (paths: readonly string[]): Contents => ({
  paths,
  digests: Buffer.alloc(paths.length * DIGEST_BYTES),
  sizes: new Float64Array(paths.length),
})

const digestAt = ({ digests }: Contents, index: number): string =>
  digests.toString('hex', index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES)

const putDigest = ({ digests }: Contents, index: number, sha256: string): number =>
  digests.write(sha256, index * DIGEST_BYTES, 'hex')

/** How an archive or folder returns its files. */
interface Access extends Pick<OpenPack, 'folder' | 'departures' | 'indexApart' | 'close'> {
  /** The file with that index among the paths. */
  readonly open: (index: number) => AsyncIterable<Uint8Array>
  /** As `open`, the whole file at once, for one of at most LARGEST_TAKE bytes; null where only `open` can return it. */
  readonly whole: (index: number) => Uint8Array | null
}

/**
 * A pack whose files were hashed when it was opened. Later reads must have the same digest, or they reject, as they do
 * for files too large to be held in memory.
 */
function packOf(contents: Contents, limits: Limits, access: Access): OpenPack {
  const { paths, sizes } = contents
  const known = (wanted: string): number => {
    const index = indexOf(paths, wanted)
    if (index === -1) throw unreadable(`there is no file ${quote(wanted)}`)
    return index
  }
  let reads = 0
  const read = async (wanted: string, most = limits.readBytes): Promise<Uint8Array> => {
    const index = known(wanted)
    const size = sizes[index] ?? 0
    const largest = Math.min(most, limits.readBytes)
    if (size > largest) throw unreadable(`${quote(wanted)} has ${size} bytes; at most ${largest} are read into memory`)
    reads += 1
    if (reads % READS_IN_TURN === 0) await setImmediate()
    const bytes = (size <= LARGEST_TAKE ? access.whole(index) : null) ?? (await collected(access.open(index), size))
    if (bytes?.length !== size || hash('sha256', bytes) !== digestAt(contents, index))
      throw unreadable(`${quote(wanted)} changed while it was read`)
    return bytes
  }
  return {
    paths,
    sha256: async (wanted) => digestAt(contents, known(wanted)),
    size: (wanted) => sizes[indexOf(paths, wanted)] ?? null,
    read,
    comparedWith: (wanted) => digestAt(contents, known(wanted)),
    stored: (wanted) => {
      const index = known(wanted)
      const [size, sha256] = [sizes[index] ?? 0, digestAt(contents, index)]
      return { size, sha256, read: () => read(wanted), open: () => access.open(index) }
    },
    folder: access.folder,
    departures: access.departures,
    indexApart: access.indexApart,
    close: access.close,
  }
}

/** So many small files are read before other work gets its turn. */
const READS_IN_TURN = 100

/** All bytes of a file of this size; null where it has another. */
async function collected(chunks: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array | null> {
  const bytes = new Uint8Array(size)
  let done = 0
  for await (const chunk of chunks) {
    if (done + chunk.length <= size) bytes.set(chunk, done)
    done += chunk.length
  }
  return done === size ? bytes : null
}

/** The position of a path among sorted paths, or -1. */
function indexOf(paths: readonly string[], wanted: string): number {
  let [low, high] = [0, paths.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((paths[middle] ?? '') < wanted) low = middle + 1
    else high = middle
  }
  return paths[low] === wanted ? low : -1
}

export { replacePack, writePack } from './write.ts'

/**
 * Opens a pack, an archive or an unpacked folder, after checking that reading it is safe. Fails with input.not-found,
 * pack.unsafe (built to deceive or exhaust its reader), pack.repacked (by another program, otherwise safe) or
 * pack.unreadable. `indexProgram`: the program of the thread of indexApart().
 */
export async function openPack(
  path: string,
  limits: Limits = LIMITS,
  indexProgram: string | null = ownProgram(),
): Promise<Outcome<OpenPack>> {
  try {
    const found = await stat(path)
    if (!found.isFile() && !found.isDirectory()) return fail('pack.unreadable', 'it is neither a file nor a folder')
    return ok(found.isDirectory() ? await openFolder(path, limits) : await openZip(path, limits, indexProgram))
  } catch (problem) {
    if (problem instanceof Refusal) return fail(problem.code, plain(problem.message, 500))
    const { code, message } = problem as NodeJS.ErrnoException
    return code === 'ENOENT' ? fail('input.not-found', plain(path)) : fail('pack.unreadable', plain(message ?? '', 500))
  }
}

/** The packs port: archives on this computer. */
export const packs: Packs = {
  write: writePack,
  handOut: writeHandOut,
  replace: replacePack,
  publish: publishPack,
  isFree,
  open: (path) => openPack(path),
}

const BLOCK = 1024 ** 2

/**
 * Opens an unpacked pack: the folder itself, or the one that contains `pack/`. Every file is hashed once as a stream.
 * Links and special files are refused. Throws a Refusal.
 */
async function openFolder(path: string, limits: Limits): Promise<OpenPack> {
  const names = await readdir(path)
  const root = !names.includes('bagit.txt') && names.includes('pack') ? join(path, 'pack') : path
  if (!(await lstat(root)).isDirectory()) throw unsafe(`${quote(root)} is not a folder`)
  const paths = (await listFiles(root, limits)).sort()
  const contents = emptyContents(paths)
  const block = Buffer.allocUnsafeSlow(BLOCK)
  let total = 0
  for (const [index, name] of paths.entries()) {
    const { sha256, size } = await hashFile(join(root, name), name, block, limits.totalBytes - total)
    total += size
    putDigest(contents, index, sha256)
    contents.sizes[index] = size
    // Reading is synchronous, since 200,000 round trips through a pool of threads take far longer; this yields to
    // others.
    if (index % 100 === 0) await setImmediate()
  }
  return packOf(contents, limits, {
    folder: root,
    departures: [],
    // The reader compares the result.
    open: (index) =>
      storedFile(join(root, paths[index] ?? ''), contents.sizes[index] ?? 0, digestAt(contents, index)).open(),
    whole: () => null,
    indexApart: () => null,
    close: async () => {},
  })
}

async function listFiles(root: string, limits: Limits): Promise<string[]> {
  const paths: string[] = []
  const folders = ['']
  let seen = 0
  for (let below = folders.pop(); below !== undefined; below = folders.pop())
    for await (const entry of await opendir(join(root, below), { bufferSize: 500 })) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`
      seen += 1
      if (seen > limits.entries) throw unsafe(`the folder has more than ${limits.entries} files`)
      if (entry.isSymbolicLink()) throw unsafe(`${quote(name)} is a symbolic link`)
      if (entry.isDirectory()) folders.push(name)
      else if (entry.isFile()) {
        checkName(name)
        paths.push(name)
      } else throw unsafe(`${quote(name)} is not a regular file`)
    }
  checkDistinct(paths)
  return paths
}

// NONBLOCK: if a pipe replaced the file meanwhile, opening it would wait for a writer. Windows has neither flag.
const PLAINLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

async function hashFile(
  path: string,
  name: string,
  block: Buffer,
  most: number,
): Promise<{ readonly sha256: string; readonly size: number }> {
  const file = openSync(path, PLAINLY)
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw unsafe(`${quote(name)} is not a regular file`)
    if (stat.size > most) throw unsafe(`the folder exceeds the size limit at ${quote(name)}`)
    const first = block.subarray(0, readSync(file, block, 0, BLOCK, null))
    if (first.length === stat.size) return { sha256: hash('sha256', first), size: stat.size }
    const digest = createHash('sha256').update(first)
    let size = first.length
    for (let count = -1; count !== 0 && size <= stat.size; size += count) {
      count = readSync(file, block, 0, BLOCK, null)
      digest.update(block.subarray(0, count))
      await setImmediate()
    }
    if (size !== stat.size) throw unreadable(`${quote(name)} changed while it was read`)
    return { sha256: digest.digest('hex'), size }
  } finally {
    closeSync(file)
  }
}

/**
 * Opens an archive; nothing is ever written to disk. Every entry is unpacked once as a stream, counted and hashed
 * before any is returned, so that later reads return what was checked. Throws a Refusal.
 */
async function openZip(path: string, limits: Limits, indexProgram: string | null): Promise<OpenPack> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const place = await readEnd(file, size, limits)
    const list = await readList(file, place, limits)
    const outside = list.names.find((name) => !name.startsWith(FOLDER))
    if (outside !== undefined && list.names.every((name) => name.startsWith(FOLDER) || isDesktopFile(name)))
      throw repacked(`entry ${quote(outside)} was added by a desktop system and is not part of a pack`)
    if (outside !== undefined) throw unreadable(`entry ${quote(outside)} is not in the folder ${FOLDER}`)
    return await unpackOnce(file, list, place, { limits, indexProgram })
  } catch (problem) {
    await file.close()
    throw problem
  }
}

async function unpackOnce(
  file: FileHandle,
  list: EntryList,
  { listAt, asWritten }: ListPlace,
  { limits, indexProgram }: { readonly limits: Limits; readonly indexProgram: string | null },
): Promise<OpenPack> {
  const byName = Uint32Array.from(list.names.keys()).sort((a, b) =>
    (list.names[a] ?? '') < (list.names[b] ?? '') ? -1 : 1,
  )
  const rank = new Uint32Array(byName.length)
  for (const [place, index] of byName.entries()) rank[index] = place
  const contents = emptyContents(Array.from(byName, (index) => below(FOLDER, list.names[index] ?? '')))
  const places: Places = {
    starts: new Float64Array(byName.length),
    packed: new Float64Array(byName.length),
    methods: new Uint16Array(byName.length),
  }
  const reader = blockReader(file, 0, listAt, 'an entry reaches into the list of entries')
  const otherwise = tally('is packed differently than Barewitness packs it')
  for (const index of list.inFileOrder) {
    const entry = list.entry(index)
    const unpacked = await passEntry(reader, entry)
    const place = rank[index] ?? 0
    putDigest(contents, place, unpacked.sha256)
    if (!unpacked.asWritten) otherwise.note(entry.name)
    contents.sizes[place] = entry.size
    places.starts[place] = unpacked.dataAt
    places.packed[place] = entry.packed
    places.methods[place] = entry.method
  }
  if (reader.position() !== listAt) throw unsafe('there are bytes before the list of entries that belong to no entry')
  const departures = [
    ...list.departures,
    ...otherwise.sentences(),
    ...(asWritten ? [] : ['The end of the archive differs from the one that Barewitness writes.']),
  ]
  const apart = indexApart({ fd: file.fd, contents, places }, indexProgram)
  return packOf(contents, limits, {
    ...accessOf(file, file.fd, contents, places),
    folder: null,
    departures,
    indexApart: apart.problems,
    close: async () => {
      // The thread reads the same open file.
      await apart.end()
      await file.close()
    },
  })
}

/** The rest of a name as a separate string, because a substring keeps the whole name in memory. Names are read as Latin-1. */
const below = (folder: string, name: string): string => Buffer.from(name, 'latin1').toString('latin1', folder.length)

function accessOf(
  file: Readable,
  fd: number,
  { paths, sizes }: Contents,
  { starts, packed, methods }: Places,
): Pick<Access, 'open' | 'whole'> {
  const open = (place: number): AsyncIterable<Uint8Array> => {
    const entry = {
      name: `${FOLDER}${paths[place] ?? ''}`,
      packed: packed[place] ?? 0,
      size: sizes[place] ?? 0,
      method: methods[place] ?? 0,
    }
    const start = starts[place] ?? 0
    return lasting(unpack(blockReader(file, start, start + entry.packed, 'the archive ends early'), entry))
  }
  const whole = (place: number): Uint8Array | null =>
    methods[place] === DEFLATED ? null : bytesThere(fd, starts[place] ?? 0, sizes[place] ?? 0)
  return { open, whole }
}

const readAt = promisify(readOfFile)

/** The files of an archive that another thread opened and hashed; the caller that opened it closes it. */
export function filesOf({ fd, contents, places }: HashedArchive): PackSource {
  const { digests } = contents
  // A buffer arrives as a plain array of bytes.
  const own = { ...contents, digests: Buffer.from(digests.buffer, digests.byteOffset, digests.length) }
  return packOf(own, LIMITS, {
    ...accessOf({ read: (...asked) => readAt(fd, ...asked) }, fd, own, places),
    folder: null,
    departures: [],
    indexApart: () => null,
    close: async () => {},
  })
}

/** Bytes of a file at a position; fewer where it ends before. */
function bytesThere(file: number, at: number, count: number): Uint8Array {
  const bytes = new Uint8Array(count)
  for (let done = 0; done < count; ) {
    const came = readSync(file, bytes, done, count - done, at + done)
    if (came === 0) return bytes.subarray(0, done)
    done += came
  }
  return bytes
}

// Copies the chunks: those of a reader are valid only until the next one.
async function* lasting(chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield new Uint8Array(chunk)
}
