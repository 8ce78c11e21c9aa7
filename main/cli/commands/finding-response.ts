import type { Command } from 'commander'
import type { Register } from '../../../schemas/types.ts'
import { findingNamed } from '../../app/findings.ts'
import { idNamed } from '../../app/register/named.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { currentResponses, responsesOf, withdrawResponse } from '../../core/register/responses.ts'
import { ok } from '../../core/result.ts'
import { type Context, endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { findingScope } from '../findings.ts'
import {
  change,
  printStatus,
  type SignedOptions,
  signedWith,
  withFleet,
  withKey,
  withRegister,
} from '../register-changes.ts'
import { say } from '../terminal.ts'

const NAMED = 'ID of the response or its first characters; or its finding, for the current one'

/** `finding sign|withdraw`: what is done with a response that the register has. */
export function responseCommands(context: Context, command: Command): void {
  withKey(withFleet(withRegister(command.command('sign').argument('<response>', NAMED))))
    .description('Add a digital signature to a recorded response')
    .action(async (text: string, options: SignedOptions) => {
      if (options.identity === undefined)
        return endWith(context, { code: 'input.refused', detail: '--identity is required to sign' })
      const done = await onResponse(context, text, options, (register, id) =>
        signedWith(context, options, register, { id, role: 'respondent' }),
      )
      if (!done.ok) return endWith(context, done.error)
      const { id, register } = done.value
      say(`Signed as respondent: response ${plain(id)}.`)
      printStatus(register, id, options)
      context.exit(EXIT.done)
    })
  withFleet(withRegister(command.command('withdraw').argument('<response>', NAMED)))
    .description('Withdraw a response; it remains in the register')
    .requiredOption('--by <name>', 'Person who decides')
    .requiredOption('--reason <text>', 'Reason')
    .action(async (text: string, { by, reason, ...options }: WithdrawOptions) => {
      const now = context.ports.clock.now()
      const done = await onResponse(context, text, options, (register, id) =>
        withdrawResponse(register, { id, by, reason }, now),
      )
      if (!done.ok) return endWith(context, done.error)
      say(`Withdrawn: response ${plain(done.value.id)}. It remains in the register.`)
      context.exit(EXIT.done)
    })
}

type WithdrawOptions = SignedOptions & { readonly by: string; readonly reason: string }

/** Changes the response that a person names: by its id, or by its finding, whose current response is meant. */
async function onResponse(
  context: Context,
  text: string,
  options: SignedOptions,
  changed: (register: Register, id: string) => Outcome<Register> | Promise<Outcome<Register>>,
): Promise<Outcome<{ readonly id: string; readonly register: Register }>> {
  const scope = await findingScope(context, options)
  if (!scope.ok) return scope
  const check = findingNamed(scope.value.catalog, scope.value.fleet, text)
  let id = ''
  const done = await change(context, options, {
    begin: false,
    next: async (register) => {
      const current = check.ok ? currentResponses(register, context.ports.clock.now()).get(check.value) : undefined
      if (check.ok && current === undefined)
        return fail('input.refused', `there is no current response to ${check.value}`)
      const ids = responsesOf(register).map((one) => one.id)
      const named = current === undefined ? idNamed(ids, text) : ok(current.id)
      if (!named.ok) return named
      id = named.value
      return await changed(register, id)
    },
  })
  return done.ok ? ok({ id, register: done.value }) : done
}
