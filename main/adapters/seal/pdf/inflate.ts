import { inflateSync, type Zlib } from 'node:zlib'

/**
 * The content of a deflated stream (RFC 1950); null where it is damaged, has more bytes than `most`, or is followed by other bytes of the stream,
 * which readers pass over and in which anything can be hidden.
 */
export function inflated(stored: Uint8Array, most: number): Uint8Array | null {
  try {
    // With `info` it returns its engine too, which counts the bytes it used; the types lack this.
    const { buffer, engine } = inflateSync(stored, { maxOutputLength: Math.max(1, most), info: true }) as unknown as {
      readonly buffer: Buffer
      readonly engine: Zlib
    }
    return engine.bytesWritten === stored.length && buffer.length <= most ? new Uint8Array(buffer) : null
  } catch {
    return null
  }
}
