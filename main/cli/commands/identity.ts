import { plain } from '../../core/plain-text.ts'
import type { Context } from '../context.ts'
import { endWith } from '../context.ts'
import { type FolderOption, folderOf, withFolder, withPassphrase } from '../identity-options.ts'
import { withFoldersChecked } from '../options.ts'
import { newPassphrase, type PassphraseOptions } from '../passphrase.ts'
import { emit, emitText, say } from '../terminal.ts'
import { takingInCommands } from './identity-import.ts'
import { renewingCommands } from './identity-lifecycle.ts'

type Options = PassphraseOptions & FolderOption & { readonly json?: true }

/** `identity …`: the keys that seal, from their making to their end. */
export function identityCommand(context: Context): void {
  const command = withFoldersChecked(
    context.program.command('identity').description('keys that seal packs and reports'),
  )
  const { identities } = context.world
  withPassphrase(command.command('create <name>'))
    .description('a local P-256 key with its own root certificate, encrypted with a passphrase')
    .requiredOption('--subject <words>', 'whose key this is, as reports will print it')
    .action(async (name: string, options: Options & { subject: string }) => {
      const secret = await newPassphrase(options, 'Passphrase for the new identity')
      if (!secret.ok) return endWith(context, secret.error)
      const { subject } = options
      const folder = folderOf(context, options)
      const created = await identities.create({ folder, name, subject, passphrase: secret.value })
      if (!created.ok) return endWith(context, created.error)
      say(`Created identity ${name}: ${plain(created.value.subject)}`)
      say(`  key fingerprint (SHA-256 of its certificate): ${created.value.fingerprint}`)
      say(`  give auditors this root certificate by a way of its own, not inside a pack: ${created.value.rootPath}`)
      say(`  keep a copy elsewhere: barewitness identity backup ${name} --to FILE`)
    })
  withFolder(command.command('list'))
    .description('identities on this computer')
    .option('--json', 'machine-readable')
    .action(async (options: Options) => {
      const listed = await identities.list(folderOf(context, options))
      if (!listed.ok) return endWith(context, listed.error)
      if (options.json === true) return emit(listed.value)
      for (const { name, kind, subject, fingerprint, notAfter, retired } of listed.value) {
        say(`${name}  ${kind}  ${plain(subject)}  ${fingerprint}  until ${notAfter}`)
        for (const leaf of retired) say(`  retired  ${leaf.fingerprint}  until ${leaf.notAfter}`)
      }
      if (listed.value.length === 0) say('There is no identity yet.')
    })
  withFolder(command.command('trust <name>'))
    .description('print the root certificate, and fingerprints to compare, for auditors')
    .option('--json', 'machine-readable')
    .action(async (name: string, options: Options) => {
      const trust = await identities.trust(folderOf(context, options), name)
      if (!trust.ok) return endWith(context, trust.error)
      if (options.json === true) return emit(trust.value)
      emitText(trust.value.rootPem)
      say(`root certificate (SHA-256)    ${trust.value.rootFingerprint}`)
      say(`signing certificate (SHA-256) ${trust.value.leafFingerprint}`)
      say('Give auditors both by a way of its own, not inside a pack.')
    })
  renewingCommands(context, command)
  takingInCommands(context, command)
}
