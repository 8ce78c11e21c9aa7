import { address4, address6, type IpAddress } from '../../core/geo/addresses.ts'

/** Address ranges of one family, each with its line and a number for its value. */
export interface Ranges {
  readonly size: number
  readonly find: (value: bigint) => FoundRange | null
}
export interface FoundRange {
  readonly start: bigint
  readonly end: bigint
  readonly about: number
}

/** Ranges while reading: added in any order. */
export interface GrowingRanges {
  readonly add: (start: bigint, end: bigint, line: number, about: number) => void
  /** Sorted; or the line of a range that overlaps another. */
  readonly sorted: () => Ranges | { readonly overlap: number }
}

/** Stored in typed arrays, sixteen bytes per address, to keep hundreds of thousands of ranges small. */
export function growRanges(): GrowingRanges {
  let room = 1024
  let size = 0
  let isSorted = true
  let [edges, lines, abouts] = [new BigUint64Array(room * 4), new Uint32Array(room), new Uint32Array(room)]
  const edge = (at: number, part: 0 | 2): bigint =>
    ((edges[at * 4 + part] ?? 0n) << 64n) | (edges[at * 4 + part + 1] ?? 0n)
  return {
    add: (start, end, line, about) => {
      if (size === room) {
        room *= 2
        const [before, lined, said] = [edges, lines, abouts]
        ;[edges, lines, abouts] = [new BigUint64Array(room * 4), new Uint32Array(room), new Uint32Array(room)]
        edges.set(before)
        lines.set(lined)
        abouts.set(said)
      }
      if (size > 0 && start <= edge(size - 1, 0)) isSorted = false
      edges[size * 4] = start >> 64n
      edges[size * 4 + 1] = start & LOW
      edges[size * 4 + 2] = end >> 64n
      edges[size * 4 + 3] = end & LOW
      lines[size] = line
      abouts[size] = about
      size += 1
    },
    sorted: () => {
      const order = Uint32Array.from({ length: size }, (_, at) => at)
      if (!isSorted)
        order.sort((a, b) => {
          const [first, second] = [edge(a, 0), edge(b, 0)]
          return first < second ? -1 : first > second ? 1 : 0
        })
      const place = (at: number): number => order[at] ?? 0
      for (let at = 1; at < size; at++)
        if (edge(place(at), 0) <= edge(place(at - 1), 2)) return { overlap: lines[place(at)] ?? 0 }
      const find = (value: bigint): FoundRange | null => {
        let [low, high] = [0, size]
        while (low < high) {
          const middle = (low + high) >>> 1
          if (edge(place(middle), 0) <= value) low = middle + 1
          else high = middle
        }
        if (low === 0) return null
        const found = place(low - 1)
        const end = edge(found, 2)
        return value > end ? null : { start: edge(found, 0), end, about: abouts[found] ?? 0 }
      }
      return { size, find }
    },
  }
}

const LOW = (1n << 64n) - 1n

/** A range in common notation, and the number of bits that its first and last address share. */
export function rangeText(
  { family }: IpAddress,
  { start, end }: FoundRange,
): { readonly network: string; readonly prefix: number } {
  const make = family === 4 ? address4 : address6
  const apart = start ^ end
  const prefix = (family === 4 ? 32 : 128) - (apart === 0n ? 0 : apart.toString(2).length)
  const size = end - start + 1n
  const isNetwork = (size & (size - 1n)) === 0n && start % size === 0n
  return { network: isNetwork ? `${make(start).text}/${prefix}` : `${make(start).text}–${make(end).text}`, prefix }
}
