import { X509Certificate } from 'node:crypto'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { certificatesIn, fromPem, pem } from '../../core/base/pem.ts'
import { plain } from '../../core/base/plain-text.ts'
import type {
  AddTokenInput,
  Identities,
  IdentityInfo,
  IdentityTrust,
  ImportInput,
  Rekey,
} from '../../core/ports/identities.ts'
import type { Clock, Entropy, Signer } from '../../core/ports/ports.ts'
import { revocation } from '../seal/path.ts'
import { type CertificateFacts, readCertificate, verifies } from '../seal/x509.ts'
import { type IdentityFiles, isIdentityPath, NAME, namesIn, placeNew, writeApart } from './folder.ts'
import { type KeptIdentity, keptIdentity, signerParts, withCertificates } from './kept.ts'
import { readIdentity, revokeLeaf, rotateIdentity, takeRootOffline } from './lifecycle.ts'
import { createIdentity, keyFile, openFileKey, refusal } from './local.ts'
import { envelopeText, openSecret, parseEnvelope, readPkcs12, sealSecret } from './pkcs12.ts'
import { signOnToken, TOKEN_FORMAT, type TokenReference } from './token.ts'

/**
 * Imports a key with its certificates from a PKCS #12 file into an envelope. Certificates missing in the file may come
 * from others. Fails with input.refused, key.refused, identity.passphrase-wrong, identity.exists or store.failed.
 */
async function importPkcs12(input: ImportInput & { readonly entropy: Entropy }): Promise<Outcome<IdentityInfo>> {
  const { folder, name, passphrase, entropy } = input
  const refused = refusal(name, passphrase)
  if (refused !== null) return refused
  const read = await readPkcs12(input.p12, input.p12Passphrase)
  if (!read.ok) return read
  const { key, certificates } = read.value
  const own = certificates.find((certificate) => fits(certificate, key))
  if (own === undefined) return fail('key.refused', 'none of its certificates belongs to its private key')
  const leaf = readCertificate(own)
  if (leaf === null) return fail('key.refused', 'its key is neither P-256 nor RSA of at least 2048 bits, or not in DER')
  const offered = [...readable(certificates), ...readable(input.certificates.flatMap(certificatesIn))]
  const crls = input.crls.flatMap(listsIn)
  const found = withCertificates(leaf, offered, crls)
  if (!found.ok) return found
  const { chain, root } = found.value
  const about = { name, kind: 'imported', leaf: leaf.fingerprint, root: root.fingerprint, use: 'leaf' }
  const files = {
    ...certificateFiles(leaf, chain, crls),
    'key.json': await keyFile(key, passphrase, about, entropy),
  }
  return await placeChecked(folder, name, files)
}

function fits(certificate: Uint8Array, key: Parameters<X509Certificate['checkPrivateKey']>[0]): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(key)
  } catch {
    return false
  }
}

const readable = (certificates: readonly Uint8Array[]): readonly CertificateFacts[] =>
  certificates.flatMap((bytes) => readCertificate(bytes) ?? [])

/** Revocation lists in a named file: PEM, one or several, or one in DER. */
function listsIn(file: Uint8Array): readonly Uint8Array[] {
  const found = fromPem('X509 CRL', Buffer.from(file).toString('latin1'))
  return found.length > 0 ? found : [file]
}

/** The public files of a key that others certified. */
function certificateFiles(
  leaf: CertificateFacts,
  chain: readonly CertificateFacts[],
  crls: readonly Uint8Array[],
): IdentityFiles {
  const certificates = chain.map(({ der }) => pem('CERTIFICATE', der))
  return {
    'leaf.pem': pem('CERTIFICATE', leaf.der),
    'chain.pem': certificates.slice(0, -1).join(''),
    'root.pem': certificates.at(-1) ?? '',
    'crl.pem': crls.map((list) => pem('X509 CRL', list)).join(''),
  }
}

/** Stores files that were checked to form an identity. */
async function placeChecked(folder: string, name: string, files: IdentityFiles): Promise<Outcome<IdentityInfo>> {
  const read = keptIdentity(name, files)
  if (!read.ok) return read
  const placed = await placeNew(folder, name, files)
  return placed.ok ? ok(read.value.info) : placed
}

const FORMAT = 'barewitness-identity-backup/1'
const LARGEST = 1 << 22

interface BackupInput {
  readonly folder: string
  readonly name: string
  readonly to: string
  /** Null: the keys stay encrypted as they are. */
  readonly rekey: Rekey | null
  readonly entropy: Entropy
}

