import type { Command } from 'commander'
import type { Assessment, Scope } from '../../schemas/types.ts'
import { exportRun } from '../app/export.ts'
import { catalog } from '../catalog/index.ts'
import { fail, type Outcome } from '../core/failure.ts'
import type { Signer } from '../core/ports.ts'
import type { LoadedRecording } from '../core/recording.ts'
import { ok } from '../core/result.ts'
import type { Context } from './context.ts'
import { type PassphraseOptions, passphrase, say } from './terminal.ts'

export interface SigningOptions extends PassphraseOptions {
  readonly identity?: string
  readonly identityFolder?: string
}

/** Options that say whose key seals. */
export const signingOptions = (command: Command): Command =>
  command
    .option('--identity <name>', 'the signing identity (see “identity create”); default the only one there is')
    .option('--identity-folder <folder>', 'where identities are kept')
    .option('--passphrase-fd <number>', 'read the passphrase from this file descriptor')
    .option('--passphrase-file <file>', 'read the passphrase from a file that only you can read')

/** Opens the named identity, or the only one. */
export async function openSigner({ world }: Context, options: SigningOptions): Promise<Outcome<Signer>> {
  const folder = options.identityFolder ?? world.identities.defaultFolder
  const listed = await world.identities.list(folder)
  if (!listed.ok) return listed
  const name = options.identity ?? (listed.value.length === 1 ? listed.value[0]?.name : undefined)
  if (name === undefined)
    return fail(
      'identity.missing',
      listed.value.length === 0
        ? `no identity in ${folder}`
        : `several identities in ${folder}; name one with --identity`,
    )
  const secret = await passphrase(options, `Passphrase of identity ${name}`)
  return secret.ok ? await world.identities.open(folder, name, secret.value) : secret
}

export interface ToExport {
  readonly run: string
  readonly scope: Scope
  readonly recordings: readonly LoadedRecording[]
  readonly folder: string
  readonly signer?: Signer
}

/** Assesses as of now, writes report, pack and tables, and names what was written. */
export async function exportAndSay(
  context: Context,
  options: SigningOptions,
  input: ToExport,
): Promise<Outcome<Assessment>> {
  const signer = input.signer === undefined ? await openSigner(context, options) : ok(input.signer)
  if (!signer.ok) return signer
  const { world } = context
  const exported = await exportRun(world, catalog, { ...input, asOf: world.clock.now(), signer: signer.value })
  if (!exported.ok) return exported
  say('')
  say('Wrote')
  for (const { path, size } of exported.value.files) say(`  ${path}  (${size} bytes)`)
  return ok(exported.value.assessment)
}
