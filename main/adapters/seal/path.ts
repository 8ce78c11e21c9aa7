import { plain, quote } from '../../core/base/plain-text.ts'
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
  /** The missing issuer, in a sentence; then there is no root either. */
  readonly incomplete: string | null
  readonly problems: readonly string[]
}

/**
 * The chain from the leaf to a root through the given certificates, with each link verified (RFC 5280, section 6.1, for
 * the profile that we write). Of several paths, the one that reaches a root is used (RFC 4158, section 2.3): an altered
 * copy of an issuer must not hide the real one.
 */
export const chainOf = (leaf: CertificateFacts, offered: readonly CertificateFacts[]): Chain =>
  wayUp([leaf], offered, new Set([leaf]))

/**
 * `tried` contains the certificates already visited, so that hostile certificates that issue one another cost no more
 * than one attempt each.
 */
function wayUp(
  below: readonly CertificateFacts[],
  offered: readonly CertificateFacts[],
  tried: Set<CertificateFacts>,
): Chain {
  const current = below.at(-1) as CertificateFacts
  const ends = (end: Partial<Chain>): Chain => ({
    certificates: below,
    root: null,
    incomplete: null,
    problems: [],
    ...end,
  })
  if (below.length > LONGEST_CHAIN) return ends({ problems: ['The chain of certificates is too long.'] })
  if (isRoot(current)) {
    return isSignedBy(current.signed, current)
      ? ends({ root: current })
      : ends({ problems: [`The root ${quote(current.subject)} is not signed by its own key.`] })
  }
  const named = offered.filter((other) => sameBytes(other.subjectDer, current.issuerDer))
  const whose = `The certificate of the issuer of ${quote(current.subject)}`
  if (named.length === 0) return ends({ incomplete: `${whose} is missing.` })
  const signers = named.filter((other) => isSignedBy(current.signed, other))
  if (signers.length === 0) return ends({ problems: [`${whose} did not sign it.`] })
  // A root before a cross-certificate of the same name and key: the shorter path.
  const issuers = [...signers.filter(isRoot), ...signers.filter((other) => !isRoot(other))]
  let first: Chain | undefined
  for (const issuer of issuers) {
    if (tried.has(issuer)) continue
    tried.add(issuer)
    const problems = issuerProblems(issuer, below.length - 1)
    const way = problems.length > 0 ? ends({ problems }) : wayUp([...below, issuer], offered, tried)
    if (way.root !== null) return way
    first ??= way
  }
  return first ?? ends({ problems: [`${whose} is part of a circular chain.`] })
}

/** Times in ISO 8601, the earliest first. */
const inOrder = (moments: readonly string[]): readonly string[] => [...moments].sort()

/** The period in which all certificates of a chain are valid: from the latest start to the earliest end. */
export const termOf = (
  certificates: readonly CertificateFacts[],
): { readonly notBefore: string; readonly notAfter: string } => ({
  notBefore: inOrder(certificates.map(({ notBefore }) => notBefore)).at(-1) ?? '',
  notAfter: inOrder(certificates.map(({ notAfter }) => notAfter))[0] ?? '',
})

export const isRoot = ({ issuerDer, subjectDer }: CertificateFacts): boolean => sameBytes(issuerDer, subjectDer)

/** `below` is the number of issuers between this one and the leaf. */
function issuerProblems(issuer: CertificateFacts, below: number): readonly string[] {
  const name = quote(issuer.subject)
  return [
    ...(issuer.ca ? [] : [`${name} may not issue certificates.`]),
    ...(issuer.keyUsage !== null && (issuer.keyUsage & KEY_USAGE.certSign) === 0
      ? [`The key of ${name} may not sign certificates (key usage).`]
      : []),
    ...(issuer.pathLength !== null && issuer.pathLength < below
      ? [`${name} may not have this many issuers below it (path length).`]
      : []),
    ...unknownCriticalExtensions(issuer),
  ]
}

const PURPOSES: readonly string[] = [OID.emailProtection, OID.documentSigning]

/**
 * Whether the leaf may sign documents: digital signature or content commitment, and a purpose for documents, where
 * purposes are named.
 */
