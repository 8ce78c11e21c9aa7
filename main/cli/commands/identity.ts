import { plain } from '../../core/plain-text.ts'
import type { Context } from '../context.ts'
import { endWith } from '../context.ts'
import { type FolderOption, folderOf, withFolder, withPassphrase } from '../identity-options.ts'
import { JSON_OUTPUT, withFoldersChecked } from '../options.ts'
import { newPassphrase, type PassphraseOptions } from '../passphrase.ts'
import { emit, emitText, say } from '../terminal.ts'
import { takingInCommands } from './identity-import.ts'
import { renewingCommands } from './identity-lifecycle.ts'

type Options = PassphraseOptions & FolderOption & { readonly json?: true }

/** `identity …`: signing identities from creation to revocation. */
export function identityCommand(context: Context): void {
  const command = withFoldersChecked(context.program.command('identity').description('Manage signing identities'))
  const { identities } = context.world
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
      say(`Created identity ${name}: ${plain(created.value.subject)}`)
      say(`  fingerprint (SHA-256 of the certificate): ${created.value.fingerprint}`)
      say(`  Send auditors this root certificate over a separate channel, not in a pack: ${created.value.rootPath}`)
      say(`  Back it up: barewitness identity backup ${name} --to FILE`)
    })
  withFolder(command.command('list'))
    .description('List identities')
    .option(...JSON_OUTPUT)
    .action(async (options: Options) => {
      const listed = await identities.list(folderOf(context, options))
      if (!listed.ok) return endWith(context, listed.error)
      if (options.json === true) return emit(listed.value)
      for (const { name, kind, subject, fingerprint, notAfter, retired } of listed.value) {
        say(`${name}  ${kind}  ${plain(subject)}  ${fingerprint}  valid until ${notAfter}`)
        for (const leaf of retired) say(`  retired  ${leaf.fingerprint}  valid until ${leaf.notAfter}`)
      }
      if (listed.value.length === 0) say('No identities.')
    })
  withFolder(command.command('trust').argument('<name>', 'Name of the identity'))
    .description('Print the root certificate and fingerprints for auditors')
    .option(...JSON_OUTPUT)
    .action(async (name: string, options: Options) => {
      const trust = await identities.trust(folderOf(context, options), name)
      if (!trust.ok) return endWith(context, trust.error)
      if (options.json === true) return emit(trust.value)
      emitText(trust.value.rootPem)
      say(`root certificate (SHA-256)    ${trust.value.rootFingerprint}`)
      say(`signing certificate (SHA-256) ${trust.value.leafFingerprint}`)
      say('Send both to auditors over a separate channel, not in a pack.')
    })
  renewingCommands(context, command)
  takingInCommands(context, command)
}
