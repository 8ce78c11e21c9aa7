import { createHash } from 'node:crypto'
import { plain } from '../../core/plain-text.ts'
import type { CertificateName, SealInput, SealReading, TimestampReading } from '../../core/ports.ts'
import { assembleCms, digestOf, signedAttributes, withLowS } from './cms.ts'
import { OID } from './oids.ts'
import { type ParsedSeal, parseSeal } from './parse.ts'
import { chainOf, isListOf, leafProblems, revocation, termOf } from './path.ts'
import { readStored } from './tsp/response.ts'
import { readToken } from './tsp/token.ts'
import { type CertificateFacts, readCertificate, sameBytes, verifies } from './x509.ts'

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
  if (leaf === undefined || leaf === null)
    return unreadable('The certificate of the signer is not in the seal, or cannot be read.')
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
    signer: { ...named(leaf), ...termOf(path.certificates), key: keyDigest(leaf) },
    root: path.root === null ? null : named(path.root),
    incomplete: path.incomplete,
    demo: path.certificates.some(({ demo }) => demo),
    revoked: lists.revoked,
    revocationCovered: lists.covered,
    revocationUntil: lists.until,
    revocationNamed: lists.named,
    timestamps: timestampsOf(seal, input),
  }
}

const named = ({ subject, fingerprint }: CertificateFacts): CertificateName => ({
  subject: plain(subject),
  fingerprint,
})

/** The token in the seal covers the signature's value; the others come with the bytes they cover. */
function timestampsOf(seal: ParsedSeal, { timestamps, tsaChain, ...lists }: SealInput): readonly TimestampReading[] {
  const tsaCrls = [...lists.tsaCrls, ...lists.freshCrls]
  const own = seal.timestampToken === null ? [] : [{ token: seal.timestampToken, over: seal.signature }]
  return [
    ...own.map(({ token, over }) => readToken(token, over, tsaChain, tsaCrls).reading),
    ...timestamps.map(({ token: response, over }) => readStored(response, over, tsaChain, tsaCrls)),
  ]
}

const keyDigest = ({ publicKey }: CertificateFacts): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')

const isNamedBy = (facts: CertificateFacts, seal: ParsedSeal): boolean =>
  sameBytes(facts.issuerDer, seal.signerIssuer) && facts.serial === seal.signerSerial

const NAMES: Readonly<Record<string, string>> = {
  [OID.contentType]: 'content-type',
  [OID.messageDigest]: 'message-digest',
  [OID.signingCertificateV2]: 'signing-certificate-v2',
}

/**
 * The baseline rules for signed attributes, one by one (ETSI EN 319 122-1, section 6.3), so that an error names the
 * rule.
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
 * The signature over its attributes; then the whole seal, built again from its parts, which detects any other encoding
 * or addition.
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
