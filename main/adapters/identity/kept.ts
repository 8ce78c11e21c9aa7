import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { fromPem } from '../../core/base/pem.ts'
import type { IdentityInfo } from '../../core/ports/identities.ts'
import type { Signer } from '../../core/ports/ports.ts'
import { chainOf, leafProblems, revocation } from '../seal/path.ts'
import { type CertificateFacts, readCertificate, sameBytes } from '../seal/x509.ts'
import { type IdentityFiles, retiredPath } from './folder.ts'
import { type Envelope, parseEnvelope } from './pkcs12.ts'
import { parseTokenReference, type TokenReference } from './token.ts'

/** An identity whose files were all read and matched against each other. Contains no secret. */
export interface KeptIdentity {
  readonly info: IdentityInfo
  readonly leaf: CertificateFacts
  /** The leaf's issuers in order, the root last. */
  readonly chain: readonly CertificateFacts[]
  readonly root: CertificateFacts
  readonly crls: readonly Uint8Array[]
  readonly retired: readonly CertificateFacts[]
  readonly holder: { readonly envelope: Envelope } | { readonly token: TokenReference }
  readonly files: IdentityFiles
}

/**
 * Reads an identity from its files: the chain is valid up to the root, revocation lists are the chain's own, and key
 * and token match the certificates in the folder. Fails with identity.unreadable.
 */
export function keptIdentity(name: string, files: IdentityFiles): Outcome<KeptIdentity> {
  const unreadable = (why: string) => fail('identity.unreadable', `${name}: ${why}`)
  const leaf = certificatesOf(files['leaf.pem'])[0]
  if (leaf === undefined) return unreadable('leaf.pem is not a readable certificate')
  const offered = [...certificatesOf(files['chain.pem']), ...certificatesOf(files['root.pem'])]
  const { certificates, root, problems, incomplete } = chainOf(leaf, offered)
  const [kept] = certificatesOf(files['root.pem'])
  if (root === null || kept === undefined || !sameBytes(root.der, kept.der))
    return unreadable(problems[0] ?? incomplete ?? 'the certificates do not belong together')
  const crls = fromPem('X509 CRL', files['crl.pem'] ?? '')
  const [wrong] = revocation(certificates, crls).problems
  if (wrong !== undefined) return unreadable(wrong)

  const retired: CertificateFacts[] = []
  for (const [path, text] of Object.entries(files).filter(([path]) => path.startsWith('retired/'))) {
    const [old] = certificatesOf(text)
    if (old === undefined || retiredPath(old.fingerprint) !== path) return unreadable(`${path} is not its certificate`)
    retired.push(old)
  }
  const holder = holderOf(files)
  if (holder === null) return unreadable('neither key.json nor token.json is a file of this program')
  const names = 'token' in holder ? holder.token : holder.envelope.header
  if (names.leaf !== leaf.fingerprint || names.root !== root.fingerprint)
    return unreadable('the certificates do not belong to the key')
  const info: IdentityInfo = {
    name,
    kind: 'token' in holder ? 'token' : holder.envelope.header.kind === 'imported' ? 'imported' : 'local',
    subject: leaf.subject,
    fingerprint: leaf.fingerprint,
    notAfter: leaf.notAfter,
    retired: retired.map(({ fingerprint, notAfter }) => ({ fingerprint, notAfter })),
  }
  return ok({ info, leaf, chain: certificates.slice(1), root, crls, retired, holder, files })
}

function holderOf(files: IdentityFiles): KeptIdentity['holder'] | null {
  const token = parseTokenReference(files['token.json'] ?? '')
  if (token !== null) return { token }
  const envelope = parseEnvelope(files['key.json'] ?? '')
  return envelope?.header.use === 'leaf' ? { envelope } : null
}

const certificatesOf = (text: string | undefined): readonly CertificateFacts[] =>
  fromPem('CERTIFICATE', text ?? '').flatMap((bytes) => readCertificate(bytes) ?? [])

/** The public half of a signer. */
export const signerParts = ({ leaf, chain, crls, info }: KeptIdentity): Omit<Signer, 'sign'> => ({
  certificate: leaf.der,
  chain: chain.map(({ der }) => der),
  crls,
  keyType: leaf.keyType,
  fingerprint: leaf.fingerprint,
  subject: info.subject,
})

/**
 * A leaf with its chain up to a root, found among the given certificates, and revocation lists of that chain; for keys
 * that others certified. Fails with key.refused, naming what is missing.
 */
export function withCertificates(
  leaf: CertificateFacts,
  offered: readonly CertificateFacts[],
  crls: readonly Uint8Array[],
): Outcome<{ readonly chain: readonly CertificateFacts[]; readonly root: CertificateFacts }> {
  const [unfit] = leafProblems(leaf)
  if (unfit !== undefined) return fail('key.refused', unfit)
  const { certificates, root, problems, incomplete } = chainOf(leaf, offered)
  if (root === null)
    return fail('key.refused', incomplete === null ? problems.join(' ') : `${incomplete} Name a file that contains it.`)
  const found = revocation(certificates, crls)
  if (found.problems.length > 0) return fail('key.refused', found.problems.join(' '))
  if (found.revoked !== null) return fail('key.refused', `The certificate was revoked at ${found.revoked.at}.`)
  return ok({ chain: certificates.slice(1), root })
}
