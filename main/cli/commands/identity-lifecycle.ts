import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Command } from 'commander'
import type { Outcome } from '../../core/failure.ts'
import type { IdentityInfo, RevokeInput, RotateInput } from '../../core/identities.ts'
import { ok } from '../../core/result.ts'
import { type Context, endWith } from '../context.ts'
import { type FolderOption, folderOf, told, withFolder, withPassphrase } from '../identity-options.ts'
import { newFileBeside } from '../options.ts'
import { type PassphraseOptions, passphrase } from '../passphrase.ts'

type RootOptions = PassphraseOptions & FolderOption & { readonly rootKey?: string }

const REASONS: readonly RevokeInput['reason'][] = ['superseded', 'key-compromise', 'cessation']

/** `identity backup|restore|rotate|revoke|take-root-offline`. */
export function renewingCommands(context: Context, command: Command): void {
  const { identities, files } = context.world
  withFolder(command.command('backup <name>'))
    .description('what is kept here of an identity, in one file; keys stay encrypted with their passphrase')
    .requiredOption('--to <file>', 'a file that does not exist yet')
    .action(async (name: string, options: FolderOption & { to: string }) => {
      const fresh = newFileBeside(options.to)
      if (!fresh.ok) return endWith(context, fresh.error)
      const folder = folderOf(context, options)
      const backup = await identities.backup(folder, name, options.to)
      const rootKeyHere = (await files.digest(join(folder, name, 'root-key.json'))).ok
      told(context, backup, 'Backed up', ...(backup.ok ? backupWords(options.to, backup.value.kind, rootKeyHere) : []))
    })
  withFolder(command.command('restore <file>'))
    .description('put back an identity from its backup; never over one that is there')
    .action(async (file: string, options: FolderOption) => {
      const backup = await files.read(file)
      if (!backup.ok) return endWith(context, backup.error)
      told(context, await identities.restore(folderOf(context, options), backup.value), 'Restored')
    })
  withPassphrase(command.command('rotate <name>'))
    .description('a new key and certificate under the same root; the old key is deleted, its certificate kept')
    .option('--why <words>', 'the reason, kept in rotations.jsonl', 'planned')
    .option('--root-key <file>', 'the root’s key, when it was taken offline')
    .action(async (name: string, options: RootOptions & { why: string }) => {
      const input = await rootInput(context, name, options)
      if (!input.ok) return endWith(context, input.error)
      const rotated = await identities.rotate({ ...input.value, why: options.why })
      told(
        context,
        rotated,
        'Rotated',
        'What the old key sealed stays as it is. Was it lost to others? Then also: barewitness identity revoke',
        'Near the end of the root’s own time, or without its key, make a new identity with “identity create”.',
      )
    })
  withPassphrase(command.command('revoke <name>'))
    .description('put a certificate of a local identity on its revocation list')
    .requiredOption('--leaf <fingerprint>', 'SHA-256 of the certificate, as “identity list” prints it')
    .requiredOption('--reason <word>', REASONS.join(', '))
    .option('--from <time>', 'since when (ISO 8601); default now')
    .option('--root-key <file>', 'the root’s key, when it was taken offline')
    .action(async (name: string, options: RootOptions & { leaf: string; reason: string; from?: string }) => {
      const reason = REASONS.find((word) => word === options.reason)
      if (reason === undefined)
        return endWith(context, { code: 'input.refused', detail: `--reason must be one of ${REASONS.join(', ')}` })
      const input = await rootInput(context, name, options)
      if (!input.ok) return endWith(context, input.error)
      const { leaf, from } = options
      const revoked = await identities.revoke({ ...input.value, leaf, reason, ...(from === undefined ? {} : { from }) })
      told(
        context,
        revoked,
        'New revocation list of',
        `It names ${leaf}, and travels in every pack sealed from now on.`,
      )
    })
  withFolder(command.command('take-root-offline <name>'))
    .description('move the root’s key, encrypted as it is, to a file elsewhere; sealing does not need it')
    .requiredOption('--to <file>', 'a file that does not exist yet')
    .action(async (name: string, options: FolderOption & { to: string }) => {
      const fresh = newFileBeside(options.to)
      if (!fresh.ok) return endWith(context, fresh.error)
      const folder = folderOf(context, options)
      if (isUnder(join(folder, name), options.to)) {
        const detail = `${options.to} lies in the identity’s own folder; name a file elsewhere`
        return endWith(context, { code: 'input.refused', detail })
      }
      const taken = await identities.takeRootOffline(folder, name, options.to)
      told(context, taken, 'Took offline the root of', `rotate and revoke now need --root-key ${options.to}`)
    })
}

/** What a backup is worth, and what it lacks. */
function backupWords(to: string, kind: IdentityInfo['kind'], rootKeyHere: boolean): readonly string[] {
  if (kind === 'token')
    return ['It holds certificates and where the key is found. The key itself never leaves its token.']
  const safe = `${to} is as safe as the passphrase is strong.`
  return kind === 'local' && !rootKeyHere
    ? [safe, 'It lacks the root’s key, which was taken offline: keep a copy of that file too.']
    : [safe]
}

/** Whether a file to be made would lie in a folder, by whatever links either is reached. */
function isUnder(folder: string, file: string): boolean {
  if (!existsSync(folder)) return false
  const way = relative(realpathSync(folder), realpathSync(dirname(resolve(file))))
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}

/** What rotation and revocation need alike. The passphrase opens the root’s key. */
async function rootInput(
  context: Context,
  name: string,
  options: RootOptions,
): Promise<Outcome<Omit<RotateInput, 'why'>>> {
  const rootKey = options.rootKey === undefined ? null : await context.world.files.read(options.rootKey)
  if (rootKey?.ok === false) return rootKey
  const secret = await passphrase(options, `Passphrase of identity ${name}`)
  if (!secret.ok) return secret
  const folder = folderOf(context, options)
  return ok({ folder, name, passphrase: secret.value, ...(rootKey === null ? {} : { rootKey: rootKey.value }) })
}
