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

/** `identity import|add-token`: keys with certificates from another authority. */
export function takingInCommands(context: Context, command: Command): void {
  const { identities, files } = context.world
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
      told(context, imported, 'Imported', `${options.p12} still contains the key. Store it elsewhere or destroy it.`)
    })
  withPassphrase(command.command('add-token').argument('<name>', 'Name of the identity'))
    .description('Use a key on a PKCS#11 token')
    .requiredOption('--module <path>', 'Absolute path of the PKCS#11 module')
    .requiredOption('--token <label>', 'Label of the token')
    .requiredOption('--key <label>', 'Label of the key on the token')
    .option('--certificate <file...>', 'Certificates missing from the token, up to the root', [])
    .option('--crl <file...>', 'Revocation lists of the issuers', [])
    .action(async (name: string, options: TokenOptions) => {
      const others = await readAuthority(context.world, options)
      if (!others.ok) return endWith(context, others.error)
      const pin = await passphrase(options, `PIN of token ${options.token}`)
      if (!pin.ok) return endWith(context, pin.error)
      const { module, token, key } = options
      const folder = folderOf(context, options)
      const added = await identities.addToken({ folder, name, module, token, key, pin: pin.value, ...others.value })
      told(context, added, 'Added', 'The key remains on the token. Each sealing requires the PIN, which is not stored.')
    })
}