export function leafProblems(leaf: CertificateFacts): readonly string[] {
  const signs = KEY_USAGE.digitalSignature | KEY_USAGE.nonRepudiation
  return [
    ...(leaf.keyUsage === null || (leaf.keyUsage & signs) !== 0
      ? []
      : ['The signer’s key may not sign documents (key usage).']),
    ...(leaf.extendedKeyUsage === null || leaf.extendedKeyUsage.some((purpose) => PURPOSES.includes(purpose))
      ? []
      : ['The signer’s certificate is for other purposes than documents (extended key usage).']),
    ...(leaf.notBefore <= leaf.notAfter ? [] : ['The signer’s certificate ends before it starts.']),
    ...unknownCriticalExtensions(leaf),
  ]
}

export const unknownCriticalExtensions = (certificate: CertificateFacts): readonly string[] =>
  certificate.strangeCritical.map(
    (id) => `${quote(certificate.subject)} has an unknown critical extension: ${plain(id)}.`,
  )

/** Whether this issuer signed the list, with a key that may sign lists. */
export const isListBy = (list: RevocationFacts, issuer: CertificateFacts): boolean =>
  sameBytes(list.issuerDer, issuer.subjectDer) &&
  (issuer.keyUsage === null || (issuer.keyUsage & KEY_USAGE.crlSign) !== 0) &&
  isSignedBy(list.signed, issuer)

/** Whether a list was issued by an issuer of this chain, available or not, or is unreadable: such a list may not be ignored. */
export const isListOf =
  ({ certificates }: Pick<Chain, 'certificates'>) =>
  (list: Uint8Array): boolean => {
    const facts = readRevocationList(list)
    return (
      facts === null ||
      certificates.some(
        ({ subjectDer, issuerDer }) => sameBytes(subjectDer, facts.issuerDer) || sameBytes(issuerDer, facts.issuerDer),
      )
    )
  }

interface Revocation {
  readonly problems: readonly string[]
  readonly revoked: { readonly at: string } | null
  /** Every certificate below the root has a verified list by its issuer. */
  readonly covered: boolean
  /** Time until which the covering lists are current; null when none states it. */
  readonly until: string | null
  /** The two values above, only for certificates that state where their revocation is published; null where none does. */
  readonly named: { readonly covered: boolean; readonly until: string | null } | null
}

/**
 * Result of revocation lists for the chain. Each list must be readable and signed by the chain member that issued it;
 * of a list whose issuer is not available, only an entry against the chain counts. A list covers a certificate only
 * when it was still current once the certificate was valid; with a time `at` (ISO 8601), also when its next update was
 * not due by then.
 */
export function revocation(
  certificates: readonly CertificateFacts[],
  crls: readonly Uint8Array[],
  at: string | null = null,
): Revocation {
  const problems: string[] = []
  const covered = new Map<CertificateFacts, string | null>()
  let revoked: Revocation['revoked'] = null
  for (const [index, bytes] of crls.entries()) {
    const list = readRevocationList(bytes)
    const issuer = list && certificates.find(({ subjectDer }) => sameBytes(subjectDer, list.issuerDer))
    const named = list === null ? [] : certificates.filter(({ issuerDer }) => sameBytes(issuerDer, list.issuerDer))
    if (!list || (!issuer && named.length === 0) || (issuer && !isListBy(list, issuer))) {
      problems.push(`Revocation list ${index + 1} was not issued within the signer’s chain.`)
      continue
    }
    for (const certificate of named) {
      const entry = list.revoked.find(({ serial }) => serial === certificate.serial)
      if (entry !== undefined && (revoked === null || entry.at < revoked.at)) revoked = { at: entry.at }
      const ends = list.nextUpdate ?? list.thisUpdate
      if (issuer && ends >= certificate.notBefore && (at === null || ends >= at))
        covered.set(certificate, later(covered.get(certificate), list.nextUpdate))
    }
  }
  const below = certificates.filter((certificate) => !isRoot(certificate))
  const naming = below.filter(({ namesRevocation }) => namesRevocation)
  const coverage = (over: readonly CertificateFacts[]) => ({
    covered: over.every((certificate) => covered.has(certificate)),
    until:
      inOrder(over.map((certificate) => covered.get(certificate)).filter((end) => typeof end === 'string'))[0] ?? null,
  })
  return { problems, revoked, ...coverage(below), named: naming.length === 0 ? null : coverage(naming) }
}

/** The later of two ends; null means no end. */
const later = (a: string | null | undefined, b: string | null): string | null =>
  a === undefined || b === null ? b : a === null || a > b ? a : b
