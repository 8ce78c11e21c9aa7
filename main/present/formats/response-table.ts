import { findingStatusWords, severityWords } from '../../../schemas/conclusion-words.ts'
import type { ManagementResponse } from '../../../schemas/types.ts'
import type { Sheet } from '../../core/all-ports.ts'
import { type Finding, findingReference } from '../../core/finding/finding.ts'
import { names, plain, quote } from '../../core/plain-text.ts'
import { isSameStatement, RESPONSE_STATUSES, type Stated, statedBefore } from '../../core/register/responses.ts'
import type { TableCell, TableRow } from '../../core/table.ts'
import { columns } from './grids/grid.ts'

/** The columns of a table of responses. The last five are filled in; a person finds a row by its reference. */
const COLUMNS = columns({
  Reference: 12,
  Severity: 14,
  Finding: 60,
  Nodes: 40,
  Check: 34,
  Fleet: 24,
  Status: 18,
  Owner: 24,
  Due: 12,
  Plan: 60,
  Cause: 60,
})
type Title = 'Reference' | 'Check' | 'Fleet' | 'Status' | 'Owner' | 'Due' | 'Plan' | 'Cause'
const READ: readonly Title[] = ['Reference', 'Check', 'Fleet', 'Status', 'Owner', 'Due', 'Plan', 'Cause']

/** Every finding with the response to it, to be filled in and read back. What people state is written as it is. */
export function responseTable(findings: readonly Finding[], fleet: string): readonly (readonly string[])[] {
  return [
    COLUMNS.map(({ title }) => title),
    ...findings.map(({ reference, severity, title, deviations, check, response }) => [
      reference,
      severityWords[severity.level],
      plain(title, 2000),
      names(
        deviations.map(({ subject }) => subject),
        20,
      ),
      check,
      plain(fleet),
      ...statedCells(response),
    ]),
  ]
}

function statedCells(response: ManagementResponse | null): readonly string[] {
  if (response === null) return ['', '', '', '', '']
  const { status, owner, due, plan, cause } = statedBefore(response)
  return [findingStatusWords[status], owner ?? '', due ?? '', plan ?? '', cause ?? '']
}

/** The same table as a sheet: every cell is text, so that a spreadsheet changes none of it. */
export const responseSheet = (rows: readonly (readonly string[])[]): Sheet => ({
  name: 'Responses',
  widths: COLUMNS.map(({ width }) => width),
  keys: 1,
  rows,
})

export interface ResponseContext {
  readonly fleet: string
  /** All checks of which there can be findings. */
  readonly checks: readonly string[]
  readonly current: ReadonlyMap<string, ManagementResponse>
}

/** One row that states something else than the register. */
export interface ChangedRow extends Stated {
  readonly row: number
  readonly check: string
}

export interface ResponseReading {
  readonly changed: readonly ChangedRow[]
  readonly unchanged: number
  /** One sentence each, with the row. Nothing is stored where there are any. */
  readonly problems: readonly string[]
}

/** Reads a table of responses back. Rows that state what the register states are no new responses. */
export function readResponseTable(rows: readonly TableRow[], context: ResponseContext): ResponseReading {
  const [heading, ...body] = rows
  const titles = heading?.cells.map(({ text }) => text.trim().toLowerCase()) ?? []
  const places = new Map(READ.map((title) => [title, titles.indexOf(title.toLowerCase())] as const))
  const missing = READ.filter((title) => title !== 'Check' && title !== 'Fleet' && places.get(title) === -1)
  if (missing.length > 0)
    return {
      changed: [],
      unchanged: 0,
      problems: [`the table has no column ${missing.map((one) => quote(one)).join(', ')}`],
    }
  const byReference = new Map(context.checks.map((check) => [findingReference(context.fleet, check), check]))
  const seen = new Map<string, number>()
  const changed: ChangedRow[] = []
  const problems: string[] = []
  let unchanged = 0
  for (const { row, cells } of body) {
    const read = rowOf(cells, places)
    const problem = 'problem' in read ? read.problem : placeProblem(read, byReference, context.fleet, seen)
    if ('problem' in read || problem !== null) {
      problems.push(`row ${row}: ${problem}`)
      continue
    }
    seen.set(read.reference, row)
    const check = byReference.get(read.reference) ?? ''
    const before = context.current.get(check) ?? null
    const nothing = isSameStatement(read.stated, statedBefore(null))
    if (isSameStatement(read.stated, statedBefore(before))) unchanged += 1
    else if (nothing) problems.push(`row ${row}: it is empty, but there is a response; withdraw it instead`)
    else changed.push({ row, check, ...read.stated })
  }
  return { changed, unchanged, problems }
}

interface ReadRow {
  readonly reference: string
  readonly check: string
  readonly fleet: string
  readonly stated: Stated
}

function rowOf(
  cells: readonly TableCell[],
  places: ReadonlyMap<Title, number>,
): ReadRow | { readonly problem: string } {
  const cell = (title: Title): TableCell => cells[places.get(title) ?? -1] ?? { text: '', isFormula: false }
  const formula = READ.find((title) => cell(title).isFormula)
  if (formula !== undefined) return { problem: `${quote(formula)} is a formula; enter its text` }
  const text = (title: Title): string => cell(title).text.trim()
  const given = (title: Title): string | null => cell(title).text.trim() || null
  const status = statusOf(text('Status'))
  if (status === null)
    return {
      problem: `the status ${quote(text('Status'))} is not one of ${RESPONSE_STATUSES.map((one) => findingStatusWords[one]).join(', ')}`,
    }
  return {
    reference: text('Reference').toUpperCase(),
    check: text('Check'),
    fleet: text('Fleet'),
    stated: { status, owner: given('Owner'), due: given('Due'), plan: given('Plan'), cause: given('Cause') },
  }
}

/** A status as a table or a command names it; an empty one is open. Null for any other text. */
export function statusOf(text: string): Stated['status'] | null {
  if (text === '') return 'open'
  const word = text.toLowerCase().replace(/[\s_-]+/g, '-')
  return RESPONSE_STATUSES.find((one) => one === word) ?? null
}

function placeProblem(
  { reference, check, fleet }: ReadRow,
  byReference: ReadonlyMap<string, string>,
  ours: string,
  seen: ReadonlyMap<string, number>,
): string | null {
  if (fleet !== '' && fleet !== plain(ours)) return `it is of fleet ${quote(fleet)}, not of ${quote(ours)}`
  const known = byReference.get(reference)
  if (known === undefined) return `there is no finding ${quote(reference)} of fleet ${quote(ours)}`
  if (check !== '' && check !== known)
    return `${reference} is the finding of check ${quote(known)}, not of ${quote(check)}`
  const before = seen.get(reference)
  return before === undefined ? null : `${reference} is in row ${before} as well`
}
