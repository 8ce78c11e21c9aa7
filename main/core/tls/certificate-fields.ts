import { type DerElement, derElements, oidText } from './der.ts'

export type CertificateKey =
  | { readonly kind: 'RSA' | 'EC' | 'EdDSA'; readonly bits: number }
  | { readonly kind: 'unknown'; readonly oid: string }

/** What is judged of a certificate (RFC 5280). Read by hand, so that every runtime reads the same from the same bytes; no signature is verified. */
export interface CertificateFields {
  /** Names as DER in hex, to be compared. */
  readonly subject: string
  readonly issuer: string
  /** The last common name of the subject; empty where there is none. */
  readonly commonName: string
  /** UTC, ISO 8601. */
  readonly notBefore: string
  readonly notAfter: string
  readonly key: CertificateKey
  /** Hash of the signature: SHA-1, MD5, SHA-256 and so on; empty where the algorithm is not known. */
  readonly hash: string
  /** DNS names and addresses of the subject alternative name. */
  readonly names: readonly string[]
}

const RSA = ['1.2.840.113549.1.1.1', '1.2.840.113549.1.1.10']
const EC = '1.2.840.10045.2.1'
const CURVES: Readonly<Record<string, number>> = {
  '1.2.840.10045.3.1.1': 192,
  '1.3.132.0.33': 224,
  '1.2.840.10045.3.1.7': 256,
  '1.3.132.0.10': 256,
  '1.3.36.3.3.2.8.1.1.7': 256,
  '1.3.132.0.34': 384,
  '1.3.36.3.3.2.8.1.1.11': 384,
  '1.3.132.0.35': 521,
}
const EDWARDS: Readonly<Record<string, number>> = { '1.3.101.112': 255, '1.3.101.113': 448 }

const PSS = '1.2.840.113549.1.1.10'
const SIGNATURES: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.2': 'MD2',
  '1.2.840.113549.1.1.4': 'MD5',
  '1.2.840.113549.1.1.5': 'SHA-1',
  '1.3.14.3.2.29': 'SHA-1',
  '1.2.840.10045.4.1': 'SHA-1',
  '1.2.840.10040.4.3': 'SHA-1',
  '1.2.840.113549.1.1.14': 'SHA-224',
  '1.2.840.113549.1.1.11': 'SHA-256',
  '1.2.840.113549.1.1.12': 'SHA-384',
  '1.2.840.113549.1.1.13': 'SHA-512',
  '1.2.840.10045.4.3.1': 'SHA-224',
  '1.2.840.10045.4.3.2': 'SHA-256',
  '1.2.840.10045.4.3.3': 'SHA-384',
  '1.2.840.10045.4.3.4': 'SHA-512',
  '1.3.101.112': 'SHA-512',
  '1.3.101.113': 'SHAKE256',
}
const HASHES: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'SHA-1',
  '2.16.840.1.101.3.4.2.1': 'SHA-256',
  '2.16.840.1.101.3.4.2.2': 'SHA-384',
  '2.16.840.1.101.3.4.2.3': 'SHA-512',
}

const [INTEGER, BIT_STRING, OCTETS, OID, SEQUENCE, UTC_TIME, GENERALIZED_TIME] = [2, 3, 4, 6, 0x30, 0x17, 0x18]

/** Reads a certificate from hostile bytes; null where they are none. */
export function certificateFields(der: Uint8Array): CertificateFields | null {
  const [certificate] = derElements(der) ?? []
  const [tbs] = inside(certificate)
  const parts = inside(tbs)
  // The version stands first, tagged, in all but version 1.
  const [serial, signature, issuer, validity, subject, key, ...rest] = parts[0]?.tag === 0xa0 ? parts.slice(1) : parts
  if (serial?.tag !== INTEGER || issuer === undefined || subject === undefined) return null
  const [notBefore, notAfter] = inside(validity).map(timeOf)
  if (notBefore == null || notAfter == null) return null
  const extensions = inside(inside(rest.find(({ tag }) => tag === 0xa3))[0])
  return {
    subject: hex(subject.whole),
    issuer: hex(issuer.whole),
    commonName: commonName(subject),
    notBefore,
    notAfter,
    key: keyOf(key),
    hash: hashOf(signature),
    names: extensions.flatMap(alternativeNames),
  }
}

