import { plain, quote } from '../../core/plain-text.ts'
import { OID } from './oids.ts'
import {
  type CertificateFacts,
  isSignedBy,
  KEY_USAGE,
  type RevocationFacts,
  readRevocationList,
  sameBytes,
} from './x509.ts'

const LONGEST_CHAIN = 6

export interface Chain {
  /** The leaf first; each signed by the next. */
  readonly certificates: readonly CertificateFacts[]
  readonly root: CertificateFacts | null
  /** Whose issuer is not among the certificates at hand, in a sentence; then there is no root either. */
  readonly incomplete: string | null
  readonly problems: readonly string[]
}

/** From the leaf up to a root, through the offered certificates, each link verified (RFC 5280 §6.1, for the profile we write). */
export function chainOf(leaf: CertificateFacts, offered: readonly CertificateFacts[]): Chain {
  const certificates = [leaf]
  for (let current = leaf; certificates.length <= LONGEST_CHAIN; ) {
    if (isRoot(current)) {
      const problems = isSignedBy(current.signed, current)
        ? []
        : [`The root ${quote(current.subject)} is not signed by its own key.`]
      return { certificates, root: problems.length === 0 ? current : null, incomplete: null, problems }
    }
    const issuers = offered.filter((other) => sameBytes(other.subjectDer, current.issuerDer))
    // A root before a cross-certificate of the same name and key: the shorter way up.
    const issuer = issuers
      .filter((other) => isSignedBy(current.signed, other))
      .reduce<CertificateFacts | undefined>(
        (best, other) => (best && (isRoot(best) || !isRoot(other)) ? best : other),
        undefined,
      )
    if (issuer === undefined) {
      const whose = `The certificate of who issued ${quote(current.subject)}`
      return issuers.length === 0
        ? { certificates, root: null, incomplete: `${whose} is missing.`, problems: [] }
        : { certificates, root: null, incomplete: null, problems: [`${whose} did not sign it.`] }
    }
    const problems = issuerProblems(issuer, certificates.length - 1)
    if (problems.length > 0) return { certificates, root: null, incomplete: null, problems }
    certificates.push(issuer)
    current = issuer
  }
  return { certificates, root: null, incomplete: null, problems: ['The chain of certificates is too long.'] }
}

export const isRoot = ({ issuerDer, subjectDer }: CertificateFacts): boolean => sameBytes(issuerDer, subjectDer)

/** `below` is how many issuers already stand between this one and the leaf. */
function issuerProblems(issuer: CertificateFacts, below: number): readonly string[] {
  const name = quote(issuer.subject)
  return [
    ...(issuer.ca ? [] : [`${name} may not issue certificates.`]),
    ...(issuer.keyUsage !== null && (issuer.keyUsage & KEY_USAGE.certSign) === 0
      ? [`The key of ${name} is not meant to sign certificates.`]
      : []),
    ...(issuer.pathLength !== null && issuer.pathLength < below
      ? [`${name} may not have so many issuers below it (path length).`]
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

export const strangers = (certificate: CertificateFacts): readonly string[] =>
  certificate.strangeCritical.map(
    (id) => `${quote(certificate.subject)} has a critical extension we do not know: ${plain(id)}.`,
  )

/** Whether this issuer signed the list, with a key that may sign lists. */
export const isListBy = (list: RevocationFacts, issuer: CertificateFacts): boolean =>
  sameBytes(list.issuerDer, issuer.subjectDer) &&
  (issuer.keyUsage === null || (issuer.keyUsage & KEY_USAGE.crlSign) !== 0) &&
  isSignedBy(list.signed, issuer)

/** Whether a list is by an issuer of this chain, or cannot be read: then it may not be passed over. */
export const isListOf =
  ({ certificates }: Pick<Chain, 'certificates'>) =>
  (list: Uint8Array): boolean => {
    const facts = readRevocationList(list)
    return facts === null || certificates.some(({ subjectDer }) => sameBytes(subjectDer, facts.issuerDer))
  }

export interface Revocation {
  readonly problems: readonly string[]
  readonly revoked: { readonly at: string } | null
  /** Every certificate below the root has a verified list by its issuer. */
  readonly covered: boolean
}

/**
 * What revocation lists say of the chain. Each list must be readable and signed by the chain member that issued it. With a moment `at`
 * (ISO 8601), a list covers only when its next one was not due by then: an older one says nothing of that moment.
 */
export function revocation(
  certificates: readonly CertificateFacts[],
  crls: readonly Uint8Array[],
  at: string | null = null,
): Revocation {
  const problems: string[] = []
  const covered = new Set<CertificateFacts>()
  let revoked: Revocation['revoked'] = null
  for (const [index, bytes] of crls.entries()) {
    const list = readRevocationList(bytes)
    const issuer = list && certificates.find(({ subjectDer }) => sameBytes(subjectDer, list.issuerDer))
    if (!list || !issuer || !isListBy(list, issuer)) {
      problems.push(`Revocation list ${index + 1} is not one that the signer’s chain issued.`)
      continue
    }
    const current = at === null || list.nextUpdate === null || list.nextUpdate >= at
    for (const certificate of certificates) {
      if (!sameBytes(certificate.issuerDer, list.issuerDer)) continue
      if (current) covered.add(certificate)
      const entry = list.revoked.find(({ serial }) => serial === certificate.serial)
      if (entry !== undefined && (revoked === null || entry.at < revoked.at)) revoked = { at: entry.at }
    }
  }
  const below = certificates.filter((certificate) => !isRoot(certificate))
  return { problems, revoked, covered: below.every((certificate) => covered.has(certificate)) }
}
