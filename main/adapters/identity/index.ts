import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, type Outcome } from '../../core/failure.ts'
import { fromPem, pem } from '../../core/pem.ts'
import { plain } from '../../core/plain-text.ts'
import type { Clock, Entropy, Signer } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import type { Identities, IdentityInfo } from '../../core/world.ts'
import { readCertificate } from '../seal/x509.ts'
import { makeIdentity } from './certificates.ts'
import { type Envelope, openSecret, sealSecret } from './envelope.ts'
import { signerOf } from './signer.ts'

export { createDemoSigner } from './signer.ts'

/**
 * Local identities: one folder each, of mode 0700, files of mode 0600. leaf.pem, root.pem and crl.pem are public; key.json and
 * root-key.json hold the two private keys, each in an envelope of its own.
 */
export interface CreateInput {
  readonly folder: string
  readonly name: string
  /** Whose key this is, as reports print it. */
  readonly subject: string
  readonly passphrase: string
  readonly clock: Clock
  readonly entropy: Entropy
}

export interface CreatedIdentity extends IdentityInfo {
  /** The root certificate, to be given to auditors by a way of its own. */
  readonly rootPath: string
}

const FORMAT = 'barewitness-key/1'
const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/

/** Makes an identity. All its files appear at once or not at all. Fails with input.refused, identity.exists or store.failed. */
export async function createIdentity(input: CreateInput): Promise<Outcome<CreatedIdentity>> {
  const { folder, name, passphrase, clock, entropy } = input
  const subject = input.subject.trim()
  if (!NAME.test(name))
    return fail('input.refused', 'an identity’s name has lower-case letters, digits, - and _, at most 63')
  if (subject === '' || subject.length > 64 || plain(subject) !== subject)
    return fail('input.refused', 'the subject must have 1 to 64 printable characters')
  if (/barewitness\s+demo/i.test(subject)) return fail('input.refused', 'that subject is kept for demonstrations')
  if (passphrase === '') return fail('input.refused', 'the passphrase is empty')
  const made = makeIdentity({ commonName: subject, rootCommonName: rootName(subject), now: clock.now(), entropy })
  const fingerprint = sha256(made.leaf)
  const about = { format: FORMAT, name, leaf: fingerprint, root: sha256(made.root), crl: sha256(made.crl) }
  const envelope = async (key: typeof made.leafKey, use: string): Promise<string> => {
    const secret = new Uint8Array(key.export({ type: 'pkcs8', format: 'der' }))
    return `${JSON.stringify(await sealSecret(secret, passphrase, { ...about, use }, entropy), null, 2)}\n`
  }
  const files = {
    'leaf.pem': pem('CERTIFICATE', made.leaf),
    'root.pem': pem('CERTIFICATE', made.root),
    'crl.pem': pem('X509 CRL', made.crl),
    'key.json': await envelope(made.leafKey, 'leaf'),
    'root-key.json': await envelope(made.rootKey, 'root'),
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const unfinished = await mkdtemp(join(folder, '.new-'))
    try {
      for (const [file, content] of Object.entries(files)) await writePrivate(join(unfinished, file), content)
      await rename(unfinished, join(folder, name))
    } catch (problem) {
      await rm(unfinished, { recursive: true, force: true })
      if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM'].includes(codeOf(problem))) return fail('identity.exists', name)
      throw problem
    }
  } catch (problem) {
    return fail('store.failed', told(problem))
  }
  return ok({ name, subject, fingerprint, notAfter: made.notAfter, rootPath: join(folder, name, 'root.pem') })
}

/** A root's name must differ from its leaf's, and has at most 64 characters (RFC 5280, ub-common-name). */
const rootName = (subject: string): string => `${[...subject].slice(0, 55).join('').trimEnd()} (root)`

