import { plain } from '../../../core/base/plain-text.ts'
import { certificateParts, derValue, inOrder, membersOf } from '../../../core/der/read.ts'
import { askable, exchange } from '../../http.ts'
import { OID } from '../oids.ts'
import { isListBy, isRoot } from '../path.ts'
import { type CertificateFacts, isSignedBy, readAuthorityCertificate, readRevocationList, sameBytes } from '../x509.ts'

interface ListDeps {
  readonly fetch?: typeof fetch
  /** Milliseconds for each list. */
  readonly patience?: number
  /** Given lists, tried before any is fetched. */
  readonly known?: readonly Uint8Array[]
}

const PATIENCE = 10_000
const MOST_BYTES = 20 * 1024 * 1024
const MOST_ADDRESSES = 3

/**
 * Revocation lists for every certificate below the root: a given one, or one from the address in the certificate (RFC
 * 5280, section 4.2.1.13), over http or https, each address queried once. A list counts only when the certificate's
 * issuer, itself in the chain, signed it. `missing` names the certificates without one, by subject.
 */
export async function revocationListsFor(
  chain: readonly Uint8Array[],
  deps: ListDeps = {},
): Promise<{ readonly lists: readonly Uint8Array[]; readonly missing: readonly string[] }> {
  const facts = chain.map(readAuthorityCertificate)
  const certificates = facts.filter((one) => one !== null)
  const fetched = new Map<string, Promise<Uint8Array | null>>()
  const missing: string[] = facts.includes(null) ? ['a certificate that cannot be read'] : []
  const lists: Uint8Array[] = []
  for (const certificate of certificates) {
    if (isRoot(certificate)) continue
    const list = await listFor(certificate, certificates, deps, fetched)
    if (list === null) missing.push(plain(certificate.subject))
    else if (!lists.some((other) => sameBytes(other, list))) lists.push(list)
  }
  return { lists, missing }
}

async function listFor(
  certificate: CertificateFacts,
  certificates: readonly CertificateFacts[],
  deps: ListDeps,
  fetched: Map<string, Promise<Uint8Array | null>>,
): Promise<Uint8Array | null> {
  const issuer = certificates.find(
    (other) => sameBytes(other.subjectDer, certificate.issuerDer) && isSignedBy(certificate.signed, other),
  )
  if (issuer === undefined) return null
  const covers = (list: Uint8Array): boolean => {
    const read = readRevocationList(list)
    return read !== null && isListBy(read, issuer)
  }
  const known = deps.known?.find(covers)
  if (known !== undefined) return known
  for (const url of distributionPoints(certificate.der).slice(0, MOST_ADDRESSES)) {
    const list = fetched.get(url) ?? fetchList(url, deps)
    fetched.set(url, list)
    const bytes = await list
    if (bytes !== null && covers(bytes)) return bytes
  }
  return null
}

async function fetchList(url: string, deps: ListDeps): Promise<Uint8Array | null> {
  const answer = await exchange(url, {
    fetch: deps.fetch ?? fetch,
    request: { method: 'GET' },
    mostBytes: MOST_BYTES,
    milliseconds: deps.patience ?? PATIENCE,
  })
  return 'failed' in answer || answer.status !== 200 ? null : answer.body
}

const POINT_NAME = 0xa0
const FULL_NAME = 0xa0
const URI = 0x86

/**
 * Addresses of complete lists by the issuer itself: points for some reasons only, or by another issuer, are ignored.
 */
function distributionPoints(certificate: Uint8Array): readonly string[] {
  const extensions = certificateParts(derValue(certificate))?.extensions ?? []
  const points = extensions.find(({ id }) => id === OID.crlDistributionPoints)
  return membersOf(points && derValue(points.content)).flatMap((point) => {
    const parts = inOrder(point)
    const names = inOrder(parts.take(POINT_NAME)).take(FULL_NAME)
    if (names === undefined || !parts.ended()) return []
    return membersOf(names)
      .filter(({ tag }) => tag === URI)
      .map(({ content }) => askable(Buffer.from(content).toString('latin1')))
      .filter((url) => url !== null)
  })
}
