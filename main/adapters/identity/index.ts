import { fail, type Outcome } from '../../core/failure.ts'
import type { Identities, IdentityInfo, IdentityTrust } from '../../core/identities.ts'
import { pem } from '../../core/pem.ts'
import type { Clock, Entropy, Signer } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import { revocation } from '../seal/path.ts'
import { readCertificate } from '../seal/x509.ts'
import { backupIdentity, restoreIdentity } from './backup.ts'
import { namesIn } from './folder.ts'
import { importPkcs12 } from './import.ts'
import { readIdentity, revokeLeaf, rotateIdentity, takeRootOffline } from './lifecycle.ts'
import { createIdentity, openFileKey } from './local.ts'
import { addToken, openTokenKey } from './token-identity.ts'

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

/** What an auditor needs from the signer by a separate channel: the root certificate, and fingerprints to compare. */
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
