import type { ArchiveMaterial, NextStamp } from '../../core/all-ports.ts'
import { sha256 } from '../../core/base/digest.ts'
import { type Outcome, ok } from '../../core/base/failure.ts'
import type { SealInput, SealReading, Signer, TimestampReading } from '../../core/ports/ports.ts'
import { BYTE_RANGE_PLACEHOLDER } from '../pdf/marks.ts'
import { assembleCms, cmsForDigest, digestOf, type ParsedSeal, parseSeal, signedAttributes, withLowS } from './cms.ts'
import { OID } from './oids.ts'
import { chainOf, isListOf, leafProblems, revocation, termOf } from './path.ts'
import { completeArchive, prepareArchive } from './pdf/archive.ts'
import { byteRange, coveredDigest, GAP_WIDTH, type Gap, hexInGap } from './pdf/state.ts'
import { addSignatureTimestamp, readAuthor, readUpdates, textIn } from './pdf/update.ts'
import { readStored } from './tsp/client.ts'
import { readToken } from './tsp/token.ts'
import { type CertificateFacts, isNamedBy, nameOf, readCertificate, sameBytes, verifies } from './x509.ts'

const unreadable = (problem: string): SealReading => ({
  problems: [problem],
  signer: null,
  root: null,
  incomplete: null,
  demo: false,
  revoked: null,
  revocationCovered: false,
  revocationUntil: null,
  revocationNamed: null,
  timestamps: [],
})

/**
 * Reads a detached seal strictly: one signer, the profile of signDetached and nothing else, a leaf that may sign
 * documents, a chain that ends in a root, and revocation lists. The caller decides whether that root or leaf is
 * trusted, and about time: validity is returned, not evaluated, since no clock is read here. Whatever the bytes,
 * problems are listed and nothing is thrown.
 */
export function readSeal(input: SealInput): SealReading {
  const { content, signature, chain, crls, freshCrls } = input
  const seal = parseSeal(signature)
  if (typeof seal === 'string') return unreadable(seal)
  const inside = seal.certificates.map(readCertificate)
  const offered = [...seal.certificates, ...chain].map(readCertificate).filter((facts) => facts !== null)
  const leaf = inside.find((facts) => facts !== null && isNamedBy(facts, seal))
  if (leaf == null) return unreadable('The certificate of the signer is not in the seal, or cannot be read.')
  const path = chainOf(leaf, offered)
  const lists = revocation(path.certificates, [...crls, ...freshCrls.filter(isListOf(path))])
  const unused = inside.filter(
    (facts) => facts === null || !path.certificates.some((used) => sameBytes(used.der, facts.der)),
  )
  return {
    problems: [
      ...attributeProblems(seal, content),
      ...signatureProblems(seal, leaf, content),
      ...(unused.length === 0 ? [] : ['The seal contains a certificate that is not part of its signer’s chain.']),
      ...leafProblems(leaf),
      ...path.problems,
      ...lists.problems,
    ],
    signer: { ...nameOf(leaf), ...termOf(path.certificates), key: keyDigest(leaf) },
    root: path.root && nameOf(path.root),
    incomplete: path.incomplete,
    demo: path.certificates.some(({ demo }) => demo),
    revoked: lists.revoked,
    revocationCovered: lists.covered,
    revocationUntil: lists.until,
    revocationNamed: lists.named,
    timestamps: timestampsOf(seal, input),
  }
}

/** The time-stamps of a seal. The token inside it covers the signature's value; the others are given with the bytes that they cover. */
function timestampsOf(seal: ParsedSeal, { timestamps, tsaChain, ...lists }: SealInput): readonly TimestampReading[] {
  const tsaCrls = [...lists.tsaCrls, ...lists.freshCrls]
  const own = seal.timestampToken === null ? [] : [{ token: seal.timestampToken, over: seal.signature }]
  return [
    ...own.map(({ token, over }) => readToken(token, over, tsaChain, tsaCrls).reading),
    ...timestamps.map(({ token: response, over }) => readStored(response, over, tsaChain, tsaCrls)),
  ]
}

const keyDigest = ({ publicKey }: CertificateFacts): string => sha256(publicKey.export({ type: 'spki', format: 'der' }))

const NAMES: Readonly<Record<string, string>> = {
  [OID.contentType]: 'content-type',
  [OID.messageDigest]: 'message-digest',
  [OID.signingCertificateV2]: 'signing-certificate-v2',
}

/**
 * The problems of signed attributes by the baseline rules (ETSI EN 319 122-1, section 6.3), checked separately so that
 * an error names the rule.
 */
