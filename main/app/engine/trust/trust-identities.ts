import type { IdentityView } from '../../../../schemas/ipc-packs.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { schedulePassphrasePath } from '../../../core/base/layout.ts'
import { plain } from '../../../core/base/plain-text.ts'
import type { IdentityInfo } from '../../../core/ports/identities.ts'
import type { Signer } from '../../../core/ports/ports.ts'
import type { EngineContext } from '../context/context.ts'
import { nothingOf, turnOf } from '../context/kept-json.ts'
import {
  identitiesFolder,
  type Keeping,
  keepingOf,
  keptHow,
  newPassphrase,
  newSecret,
  type Used,
  withSecret,
} from './trust-secrets.ts'

/** The signing identities of this user, each with how its secret is stored. */
export async function listIdentities(context: EngineContext): Promise<Outcome<readonly IdentityView[]>> {
  const listed = await context.ports.identities.list(identitiesFolder(context.folder))
  if (!listed.ok) return listed
  const views: IdentityView[] = []
  for (const { name, kind, subject, fingerprint, notAfter, retired } of listed.value) {
    const info = { name, kind, subject, fingerprint, notAfter, retired }
    views.push({ ...info, keptHow: keptHow(await keepingOf(context, info), context), card: identityCard(info) })
  }
  return ok(views)
}

/**
 * Creates an identity. Returns its passphrase and how that is stored, for sealing at once. Fails with identity.exists
 * too.
 */
export async function createIdentity(
  context: EngineContext,
  name: string,
  subject: string,
): Promise<Outcome<{ readonly value: string; readonly kept: Keeping['kept'] }>> {
  const { identities } = context.ports
  const folder = identitiesFolder(context.folder)
  const listed = await identities.list(folder)
  if (!listed.ok) return listed
  // Checked before a secret is stored for the name.
  if (listed.value.some((info) => info.name === name)) return fail('identity.exists', name)
  const secret = await newSecret(context, name)
  if (!secret.ok) return secret
  const created = await identities.create({ folder, name, subject, passphrase: secret.value.value })
  return created.ok ? secret : created
}

/**
 * Writes an identity into one file. Where no person knows its passphrase, a new one is requested and the keys in the
 * file are encrypted with it: a backup that only this computer can open would be useless.
 */
export async function backupIdentity(context: EngineContext, name: string, to: string): Promise<Outcome<null>> {
  const { identities } = context.ports
  const folder = identitiesFolder(context.folder)
  const info = await named(context, name)
  if (!info.ok) return info
  const { secret } = await keepingOf(context, info.value)
  if (secret === null) return nothingOf(await identities.backup(folder, name, to))
  const next = await newPassphrase(context, `Choose a passphrase for the backup of ${name}; you need it to restore it`)
  if (!next.ok) return next
  return nothingOf(await identities.backup(folder, name, to, { passphrase: secret, next: next.value }))
}

/** Writes the card of an identity into a text file. Fails with identity.missing, or as the file does. */
export async function saveIdentityCard(context: EngineContext, name: string, to: string): Promise<Outcome<null>> {
  const info = await named(context, name)
  return info.ok ? nothingOf(await context.ports.files.write(to, identityCard(info.value))) : info
}

/**
 * The passphrase of an identity in a file that only this user can read, for unattended runs; `chosen` null: the only identity.
 * The passphrase is the stored one, or the one that a person enters, after it opened the key. Returns the path.
 */
export async function makePassphraseFile(context: EngineContext, chosen: string | null): Promise<Outcome<string>> {
  const { identities, files, schedules } = context.ports
  const folder = identitiesFolder(context.folder)
  const name = await chosenName(context, chosen)
  if (!name.ok) return name
  const info = await named(context, name.value)
  if (!info.ok) return info
  const path = schedulePassphrasePath(context.folder, name.value)
  const written = await withSecret(context, info.value, async (secret) => {
    const opened = await identities.open(folder, name.value, secret)
    return opened.ok ? await files.write(path, `${secret}\n`) : opened
  })
  if (!written.ok) return written
  const readable = await schedules.secret(path)
  return readable.ok ? ok(path) : readable
}