const inside = (element: DerElement | undefined): readonly DerElement[] =>
  element === undefined || (element.tag & 0x20) === 0 ? [] : (derElements(element.content) ?? [])

/** The identifier that a sequence begins with. */
const algorithm = (element: DerElement | undefined): { readonly oid: string; readonly rest: readonly DerElement[] } => {
  const [first, ...rest] = inside(element)
  return { oid: first?.tag === OID ? oidText(first.content) : '', rest }
}

function timeOf({ tag, content }: DerElement): string | null {
  const text = latin(content)
  const full = tag === UTC_TIME ? `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}` : text
  const found = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full)
  if (found === null || (tag !== UTC_TIME && tag !== GENERALIZED_TIME)) return null
  const [, year, month, day, hour, minute, second] = found
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  return Number.isNaN(Date.parse(iso)) ? null : iso
}

/** RelativeDistinguishedNames hold pairs of identifier and text; 2.5.4.3 is the common name. */
function commonName(name: DerElement): string {
  const pairs = inside(name).flatMap(inside).map(algorithm)
  const value = pairs.findLast(({ oid }) => oid === '2.5.4.3')?.rest[0]
  if (value === undefined) return ''
  // BMPString is UTF-16; the other kinds in use are ASCII or UTF-8.
  if (value.tag === 0x1e) return latin(value.content.filter((_, at) => at % 2 === 1))
  return new TextDecoder('utf-8', { fatal: false }).decode(value.content)
}

function keyOf(element: DerElement | undefined): CertificateKey {
  const [type, bits] = inside(element)
  const { oid, rest } = algorithm(type)
  if (EDWARDS[oid] !== undefined) return { kind: 'EdDSA', bits: EDWARDS[oid] }
  const curve = oid === EC && rest[0]?.tag === OID ? CURVES[oidText(rest[0].content)] : undefined
  if (curve !== undefined) return { kind: 'EC', bits: curve }
  if (RSA.includes(oid) && bits?.tag === BIT_STRING) {
    const [sequence] = derElements(bits.content.subarray(1)) ?? []
    const [modulus] = inside(sequence)
    if (sequence?.tag === SEQUENCE && modulus?.tag === INTEGER) return { kind: 'RSA', bits: bitLength(modulus.content) }
  }
  return { kind: 'unknown', oid }
}

function bitLength(integer: Uint8Array): number {
  const start = integer.findIndex((byte) => byte !== 0)
  return start < 0 ? 0 : (integer.length - start) * 8 - Math.clz32(integer[start] ?? 0) + 24
}

/** RSASSA-PSS names its hash in its parameters, and means SHA-1 where it names none (RFC 4055 §3.1). */
function hashOf(element: DerElement | undefined): string {
  const { oid, rest } = algorithm(element)
  if (oid !== PSS) return SIGNATURES[oid] ?? ''
  const named = inside(rest[0]).find(({ tag }) => tag === 0xa0)
  return named === undefined ? 'SHA-1' : (HASHES[algorithm(inside(named)[0]).oid] ?? '')
}

const MOST_NAMES = 100

/** dNSName and iPAddress of the extension 2.5.29.17 (RFC 5280 §4.2.1.6). */
function alternativeNames(extension: DerElement): readonly string[] {
  const { oid, rest } = algorithm(extension)
  const value = rest.find(({ tag }) => tag === OCTETS)
  if (oid !== '2.5.29.17' || value === undefined) return []
  const [list] = derElements(value.content) ?? []
  return inside(list)
    .slice(0, MOST_NAMES)
    .flatMap(({ tag, content }) => (tag === 0x82 ? [latin(content)] : tag === 0x87 ? [addressText(content)] : []))
    .filter((name) => name.trim() !== '')
}

const addressText = (bytes: Uint8Array): string =>
  bytes.length === 4 ? bytes.join('.') : (hex(bytes.subarray(0, 16)).match(/.{1,4}/g) ?? []).join(':')

const latin = (bytes: Uint8Array): string =>
  [...bytes.subarray(0, 1024)].map((byte) => String.fromCharCode(byte)).join('')
const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