/**
 * Writes an identity as one file: its public parts, and its keys encrypted, so that the file is as safe as its
 * passphrase. Never overwrites a file. Fails with identity.missing, identity.unreadable, identity.passphrase-wrong or
 * store.failed.
 */
async function backupIdentity({ folder, name, to, rekey, entropy }: BackupInput): Promise<Outcome<IdentityInfo>> {
  const read = await readIdentity(folder, name)
  if (!read.ok) return read
  const kept = rekey === null ? ok(read.value.files) : await rekeyed(name, read.value.files, rekey, entropy)
  if (!kept.ok) return kept
  const written = await writeApart(to, `${JSON.stringify({ format: FORMAT, name, files: kept.value }, null, 2)}\n`)
  return written.ok ? ok(read.value.info) : written
}

/** The same files with every private key under another passphrase. */
async function rekeyed(
  name: string,
  files: IdentityFiles,
  { passphrase, next }: Rekey,
  entropy: Entropy,
): Promise<Outcome<IdentityFiles>> {
  const changed: Record<string, string> = {}
  for (const path of ['key.json', 'root-key.json']) {
    const envelope = parseEnvelope(files[path] ?? '')
    if (envelope === null) continue
    const secret = await openSecret(envelope, passphrase)
    if (secret === null) return fail('identity.passphrase-wrong', name)
    changed[path] = envelopeText(await sealSecret(secret, next, envelope.header, entropy))
    secret.fill(0)
  }
  return ok({ ...files, ...changed })
}

/**
 * Restores a backup under its own name, after its certificates were checked against each other and against the keys.
 * Never overwrites an identity. Fails with input.refused, identity.unreadable, identity.exists or store.failed.
 */
async function restoreIdentity(folder: string, backup: Uint8Array): Promise<Outcome<IdentityInfo>> {
  const found = parseBackup(backup)
  if (found === null) return fail('input.refused', 'this is not a backup of a signing identity')
  const { name, files } = found
  const kept = keptIdentity(name, files)
  if (!kept.ok) return kept
  const { root, holder } = kept.value
  const rootKey = files['root-key.json']
  const rootHeader = parseEnvelope(rootKey ?? '')?.header
  const wrongRoot = rootKey !== undefined && (rootHeader?.use !== 'root' || rootHeader.root !== root.fingerprint)
  const wrongName = 'envelope' in holder && holder.envelope.header.name !== name
  if (wrongRoot || wrongName) return fail('identity.unreadable', `${name}: the certificates do not belong to the key`)
  const placed = await placeNew(folder, name, files)
  return placed.ok ? ok(kept.value.info) : placed
}

function parseBackup(backup: Uint8Array): { readonly name: string; readonly files: IdentityFiles } | null {
  if (backup.length > LARGEST) return null
  try {
    const value = JSON.parse(Buffer.from(backup).toString('utf8')) as Partial<Record<string, unknown>> | null
    const { format, name, files } = value ?? {}
    if (format !== FORMAT || typeof name !== 'string' || !NAME.test(name)) return null
    if (typeof files !== 'object' || files === null) return null
    const wellFormed = Object.entries(files).every(([path, text]) => isIdentityPath(path) && typeof text === 'string')
    return wellFormed ? { name, files: files as IdentityFiles } : null
  } catch {
    return null
  }
}

// Signed only to check that key, PIN and certificate belong together.
const TRIAL = new TextEncoder().encode('Barewitness: test of a key. This signature seals nothing.')

/**
 * Stores the location of a key on a token, with its certificates: from the token, otherwise from files. The key signs
 * once, and the leaf is the certificate that verifies its signature. Fails with input.refused, token.unavailable,
 * identity.passphrase-wrong (a wrong PIN), key.refused, identity.exists or store.failed.
 */
async function addToken(input: AddTokenInput): Promise<Outcome<IdentityInfo>> {
  const { folder, name, module, token, key, pin } = input
  const refused = refusal(name, pin)
  if (refused !== null) return refused
  const tried = signOnToken({ module, token, key }, pin, TRIAL)
  if (!tried.ok) return tried
  const { signature, certificates, serial } = tried.value
  const offered = [...readable(certificates), ...readable(input.certificates.flatMap(certificatesIn))]
  const leaf = offered.find((certificate) => verifies(TRIAL, certificate, signature))
  if (leaf === undefined)
    return fail(
      'key.refused',
      `no certificate for key ${plain(key)} on the token or in a file; name one with --certificate`,
    )
  const crls = input.crls.flatMap(listsIn)
  const found = withCertificates(leaf, offered, crls)
  if (!found.ok) return found
  const { chain, root } = found.value
  const reference: TokenReference = {
    format: TOKEN_FORMAT,
    module,
    token,
    key,
    serial,
    leaf: leaf.fingerprint,
    root: root.fingerprint,
  }
  const files = { ...certificateFiles(leaf, chain, crls), 'token.json': `${JSON.stringify(reference, null, 2)}\n` }
  return await placeChecked(folder, name, files)
}

