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

/**
 * The one reader of ASN.1 in the program: DER, of which a seal may have one encoding only, and BER (ITU-T X.690), which
 * providers and key stores write.
 */

/** One value: its identifier octet, its content, and the whole. */
export interface DerValue {
  readonly tag: number
  readonly content: Uint8Array
  readonly bytes: Uint8Array
  /** Its length was left open (X.690, section 8.1.3.6): BER, never DER. */
  readonly isOpen: boolean
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  nothing: 0x05,
  oid: 0x06,
  utf8: 0x0c,
  teletex: 0x14,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmp: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const

/** How deep values may lie in each other; those of a signature that names its certificate (RFC 5035) lie eighteen deep. */
const DEEPEST = 32
const CONSTRUCTED = 0x20

/**
 * Values one after another, as BER; null when the bytes are not. What is inside them is not read yet: see membersOf,
 * derValue and berValue.
 */
function valuesIn(bytes: Uint8Array): readonly DerValue[] | null {
  const found: DerValue[] = []
  for (let at = 0; at < bytes.length; ) {
    const value = valueAt(bytes, at)
    if (value === null) return null
    found.push(value)
    at += value.bytes.length
  }
  return found
}

/** The value at the start of bytes, whatever follows it; null when there is none. */
export const firstValue = (bytes: Uint8Array): DerValue | null => valueAt(bytes, 0)

function valueAt(bytes: Uint8Array, at: number): DerValue | null {
  const place = placeAt(bytes, at, 0)
  if (place === null) return null
  return {
    tag: bytes[at] ?? 0,
    content: bytes.subarray(place.start, place.end),
    bytes: bytes.subarray(at, place.next),
    isOpen: place.next !== place.end,
  }
}

/** Where the content of a value starts and ends, and where the value ends. */
interface Place {
  readonly start: number
  readonly end: number
  readonly next: number
}

function placeAt(bytes: Uint8Array, at: number, depth: number): Place | null {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f || depth > DEEPEST) return null
  if (first === 0x80) return (tag & CONSTRUCTED) === 0 ? null : openPlace(bytes, at + 2, depth)
  const count = first < 0x80 ? 0 : first & 0x7f
  const start = at + 2 + count
  if (count > 4 || start > bytes.length) return null
  const length = count === 0 ? first : bytes.subarray(at + 2, start).reduce((sum, octet) => sum * 256 + octet, 0)
  const end = start + length
  return end > bytes.length ? null : { start, end, next: end }
}

/** With an open length, two zero octets end the content. */
function openPlace(bytes: Uint8Array, start: number, depth: number): Place | null {
  for (let at = start; at + 2 <= bytes.length; ) {
    if (bytes[at] === 0 && bytes[at + 1] === 0) return { start, end: at, next: at + 2 }
    const inner = placeAt(bytes, at, depth + 1)
    if (inner === null) return null
    at = inner.next
  }
  return null
}

/** The members of a constructed value; none of a primitive one, or of one that is damaged inside. */
export const membersOf = (value: DerValue | null | undefined): readonly DerValue[] =>
  value == null || (value.tag & CONSTRUCTED) === 0 ? [] : (valuesIn(value.content) ?? [])

/** The one value that bytes encode in BER, everything inside it included; null when they are not exactly one. */
export const berValue = (bytes: Uint8Array): DerValue | null => wholeValue(bytes, () => true)

/**
 * The one value that bytes encode; null when they are not exactly one in strict DER. Everything inside it is then
 * strict too.
 */
export const derValue = (bytes: Uint8Array): DerValue | null => wholeValue(bytes, isStrict)

/**
 * Whether bytes are exactly one value in DER's length rules, all the way down: definite lengths in the fewest octets,
 * nothing left over, low tag numbers. Readers of BER accept many encodings of one value; a seal has only one.
 */
export const isStrictDer = (bytes: Uint8Array): boolean => derValue(bytes) !== null

function wholeValue(bytes: Uint8Array, fits: (value: DerValue) => boolean): DerValue | null {
  const value = firstValue(bytes)
  return value !== null && value.bytes.length === bytes.length && isWhole(value, fits, 0) ? value : null
}

/** Whether a value can be read all the way down, and each value in it fits. */
function isWhole(value: DerValue, fits: (value: DerValue) => boolean, depth: number): boolean {
  if (depth > DEEPEST || !fits(value)) return false
  if ((value.tag & CONSTRUCTED) === 0) return true
  return valuesIn(value.content)?.every((member) => isWhole(member, fits, depth + 1)) ?? false
}

