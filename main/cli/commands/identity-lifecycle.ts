import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Command } from 'commander'
import type { Outcome } from '../../core/failure.ts'
import type { IdentityInfo, RevokeInput, RotateInput } from '../../core/identities.ts'
import { ok } from '../../core/result.ts'
import { type Context, endWith } from '../context.ts'
import { type FolderOption, folderOf, printIdentity, withFolder, withPassphrase } from '../identity-options.ts'
import { newFileBeside } from '../options.ts'
import { type PassphraseOptions, passphrase } from '../passphrase.ts'

type RootOptions = PassphraseOptions & FolderOption & { readonly rootKey?: string }

const REASONS: readonly RevokeInput['reason'][] = ['superseded', 'key-compromise', 'cessation']

/** `identity backup|restore|rotate|revoke|take-root-offline`. */
export function renewingCommands(context: Context, command: Command): void {
  const { identities, files } = context.ports
  withFolder(command.command('backup').argument('<name>', 'Name of the identity'))
    .description('Back up to a file')
    .requiredOption('--to <file>', 'New backup file; keys in it stay encrypted')
    .action(async (name: string, options: FolderOption & { to: string }) => {
      const fresh = newFileBeside(options.to)
      if (!fresh.ok) return endWith(context, fresh.error)
      const folder = folderOf(context, options)
      const backup = await identities.backup(folder, name, options.to)
      const rootKeyHere = (await files.digest(join(folder, name, 'root-key.json'))).ok
      printIdentity(
        context,
        backup,
        'Backed up',
        ...(backup.ok ? backupWords(options.to, backup.value.kind, rootKeyHere) : []),
      )
    })
  withFolder(command.command('restore').argument('<file>', 'Backup file'))
    .description('Restore from a file')
    .action(async (file: string, options: FolderOption) => {
      const backup = await files.read(file)
      if (!backup.ok) return endWith(context, backup.error)
      printIdentity(context, await identities.restore(folderOf(context, options), backup.value), 'Restored')
    })
  withPassphrase(command.command('rotate').argument('<name>', 'Name of the identity'))
    .description('Replace the key under the same root')
    .option('--reason <text>', 'Reason, stored in rotations.jsonl', 'planned')
    .option('--root-key <file>', 'Root key file, if the root was taken offline')
    .action(async (name: string, options: RootOptions & { reason: string }) => {
      const input = await rootInput(context, name, options)
      if (!input.ok) return endWith(context, input.error)
      const rotated = await identities.rotate({ ...input.value, why: options.reason })
      printIdentity(
        context,
        rotated,
        'Rotated',
        'Packs sealed with the old key remain valid. If the old key was compromised, also run: barewitness identity revoke',
        'If the root expires soon or its key is lost, create a new identity with “identity create”.',
      )
    })
  withPassphrase(command.command('revoke').argument('<name>', 'Name of the identity'))
    .description('Revoke a certificate')
    .requiredOption('--leaf <fingerprint>', 'SHA-256 fingerprint of the certificate, as printed by “identity list”')
    .requiredOption('--reason <word>', `Reason: ${REASONS.join(', ')}`)
    .option('--from <time>', 'Revocation date (UTC, ISO 8601); default now')
    .option('--root-key <file>', 'Root key file, if the root was taken offline')
    .action(async (name: string, options: RootOptions & { leaf: string; reason: string; from?: string }) => {
      const reason = REASONS.find((word) => word === options.reason)
      if (reason === undefined)
        return endWith(context, { code: 'input.refused', detail: `--reason must be one of ${REASONS.join(', ')}` })
      const input = await rootInput(context, name, options)
      if (!input.ok) return endWith(context, input.error)
      const { leaf, from } = options
      const revoked = await identities.revoke({ ...input.value, leaf, reason, ...(from === undefined ? {} : { from }) })
      printIdentity(
        context,
        revoked,
        'New revocation list of',
        `It contains ${leaf} and is included in every pack sealed from now on.`,
      )
    })
  withFolder(command.command('take-root-offline').argument('<name>', 'Name of the identity'))
    .description('Move the root key to a separate file')
    .requiredOption('--to <file>', 'New file outside the identity folder; the key stays encrypted')
    .action(async (name: string, options: FolderOption & { to: string }) => {
      const fresh = newFileBeside(options.to)
      if (!fresh.ok) return endWith(context, fresh.error)
      const folder = folderOf(context, options)
      if (isUnder(join(folder, name), options.to)) {
        const detail = `${options.to} is in the folder of the identity; select a file outside it`
        return endWith(context, { code: 'input.refused', detail })
      }
      const taken = await identities.takeRootOffline(folder, name, options.to)
      printIdentity(
        context,
        taken,
        'Took offline the root of',
        `“identity rotate” and “identity revoke” now require --root-key ${options.to}`,
      )
    })
}

/** What a backup protects, and what it does not contain. */
function backupWords(to: string, kind: IdentityInfo['kind'], rootKeyHere: boolean): readonly string[] {
  if (kind === 'token')
    return ['It contains the certificates and the location of the key. The key itself never leaves the token.']
  const safe = `The strength of the passphrase protects the keys in ${to}.`
  return kind === 'local' && !rootKeyHere
    ? [safe, 'It does not contain the root key, which is offline. Back up that file, too.']
    : [safe]
}

/** Whether a new file would be in a folder, links resolved. */
function isUnder(folder: string, file: string): boolean {
  if (!existsSync(folder)) return false
  const way = relative(realpathSync(folder), realpathSync(dirname(resolve(file))))
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}

/** The common input of rotation and revocation. The passphrase opens the root key. */
async function rootInput(
  context: Context,
  name: string,
  options: RootOptions,
): Promise<Outcome<Omit<RotateInput, 'why'>>> {
  const rootKey = options.rootKey === undefined ? null : await context.ports.files.read(options.rootKey)
  if (rootKey?.ok === false) return rootKey
  const secret = await passphrase(options, `Passphrase of identity ${name}`)
  if (!secret.ok) return secret
  const folder = folderOf(context, options)
  return ok({ folder, name, passphrase: secret.value, ...(rootKey === null ? {} : { rootKey: rootKey.value }) })
}
