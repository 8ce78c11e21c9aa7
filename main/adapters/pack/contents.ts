import { hash } from 'node:crypto'
import type { OpenPack } from '../../core/all-ports.ts'
import { quote } from '../../core/plain-text.ts'
import { type Limits, unreadable } from './limits.ts'

const DIGEST_BYTES = 32

/** What stays in memory of a pack after every file in it was hashed. All three are in the order of the paths. */
export interface Contents {
  /** Inside `pack/`, sorted. */
  readonly paths: readonly string[]
  /** SHA-256, one after the other. */
  readonly digests: Buffer
  readonly sizes: Float64Array
}

/** Space for the files with these paths, which are sorted. */
export const emptyContents = (paths: readonly string[]): Contents => ({
  paths,
  digests: Buffer.alloc(paths.length * DIGEST_BYTES),
  sizes: new Float64Array(paths.length),
})

export const digestAt = ({ digests }: Contents, index: number): string =>
  digests.toString('hex', index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES)

export const putDigest = ({ digests }: Contents, index: number, sha256: string): number =>
  digests.write(sha256, index * DIGEST_BYTES, 'hex')

/** How an archive or folder returns its files. */
export interface Access extends Pick<OpenPack, 'folder' | 'departures' | 'close'> {
  /** The file with that index among the paths. */
  readonly open: (index: number) => AsyncIterable<Uint8Array>
}

/**
 * A pack whose files were hashed when it was opened. Later reads must have the same digest, or they reject, as they do
 * for files too large to be held in memory.
 */
export function packOf(contents: Contents, limits: Limits, access: Access): OpenPack {
  const { paths, sizes } = contents
  const known = (wanted: string): number => {
    const index = indexOf(paths, wanted)
    if (index === -1) throw unreadable(`there is no file ${quote(wanted)}`)
    return index
  }
  const read = async (wanted: string, most = limits.readBytes): Promise<Uint8Array> => {
    const index = known(wanted)
    const size = sizes[index] ?? 0
    const largest = Math.min(most, limits.readBytes)
    if (size > largest) throw unreadable(`${quote(wanted)} has ${size} bytes; at most ${largest} are read into memory`)
    const bytes = new Uint8Array(size)
    let done = 0
    for await (const chunk of access.open(index)) {
      if (done + chunk.length <= size) bytes.set(chunk, done)
      done += chunk.length
    }
    if (done !== size || hash('sha256', bytes) !== digestAt(contents, index))
      throw unreadable(`${quote(wanted)} changed while it was read`)
    return bytes
  }
  return {
    paths,
    sha256: async (wanted) => digestAt(contents, known(wanted)),
    read,
    stored: (wanted) => {
      const index = known(wanted)
      const [size, sha256] = [sizes[index] ?? 0, digestAt(contents, index)]
      return { size, sha256, read: () => read(wanted), open: () => access.open(index) }
    },
    folder: access.folder,
    departures: access.departures,
    close: access.close,
  }
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
