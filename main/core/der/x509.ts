import { type DerValue, inOrder, type Members, membersOf, octetsOf, oidText, TAG, timeOf } from './read.ts'

/** One extension of a certificate or revocation list (RFC 5280, section 4.1.2.9). */
export interface ExtensionParts {
  readonly id: string
  readonly critical: boolean
  /** DER of its value. */
  readonly content: Uint8Array
}

/** The parts of a certificate (RFC 5280, section 4.1), as they stand in it. Nothing is verified. */
export interface CertificateParts {
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
export interface RevocationListParts {
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
