/** Larger than any record or metadata of an address database. */
const [MOST_VALUES, MOST_BYTES, DEEPEST] = [2000, 64 * 1024, 24]

const [EXTENDED, POINTER, MAP, ARRAY, BOOLEAN] = [0, 1, 7, 11, 14]

/**
 * Whether the value at a position of a MaxMind DB file (format 2.0, “Data Section”) stays small once read: number of
 * values, bytes in texts, depth. A file can announce sixteen million values in five bytes, or refer to itself; a reader
 * that trusts it runs out of memory and the program ends. `base` is the origin of references.
 */
export function staysSmall(bytes: Uint8Array, place: number, base: number): boolean {
  let [values, size] = [0, 0]
  /** Position after the value; null where it is too large, or outside the file. */
  const walk = (start: number, depth: number): number | null => {
    const byte = (at: number): number => bytes[at] ?? Number.NaN
    const number = (at: number, length: number): number => {
      let sum = 0
      for (let next = at; next < at + length; next++) sum = sum * 256 + byte(next)
      return sum
    }
    values += 1
    const control = byte(start)
    if (values > MOST_VALUES || depth > DEEPEST || Number.isNaN(control)) return null
    const kind = control >> 5
    if (kind === POINTER) {
      const length = ((control >> 3) & 3) + 1
      const high = length === 4 ? 0 : (control & 7) * 256 ** length
      const to = base + high + number(start + 1, length) + (POINTER_BASE[length] ?? 0)
      return walk(to, depth + 1) === null ? null : start + 1 + length
    }
    const [type, from] = kind === EXTENDED ? [byte(start + 1) + 7, start + 2] : [kind, start + 1]
    const short = control & 31
    const extra = short < 29 ? 0 : short - 28
    const count = short < 29 ? short : (SIZE_BASE[extra] ?? 0) + number(from, extra)
    let at = from + extra
    if (type === BOOLEAN) return at
    if (type !== MAP && type !== ARRAY) {
      size += count
      return size <= MOST_BYTES && at + count <= bytes.length ? at + count : null
    }
    if (!(count <= MOST_VALUES)) return null
    for (let left = type === MAP ? count * 2 : count; left > 0; left--) {
      const next = walk(at, depth + 1)
      if (next === null) return null
      at = next
    }
    return at
  }
  return walk(place, 0) !== null
}

/** By the number of bytes that follow. */
const POINTER_BASE = [0, 0, 2048, 526_336, 0]
const SIZE_BASE = [0, 29, 285, 65_821]
