import type { KeyObject } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { pem } from '../../core/base/pem.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { IdentityInfo, RevokeInput, RotateInput } from '../../core/ports/identities.ts'
import type { Clock, Entropy } from '../../core/ports/ports.ts'
import { namesOf } from '../seal/x509.ts'
import { DAY, issueList, issuerOf, listToContinue, nextLeaf, revokedEntry } from './certificates.ts'
import { describe, readFiles, replaceAll, retiredPath, writeApart } from './folder.ts'
import { type KeptIdentity, keptIdentity } from './kept.ts'
import { keyFile, openKey } from './local.ts'
import { parseEnvelope } from './pkcs12.ts'

/** Reads an identity of a folder. Fails with identity.missing or identity.unreadable. */
export async function readIdentity(folder: string, name: string): Promise<Outcome<KeptIdentity>> {
  const files = await readFiles(folder, name)
  return files.ok ? keptIdentity(name, files.value) : files
}

/** Reads an identity with its own root. Fails as readIdentity(), and with key.refused for any other identity. */
async function readLocal(folder: string, name: string): Promise<Outcome<KeptIdentity>> {
  const read = await readIdentity(folder, name)
  if (!read.ok || read.value.info.kind === 'local') return read
  return fail(
    'key.refused',
    `the certificate of ${name} has another issuer; only that issuer can renew or revoke its certificate`,
  )
}

/** The root's key, from the identity's own folder or from a file elsewhere. */
async function openRootKey(
  kept: KeptIdentity,
  passphrase: string,
  rootKeyFile: Uint8Array | undefined,
): Promise<Outcome<KeyObject>> {
  const { name } = kept.info
  const text = rootKeyFile === undefined ? kept.files['root-key.json'] : Buffer.from(rootKeyFile).toString('utf8')
  if (text === undefined)
    return fail('input.refused', `the root key of ${name} is offline; name its file with --root-key`)
  const envelope = parseEnvelope(text)
  if (envelope?.header.use !== 'root' || envelope.header.root !== kept.root.fingerprint)
    return fail('identity.unreadable', `${name}: this is not the key of its root`)
  return await openKey(name, envelope, passphrase, kept.root.der)
}

/** The next revocation list, with one more entry or none. */
function nextList(kept: KeptIdentity, rootKey: KeyObject, now: number, until: number, entry?: Uint8Array): string {
  const before = listToContinue(kept.crls[0] ?? new Uint8Array())
  const list = issueList(issuerOf(kept.root.der, rootKey), {
    number: before.number + 1n,
    from: Math.floor(now / 1000) * 1000,
    until: Math.max(before.until, until),
    entries: entry === undefined ? before.entries : [...before.entries, entry],
  })
  return pem('X509 CRL', list)
}

/**
 * A new key and leaf under the same root, a new revocation list, and a line in rotations.jsonl that links the old leaf
 * to the new. The old leaf's certificate stays in retired/; its private key is deleted. Fails with identity.missing,
 * identity.unreadable, identity.passphrase-wrong, input.refused, key.refused or store.failed.
 */
export async function rotateIdentity(
  input: RotateInput & { readonly clock: Clock; readonly entropy: Entropy },
): Promise<Outcome<IdentityInfo>> {
  const { folder, name, passphrase, clock, entropy } = input
  const why = input.why.trim()
  if (why === '' || why.length > 200 || plain(why) !== why)
    return fail('input.refused', 'the reason must have 1 to 200 printable characters')
  const read = await readLocal(folder, name)
  if (!read.ok) return read
  const kept = read.value
  const rootKey = await openRootKey(kept, passphrase, input.rootKey)
  if (!rootKey.ok) return rootKey
  const at = clock.now()
  const next = nextLeaf(kept.root.der, rootKey.value, kept.leaf.der, { now: at, entropy })
  if (next === null)
    return fail(
      'key.refused',
      `the root of ${name} expires at ${kept.root.notAfter}; create a new one with “identity create”`,
    )
  const leaf = sha256(next.leaf)
  const statement = canonicalJson({ from: kept.leaf.fingerprint, to: leaf, at, why })
  const files = {
    ...kept.files,
    'leaf.pem': pem('CERTIFICATE', next.leaf),
    'crl.pem': nextList(kept, rootKey.value, Date.parse(at), next.until + DAY),
    'key.json': await keyFile(next.key, passphrase, { name, leaf, root: kept.root.fingerprint, use: 'leaf' }, entropy),
    'rotations.jsonl': `${kept.files['rotations.jsonl'] ?? ''}${statement}\n`,
    [retiredPath(kept.leaf.fingerprint)]: pem('CERTIFICATE', kept.leaf.der),
  }
  return await replaced(folder, name, files)
}

/**
 * Adds a leaf of a local identity, the current or a retired one, to a new revocation list. Fails as rotateIdentity
 * does, and with input.refused for a leaf that is not this identity's, is already listed, or for a time before it began
 * or in the future.
 */
export async function revokeLeaf(input: RevokeInput & { readonly clock: Clock }): Promise<Outcome<IdentityInfo>> {
  const { folder, name, passphrase, clock, reason } = input
  const read = await readLocal(folder, name)
  if (!read.ok) return read
  const kept = read.value
  const leaf = [kept.leaf, ...kept.retired].find(({ fingerprint }) => fingerprint === input.leaf)
  if (leaf === undefined)
    return fail('input.refused', `${plain(input.leaf)} is not a leaf of ${name}; see “identity list”`)
  const now = Date.parse(clock.now())
  const from = input.from === undefined ? now : Date.parse(input.from)
  if (!(from <= now && from >= Date.parse(leaf.notBefore)))
    return fail('input.refused', `--from must be a time between ${leaf.notBefore} and now`)
  const { serial } = namesOf(leaf.der)
  const before = listToContinue(kept.crls[0] ?? new Uint8Array())
  if (before.entries.some((entry) => Buffer.from(entry).includes(Buffer.from(serial))))
    return fail('input.refused', `${leaf.fingerprint} is already on the revocation list of ${name}`)
  const rootKey = await openRootKey(kept, passphrase, input.rootKey)
  if (!rootKey.ok) return rootKey
  const entry = revokedEntry(serial, new Date(from), reason)
  return await replaced(folder, name, { ...kept.files, 'crl.pem': nextList(kept, rootKey.value, now, 0, entry) })
}

/** Files are checked to form an identity before they replace one. */
async function replaced(folder: string, name: string, files: KeptIdentity['files']): Promise<Outcome<IdentityInfo>> {
  const next = keptIdentity(name, files)
  if (!next.ok) return next
  const placed = await replaceAll(folder, name, files)
  return placed.ok ? ok(next.value.info) : placed
}

/**
 * Moves the root's key, encrypted as it is, into a file elsewhere. Sealing no longer needs it. Never overwrites a file.
 * Fails with identity.missing, identity.unreadable, input.refused or store.failed.
 */
export async function takeRootOffline(folder: string, name: string, to: string): Promise<Outcome<IdentityInfo>> {
  const read = await readIdentity(folder, name)
  if (!read.ok) return read
  const text = read.value.files['root-key.json']
  if (text === undefined) return fail('input.refused', `the root key of ${name} is not stored here`)
  const written = await writeApart(to, text)
  if (!written.ok) return written
  try {
    await rm(join(folder, name, 'root-key.json'))
    return ok(read.value.info)
  } catch (problem) {
    return fail('store.failed', describe(problem))
  }
}
