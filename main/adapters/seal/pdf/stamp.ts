import { fail, type Outcome } from '../../../core/failure.ts'
import { ok } from '../../../core/result.ts'
import { assembleCms, digestOf } from '../cms.ts'
import { type ParsedSeal, parseSeal } from '../parse.ts'
import { readTokenOverDigest } from '../tsp/token.ts'
import { type CertificateFacts, readCertificate, sameBytes } from '../x509.ts'
import { type FirstRevision, readFirstRevision } from './first.ts'
import { contentsOf, hexInGap } from './state.ts'

/** One character per byte, to be read as PDF syntax. */
export const textIn = (pdf: Uint8Array): string =>
  Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('latin1')

export const unsuitable = (why: string): Outcome<never> => fail('pdf.unsuitable', why)

interface SignedReport {
  readonly first: FirstRevision
  readonly seal: ParsedSeal
  readonly length: number
}

/** The author's signature of a report, parsed; fails with pdf.unsuitable. */
export function readAuthor(text: string): Outcome<SignedReport> {
  const first = readFirstRevision(text)
  if (typeof first === 'string') return unsuitable(first)
  const contents = contentsOf(text.slice(first.gap.from + 1, first.gap.to - 1))
  if (contents === null) return unsuitable('The report is not signed yet.')
  const seal = parseSeal(contents)
  return typeof seal === 'string' ? unsuitable(seal) : ok({ first, seal, length: text.length })
}

/**
 * SHA-256 of the signature's value: what a signature time-stamp covers (RFC 3161, appendix A; PAdES B-T, ETSI EN 319
 * 142-1, section 6). Fails with pdf.unsuitable.
 */
export function signatureImprint(pdf: Uint8Array): Outcome<Uint8Array> {
  const read = readAuthor(textIn(pdf))
  return read.ok ? ok(digestOf(read.value.seal.signature)) : read
}

/**
 * From B-B to B-T: adds the token to the signature's unsigned attributes, inside the reserved space, so that no offset
 * changes and the signed bytes stay the same. Fails with pdf.unsuitable when the PDF already has later revisions or a
 * token, when the token covers other bytes, or when it does not fit.
 */
export function addSignatureTimestamp(pdf: Uint8Array, token: Uint8Array): Outcome<Uint8Array> {
  const read = readAuthor(textIn(pdf))
  if (!read.ok) return read
  const { first, seal, length } = read.value
  if (length !== first.state.length) return unsuitable('The report already has later revisions.')
  if (seal.timestampToken !== null) return unsuitable('The signature already has a time-stamp.')
  if (!isOver(token, digestOf(seal.signature))) return unsuitable('The time-stamp does not cover this signature.')
  const cms = withToken(seal, token)
  if (cms === null) return unsuitable('The signature is not one that Barewitness writes.')
  const contents = hexInGap(cms)
  if (contents === null) return unsuitable('The report reserved too little space for this time-stamp.')
  const stamped = Buffer.from(pdf)
  stamped.write(contents, first.gap.from, 'latin1')
  return ok(new Uint8Array(stamped))
}

/** Whether a token covers bytes of this SHA-256. */
export const isOver = (token: Uint8Array, sha256: Uint8Array): boolean =>
  sameBytes(readTokenOverDigest(token, sha256, [], []).imprint, sha256)

/** The seal with the token, or null when the seal is not the one encoding of its parts. */
function withToken(seal: ParsedSeal, token: Uint8Array): Uint8Array | null {
  const leaf = leafOf(seal)
  if (leaf === null) return null
  const { certificates, messageDigest: contentSha256, signature } = seal
  const parts = { leaf: leaf.der, certificates, contentSha256, keyType: leaf.keyType, signature }
  return sameBytes(assembleCms(parts), seal.der) ? assembleCms({ ...parts, timestampToken: token }) : null
}

/** The certificate that a seal names as its signer's, when it carries it. */
export function leafOf({ certificates, signerIssuer, signerSerial }: ParsedSeal): CertificateFacts | null {
  const isNamed = (facts: CertificateFacts | null): facts is CertificateFacts =>
    facts !== null && sameBytes(facts.issuerDer, signerIssuer) && facts.serial === signerSerial
  return certificates.map(readCertificate).find(isNamed) ?? null
}
