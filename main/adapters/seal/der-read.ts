import { isStrictDer, oid } from './der.ts'

/** One value of DER (ITU-T X.690): its identifier octet, its content, and the whole. */
export interface DerValue {
  readonly tag: number
  readonly content: Uint8Array
  readonly bytes: Uint8Array
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  nothing: 0x05,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/**
 * The one value that bytes encode; null when they are not exactly one in strict DER. Everything inside it is then
 * strict too.
 */
export const derValue = (bytes: Uint8Array): DerValue | null =>
  isStrictDer(bytes) ? (valuesIn(bytes)[0] ?? null) : null

/** The members of a constructed value that came from derValue; none of a primitive one. */
export const membersOf = (value: DerValue): readonly DerValue[] =>
  (value.tag & 0x20) === 0 ? [] : valuesIn(value.content)

/** Values one after another, in bytes already known to be strict. */
function valuesIn(bytes: Uint8Array): readonly DerValue[] {
  const found: DerValue[] = []
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at + 1] ?? 0
    const count = first < 0x80 ? 0 : first & 0x7f
    const start = at + 2 + count
    const length = count === 0 ? first : bytes.subarray(at + 2, start).reduce((sum, octet) => sum * 256 + octet, 0)
    found.push({
      tag: bytes[at] ?? 0,
      content: bytes.subarray(start, start + length),
      bytes: bytes.subarray(at, start + length),
    })
    at = start + length
  }
  return found
}

/** Members read in order: `take` returns the next one when it has this tag, `ended` states whether all were taken. */
export interface Members {
  readonly take: (tag: number) => DerValue | undefined
  readonly ended: () => boolean
}
export function inOrder(value: DerValue | undefined): Members {
  const members = value === undefined ? [] : membersOf(value)
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
