import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { pem } from '../../core/base/pem.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { Identities } from '../../core/ports/identities.ts'
import type { Clock, Entropy, Signer } from '../../core/ports/ports.ts'
import { makeIdentity } from './certificates.ts'
import { NAME, placeNew, signWith } from './folder.ts'
import { type KeptIdentity, signerParts } from './kept.ts'
import { type Envelope, envelopeText, KEY_FORMAT, openSecret, sealSecret } from './pkcs12.ts'

type CreateInput = Parameters<Identities['create']>[0] & { readonly clock: Clock; readonly entropy: Entropy }

/**
 * Creates an identity. All its files appear at once or not at all. Fails with input.refused, identity.exists or
 * store.failed.
 */
export async function createIdentity(input: CreateInput): ReturnType<Identities['create']> {
  const { folder, name, passphrase, clock, entropy } = input
  const subject = input.subject.trim()
  const refused = refusal(name, passphrase)
  if (refused !== null) return refused
  if (subject === '' || subject.length > 64 || plain(subject) !== subject)
    return fail('input.refused', 'the subject must have 1 to 64 printable characters')
  if (/barewitness\s+demo/i.test(subject)) return fail('input.refused', 'that subject is reserved for demos')
  const made = makeIdentity({ commonName: subject, rootCommonName: rootName(subject), now: clock.now(), entropy })
  const leaf = sha256(made.leaf)
  const about = { name, leaf, root: sha256(made.root) }
  const placed = await placeNew(folder, name, {
    'leaf.pem': pem('CERTIFICATE', made.leaf),
    'root.pem': pem('CERTIFICATE', made.root),
    'crl.pem': pem('X509 CRL', made.crl),
    'key.json': await keyFile(made.leafKey, passphrase, { ...about, use: 'leaf' }, entropy),
    'root-key.json': await keyFile(made.rootKey, passphrase, { ...about, use: 'root' }, entropy),
  })
  if (!placed.ok) return placed
  const { notAfter } = made
  const rootPath = join(folder, name, 'root.pem')
  return ok({ name, kind: 'local', subject, fingerprint: leaf, notAfter, retired: [], rootPath })
}

/** Why no identity can be created with this name and passphrase. */
export function refusal(name: string, passphrase: string) {
  if (!NAME.test(name))
    return fail(
      'input.refused',
      'the name of an identity may have lower-case letters, digits, - and _, at most 63 characters',
    )
  return passphrase === '' ? fail('input.refused', 'the passphrase is empty') : null
}

/** A root's name must differ from its leaf's, and has at most 64 characters (RFC 5280, ub-common-name). */
const rootName = (subject: string): string => `${[...subject].slice(0, 55).join('').trimEnd()} (root)`

/** A private key as the text of its file. */
export async function keyFile(
  key: KeyObject,
  passphrase: string,
  about: Readonly<Record<string, string>>,
  entropy: Entropy,
): Promise<string> {
  const secret = new Uint8Array(key.export({ type: 'pkcs8', format: 'der' }))
  const envelope = await sealSecret(secret, passphrase, { ...about, format: KEY_FORMAT }, entropy)
  secret.fill(0)
  return envelopeText(envelope)
}

/**
 * Opens a key in a file, and checks that it belongs to the certificate. Fails with identity.passphrase-wrong, which
 * also covers an altered file since authenticated encryption cannot distinguish the two, or with identity.unreadable.
 */
export async function openKey(
  name: string,
  envelope: Envelope,
  passphrase: string,
  certificate: Uint8Array,
): Promise<Outcome<KeyObject>> {
  const secret = await openSecret(envelope, passphrase)
  if (secret === null) return fail('identity.passphrase-wrong', name)
  try {
    const key = createPrivateKey({ key: Buffer.from(secret.buffer), format: 'der', type: 'pkcs8' })
    const fits = new X509Certificate(certificate).checkPrivateKey(key)
    return fits ? ok(key) : fail('identity.unreadable', `${name}: key and certificate do not match`)
  } catch {
    return fail('identity.unreadable', `${name}: the decrypted content is not a key`)
  } finally {
    secret.fill(0)
  }
}

/** A signer with the key in an identity's own files. Fails as openKey does. */
export async function openFileKey(
  kept: KeptIdentity,
  envelope: Envelope,
  passphrase: string,
): Promise<Outcome<Signer>> {
  const key = await openKey(kept.info.name, envelope, passphrase, kept.leaf.der)
  return key.ok ? ok({ ...signerParts(kept), sign: signWith(key.value) }) : key
}
