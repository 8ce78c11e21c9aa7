import { plain } from '../../core/plain-text.ts'
import type { Context } from '../context.ts'
import { endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { emit, type PassphraseOptions, passphrase, say } from '../terminal.ts'

type Options = PassphraseOptions & { readonly identityFolder?: string; readonly json?: true }

/** `identity create|list|trust`: the keys that seal. */
export function identityCommand(context: Context): void {
  const command = context.program.command('identity').description('keys that seal packs and reports')
  const folderOf = ({ identityFolder }: Options): string => identityFolder ?? context.world.identities.defaultFolder
  command
    .command('create <name>')
    .description('a local P-256 key with its own root certificate, encrypted with a passphrase')
    .requiredOption('--subject <words>', 'whose key this is, as reports will print it')
    .option('--identity-folder <folder>', 'where identities are kept')
    .option('--passphrase-fd <number>', 'read the passphrase from this file descriptor')
    .option('--passphrase-file <file>', 'read the passphrase from a file that only you can read')
    .action(async (name: string, options: Options & { subject: string }) => {
      const secret = await passphrase(options, 'Passphrase for the new identity')
      if (!secret.ok) return endWith(context, secret.error)
      if (secret.value.length < 8) {
        say('The passphrase must have at least 8 characters. Nothing was created.')
        return context.exit(EXIT.usage)
      }
      const created = await context.world.identities.create({
        folder: folderOf(options),
        name,
        subject: options.subject,
        passphrase: secret.value,
      })
      if (!created.ok) return endWith(context, created.error)
      say(`Created identity ${name}: ${plain(created.value.subject)}`)
      say(`  key fingerprint (SHA-256 of its certificate): ${created.value.fingerprint}`)
      say(`  give auditors this root certificate by a way of its own, not inside a pack: ${created.value.rootPath}`)
    })
  command
    .command('list')
    .description('identities on this computer')
    .option('--identity-folder <folder>', 'where identities are kept')
    .option('--json', 'machine-readable')
    .action(async (options: Options) => {
      const listed = await context.world.identities.list(folderOf(options))
      if (!listed.ok) return endWith(context, listed.error)
      if (options.json === true) return emit(listed.value)
      for (const { name, subject, fingerprint, notAfter } of listed.value)
        say(`${name}  ${plain(subject)}  ${fingerprint}  until ${notAfter}`)
      if (listed.value.length === 0) say('There is no identity yet.')
    })
}
