import { hexOf } from '../base/digest.ts'
import {
  certificateParts,
  type DerValue,
  type ExtensionParts,
  firstValue,
  membersOf,
  nameParts,
  oidText,
  TAG,
} from '../der/read.ts'

type CertificateKey =
  | { readonly kind: 'RSA' | 'EC' | 'EdDSA'; readonly bits: number }
  | { readonly kind: 'unknown'; readonly oid: string }

/** What is evaluated of a certificate (RFC 5280). Read by hand, so that every runtime reads the same from the same bytes; no signature is verified. */
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

const [COMMON_NAME, ALTERNATIVE_NAME] = ['2.5.4.3', '2.5.29.17']
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

/** Reads a certificate from hostile bytes; null where they are none. */
export function certificateFields(der: Uint8Array): CertificateFields | null {
  const parts = certificateParts(firstValue(der))
  if (parts === null) return null
  const { subject, issuer, notBefore, notAfter } = parts
  return {
    subject: hexOf(subject.bytes),
    issuer: hexOf(issuer.bytes),
    commonName: nameParts(subject).findLast(({ type }) => type === COMMON_NAME)?.text ?? '',
    notBefore,
    notAfter,
    key: keyOf(parts.key),
    hash: hashOf(parts.signature),
    names: parts.extensions.flatMap(alternativeNames),
  }
}

/** An AlgorithmIdentifier (RFC 5280, section 4.1.1.2): its identifier, and what follows it. */
const algorithm = (value: DerValue | undefined): { readonly oid: string; readonly rest: readonly DerValue[] } => {
  const [first, ...rest] = membersOf(value)
  return { oid: oidText(first), rest }
}

function keyOf(value: DerValue): CertificateKey {
  const [type, bits] = membersOf(value)
  const { oid, rest } = algorithm(type)
  if (EDWARDS[oid] !== undefined) return { kind: 'EdDSA', bits: EDWARDS[oid] }
  const curve = oid === EC ? CURVES[oidText(rest[0])] : undefined
  if (curve !== undefined) return { kind: 'EC', bits: curve }
  if (RSA.includes(oid) && bits?.tag === TAG.bits) {
    const sequence = firstValue(bits.content.subarray(1))
    const [modulus] = membersOf(sequence)
    if (sequence?.tag === TAG.sequence && modulus?.tag === TAG.integer)
      return { kind: 'RSA', bits: bitLength(modulus.content) }
  }
  return { kind: 'unknown', oid }
}

function bitLength(integer: Uint8Array): number {
  const start = integer.findIndex((byte) => byte !== 0)
  return start < 0 ? 0 : (integer.length - start) * 8 - Math.clz32(integer[start] ?? 0) + 24
}

/** RSASSA-PSS names its hash in its parameters, and means SHA-1 where it names none (RFC 4055 §3.1). */
function hashOf(value: DerValue): string {
  const { oid, rest } = algorithm(value)
  if (oid !== PSS) return SIGNATURES[oid] ?? ''
  const named = membersOf(rest[0]).find(({ tag }) => tag === 0xa0)
  return named === undefined ? 'SHA-1' : (HASHES[algorithm(membersOf(named)[0]).oid] ?? '')
}

const MOST_NAMES = 100

/** dNSName and iPAddress of the subject alternative name (RFC 5280 §4.2.1.6). */
function alternativeNames({ id, content }: ExtensionParts): readonly string[] {
  if (id !== ALTERNATIVE_NAME) return []
  return membersOf(firstValue(content))
    .slice(0, MOST_NAMES)
    .flatMap(({ tag, content }) => (tag === 0x82 ? [latin(content)] : tag === 0x87 ? [addressText(content)] : []))
    .filter((name) => name.trim() !== '')
}

const addressText = (bytes: Uint8Array): string =>
  bytes.length === 4 ? bytes.join('.') : (hexOf(bytes.subarray(0, 16)).match(/.{1,4}/g) ?? []).join(':')

const latin = (bytes: Uint8Array): string =>
  [...bytes.subarray(0, 1024)].map((byte) => String.fromCharCode(byte)).join('')
