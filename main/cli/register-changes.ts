import { dirname } from 'node:path'
import type { Command } from 'commander'
import type { Register, Scope } from '../../schemas/types.ts'
import { hexOf } from '../app/engine/kept-json.ts'
import { type Signing, signEntry, standsProblem } from '../app/register/sign.ts'
import { type Change, changeRegister } from '../app/register/store.ts'
import { catalog as ours } from '../catalog/index.ts'
import { type Catalog, catalogFor } from '../core/catalog.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { plain } from '../core/plain-text.ts'
import { entryOf, isOneKey, signaturesOf } from '../core/register/signatures.ts'
import { isOnePerson, type Moment } from '../core/register.ts'
import { ok } from '../core/result.ts'
import type { World } from '../core/world.ts'
import type { Context } from './context.ts'
import { withPassphrase } from './identity-options.ts'
import { withFoldersChecked } from './options.ts'
import { scopeFor } from './scope.ts'
import type { KeyOptions } from './sealing.ts'
import { openSigner } from './sealing.ts'
import { say } from './terminal.ts'

/** What commands about a register have in common. */
export interface RegisterOptions {
  readonly register: string
  readonly fleet?: string
}
export type SignedOptions = RegisterOptions & KeyOptions

export const withRegister = (command: Command): Command =>
  command.requiredOption('--register <file>', 'the register; its records lie in “attachments” beside it')
export const withFleet = (command: Command): Command =>
  command.option('--fleet <file>', 'the fleet file: its nodes, and the frameworks of your own that it names')
/** A key is used only where one is named: an entry without one is on the word of whoever keeps the register. */
export const withKey = (command: Command): Command =>
  withFoldersChecked(withPassphrase(command)).option(
    '--identity <name>',
    'sign with this identity (see “identity create”); without one the entry is not signed',
  )

/** The moment of a change, and an id for what it adds. */
export const momentOf = ({ clock, entropy }: Pick<World, 'clock' | 'entropy'>): Moment => ({
  now: clock.now(),
  id: hexOf(entropy.bytes(16)),
})

/** What a fleet file declares for a register: the catalog with its own frameworks, and its nodes; null without a file. */
export async function declaredFor(
  world: World,
  { fleet }: Pick<RegisterOptions, 'fleet'>,
): Promise<Outcome<{ readonly catalog: Catalog; readonly scope: Scope | null }>> {
  if (fleet === undefined) return ok({ catalog: ours, scope: null })
  const declared = await scopeFor(world, { fleet }, [])
  if (!declared.ok) return declared
  const { scope } = declared.value
  return ok({ catalog: catalogFor(ours, scope), scope })
}

/** Changes the register that is named. */
export const change = (
  { world }: Context,
  { register: path }: RegisterOptions,
  what: Change,
): Promise<Outcome<Register>> => changeRegister(world, { path, folder: dirname(path) }, what)

/** With --identity: the register with the entry signed in this role. Without: as it is. */
export async function signedWith(
  context: Context,
  options: KeyOptions,
  register: Register,
  { id, role }: { readonly id: string; readonly role: Signing['role'] },
): Promise<Outcome<Register>> {
  if (options.identity === undefined) {
    const problem = await standsProblem(context.world.sealing.reader, register, id)
    return problem === null ? ok(register) : fail('input.refused', problem)
  }
  return await signEntry(context.world, register, id, { role, openSigner: () => openSigner(context, options) })
}

/** Says how an entry stands with its signatures, and whether it is of one person. */
export function sayStanding(register: Register, id: string, { identity }: KeyOptions): void {
  const entry = entryOf(register, id)
  if (entry === null) return
  if (identity === undefined)
    say('  Not signed: it is on the word of whoever keeps the register. To sign, name an --identity.')
  else say(`  Signed with ${plain(identity)}, key ${signaturesOf(entry).at(-1)?.fingerprint}.`)
  if (!('approvedBy' in entry) || !isOnePerson(entry)) return
  say(`  Asked for and approved by one person${isOneKey(entry) ? ', with one key' : ''}. Every report says so.`)
}