function isStrict({ tag, content, bytes, isOpen }: DerValue): boolean {
  if (isOpen || bytes.length - content.length !== headerLength(content.length)) return false
  const [first = 0, second = 0] = content
  if (tag === TAG.boolean) return content.length === 1 && (first === 0 || first === 0xff)
  if (tag === TAG.integer) {
    const padded = content.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))
    return content.length > 0 && !padded
  }
  return tag !== TAG.nothing || content.length === 0
}

/** Octets of the identifier and of the length, in the fewest (X.690, section 10.1). */
function headerLength(length: number): number {
  let count = 0
  for (let rest = length; length >= 0x80 && rest > 0; rest = Math.floor(rest / 256)) count += 1
  return 2 + count
}

/** Members read in order: `take` returns the next one when it has this tag, `ended` states whether all were taken. */
interface Members {
  readonly take: (tag: number) => DerValue | undefined
  readonly ended: () => boolean
}

export function inOrder(value: DerValue | null | undefined): Members {
  const members = membersOf(value)
  let at = 0
  return {
    take: (tag) => {
      const next = members[at]
      if (next?.tag !== tag) return undefined
      at += 1
      return next
    },
    ended: () => at === members.length,
  }
}

const LONGEST_OID = 64

/** An OBJECT IDENTIFIER in dotted form; empty for another value, or for another encoding than its only valid one. */
export function oidText(value: DerValue | undefined): string {
  if (value?.tag !== TAG.oid || value.content.length > LONGEST_OID) return ''
  const arcs: bigint[] = []
  let arc = 0n
  for (const octet of value.content) {
    arc = (arc << 7n) | BigInt(octet & 0x7f)
    if ((octet & 0x80) !== 0) continue
    arcs.push(arc)
    arc = 0n
  }
  const [first = 0n, ...rest] = arcs
  const top = first < 80n ? first / 40n : 2n
  const text = [top, first - top * 40n, ...rest].join('.')
  return Buffer.compare(oid(text), value.bytes) === 0 ? text : ''
}

/** An OCTET STRING: in one piece, or in several inside a constructed one (X.690, section 8.7.3). Null for another value. */
export const octetsOf = (value: DerValue | undefined): Uint8Array | null => octetsUnder(value, TAG.octets)

/** The same under an implicit tag of the context, as in EncryptedContentInfo (RFC 5652, section 6.1). */
export const implicitOctetsOf = (value: DerValue | undefined, number: number): Uint8Array | null =>
  octetsUnder(value, 0x80 | number)

function octetsUnder(value: DerValue | undefined, tag: number): Uint8Array | null {
  if (value?.tag === tag) return value.content
  if (value?.tag !== (tag | CONSTRUCTED)) return null
  const pieces = membersOf(value)
  return pieces.every((piece) => piece.tag === TAG.octets)
    ? new Uint8Array(Buffer.concat(pieces.map(({ content }) => content)))
    : null
}

/** An INTEGER of any size; null for another value. */
export function integerOf(value: DerValue | null | undefined): bigint | null {
  if (value?.tag !== TAG.integer || value.content.length === 0) return null
  return BigInt.asIntN(8 * value.content.length, BigInt(`0x${Buffer.from(value.content).toString('hex')}`))
}

/** A small non-negative INTEGER; null for another value, or one larger than four octets. */
export function smallNumber(value: DerValue | undefined): number | null {
  if (value?.tag !== TAG.integer || value.content.length > 4 || (value.content[0] ?? 0x80) > 0x7f) return null
  return value.content.reduce((sum, octet) => sum * 256 + octet, 0)
}

/**
 * AlgorithmIdentifier (RFC 5280, section 4.1.1.2) without parameters or with NULL: its identifier in dotted form; empty
 * otherwise.
 */
export function algorithmOf(value: DerValue | undefined): string {
  if (value?.tag !== TAG.sequence) return ''
  const parts = inOrder(value)
  const id = oidText(parts.take(TAG.oid))
  parts.take(TAG.nothing)
  return parts.ended() ? id : ''
}

const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d*[1-9]))?Z$/

/**
 * GeneralizedTime as in RFC 3161, section 2.4.2: UTC, to the second, a fraction without trailing zeros; or UTCTime (RFC
 * 5280, section 4.1.2.5.1). ISO 8601 with milliseconds, further digits cut; null for another form, or an invalid date.
 */
