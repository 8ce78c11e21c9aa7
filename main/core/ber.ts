import { oidText } from './tls/der.ts'

const [OCTETS, OID] = [0x04, 0x06]

/** One element of BER (ITU-T X.690), with those inside it where it is constructed. */
export interface Ber {
  readonly tag: number
  readonly content: Uint8Array
  readonly whole: Uint8Array
  /** Its length was left open (8.1.3.6). */
  readonly isOpen: boolean
  readonly parts: readonly Ber[]
}

/** The names in a signature that names its certificate (RFC 5035) lie eighteen deep. */
const DEEPEST = 32

/** What stands side by side in the bytes; null where they are not BER, or lie too deep in each other. */
export const readBer = (bytes: Uint8Array): readonly Ber[] | null => elements(bytes, 0, bytes.length, 0)?.parts ?? null

/** The elements from `start` to `end`; with an open end, to the two zero bytes that close it. `next` is behind those. */
function elements(
  bytes: Uint8Array,
  start: number,
  end: number,
  depth: number,
  isOpen = false,
): { readonly parts: readonly Ber[]; readonly next: number } | null {
  const parts: Ber[] = []
  let at = start
  while (at < end) {
    if (isOpen && bytes[at] === 0 && bytes[at + 1] === 0 && at + 2 <= end) return { parts, next: at + 2 }
    const one = element(bytes, at, end, depth)
    if (one === null) return null
    parts.push(one)
    at += one.whole.length
  }
  return isOpen ? null : { parts, next: at }
}

function element(bytes: Uint8Array, at: number, end: number, depth: number): Ber | null {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined || at + 2 > end || (tag & 0x1f) === 0x1f || depth > DEEPEST) return null
  const isConstructed = (tag & 0x20) !== 0
  const extra = first > 0x80 ? first & 0x7f : 0
  const begin = at + 2 + extra
  if (extra > 3 || begin > end) return null
  if (first === 0x80) {
    const inside = isConstructed ? elements(bytes, begin, end, depth + 1, true) : null
    if (inside === null) return null
    const whole = bytes.subarray(at, inside.next)
    return { tag, content: bytes.subarray(begin, inside.next - 2), whole, isOpen: true, parts: inside.parts }
  }
  const length = extra === 0 ? first : bytes.subarray(at + 2, begin).reduce((sum, byte) => sum * 256 + byte, 0)
  const close = begin + length
  if (close > end) return null
  const inside = isConstructed ? elements(bytes, begin, close, depth + 1) : { parts: [] }
  if (inside === null) return null
  return {
    tag,
    content: bytes.subarray(begin, close),
    whole: bytes.subarray(at, close),
    isOpen: false,
    parts: inside.parts,
  }
}

/** The identifier in dotted form; empty for any other element. */
export const oidOf = (one: Ber | undefined): string => (one?.tag === OID ? oidText(one.content) : '')

/** An octet string: in one piece, or in several inside a constructed one (8.7.3). */
export function octets(one: Ber | undefined): Uint8Array | null {
  if (one?.tag === OCTETS) return one.content
  if (one?.tag !== (OCTETS | 0x20) || !one.parts.every(({ tag }) => tag === OCTETS)) return null
  return Uint8Array.from(Buffer.concat(one.parts.map(({ content }) => content)))
}
