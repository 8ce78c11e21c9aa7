import type { Command } from 'commander'
import type { AcceptanceRequestDraft } from '../../../schemas/ipc-packs.ts'
import type { Register } from '../../../schemas/types.ts'
import { idNamed } from '../../app/register/named.ts'
import type { Outcome } from '../../core/failure.ts'
import { decisionsOf, withdrawDecision } from '../../core/register/decisions.ts'
import { explanationsOf, withdrawExplanation } from '../../core/register/explanations.ts'
import { acceptanceRequestsOf, approveRequest, requestAcceptance, resolveRequest } from '../../core/register/pending.ts'
import { entryOf } from '../../core/register/signatures.ts'
import { withdrawAcceptance } from '../../core/register.ts'
import { ok } from '../../core/result.ts'
import { type Context, endWith } from '../context.ts'
import {
  change,
  declaredFor,
  momentOf,
  printStatus,
  type RegisterOptions,
  type SignedOptions,
  signedWith,
  withFleet,
  withKey,
  withRegister,
} from '../register-changes.ts'
import { say } from '../terminal.ts'
import { decideCommand } from './except-decide.ts'
import { exceptListCommand } from './except-list.ts'

/** `acceptance request|approve|reject|withdraw|sign|list` and `decision add`: risk acceptances and control decisions. Verdicts never change. */
export function exceptCommand(context: Context): void {
  const command = context.program.command('acceptance').description('Manage risk acceptances; verdicts never change')
  askCommands(context, command)
  resolveCommands(context, command)
  decideCommand(context)
  exceptListCommand(context, command)
}

type RequestOptions = SignedOptions &
  Omit<AcceptanceRequestDraft, 'nodes' | 'compensatingControl' | 'until'> & {
    readonly node: readonly string[]
    readonly compensatingControl: string
    readonly expires: string
  }
type ApproveOptions = SignedOptions & { readonly approvedBy: string; readonly role: string }

function askCommands(context: Context, command: Command): void {
  const { ports } = context
  withKey(withFleet(withRegister(command.command('request'))))
    .description('Request acceptance of a deviation until a date')
    .requiredOption('--check <id>', 'Check (see “catalog checks”)')
    .requiredOption('--node <names...>', 'Nodes with the deviation')
    .requiredOption('--reason <text>', 'Reason for accepting the risk')
    .requiredOption('--compensating-control <text>', 'Control that reduces the risk')
    .requiredOption('--owner <name>', 'Owner of the risk')
    .requiredOption('--requested-by <name>', 'Requester')
    .requiredOption('--expires <date>', 'Last day (UTC), such as 2027-03-01; at most 366 days ahead')
    .action(async (options: RequestOptions) => {
      const declared = await declaredFor(ports, options)
      if (!declared.ok) return endWith(context, declared.error)
      const { catalog, scope } = declared.value
      const { check, node, compensatingControl, expires: until } = options
      const draft = { ...options, nodes: node, compensatingControl: compensatingControl, until }
      const facts = {
        ...momentOf(ports),
        hasCheck: (id: string) => catalog.checks.some((one) => one.id === id),
        hasNode: (name: string) => scope === null || scope.population.includes(name),
      }
      const changed = await change(context, options, {
        begin: true,
        next: async (register) => {
          const asked = requestAcceptance(register, draft, facts)
          return asked.ok ? await signedWith(context, options, asked.value, { id: facts.id, role: 'requester' }) : asked
        },
      })
      if (!changed.ok) return endWith(context, changed.error)
      say(
        `Requested: ${facts.id}, ${check} on ${node.length === 1 ? 'one node' : `${node.length} nodes`}, until the end of ${until} UTC.`,
      )
      printStatus(changed.value, facts.id, options)
      say('  No effect until approved. Next: barewitness acceptance approve')
    })
  withKey(withRegister(command.command('approve').argument('<id>', 'ID of the entry, or its first characters')))
    .description('Approve a request as submitted')
    .requiredOption('--approved-by <name>', 'Approver')
    .requiredOption('--role <text>', 'Role of the approver, such as security officer')
    .action(async (text: string, options: ApproveOptions) => {
      const { approvedBy, role: approverRole } = options
      const done = await onEntry(context, options, text, async (register, id) => {
        const approved = approveRequest(register, { id, approvedBy, approverRole }, ports.clock.now())
        return approved.ok ? await signedWith(context, options, approved.value, { id, role: 'approver' }) : approved
      })
      if (!done.ok) return endWith(context, done.error)
      const { id, register } = done.value
      const entry = register.riskAcceptances.find((one) => one.id === id)
      say(
        `Approved: risk acceptance ${id}, until the end of ${entry?.expiresAt.slice(0, 10)} UTC. The verdict does not change.`,
      )
      printStatus(register, id, options)
    })
  withKey(withRegister(command.command('sign').argument('<id>', 'ID of the entry, or its first characters')))
    .description('Add a digital signature to an entry')
    .requiredOption('--as <role>', 'Role of the signer: requester or approver')
    .action(async (text: string, options: SignedOptions & { readonly as: string }) => {
      const { as: role, identity } = options
      if (role !== 'requester' && role !== 'approver')
        return endWith(context, { code: 'input.refused', detail: '--as must be requester or approver' })
      if (identity === undefined)
        return endWith(context, { code: 'input.refused', detail: '--identity is required to sign' })
      const done = await onEntry(context, options, text, (register, id) =>
        signedWith(context, options, register, { id, role }),
      )
      if (!done.ok) return endWith(context, done.error)
      say(`Signed as ${role}: ${done.value.id}.`)
      printStatus(done.value.register, done.value.id, options)
    })
}