/**
 * A signer whose key stays on its token. The PIN is tried here once; when it is wrong, or the token is missing, this
 * fails as signOnToken does. Later, `sign` rejects with an Error whose cause is the Failure; after a refused PIN it
 * does not try again.
 */
async function openTokenKey(identity: KeptIdentity, reference: TokenReference, pin: string): Promise<Outcome<Signer>> {
  let refused: Error | null = null
  const signChecked = (data: Uint8Array): Outcome<Uint8Array> => {
    const made = signOnToken(reference, pin, data)
    if (!made.ok) return made
    const { signature, serial } = made.value
    if (serial !== reference.serial)
      return fail('token.unavailable', `another token with that label is connected: ${plain(serial)}`)
    return verifies(data, identity.leaf, signature)
      ? ok(signature)
      : fail('token.unavailable', 'the token’s signature does not verify with the certificate')
  }
  const sign: Signer['sign'] = async (data) => {
    if (refused !== null) throw refused
    const made = signChecked(data)
    if (made.ok) return made.value
    const problem = new Error(`${made.error.code}: ${made.error.detail}`, { cause: made.error })
    if (made.error.code === 'identity.passphrase-wrong') refused = problem
    throw problem
  }
  const tried = signChecked(TRIAL)
  return tried.ok ? ok({ ...signerParts(identity), sign }) : tried
}

export { createIdentity } from './local.ts'

/**
 * Opens an identity for signing; for a key on a token the passphrase is its PIN. Fails with identity.missing,
 * identity.unreadable, key.refused for a leaf that its own list revokes, identity.passphrase-wrong, or
 * token.unavailable.
 */
export async function openIdentity(folder: string, name: string, passphrase: string): Promise<Outcome<Signer>> {
  const read = await readIdentity(folder, name)
  if (!read.ok) return read
  const kept = read.value
  const { revoked } = revocation([kept.leaf, ...kept.chain], kept.crls)
  if (revoked !== null) return fail('key.refused', `the certificate of ${name} was revoked at ${revoked.at}`)
  return 'token' in kept.holder
    ? await openTokenKey(kept, kept.holder.token, passphrase)
    : await openFileKey(kept, kept.holder.envelope, passphrase)
}

/** Identities in a folder, by name. A missing folder has none; unreadable ones are omitted. */
export async function listIdentities(folder: string): Promise<Outcome<readonly IdentityInfo[]>> {
  const names = await namesIn(folder)
  if (!names.ok) return names
  const found = await Promise.all(names.value.map((name) => readIdentity(folder, name)))
  return ok(found.flatMap((read) => (read.ok ? [read.value.info] : [])))
}

/** The data that an auditor needs from the signer over a separate channel: the root certificate, and fingerprints to compare. */
export async function exportTrust(folder: string, name: string): Promise<Outcome<IdentityTrust>> {
  const read = await readIdentity(folder, name)
  if (!read.ok) return read
  const { root, info } = read.value
  return ok({
    rootPem: pem('CERTIFICATE', root.der),
    rootFingerprint: root.fingerprint,
    leafFingerprint: info.fingerprint,
  })
}

/** The identities port over this folder layout. */
export const createIdentities = (clock: Clock, entropy: Entropy, defaultFolder: string): Identities => ({
  defaultFolder,
  list: listIdentities,
  create: (input) => createIdentity({ ...input, clock, entropy }),
  open: async (folder, name, passphrase) => {
    const opened = await openIdentity(folder, name, passphrase)
    const notAfter = opened.ok ? (readCertificate(opened.value.certificate)?.notAfter ?? '') : ''
    if (opened.ok && notAfter <= clock.now())
      return fail('key.refused', `the certificate of ${name} expired at ${notAfter}`)
    return opened
  },
  trust: exportTrust,
  backup: (folder, name, to, rekey) => backupIdentity({ folder, name, to, rekey: rekey ?? null, entropy }),
  restore: restoreIdentity,
  rotate: (input) => rotateIdentity({ ...input, clock, entropy }),
  revoke: (input) => revokeLeaf({ ...input, clock }),
  takeRootOffline,
  importPkcs12: (input) => importPkcs12({ ...input, entropy }),
  addToken,
})
