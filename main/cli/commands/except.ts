import type { Command } from 'commander'
import type { PendingDraft } from '../../../schemas/ipc-packs.ts'
import type { Register } from '../../../schemas/types.ts'
import { idNamed } from '../../app/register/named.ts'
import type { Outcome } from '../../core/failure.ts'
import { decisionsOf, withdrawDecision } from '../../core/register/decisions.ts'
import { explanationsOf, withdrawExplanation } from '../../core/register/explanations.ts'
import { approveException, pendingOf, requestException, settleRequest } from '../../core/register/pending.ts'
import { entryOf } from '../../core/register/signatures.ts'
import { withdrawException } from '../../core/register.ts'
import { ok } from '../../core/result.ts'
import { type Context, endWith } from '../context.ts'
import {
  change,
  declaredFor,
  momentOf,
  type RegisterOptions,
  type SignedOptions,
  sayStanding,
  signedWith,
  withFleet,
  withKey,
  withRegister,
} from '../register-changes.ts'
import { say } from '../terminal.ts'
import { decideCommand } from './except-decide.ts'
import { exceptListCommand } from './except-list.ts'

/** `except request|approve|refuse|withdraw|decide|sign|list`: what people accept, and what they decide about rows. No verdict changes by it. */
export function exceptCommand(context: Context): void {
  const command = context.program
    .command('except')
    .description('accepted exceptions and decisions about rows; none of them changes a verdict')
  askCommands(context, command)
  settleCommands(context, command)
  decideCommand(context, command)
  exceptListCommand(context, command)
}

type RequestOptions = SignedOptions &
  Omit<PendingDraft, 'nodes' | 'compensatingMeasure'> & {
    readonly node: readonly string[]
    readonly measure: string
  }
type ApproveOptions = SignedOptions & { readonly approvedBy: string; readonly role: string }

function askCommands(context: Context, command: Command): void {
  const { world } = context
  withKey(withFleet(withRegister(command.command('request'))))
    .description('ask for a finding to be accepted until a day; it accepts nothing until somebody approves it')
    .requiredOption('--check <id>', 'the check (see “catalog checks”)')
    .requiredOption('--node <names...>', 'the nodes on which it is to be accepted')
    .requiredOption('--reason <words>', 'why the finding is to be accepted')
    .requiredOption('--measure <words>', 'what is done instead')
    .requiredOption('--owner <name>', 'who sees to it')
    .requiredOption('--requested-by <name>', 'who asks')
    .requiredOption('--until <day>', 'the last day, UTC, such as 2027-03-01; at most 366 days ahead')
    .action(async (options: RequestOptions) => {
      const declared = await declaredFor(world, options)
      if (!declared.ok) return endWith(context, declared.error)
      const { catalog, scope } = declared.value
      const { check, node, measure } = options
      const facts = {
        ...momentOf(world),
        hasCheck: (id: string) => catalog.checks.some((one) => one.id === id),
        hasNode: (name: string) => scope === null || scope.population.includes(name),
      }
      const changed = await change(context, options, {
        begin: true,
        next: async (register) => {
          const asked = requestException(register, { ...options, nodes: node, compensatingMeasure: measure }, facts)
          return asked.ok ? await signedWith(context, options, asked.value, { id: facts.id, role: 'requester' }) : asked
        },
      })
      if (!changed.ok) return endWith(context, changed.error)
      say(
        `Asked: request ${facts.id}, ${check} on ${node.length === 1 ? 'one node' : `${node.length} nodes`}, until the end of ${options.until}, UTC.`,
      )
      sayStanding(changed.value, facts.id, options)
      say('  It accepts nothing yet. Next: barewitness except approve')
    })
  withKey(withRegister(command.command('approve <id>')))
    .description('accept what was asked for, on the terms that were asked for')
    .requiredOption('--approved-by <name>', 'who approves')
    .requiredOption('--role <words>', 'their role, such as security officer')
    .action(async (text: string, options: ApproveOptions) => {
      const { approvedBy, role: approverRole } = options
      const done = await onEntry(context, options, text, async (register, id) => {
        const approved = approveException(register, { id, approvedBy, approverRole }, world.clock.now())
        return approved.ok ? await signedWith(context, options, approved.value, { id, role: 'approver' }) : approved
      })
      if (!done.ok) return endWith(context, done.error)
      const { id, register } = done.value
      const entry = register.exceptions.find((one) => one.id === id)
      say(
        `Accepted: exception ${id}, until the end of ${entry?.expiresAt.slice(0, 10)}, UTC. The verdict stays what it is.`,
      )
      sayStanding(register, id, options)
    })
  withKey(withRegister(command.command('sign <id>')))
    .description('sign an entry that is there already, such as a decision that another person wrote down')
    .requiredOption('--as <role>', 'requester or approver')
    .action(async (text: string, options: SignedOptions & { readonly as: string }) => {
      const { as: role, identity } = options
      if (role !== 'requester' && role !== 'approver')
        return endWith(context, { code: 'input.refused', detail: '--as must be requester or approver' })
      if (identity === undefined)
        return endWith(context, { code: 'input.refused', detail: 'name the key to sign with: --identity' })
      const done = await onEntry(context, options, text, (register, id) =>
        signedWith(context, options, register, { id, role }),
      )
      if (!done.ok) return endWith(context, done.error)
      say(`Signed as ${role}: ${done.value.id}.`)
      sayStanding(done.value.register, done.value.id, options)
    })
}