function attributeProblems(seal: ParsedSeal, content: Uint8Array): readonly string[] {
  const problems: string[] = []
  for (const [id, name] of Object.entries(NAMES)) {
    const count = seal.attributes.filter((type) => type === id).length
    if (count === 0) problems.push(`The seal has no ${name} attribute.`)
    if (count > 1) problems.push(`The seal has more than one ${name} attribute.`)
  }
  if (seal.attributes.includes(OID.signingTime))
    problems.push('The seal states a time by its own clock (signing-time).')
  if (!sameBytes(seal.messageDigest, digestOf(content)))
    problems.push('The seal does not cover these bytes: its digest differs.')
  return problems
}

/**
 * The problems of the signature over its attributes; then of the whole seal, which is built again from its parts to
 * detect any other encoding or addition.
 */
function signatureProblems(seal: ParsedSeal, leaf: CertificateFacts, content: Uint8Array): readonly string[] {
  if (!verifies(seal.signedBytes, leaf, seal.signature))
    return ['The signature does not verify with the key of its signer.']
  if (leaf.keyType === 'EC' && withLowS(seal.signature) !== seal.signature)
    return ['The ECDSA signature was changed to its other form, with the higher s, which Barewitness never writes.']
  if (!sameBytes(seal.signedBytes, signedAttributes(leaf.der, digestOf(content))))
    return ['The signed attributes are not those of a seal, or name another certificate.']
  const again = assembleCms({
    leaf: leaf.der,
    certificates: seal.certificates,
    contentSha256: digestOf(content),
    keyType: leaf.keyType,
    signature: seal.signature,
    timestampToken: seal.timestampToken,
  })
  return sameBytes(again, seal.der)
    ? []
    : ['The seal has additional content, or another encoding than a seal of this kind.']
}

const CONTENTS = `<${'0'.repeat(GAP_WIDTH - 2)}>`

/**
 * Signs a PDF with reserved space (main/adapters/pdf/marks.ts): fills /ByteRange and /Contents in place, so that
 * no offset changes (ISO 32000-2, 12.8.1; PAdES baseline B-B, ETSI EN 319 142-1). The signed bytes are the whole file
 * except the signature's own hexadecimal string with its angle brackets. Throws when a placeholder is not there exactly
 * once, or is too small: a half-signed file must not exist.
 */
export async function signPdf(pdf: Uint8Array, signer: Signer): Promise<Uint8Array> {
  const { pdf: file, gap } = withRange(pdf)
  const cms = await cmsForDigest(signer, coveredDigest(file, gap))
  const contents = hexInGap(cms)
  if (contents === null) throw new Error(`the signature takes ${cms.length} bytes, and the PDF reserves fewer`)
  file.write(contents, gap.from, 'latin1')
  return new Uint8Array(file)
}

/**
 * A copy of a PDF with space for a signature, with the range that the signature will cover, and the position of its
 * content.
 */
export function withRange(pdf: Uint8Array): { readonly pdf: Buffer; readonly gap: Gap } {
  const file = Buffer.from(pdf)
  const rangeAt = onlyPlace(file, `/ByteRange ${BYTE_RANGE_PLACEHOLDER}`, 'ByteRange') + '/ByteRange '.length
  const from = onlyPlace(file, `/Contents ${CONTENTS}`, 'Contents') + '/Contents '.length
  const gap = { from, to: from + GAP_WIDTH, end: file.length }
  file.write(byteRange(gap), rangeAt, 'latin1')
  return { pdf: file, gap }
}

function onlyPlace(file: Buffer, placeholder: string, name: string): number {
  const at = file.indexOf(placeholder, 0, 'latin1')
  if (at === -1) throw new Error(`the PDF has no ${name} placeholder`)
  if (file.indexOf(placeholder, at + 1, 'latin1') !== -1)
    throw new Error(`the PDF has more than one ${name} placeholder`)
  return at
}

/**
 * The step to the next level: a token over the signature where there is none yet, otherwise the content of `material`
 * and a token over everything. Fails with pdf.unsuitable, or with revocation.unavailable when the material cannot be read.
 */
export function nextPdfStamp(pdf: Uint8Array, material: ArchiveMaterial): Outcome<NextStamp> {
  const text = textIn(pdf)
  const author = readAuthor(text)
  if (!author.ok) return author
  const { seal, first } = author.value
  if (seal.timestampToken === null)
    return ok({
      level: 'B-T',
      first: true,
      imprint: digestOf(seal.signature),
      apply: (token) => addSignatureTimestamp(pdf, token),
      certificates: seal.certificates,
    })
  const archive = prepareArchive(pdf, material)
  if (!archive.ok) return archive
  const { prepared, imprint } = archive.value
  const { stamps } = readUpdates(pdf, text, first)
  const tokens = [seal.timestampToken, ...stamps.flatMap(({ token }) => token ?? [])]
  return ok({
    level: 'B-LTA',
    first: stamps.length === 0,
    imprint,
    apply: (token) => completeArchive(prepared, token),
    certificates: [
      ...seal.certificates,
      ...stamps.flatMap(({ certificates }) => certificates),
      ...tokens.flatMap((token) => readToken(token, seal.signature, [], []).certificates),
    ],
  })
}
