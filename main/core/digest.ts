import { createHash, createHmac, hash } from 'node:crypto'

/** A SHA-256 digest as 64 lower-case hexadecimal characters. */
export type Sha256 = string

/** SHA-256 (FIPS 180-4) of bytes, or of the UTF-8 encoding of a string. */
export const sha256 = (data: Uint8Array | string): Sha256 => hash('sha256', data)

/** HMAC-SHA-256 (RFC 2104). */
export const hmacSha256 = (key: Uint8Array, message: Uint8Array): Uint8Array =>
  new Uint8Array(createHmac('sha256', key).update(message).digest())

/** SHA-256 of several strings one after the other, without joining them. */
export function sha256OfAll(parts: Iterable<string>): Sha256 {
  const whole = createHash('sha256')
  for (const part of parts) whole.update(part)
  return whole.digest('hex')
}

/**
 * The name-based UUID of version 5 (RFC 9562, section 5.5): SHA-1 over the bytes of a namespace UUID and the UTF-8 encoding of a name. It
 * identifies, and protects nothing.
 */
export function nameUuid(namespace: string, name: string): string {
  const hex = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

export const isSha256 = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
