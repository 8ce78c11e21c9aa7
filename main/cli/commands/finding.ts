import type { Command } from 'commander'
import type { Register } from '../../../schemas/types.ts'
import { findingLines, findingText } from '../../app/finding-text.ts'
import { findingChecks, findingNamed } from '../../app/findings.ts'
import { REMEDIATIONS } from '../../catalog/remediation.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { RESPONSE_STATUSES, respond, responsesOf } from '../../core/register/responses.ts'
import { ok } from '../../core/result.ts'
import { statusOf } from '../../present/formats/response-table.ts'
import { severityCounts } from '../../present/presentation.ts'
import { type Context, endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { type FindingOptions, findingOf, findingScope, readFindings, withEvaluation } from '../findings.ts'
import {
  change,
  momentOf,
  printStatus,
  type SignedOptions,
  signedWith,
  withFleet,
  withKey,
  withRegister,
} from '../register-changes.ts'
import { emit, say } from '../terminal.ts'
import { responseCommands } from './finding-response.ts'
import { findingTableCommands } from './finding-table.ts'

/** `finding list|show|respond|sign|withdraw|export|import`: findings, and the responses of management to them. Verdicts never change. */
export function findingCommand(context: Context): void {
  const command = context.program
    .command('finding')
    .description('List findings and manage the responses to them; verdicts never change')
  listCommands(context, command)
  respondCommand(context, command)
  responseCommands(context, command)
  findingTableCommands(context, command)
}

function listCommands(context: Context, command: Command): void {
  withEvaluation(command.command('list').argument('<recordings...>', 'Folders of recordings'))
    .description('List findings by severity, with status, owner and due day')
    .option('--json', 'Print the list as JSON')
    .action(async (folders: string[], options: FindingOptions & { readonly json?: true }) => {
      const read = await readFindings(context, folders, options)
      if (!read.ok) return endWith(context, read.error)
      const { findings, assessment, shown } = read.value
      if (options.json === true)
        emit({
          fleet: assessment.scope.fleet,
          asOf: assessment.asOf,
          findings: findings.map((one) => ({
            reference: one.reference,
            check: one.check,
            severity: one.severity.level,
            condition: one.condition,
            status: one.status,
            owner: one.response?.owner ?? null,
            due: one.response?.due ?? null,
            overdue: one.isOverdue,
            deviations: one.deviations.map(({ subject }) => subject),
            tested: one.tested,
          })),
        })
      say(
        shown.findings.length === 0
          ? 'No findings on the nodes tested.'
          : `Findings as of ${assessment.asOf}: ${severityCounts(shown.figures.findings)}.`,
      )
      for (const line of findings.flatMap(findingLines)) say(line)
      context.exit(EXIT.done)
    })
  withEvaluation(
    command
      .command('show')
      .argument('<finding>', 'Reference of the finding, or its check')
      .argument('<recordings...>', 'Folders of recordings'),
  )
    .description('Print one finding in full')
    .action(async (text: string, folders: string[], options: FindingOptions) => {
      const read = await readFindings(context, folders, options)
      if (!read.ok) return endWith(context, read.error)
      const { findings, assessment, catalog, register } = read.value
      const check = findingNamed(catalog, assessment.scope.fleet, text)
      if (!check.ok) return endWith(context, check.error)
      const finding = findingOf(findings, check.value)
      if (!finding.ok) return endWith(context, finding.error)
      const history = responsesOf(register)
        .filter((one) => one.check === check.value)
        .sort((a, b) => (a.statedAt < b.statedAt ? 1 : -1))
      const remediation = REMEDIATIONS.find((one) => one.check === check.value)
      for (const line of findingText(finding.value, { remediation, history })) say(line)
      context.exit(EXIT.done)
    })
}

interface RespondOptions extends SignedOptions {
  readonly status: string
  readonly owner?: string
  readonly due?: string
  readonly plan?: string
  readonly cause?: string
  readonly by: string
}

function respondCommand(context: Context, command: Command): void {
  withKey(withFleet(withRegister(command.command('respond'))))
    .description('State what management does about a finding')
    .argument('<finding>', 'Reference of the finding (with its --fleet), or its check')
    .argument('[recordings...]', 'Folders of recordings that must show the finding')
    .requiredOption('--status <word>', `Status: ${RESPONSE_STATUSES.join(', ')}; none of them closes a finding`)
    .requiredOption('--by <name>', 'Person who states the response')
    .option('--owner <name>', 'Person who remedies the finding')
    .option('--due <date>', 'Last day (UTC), such as 2027-03-01; at most three years ahead')
    .option('--plan <text>', 'What is done; for a dispute, why the finding is disputed')
    .option('--cause <text>', 'Cause of the finding, as management states it')
    .action(async (text: string, folders: string[], options: RespondOptions) => {
      const done = await respondTo(context, text, folders, options)
      if (!done.ok) return endWith(context, done.error)
      const { id, check, register } = done.value
      say(`Response recorded: ${id}, to ${check}. The verdict does not change; a later run closes the finding.`)
      printStatus(register, id, options)
      context.exit(EXIT.done)
    })
}

async function respondTo(
  context: Context,
  text: string,
  folders: readonly string[],
  { status: word, by: statedBy, ...options }: RespondOptions,
): Promise<Outcome<{ readonly id: string; readonly check: string; readonly register: Register }>> {
  const { owner = null, due = null, plan = null, cause = null } = options
  const status = statusOf(word)
  if (status === null || word.trim() === '')
    return fail('input.refused', `--status must be one of ${RESPONSE_STATUSES.join(', ')}`)
  const scope = await findingScope(context, options)
  if (!scope.ok) return scope
  const named = findingNamed(scope.value.catalog, scope.value.fleet, text)
  if (!named.ok) return named
  const check = named.value
  if (folders.length > 0) {
    const read = await readFindings(context, folders, { ...(options.fleet && { fleet: options.fleet }) })
    if (!read.ok) return read
    const finding = findingOf(read.value.findings, check)
    if (!finding.ok) return finding
  }
  const known = findingChecks(scope.value.catalog)
  const facts = { ...momentOf(context.ports), hasCheck: (id: string) => known.includes(id) }
  const changed = await change(context, options, {
    begin: true,
    next: async (register) => {
      const next = respond(register, { check, status, owner, due, plan, cause, statedBy }, facts)
      return next.ok ? await signedWith(context, options, next.value, { id: facts.id, role: 'respondent' }) : next
    },
  })
  return changed.ok ? ok({ id: facts.id, check, register: changed.value }) : changed
}
