/** Writes the few forms of DER (ITU-T X.690, clause 10) that certificates, revocation lists and CMS need. Values are whole encodings. */

const concat = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

/** One value: identifier octet, definite length in the fewest octets (X.690 §10.1), content. */
export function der(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const body = concat(content)
  return concat([new Uint8Array([tag]), lengthOctets(body.length), body])
}

function lengthOctets(length: number): Uint8Array {
  if (length < 0x80) return new Uint8Array([length])
  const found: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) found.unshift(rest % 256)
  return new Uint8Array([0x80 | found.length, ...found])
}

export const sequence = (...items: readonly Uint8Array[]): Uint8Array => der(0x30, ...items)
/** SET OF: members in ascending order of their encodings (X.690 §11.6). */
export const setOf = (...items: readonly Uint8Array[]): Uint8Array =>
  der(0x31, ...[...items].sort((a, b) => Buffer.compare(a, b)))
export const octets = (bytes: Uint8Array): Uint8Array => der(0x04, bytes)
export const bits = (bytes: Uint8Array, unused = 0): Uint8Array => der(0x03, new Uint8Array([unused]), bytes)
export const nothing = (): Uint8Array => der(0x05)
export const yes = (): Uint8Array => der(0x01, new Uint8Array([0xff]))
export const text = (value: string): Uint8Array => der(0x0c, new TextEncoder().encode(value))

/** A non-negative INTEGER from big-endian bytes, without superfluous leading zeros (X.690 §8.3.2). */
export function unsigned(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0)
  const significant = first === -1 ? new Uint8Array([0]) : bytes.subarray(first)
  return (significant[0] ?? 0) > 0x7f ? der(0x02, new Uint8Array([0]), significant) : der(0x02, significant)
}

export const small = (value: number): Uint8Array => unsigned(new Uint8Array([value]))

/** OBJECT IDENTIFIER from its dotted form; arcs of any size, for the 2.25 arc (ITU-T X.667). */
export function oid(dotted: string): Uint8Array {
  const [first = 0n, second = 0n, ...rest] = dotted.split('.').map(BigInt)
  return der(0x06, new Uint8Array([first * 40n + second, ...rest].flatMap(base128)))
}

function base128(arc: bigint): number[] {
  const groups = [Number(arc & 0x7fn)]
  for (let rest = arc >> 7n; rest > 0n; rest >>= 7n) groups.unshift(Number(rest & 0x7fn) | 0x80)
  return groups
}

/** A time in a certificate: UTCTime through 2049, GeneralizedTime from 2050 (RFC 5280 §4.1.2.5). Whole seconds, UTC. */
export function time(at: Date): Uint8Array {
  const digits = at.toISOString().replace(/[-:T]|\.\d+/g, '')
  const ascii = (value: string): Uint8Array => new TextEncoder().encode(value)
  return at.getUTCFullYear() < 2050 ? der(0x17, ascii(digits.slice(2))) : der(0x18, ascii(digits))
}
