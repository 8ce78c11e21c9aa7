import type { Command } from 'commander'
import { type Context, endWith } from '../context.ts'
import { type FolderOption, folderOf, told, withPassphrase } from '../identity-options.ts'
import { newPassphrase, type PassphraseOptions, p12Passphrase, passphrase } from '../passphrase.ts'
import { readAuthority } from '../trusting.ts'

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

/** `identity import|add-token`: keys that others certified. */
export function takingInCommands(context: Context, command: Command): void {
  const { identities, files } = context.world
  withPassphrase(command.command('import <name>'))
    .description('take a key and its certificates out of a PKCS#12 file, and keep it under a passphrase of its own')
    .requiredOption('--p12 <file>', 'the PKCS#12 file (.p12, .pfx)')
    .option('--p12-passphrase-fd <number>', 'read the passphrase of that file from this file descriptor')
    .option('--p12-passphrase-file <file>', 'read the passphrase of that file from a file that only you can read')
    .option('--chain <file...>', 'certificates that the file lacks, up to the root', [])
    .option('--crl <file...>', 'revocation lists of the certificate’s issuers', [])
    .action(async (name: string, options: ImportOptions) => {
      const p12 = await files.read(options.p12)
      if (!p12.ok) return endWith(context, p12.error)
      const others = await readAuthority(context.world, { certificate: options.chain, crl: options.crl })
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
      told(context, imported, 'Imported', `${options.p12} still holds the key; keep it apart or destroy it.`)
    })
  withPassphrase(command.command('add-token <name>'))
    .description('a key that stays on a security token, reached through the token maker’s PKCS#11 module')
    .requiredOption('--module <path>', 'whole path of the PKCS#11 module')
    .requiredOption('--token <label>', 'label of the token')
    .requiredOption('--key <label>', 'label of the key on it')
    .option('--certificate <file...>', 'certificates that the token lacks, up to the root', [])
    .option('--crl <file...>', 'revocation lists of the certificate’s issuers', [])
    .action(async (name: string, options: TokenOptions) => {
      const others = await readAuthority(context.world, options)
      if (!others.ok) return endWith(context, others.error)
      const pin = await passphrase(options, `PIN of token ${options.token}`)
      if (!pin.ok) return endWith(context, pin.error)
      const { module, token, key } = options
      const folder = folderOf(context, options)
      const added = await identities.addToken({ folder, name, module, token, key, pin: pin.value, ...others.value })
      told(context, added, 'Added', 'The key stays on its token. The PIN is asked for each sealing, and kept nowhere.')
    })
}
