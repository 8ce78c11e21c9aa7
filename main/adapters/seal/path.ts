import { plain, quote } from '../../core/plain-text.ts'
import { OID } from './oids.ts'
import { type CertificateFacts, isSignedBy, KEY_USAGE, readRevocationList, sameBytes } from './x509.ts'

const LONGEST_CHAIN = 6

export interface Chain {
  /** The leaf first; each signed by the next. */
  readonly certificates: readonly CertificateFacts[]
  readonly root: CertificateFacts | null
  readonly problems: readonly string[]
}

/** From the leaf up to a root, through the offered certificates, each link verified (RFC 5280 §6.1, for the profile we write). */
export function chainOf(leaf: CertificateFacts, offered: readonly CertificateFacts[]): Chain {
  const certificates = [leaf]
  for (let current = leaf; certificates.length <= LONGEST_CHAIN; ) {
    if (sameBytes(current.issuerDer, current.subjectDer)) {
      const problems = isSignedBy(current.signed, current)
        ? []
        : [`The root ${quote(current.subject)} is not signed by its own key.`]
      return { certificates, root: problems.length === 0 ? current : null, problems }
    }
    const issuers = offered.filter((other) => sameBytes(other.subjectDer, current.issuerDer))
    const issuer = issuers.find((other) => isSignedBy(current.signed, other))
    if (issuer === undefined) {
      const why = issuers.length === 0 ? 'is missing' : 'did not sign it'
      return { certificates, root: null, problems: [`The certificate of who issued ${quote(current.subject)} ${why}.`] }
    }
    const problems = issuerProblems(issuer)
    if (problems.length > 0) return { certificates, root: null, problems }
    certificates.push(issuer)
    current = issuer
  }
  return { certificates, root: null, problems: ['The chain of certificates is too long.'] }
}

function issuerProblems(issuer: CertificateFacts): readonly string[] {
  const name = quote(issuer.subject)
  return [
    ...(issuer.ca ? [] : [`${name} may not issue certificates.`]),
    ...(issuer.keyUsage !== null && (issuer.keyUsage & KEY_USAGE.certSign) === 0
      ? [`The key of ${name} is not meant to sign certificates.`]
      : []),
    ...strangers(issuer),
  ]
}

const PURPOSES: readonly string[] = [OID.emailProtection, OID.documentSigning]

/** Whether the leaf may sign documents: digital signature or content commitment, and a purpose that documents have, where purposes are named. */
export function leafProblems(leaf: CertificateFacts): readonly string[] {
  const signs = KEY_USAGE.digitalSignature | KEY_USAGE.nonRepudiation
  return [
    ...(leaf.keyUsage === null || (leaf.keyUsage & signs) !== 0
      ? []
      : ['The signer’s key is not meant to sign (key usage).']),
    ...(leaf.extendedKeyUsage === null || leaf.extendedKeyUsage.some((purpose) => PURPOSES.includes(purpose))
      ? []
      : ['The signer’s certificate is for other purposes than documents (extended key usage).']),
    ...(leaf.notBefore <= leaf.notAfter ? [] : ['The signer’s certificate ends before it begins.']),
    ...strangers(leaf),
  ]
}

const strangers = (certificate: CertificateFacts): readonly string[] =>
  certificate.strangeCritical.map(
    (id) => `${quote(certificate.subject)} has a critical extension we do not know: ${plain(id)}.`,
  )

/** What revocation lists say of the chain. Each list must be readable and signed by the chain member that issued it. */
export function revocation(
  certificates: readonly CertificateFacts[],
  crls: readonly Uint8Array[],
): { readonly problems: readonly string[]; readonly revoked: { readonly at: string } | null } {
  const problems: string[] = []
  let revoked: { readonly at: string } | null = null
  for (const [index, bytes] of crls.entries()) {
    const list = readRevocationList(bytes)
    const issuer = list && certificates.find(({ subjectDer }) => sameBytes(subjectDer, list.issuerDer))
    const mayList = issuer && (issuer.keyUsage === null || (issuer.keyUsage & KEY_USAGE.crlSign) !== 0)
    if (!list || !issuer || !mayList || !isSignedBy(list.signed, issuer)) {
      problems.push(`Revocation list ${index + 1} is not one that the signer’s chain issued.`)
      continue
    }
    for (const certificate of certificates) {
      if (!sameBytes(certificate.issuerDer, list.issuerDer)) continue
      const entry = list.revoked.find(({ serial }) => serial === certificate.serial)
      if (entry !== undefined && (revoked === null || entry.at < revoked.at)) revoked = { at: entry.at }
    }
  }
  return { problems, revoked }
}
