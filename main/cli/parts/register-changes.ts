import { dirname } from 'node:path'
import type { Command } from 'commander'
import type { Register, Scope } from '../../../schemas/types.ts'
import { type Change, changeRegister, type Signing, signaturesProblem, signEntry } from '../../app/register/store.ts'
import { catalog as ours } from '../../catalog/definition/index.ts'
import type { Ports } from '../../core/all-ports.ts'
import { hexOf } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import { isOnePerson, type Moment } from '../../core/register/register.ts'
import { entryOf, isOneKey, signaturesOf } from '../../core/register/signatures.ts'
import { type Catalog, catalogFor } from '../../core/rules/catalog.ts'
import { type Context, printLine, withFoldersChecked, withPassphrase } from './options.ts'
import { scopeFor } from './scope.ts'
import { type KeyOptions, openSigner } from './sealing.ts'

/** Options of every command about a register. */
export interface RegisterOptions {
  readonly register: string
  readonly fleet?: string
}

export type SignedOptions = RegisterOptions & KeyOptions

export const withRegister = (command: Command): Command =>
  command.requiredOption('--register <file>', 'Register file; documents are stored in “documents” next to it')
export const withFleet = (command: Command): Command =>
  command.option('--fleet <file>', 'Fleet file, for its nodes and its own frameworks')
/** Signing is optional: without --identity an entry carries no digital signature. */
export const withKey = (command: Command): Command =>
  withFoldersChecked(withPassphrase(command)).option(
    '--identity <name>',
    'Sign with this identity (see “identity create”); without it the entry is not signed',
  )

/** The time of a change, and a random id for the entry it adds. */
export const momentOf = ({ clock, entropy }: Pick<Ports, 'clock' | 'entropy'>): Moment => ({
  now: clock.now(),
  id: hexOf(entropy.bytes(16)),
})

/** The catalog with the fleet file's own frameworks, and its declared scope; the plain catalog and null without a file. */
export async function declaredFor(
  ports: Ports,
  { fleet }: Pick<RegisterOptions, 'fleet'>,
): Promise<Outcome<{ readonly catalog: Catalog; readonly scope: Scope | null }>> {
  if (fleet === undefined) return ok({ catalog: ours, scope: null })
  const declared = await scopeFor(ports, { fleet }, [])
  if (!declared.ok) return declared
  const { scope } = declared.value
  return ok({ catalog: catalogFor(ours, scope), scope })
}

/** Changes the named register. */
export const change = (
  { ports }: Context,
  { register: path }: RegisterOptions,
  what: Change,
): Promise<Outcome<Register>> => changeRegister(ports, { path, folder: dirname(path) }, what)

/** The register with the entry signed in this role; unchanged without --identity. */
export async function signedWith(
  context: Context,
  options: KeyOptions,
  register: Register,
  { id, role }: { readonly id: string; readonly role: Signing['role'] },
): Promise<Outcome<Register>> {
  if (options.identity === undefined) {
    const problem = await signaturesProblem(context.ports.sealing.reader, register, id)
    return problem === null ? ok(register) : fail('input.refused', problem)
  }
  return await signEntry(context.ports, register, id, { role, openSigner: () => openSigner(context, options) })
}

/** Prints whether an entry is signed, and whether requester and approver are the same person (no segregation of duties). */
export function printStatus(register: Register, id: string, { identity }: KeyOptions): void {
  const entry = entryOf(register, id)
  if (entry === null) return
  if (identity === undefined) printLine('  Not digitally signed. To sign, use --identity.')
  else printLine(`  Signed with ${plain(identity)}, key ${signaturesOf(entry).at(-1)?.fingerprint}.`)
  if (!('approvedBy' in entry) || !isOnePerson(entry)) return
  printLine(
    `  No segregation of duties: requester and approver are the same person${isOneKey(entry) ? ' and use the same key' : ''}. Every report states this.`,
  )
}
