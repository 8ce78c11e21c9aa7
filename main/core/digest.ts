import { createHash, createHmac } from 'node:crypto'

/** A SHA-256 digest as 64 lower-case hexadecimal characters. */
export type Sha256 = string

/** SHA-256 (FIPS 180-4) of bytes, or of the UTF-8 encoding of a string. */
export const sha256 = (data: Uint8Array | string): Sha256 => createHash('sha256').update(data).digest('hex')

/** HMAC-SHA-256 (RFC 2104). */
export const hmacSha256 = (key: Uint8Array, message: Uint8Array): Uint8Array =>
  new Uint8Array(createHmac('sha256', key).update(message).digest())

/** SHA-256 of several strings one after the other, without joining them. */
export function sha256OfAll(parts: Iterable<string>): Sha256 {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

export const isSha256 = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