export function timeOf(value: DerValue | undefined): string | null {
  if (value?.tag !== TAG.generalizedTime && value?.tag !== TAG.utcTime) return null
  const ascii = Buffer.from(value.content).toString('latin1')
  const short = value.tag === TAG.utcTime
  const century = short ? (ascii.slice(0, 2) < '50' ? '20' : '19') : ''
  const [, year, month, day, hour, minute, second, fraction] = TIME.exec(century + ascii) ?? []
  if (year === undefined || (short && fraction !== undefined)) return null
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.${(fraction ?? '').slice(0, 3).padEnd(3, '0')}Z`
  const at = new Date(text)
  return !Number.isNaN(at.getTime()) && at.toISOString() === text ? text : null
}

/** One extension of a certificate or revocation list (RFC 5280, section 4.1.2.9). */
export interface ExtensionParts {
  readonly id: string
  readonly critical: boolean
  /** DER of its value. */
  readonly content: Uint8Array
}

/** The parts of a certificate (RFC 5280, section 4.1), as they stand in it. Nothing is verified. */
interface CertificateParts {
  readonly serial: DerValue
  readonly signature: DerValue
  readonly issuer: DerValue
  /** ISO 8601, UTC. */
  readonly notBefore: string
  readonly notAfter: string
  readonly subject: DerValue
  readonly key: DerValue
  readonly extensions: readonly ExtensionParts[]
}

const VERSION = 0xa0
const EXTENSIONS = 0xa3

/** Reads a certificate; null when it does not have the required parts. */
export function certificateParts(certificate: DerValue | null): CertificateParts | null {
  const [tbs] = membersOf(certificate)
  const parts = inOrder(tbs)
  // The version is first, tagged, in all but version 1.
  parts.take(VERSION)
  const serial = parts.take(TAG.integer)
  const signature = parts.take(TAG.sequence)
  const issuer = parts.take(TAG.sequence)
  const validity = parts.take(TAG.sequence)
  const subject = parts.take(TAG.sequence)
  const key = parts.take(TAG.sequence)
  const [notBefore, notAfter] = membersOf(validity).map(timeOf)
  if (!serial || !signature || !issuer || !subject || !key || !notBefore || !notAfter) return null
  const extensions = membersOf(tbs).find(({ tag }) => tag === EXTENSIONS)
  return {
    serial,
    signature,
    issuer,
    notBefore,
    notAfter,
    subject,
    key,
    extensions: extensionsIn(membersOf(extensions)[0]),
  }
}

/** Extensions in order; those that cannot be read have no identifier and no content. */
export const extensionsIn = (list: DerValue | undefined): readonly ExtensionParts[] =>
  membersOf(list).map((one) => {
    const parts = inOrder(one)
    const id = oidText(parts.take(TAG.oid))
    const flag = parts.take(TAG.boolean)
    const content = octetsOf(parts.take(TAG.octets)) ?? new Uint8Array()
    return { id, critical: flag !== undefined && flag.content[0] !== 0, content }
  })

/** The parts of a revocation list (RFC 5280, section 5.1), as they stand in it. Nothing is verified. */
interface RevocationListParts {
  readonly issuer: DerValue
  readonly thisUpdate: string
  readonly nextUpdate: string | null
  readonly entries: readonly DerValue[]
  readonly extensions: DerValue | undefined
}

/** Reads a revocation list; null when it does not have the required parts, or has others. */
export function revocationListParts(list: DerValue | null): RevocationListParts | null {
  const parts = inOrder(membersOf(list)[0])
  parts.take(TAG.integer)
  parts.take(TAG.sequence)
  const issuer = parts.take(TAG.sequence)
  const [thisUpdate, nextUpdate] = [takeTime(parts), takeTime(parts)]
  const entries = membersOf(parts.take(TAG.sequence))
  const [extensions] = membersOf(parts.take(0xa0))
  if (issuer === undefined || thisUpdate === null || !parts.ended()) return null
  return { issuer, thisUpdate, nextUpdate, entries, extensions }
}

/** The next member, when it is a time; null otherwise. */
export const takeTime = (parts: Members): string | null =>
  timeOf(parts.take(TAG.utcTime) ?? parts.take(TAG.generalizedTime))

/** The attributes of a name (RFC 5280, section 4.1.2.4), in order: type and text. */
export const nameParts = (name: DerValue): readonly { readonly type: string; readonly text: string }[] =>
  membersOf(name)
    .flatMap(membersOf)
    .map((attribute) => {
      const [type, value] = membersOf(attribute)
      return { type: oidText(type), text: value === undefined ? '' : textOf(value) }
    })

/** A DirectoryString (RFC 5280, appendix A): UTF-16, Latin-1 as TeletexString is used, or ASCII and UTF-8. */
function textOf({ tag, content }: DerValue): string {
  if (tag === TAG.bmp) return new TextDecoder('utf-16be').decode(content)
  return new TextDecoder(tag === TAG.teletex ? 'latin1' : 'utf-8').decode(content)
}