/** A new key under the same root, with the same passphrase. */
export async function rotateIdentity(context: EngineContext, name: string, why: string): Promise<Outcome<null>> {
  const info = await named(context, name)
  if (!info.ok) return info
  const folder = identitiesFolder(context.folder)
  return nothingOf(
    await withSecret(context, info.value, (passphrase) =>
      context.ports.identities.rotate({ folder, name, passphrase, why }),
    ),
  )
}

/** One identity by name. Fails with identity.missing. */
async function named({ ports, folder }: EngineContext, name: string): Promise<Outcome<IdentityInfo>> {
  const listed = await ports.identities.list(identitiesFolder(folder))
  if (!listed.ok) return listed
  const found = listed.value.find((info) => info.name === name)
  return found === undefined ? fail('identity.missing', `there is no signing identity ${name}`) : ok(found)
}

/**
 * Opens the chosen key, or the only one. Its passphrase is requested where it is not stored. `purpose` is shown to a
 * signer at another computer. Fails with identity.missing where there is none.
 */
export async function signingKey(
  context: EngineContext,
  chosen: string | null,
  purpose?: string,
): Promise<Outcome<Used<Signer>>> {
  const { identities } = context.ports
  const name = await chosenName(context, chosen)
  if (!name.ok) return name
  const folder = identitiesFolder(context.folder)
  const info = await named(context, name.value)
  if (!info.ok) return info
  return await withSecret(context, info.value, (secret) => identities.open(folder, name.value, secret, purpose))
}

/** Opens the key of signingKey() once no other call uses the identities. */
export const signerOf = (context: EngineContext, chosen: string | null) => async (): Promise<Outcome<Signer>> => {
  const signer = await turnOf(context, 'identities')(() => signingKey(context, chosen))
  return signer.ok ? ok(signer.value.value) : signer
}

async function chosenName({ ports, folder, signing }: EngineContext, chosen: string | null): Promise<Outcome<string>> {
  if (chosen !== null) return ok(chosen)
  const listed = await ports.identities.list(identitiesFolder(folder))
  if (!listed.ok) return listed
  const [only, another] = listed.value
  if (only === undefined)
    return fail(
      'identity.missing',
      signing === 'here' ? 'there is no signing identity on this computer' : 'no sealer is connected to the server',
    )
  return another === undefined
    ? ok(only.name)
    : fail('input.refused', 'there are several signing identities; choose one')
}

/** A fingerprint in groups of four, eight to a line. */
const grouped = (fingerprint: string): readonly string[] =>
  (fingerprint.match(/.{1,32}/g) ?? []).map((line) => `  ${(line.match(/.{1,4}/g) ?? []).join(' ')}`)

/**
 * The text that a signer sends to auditors separately from the packs, so that they can confirm the signer. It
 * contains nothing secret.
 */
function identityCard({
  subject,
  fingerprint,
  notAfter,
  retired,
}: Pick<IdentityInfo, 'subject' | 'fingerprint' | 'notAfter' | 'retired'>): string {
  return [
    'Signing identity for evidence packs (Barewitness)',
    '',
    `Signer:      ${plain(subject)}`,
    `Valid until: ${notAfter.slice(0, 10)} (UTC)`,
    'Fingerprint of the certificate (SHA-256):',
    ...grouped(fingerprint),
    ...retired.flatMap((old) => [
      '',
      `Earlier key, valid until ${old.notAfter.slice(0, 10)} (UTC):`,
      ...grouped(old.fingerprint),
    ]),
    '',
    'To confirm the signer: open a pack, compare all 64 characters with those of the signature, and record how you',
    'received this card. Do not rely on a card that arrived together with the pack.',
    '',
  ].join('\n')
}
