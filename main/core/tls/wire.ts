/** Numbers and length-prefixed vectors as TLS writes them (RFC 8446 §3): big-endian. */
export const u16 = (value: number): readonly number[] => [(value >> 8) & 0xff, value & 0xff]
export const u24 = (value: number): readonly number[] => [(value >> 16) & 0xff, ...u16(value)]
export const vector8 = (bytes: Iterable<number>): readonly number[] => {
  const all = [...bytes]
  return [all.length & 0xff, ...all]
}

export const vector16 = (bytes: Iterable<number>): readonly number[] => {
  const all = [...bytes]
  return [...u16(all.length), ...all]
}

/** Reads from hostile bytes: every method gives null past the end, and stays there. */
export interface WireReader {
  readonly number: (size: 1 | 2 | 3) => number | null
  readonly take: (length: number) => Uint8Array | null
  /** A vector whose length stands before it in `size` bytes. */
  readonly vector: (size: 1 | 2 | 3) => Uint8Array | null
  readonly left: () => number
}

export function wireReader(bytes: Uint8Array): WireReader {
  let at = 0
  const take = (length: number): Uint8Array | null => {
    if (length > bytes.length - at) {
      at = bytes.length
      return null
    }
    at += length
    return bytes.subarray(at - length, at)
  }
  const number = (size: 1 | 2 | 3): number | null => take(size)?.reduce((sum, byte) => sum * 256 + byte, 0) ?? null
  const vector = (size: 1 | 2 | 3): Uint8Array | null => {
    const length = number(size)
    return length === null ? null : take(length)
  }
  return { number, take, vector, left: () => bytes.length - at }
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
