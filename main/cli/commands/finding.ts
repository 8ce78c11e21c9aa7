import type { Command } from 'commander'
import type { Register } from '../../../schemas/types.ts'
import { findingChecks, findingLines, findingNamed, findingText } from '../../app/evaluate/finding-views.ts'
import { idNamed } from '../../app/register/named.ts'
import { importResponses } from '../../app/register/store.ts'
import { REMEDIATIONS } from '../../catalog/definition/remediation.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import {
  currentResponses,
  RESPONSE_STATUSES,
  respond,
  responsesOf,
  withdrawResponse,
} from '../../core/register/responses.ts'
import { responseSheet, responseTable, statusOf } from '../../present/formats/response-table.ts'
import { severityCounts } from '../../present/presentation.ts'
import { noFinding } from '../../present/report/page-one.ts'
import { limitedControls, refusedNodes } from '../../present/report/parts/refused.ts'
import { type FindingOptions, findingOf, findingScope, readFindings, withEvaluation } from '../parts/findings.ts'
import { type Context, EXIT, emit, endWith, printLine } from '../parts/options.ts'
import {
  change,
  momentOf,
  printStatus,
  type SignedOptions,
  signedWith,
  withFleet,
  withKey,
  withRegister,
} from '../parts/register-changes.ts'
import { openSigner } from '../parts/sealing.ts'
import { addExport, type ImportOptions, importRows } from '../parts/table-exchange.ts'

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
            refused: refusedNodes(one).length,
          })),
        })
      printLine(
        shown.findings.length === 0
          ? noFinding({ assessment })
          : `Findings as of ${assessment.asOf}: ${severityCounts(shown.figures.findings)}.`,
      )
      if (options.fleet === undefined)
        printLine('No fleet file was given: references and severities can differ from those of a report made with one.')
      for (const line of findings.flatMap(findingLines)) printLine(line)
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
      const limits = limitedControls({ assessment, catalog }, finding.value)
      for (const line of findingText(finding.value, { remediation, history, limits })) printLine(line)
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
      printLine(`Response recorded: ${id}, to ${check}. The verdict does not change; a later run closes the finding.`)
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

/** `finding export` and `import`: every finding as a table in which people enter their responses, and back. */
function findingTableCommands(context: Context, command: Command): void {
  addExport(context, command, {
    description: 'Write all findings as a table in which responses are entered',
    what: 'finding',
    next: 'Enter Status, Owner, Due, Plan and Cause; leave the other columns. Next: barewitness finding import',
    table: ({ findings, assessment }) => {
      const rows = responseTable(findings, assessment.scope.fleet)
      return { rows, sheet: responseSheet(rows) }
    },
  })
  withKey(withFleet(withRegister(command.command('import').argument('<table>', 'Table to read: .csv or .xlsx'))))
    .description('Read responses from a table, all or none')
    .requiredOption('--by <name>', 'Person who states the responses')
    .action(async (path: string, options: ImportOptions) => {
      const scope = await findingScope(context, options)
      if (!scope.ok) return endWith(context, scope.error)
      const done = await importRows(context, path, options, {
        what: 'response',
        into: (register, rows) =>
          importResponses(context.ports, register, rows, {
            fleet: scope.value.fleet,
            checks: findingChecks(scope.value.catalog),
            statedBy: options.by,
            openSigner: options.identity === undefined ? null : () => openSigner(context, options),
          }),
      })
      if (!done.ok) endWith(context, done.error)
    })
}

const NAMED = 'ID of the response or its first characters; or its finding, for the current one'

/** `finding sign|withdraw`: signs or withdraws a response in the register. */
function responseCommands(context: Context, command: Command): void {
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
      printLine(`Signed as respondent: response ${plain(id)}.`)
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
      printLine(`Withdrawn: response ${plain(done.value.id)}. It remains in the register.`)
      context.exit(EXIT.done)
    })
}

type WithdrawOptions = SignedOptions & { readonly by: string; readonly reason: string }

/** Changes a response, named by its id, or by its finding, which means the current response. */
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