type ResolveOptions = RegisterOptions & { readonly by: string; readonly reason: string }

function resolveCommands(context: Context, command: Command): void {
  const { ports } = context
  const resolving = (name: string, description: string): Command =>
    withRegister(command.command(name).argument('<id>', 'ID of the entry, or its first characters'))
      .description(description)
      .requiredOption('--by <name>', 'Person who decides')
      .requiredOption('--reason <text>', 'Reason')
  resolving('reject', 'Reject a request').action(async (text: string, { by, reason, ...options }: ResolveOptions) => {
    const done = await onEntry(context, options, text, (register, id) =>
      resolveRequest(register, { id, by, reason, as: 'rejected' }, ports.clock.now()),
    )
    if (!done.ok) return endWith(context, done.error)
    say(`Rejected: request ${done.value.id}. It remains in the register.`)
  })
  resolving('withdraw', 'Withdraw a request, acceptance, decision or explanation').action(
    async (text: string, { by, reason, ...options }: ResolveOptions) => {
      const done = await onEntry(context, options, text, (register, id) =>
        withdraw(register, { id, by, reason }, ports.clock.now()),
      )
      if (!done.ok) return endWith(context, done.error)
      say(`Withdrawn: ${done.value.id}. It remains in the register.`)
    },
  )
}

function withdraw(
  register: Register,
  draft: { readonly id: string; readonly by: string; readonly reason: string },
  now: string,
): Outcome<Register> {
  if (explanationsOf(register).some(({ id }) => id === draft.id)) return withdrawExplanation(register, draft, now)
  const entry = entryOf(register, draft.id)
  if (entry !== null && 'acceptedAt' in entry) return withdrawAcceptance(register, draft, now)
  if (entry !== null && 'decidedAt' in entry) return withdrawDecision(register, draft, now)
  return resolveRequest(register, { ...draft, as: 'withdrawn' }, now)
}

/** Changes one entry, identified by its ID or the first characters of it. Fails with input.refused for none or several. */
async function onEntry(
  context: Context,
  options: RegisterOptions,
  text: string,
  next: (register: Register, id: string) => Outcome<Register> | Promise<Outcome<Register>>,
): Promise<Outcome<{ readonly id: string; readonly register: Register }>> {
  let id = ''
  const changed = await change(context, options, {
    begin: false,
    next: async (register) => {
      const { riskAcceptances } = register
      const named = idNamed(
        [
          ...riskAcceptances,
          ...acceptanceRequestsOf(register),
          ...decisionsOf(register),
          ...explanationsOf(register),
        ].map((one) => one.id),
        text,
      )
      if (!named.ok) return named
      id = named.value
      return await next(register, id)
    },
  })
  return changed.ok ? ok({ id, register: changed.value }) : changed
}