type SettleOptions = RegisterOptions & { readonly by: string; readonly reason: string }

function settleCommands(context: Context, command: Command): void {
  const { world } = context
  const settling = (name: string, description: string): Command =>
    withRegister(command.command(`${name} <id>`))
      .description(description)
      .requiredOption('--by <name>', 'who says so')
      .requiredOption('--reason <words>', 'why')
  settling('refuse', 'refuse what was asked for; the request stays listed').action(
    async (text: string, { by, reason, ...options }: SettleOptions) => {
      const done = await onEntry(context, options, text, (register, id) =>
        settleRequest(register, { id, by, reason, as: 'refused' }, world.clock.now()),
      )
      if (!done.ok) return endWith(context, done.error)
      say(`Refused: request ${done.value.id}. It stays listed.`)
    },
  )
  settling(
    'withdraw',
    'take back a request, an exception, a decision or an explanation from now on; it stays listed',
  ).action(async (text: string, { by, reason, ...options }: SettleOptions) => {
    const done = await onEntry(context, options, text, (register, id) =>
      withdraw(register, { id, by, reason }, world.clock.now()),
    )
    if (!done.ok) return endWith(context, done.error)
    say(`Withdrawn: ${done.value.id}. It stays listed.`)
  })
}

function withdraw(
  register: Register,
  draft: { readonly id: string; readonly by: string; readonly reason: string },
  now: string,
): Outcome<Register> {
  if (explanationsOf(register).some(({ id }) => id === draft.id)) return withdrawExplanation(register, draft, now)
  const entry = entryOf(register, draft.id)
  if (entry !== null && 'acceptedAt' in entry) return withdrawException(register, draft, now)
  if (entry !== null && 'decidedAt' in entry) return withdrawDecision(register, draft, now)
  return settleRequest(register, { ...draft, as: 'withdrawn' }, now)
}

/** Changes one entry, named by its id or the beginning of it. */
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
      const { exceptions } = register
      const named = idNamed(
        [...exceptions, ...pendingOf(register), ...decisionsOf(register), ...explanationsOf(register)].map(
          (one) => one.id,
        ),
        text,
      )
      if (!named.ok) return named
      id = named.value
      return await next(register, id)
    },
  })
  return changed.ok ? ok({ id, register: changed.value }) : changed
}
