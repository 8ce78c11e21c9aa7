import { createHash } from 'node:crypto'

/** A SHA-256 digest as 64 lower-case hexadecimal characters. */
export type Sha256 = string

/** SHA-256 (FIPS 180-4) of bytes, or of the UTF-8 encoding of a string. */
export const sha256 = (data: Uint8Array | string): Sha256 => createHash('sha256').update(data).digest('hex')

export const isSha256 = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