async function writePrivate(path: string, content: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

interface PublicParts {
  readonly leaf: Uint8Array
  readonly root: Uint8Array
  readonly crl: Uint8Array
  readonly info: IdentityInfo
}

/** Certificates and list of an identity, read and matched against each other. */
async function publicParts(folder: string, name: string): Promise<Outcome<PublicParts>> {
  if (!NAME.test(name)) return fail('identity.missing', plain(name))
  try {
    const one = async (file: string, label: string): Promise<Uint8Array> =>
      fromPem(label, await readFile(join(folder, name, file), 'latin1'))[0] ?? new Uint8Array()
    const leaf = await one('leaf.pem', 'CERTIFICATE')
    const facts = readCertificate(leaf)
    if (facts === null) return fail('identity.unreadable', `${name}: leaf.pem is not a certificate we can read`)
    const info = { name, subject: facts.subject, fingerprint: facts.fingerprint, notAfter: facts.notAfter }
    return ok({ leaf, root: await one('root.pem', 'CERTIFICATE'), crl: await one('crl.pem', 'X509 CRL'), info })
  } catch (problem) {
    return codeOf(problem) === 'ENOENT' ? fail('identity.missing', name) : fail('identity.unreadable', told(problem))
  }
}

/**
 * Opens an identity for signing. Fails with identity.missing, identity.unreadable, or identity.passphrase-wrong, which also covers an
 * altered key file: authenticated encryption cannot tell the two apart.
 */
export async function openIdentity(folder: string, name: string, passphrase: string): Promise<Outcome<Signer>> {
  const parts = await publicParts(folder, name)
  if (!parts.ok) return parts
  const { leaf, root, crl, info } = parts.value
  try {
    const envelope = parseEnvelope(await readFile(join(folder, name, 'key.json'), 'utf8'))
    if (envelope === null) return fail('identity.unreadable', `${name}: key.json is not a key of this program`)
    const { header } = envelope
    if (
      header.leaf !== sha256(leaf) ||
      header.root !== sha256(root) ||
      header.crl !== sha256(crl) ||
      header.use !== 'leaf'
    )
      return fail('identity.unreadable', `${name}: the certificates are not the ones that belong to the key`)
    const secret = await openSecret(envelope, passphrase)
    if (secret === null) return fail('identity.passphrase-wrong', name)
    const key = createPrivateKey({ key: Buffer.from(secret), format: 'der', type: 'pkcs8' })
    secret.fill(0)
    if (!new X509Certificate(leaf).checkPrivateKey(key))
      return fail('identity.unreadable', `${name}: key and certificate differ`)
    return ok(signerOf({ leaf, root, crl, subject: info.subject, key }))
  } catch (problem) {
    return fail('identity.unreadable', told(problem))
  }
}

/** Identities in a folder, by name. A folder that does not exist holds none; what cannot be read is left out. */
export async function listIdentities(folder: string): Promise<Outcome<readonly IdentityInfo[]>> {
  try {
    const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort()
    const found = await Promise.all(names.map((name) => publicParts(folder, name)))
    return ok(found.flatMap((parts) => (parts.ok ? [parts.value.info] : [])))
  } catch (problem) {
    return codeOf(problem) === 'ENOENT' ? ok([]) : fail('store.failed', told(problem))
  }
}

/** What an auditor needs from the signer, by another way than a pack: the root certificate, and fingerprints to compare. */
export async function exportTrust(
  folder: string,
  name: string,
): Promise<Outcome<{ readonly rootPem: string; readonly rootFingerprint: string; readonly leafFingerprint: string }>> {
  const parts = await publicParts(folder, name)
  if (!parts.ok) return parts
  const { root, info } = parts.value
  return ok({ rootPem: pem('CERTIFICATE', root), rootFingerprint: sha256(root), leafFingerprint: info.fingerprint })
}

/** The identities port over this folder layout. */
export const createIdentities = (clock: Clock, entropy: Entropy, defaultFolder: string): Identities => ({
  defaultFolder,
  list: listIdentities,
  create: (input) => createIdentity({ ...input, clock, entropy }),
  open: openIdentity,
})

function parseEnvelope(text: string): Envelope | null {
  try {
    const value = JSON.parse(text) as Partial<Envelope> | null
    const header = value?.header
    if (typeof header !== 'object' || header === null || typeof value?.ciphertext !== 'string') return null
    const texts = Object.values(header).every((member) => typeof member === 'string')
    return texts && header.format === FORMAT ? { header, ciphertext: value.ciphertext } : null
  } catch {
    return null
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const codeOf = (problem: unknown): string => String((problem as NodeJS.ErrnoException | null)?.code ?? '')
const told = (problem: unknown): string => plain(problem instanceof Error ? problem.message : String(problem), 500)
