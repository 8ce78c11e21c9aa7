import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Compression } from '../core/ports/ports.ts'

/** Fast rather than small: lists with serial numbers become a tenth at any level. */
const LEVEL = 1

/** Results are copies in memory of their own: a view of a larger block would keep the whole block in memory. */
export const compression: Compression = {
  compress: (bytes) => new Uint8Array(deflateRawSync(bytes, { level: LEVEL })),
  restore: (compressed, size) => {
    const bytes = new Uint8Array(inflateRawSync(compressed, { maxOutputLength: Math.max(1, size) }))
    if (bytes.length !== size) throw new RangeError(`${bytes.length} bytes instead of ${size}`)
    return bytes
  },
}
