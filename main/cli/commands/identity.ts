import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Command } from 'commander'
import { type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { IdentityInfo, RevokeInput, RotateInput } from '../../core/ports/identities.ts'
import {
  type Context,
  emit,
  emitText,
  endWith,
  type FolderOption,
  folderOf,
  JSON_OUTPUT,
  newFileInFolder,
  newPassphrase,
  type PassphraseOptions,
  p12Passphrase,
  passphrase,
  printIdentity,
  printLine,
  withFolder,
  withFoldersChecked,
  withPassphrase,
} from '../parts/options.ts'
import { readAuthority } from '../parts/sealing.ts'

type Options = PassphraseOptions & FolderOption & { readonly json?: true }

/** `identity …`: signing identities from creation to revocation. */
export function identityCommand(context: Context): void {
  const command = withFoldersChecked(context.program.command('identity').description('Manage signing identities'))
  const { identities } = context.ports
  withPassphrase(command.command('create').argument('<name>', 'Name of the identity'))
    .description('Create a P-256 key and root certificate')
    .requiredOption('--subject <text>', 'Person or organization that signs, as printed in reports')
    .action(async (name: string, options: Options & { subject: string }) => {
      const secret = await newPassphrase(options, 'Passphrase for the new identity')
      if (!secret.ok) return endWith(context, secret.error)
      const { subject } = options
      const folder = folderOf(context, options)
      const created = await identities.create({ folder, name, subject, passphrase: secret.value })
      if (!created.ok) return endWith(context, created.error)
      printLine(`Created identity ${name}: ${plain(created.value.subject)}`)
      printLine(`  fingerprint (SHA-256 of the certificate): ${created.value.fingerprint}`)
      printLine(
        `  Send auditors this root certificate over a separate channel, not in a pack: ${created.value.rootPath}`,
      )
      printLine(`  Back it up: barewitness identity backup ${name} --to FILE`)
    })
  withFolder(command.command('list'))
    .description('List identities')
    .option(...JSON_OUTPUT)
    .action(async (options: Options) => {
      const listed = await identities.list(folderOf(context, options))
      if (!listed.ok) return endWith(context, listed.error)
      if (options.json === true) return emit(listed.value)
      for (const { name, kind, subject, fingerprint, notAfter, retired } of listed.value) {
        printLine(`${name}  ${kind}  ${plain(subject)}  ${fingerprint}  valid until ${notAfter}`)
        for (const leaf of retired) printLine(`  retired  ${leaf.fingerprint}  valid until ${leaf.notAfter}`)
      }
      if (listed.value.length === 0) printLine('No identities.')
    })
  withFolder(command.command('trust').argument('<name>', 'Name of the identity'))
    .description('Print the root certificate and fingerprints for auditors')
    .option(...JSON_OUTPUT)
    .action(async (name: string, options: Options) => {
      const trust = await identities.trust(folderOf(context, options), name)
      if (!trust.ok) return endWith(context, trust.error)
      if (options.json === true) return emit(trust.value)
      emitText(trust.value.rootPem)
      printLine(`root certificate (SHA-256)    ${trust.value.rootFingerprint}`)
      printLine(`signing certificate (SHA-256) ${trust.value.leafFingerprint}`)
      printLine('Send both to auditors over a separate channel, not in a pack.')
    })
  renewingCommands(context, command)
  takingInCommands(context, command)
}

interface ImportOptions extends PassphraseOptions, FolderOption {
  readonly p12: string
  readonly chain: readonly string[]
  readonly crl: readonly string[]
  readonly p12PassphraseFd?: string
  readonly p12PassphraseFile?: string
}

interface TokenOptions extends PassphraseOptions, FolderOption {
  readonly module: string
  readonly token: string
  readonly key: string
  readonly certificate: readonly string[]
  readonly crl: readonly string[]
}

/** `identity import|add-token`: keys with certificates from another authority. */
function takingInCommands(context: Context, command: Command): void {
  const { identities, files } = context.ports
  withPassphrase(command.command('import').argument('<name>', 'Name of the identity'))
    .description('Import a PKCS#12 key')
    .requiredOption('--p12 <file>', 'PKCS#12 file (.p12, .pfx)')
    .option('--p12-passphrase-fd <number>', 'Read the passphrase of the PKCS#12 file from this file descriptor')
    .option(
      '--p12-passphrase-file <file>',
      'Read the passphrase of the PKCS#12 file from a file that only you can read',
    )
    .option('--chain <file...>', 'Certificates missing from the file, up to the root', [])
    .option('--crl <file...>', 'Revocation lists of the issuers', [])
    .action(async (name: string, options: ImportOptions) => {
      const p12 = await files.read(options.p12)
      if (!p12.ok) return endWith(context, p12.error)
      const others = await readAuthority(context.ports, { certificate: options.chain, crl: options.crl })
      if (!others.ok) return endWith(context, others.error)
      const old = await p12Passphrase(options, `Passphrase of ${options.p12}`)
      if (!old.ok) return endWith(context, old.error)
      const secret = await newPassphrase(options, `New passphrase for identity ${name}`)
      if (!secret.ok) return endWith(context, secret.error)
      const imported = await identities.importPkcs12({
        folder: folderOf(context, options),
        name,
        p12: p12.value,
        p12Passphrase: old.value,
        passphrase: secret.value,
        ...others.value,
      })
      printIdentity(
        context,
        imported,
        'Imported',
        `${options.p12} still contains the key. Store it elsewhere or destroy it.`,
      )
    })
  withPassphrase(command.command('add-token').argument('<name>', 'Name of the identity'))
    .description('Use a key on a PKCS#11 token')
    .requiredOption('--module <path>', 'Absolute path of the PKCS#11 module')
    .requiredOption('--token <label>', 'Label of the token')
    .requiredOption('--key <label>', 'Label of the key on the token')
    .option('--certificate <file...>', 'Certificates missing from the token, up to the root', [])
    .option('--crl <file...>', 'Revocation lists of the issuers', [])
    .action(async (name: string, options: TokenOptions) => {
      const others = await readAuthority(context.ports, options)
      if (!others.ok) return endWith(context, others.error)
      const pin = await passphrase(options, `PIN of token ${options.token}`)
      if (!pin.ok) return endWith(context, pin.error)
      const { module, token, key } = options
      const folder = folderOf(context, options)
      const added = await identities.addToken({ folder, name, module, token, key, pin: pin.value, ...others.value })
      printIdentity(
        context,
        added,
        'Added',
        'The key remains on the token. Each sealing requires the PIN, which is not stored.',
      )
    })
}

type RootOptions = PassphraseOptions & FolderOption & { readonly rootKey?: string }

const REASONS: readonly RevokeInput['reason'][] = ['superseded', 'key-compromise', 'cessation']

/** `identity backup|restore|rotate|revoke|take-root-offline`. */
function renewingCommands(context: Context, command: Command): void {
  const { identities, files } = context.ports
  withFolder(command.command('backup').argument('<name>', 'Name of the identity'))
    .description('Back up to a file')
    .requiredOption('--to <file>', 'New backup file; keys in it stay encrypted')
    .action(async (name: string, options: FolderOption & { to: string }) => {
      const fresh = newFileInFolder(options.to)
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
      const fresh = newFileInFolder(options.to)
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

/** Sentences on the protection of a backup and on what it omits. */
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
