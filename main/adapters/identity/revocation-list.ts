import { derValue, integerOf } from '../../core/der/read.ts'
import { der, sequence, small, time, unsigned } from '../../core/der/write.ts'
import { extensionsIn, revocationListParts } from '../../core/der/x509.ts'
import { signatureAlgorithm } from '../seal/cms.ts'
import { OID } from '../seal/oids.ts'
import { authorityOf, extension, type Issuer, signed } from './issuer.ts'

/** Why a certificate is revoked, with its number (RFC 5280, section 5.3.1). */
const REASONS = { 'key-compromise': 1, superseded: 4, cessation: 5 } as const
export type Reason = keyof typeof REASONS

interface ListFields {
  readonly number: bigint
  readonly from: number
  readonly until: number
  /** Each a whole entry in DER. */
  readonly entries: readonly Uint8Array[]
}

/**
 * A revocation list of version 2 (RFC 5280, section 5.1); `revokedCertificates` is absent when nothing is revoked
 * (section 5.1.2.6).
 */
export function issueList(by: Issuer, { number, from, until, entries }: ListFields): Uint8Array {
  const list = sequence(
    small(1),
    signatureAlgorithm('EC'),
    by.name,
    time(new Date(from)),
    time(new Date(until)),
    ...(entries.length === 0 ? [] : [sequence(...entries)]),
    der(0xa0, sequence(authorityOf(by), extension(OID.crlNumber, false, unsigned(bigEndian(number))))),
  )
  return signed(list, by)
}

/** One entry: serial number as in the certificate, time and reason, which is not critical (RFC 5280, section 5.3). */
export const revokedEntry = (serial: Uint8Array, at: Date, reason: Reason): Uint8Array =>
  sequence(serial, time(at), sequence(extension(OID.reasonCode, false, der(0x0a, new Uint8Array([REASONS[reason]])))))

/**
 * Number, end and entries of a list created here, for the next one to continue. Throws on bytes that are not a list.
 */
export function listToContinue(list: Uint8Array): Pick<ListFields, 'number' | 'until' | 'entries'> {
  const parts = revocationListParts(derValue(list))
  if (parts === null) throw new Error('these bytes are not a revocation list in DER')
  const found = extensionsIn(parts.extensions).find(({ id }) => id === OID.crlNumber)
  return {
    number: (found && integerOf(derValue(found.content))) ?? 0n,
    until: parts.nextUpdate === null ? 0 : Date.parse(parts.nextUpdate),
    entries: parts.entries.map(({ bytes }) => bytes),
  }
}

function bigEndian(value: bigint): Uint8Array {
  const hex = value.toString(16)
  return new Uint8Array(Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex'))
}
