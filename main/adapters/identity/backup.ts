import { fail, type Outcome } from '../../core/failure.ts'
import type { IdentityInfo, Rekey } from '../../core/identities.ts'
import type { Entropy } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import { envelopeText, openSecret, parseEnvelope, sealSecret } from './envelope.ts'
import { type IdentityFiles, isIdentityPath, NAME, placeNew, writeApart } from './folder.ts'
import { keptIdentity } from './kept.ts'
import { readIdentity } from './lifecycle.ts'

const FORMAT = 'barewitness-identity-backup/1'
const LARGEST = 1 << 22

export interface BackupInput {
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
export async function backupIdentity({
  folder,
  name,
  to,
  rekey,
  entropy,
}: BackupInput): Promise<Outcome<IdentityInfo>> {
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
export async function restoreIdentity(folder: string, backup: Uint8Array): Promise<Outcome<IdentityInfo>> {
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
