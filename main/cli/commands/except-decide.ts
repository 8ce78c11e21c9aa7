import type { Command } from 'commander'
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
  type SignedOptions,
  sayStanding,
  signedWith,
  withFleet,
  withKey,
  withRegister,
} from '../register-changes.ts'
import { say } from '../terminal.ts'

type DecideOptions = SignedOptions &
  Pick<DecisionDraft, 'reason' | 'owner' | 'requestedBy' | 'approvedBy' | 'until'> & {
    readonly for: string
    readonly decision: string
    readonly role: string
    readonly factors?: string
    readonly alternative?: string
    readonly riskAnalysis?: string
  }

/** `except decide`: what was decided about a row. */
export function decideCommand(context: Context, command: Command): void {
  withKey(withFleet(withRegister(command.command('decide'))))
    .description('write down what was decided about a row: an addressable specification, or that a row does not apply')
    .requiredOption('--for <row>', 'the row, such as hipaa:164.312(a)(2)(iv)')
    .requiredOption('--decision <word>', DECISIONS.join(', '))
    .requiredOption('--reason <words>', 'why')
    .requiredOption('--owner <name>', 'who sees to it')
    .requiredOption('--requested-by <name>', 'who asks')
    .requiredOption('--approved-by <name>', 'who approves')
    .requiredOption('--role <words>', 'the role of who approves, such as security officer')
    .requiredOption('--until <day>', 'the last day, UTC; at most 366 days ahead, then it is due again')
    .option(
      '--factors <words>',
      'what was weighed (45 CFR 164.306(b)(2)): size, infrastructure, cost, probability of harm',
    )
    .option('--alternative <words>', 'the measure that takes its place')
    .option('--risk-analysis <words>', 'where the risk analysis behind it is found')
    .action(async (options: DecideOptions) => {
      const decided = await decideRow(context, options)
      if (!decided.ok) return endWith(context, decided.error)
      const { id, register } = decided.value
      say(`Decided: ${id}, ${options.decision} for ${options.for}, until the end of ${options.until}, UTC.`)
      sayStanding(register, id, options)
    })
}

async function decideRow(
  context: Context,
  options: DecideOptions,
): Promise<Outcome<{ readonly id: string; readonly register: Register }>> {
  const { factors = null, alternative = null, riskAnalysis = null, role: approverRole } = options
  const decision = DECISIONS.find((word) => word === options.decision)
  if (decision === undefined) return fail('input.refused', `--decision must be one of ${DECISIONS.join(', ')}`)
  const declared = await declaredFor(context.world, options)
  if (!declared.ok) return declared
  const { catalog } = declared.value
  const row = rowNamed(catalog, options.for)
  if (!row.ok) return row
  const draft: DecisionDraft = {
    ...options,
    framework: row.value.framework,
    control: row.value.control.key,
    decision,
    approverRole,
    factors,
    alternativeMeasure: alternative,
    riskAnalysis,
  }
  const moment = momentOf(context.world)
  const changed = await change(context, options, {
    begin: true,
    next: async (register) => {
      const next = decide(register, draft, { ...moment, levelOf: levelsIn(catalog.frameworks) })
      return next.ok ? await signedWith(context, options, next.value, { id: moment.id, role: 'approver' }) : next
    },
  })
  return changed.ok ? ok({ id: moment.id, register: changed.value }) : changed
}
