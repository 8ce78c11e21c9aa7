import type { DecisionDraft } from '../../../schemas/ipc-packs.ts'
import type { Register } from '../../../schemas/types.ts'
import { rowNamed } from '../../app/register/named.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { DECISIONS, decide, levelsIn } from '../../core/register/decisions.ts'
import { ok } from '../../core/result.ts'
import { type Context, endWith } from '../context.ts'
import {
  change,
  declaredFor,
  momentOf,
  printStatus,
  type SignedOptions,
  signedWith,
  withFleet,
  withKey,
  withRegister,
} from '../register-changes.ts'
import { say } from '../terminal.ts'

type DecideOptions = SignedOptions &
  Pick<DecisionDraft, 'reason' | 'owner' | 'requestedBy' | 'approvedBy'> & {
    readonly control: string
    readonly expires: string
    readonly decision: string
    readonly role: string
    readonly factors?: string
    readonly alternative?: string
    readonly riskAnalysis?: string
  }

/** `decision add`: a decision on a control (45 CFR 164.306(d)(3)). */
export function decideCommand(context: Context): void {
  const command = context.program.command('decision').description('Manage control decisions')
  withKey(withFleet(withRegister(command.command('add'))))
    .description('Document a decision on an addressable specification or a non-applicable control')
    .requiredOption('--control <id>', 'Control, such as hipaa:164.312(a)(2)(iv)')
    .requiredOption('--decision <word>', `Decision: ${DECISIONS.join(', ')}`)
    .requiredOption('--reason <text>', 'Reason')
    .requiredOption('--owner <name>', 'Owner of the decision')
    .requiredOption('--requested-by <name>', 'Requester')
    .requiredOption('--approved-by <name>', 'Approver')
    .requiredOption('--role <text>', 'Role of the approver, such as security officer')
    .requiredOption('--expires <date>', 'Last day (UTC), at most 366 days ahead; then a new decision is due')
    .option(
      '--factors <text>',
      'Factors considered (45 CFR 164.306(b)(2)): size, infrastructure, cost, probability of harm',
    )
    .option('--alternative <text>', 'Equivalent alternative measure')
    .option('--risk-analysis <text>', 'Reference to the risk analysis')
    .action(async (options: DecideOptions) => {
      const decided = await decideRow(context, options)
      if (!decided.ok) return endWith(context, decided.error)
      const { id, register } = decided.value
      say(
        `Decision recorded: ${id}, ${options.decision} for ${options.control}, until the end of ${options.expires} UTC.`,
      )
      printStatus(register, id, options)
    })
}

async function decideRow(
  context: Context,
  options: DecideOptions,
): Promise<Outcome<{ readonly id: string; readonly register: Register }>> {
  const { factors = null, alternative = null, riskAnalysis = null, role: approverRole } = options
  const decision = DECISIONS.find((word) => word === options.decision)
  if (decision === undefined) return fail('input.refused', `--decision must be one of ${DECISIONS.join(', ')}`)
  const declared = await declaredFor(context.ports, options)
  if (!declared.ok) return declared
  const { catalog } = declared.value
  const row = rowNamed(catalog, options.control)
  if (!row.ok) return row
  const draft: DecisionDraft = {
    ...options,
    until: options.expires,
    framework: row.value.framework,
    control: row.value.control.key,
    decision,
    approverRole,
    factors,
    alternativeMeasure: alternative,
    riskAnalysis,
  }
  const moment = momentOf(context.ports)
  const changed = await change(context, options, {
    begin: true,
    next: async (register) => {
      const next = decide(register, draft, { ...moment, levelOf: levelsIn(catalog.frameworks) })
      return next.ok ? await signedWith(context, options, next.value, { id: moment.id, role: 'approver' }) : next
    },
  })
  return changed.ok ? ok({ id: moment.id, register: changed.value }) : changed
}
