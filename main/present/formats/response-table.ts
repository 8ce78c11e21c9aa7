import { findingStatusWords, severityWords } from '../../../schemas/conclusion-words.ts'
import type { AuditorRequest, ManagementResponse } from '../../../schemas/types.ts'
import { auditorStatusWords } from '../../../schemas/words.ts'
import type { Sheet } from '../../core/all-ports.ts'
import { names, plain, quote } from '../../core/base/plain-text.ts'
import type { TableCell, TableRow } from '../../core/base/table.ts'
import { type Finding, findingReference } from '../../core/finding/finding.ts'
import { AUDITOR_STATUSES, isSameRequest, requestStated, type StatedRequest } from '../../core/register/requests.ts'
import { isSameStatement, RESPONSE_STATUSES, type Stated, statedBefore } from '../../core/register/responses.ts'
import { columns } from './grids/grid.ts'
import { requestedById, requestLines } from './grids/population.ts'
import type { FormatInput } from './input.ts'

/** The columns of a request list. A person finds a row by its reference, which is the auditor’s. */
const REQUEST_COLUMNS = columns({
  Reference: 16,
  Request: 70,
  'Evidence request': 16,
  Status: 16,
  Owner: 24,
  Due: 12,
  Comment: 60,
  'On file': 70,
})

/** Titles under which auditors have these columns, in lower case; the first is ours. */
const TITLES = {
  reference: ['reference', 'ref', 'ref.', 'request id', 'id', 'no.', 'number', '#'],
  title: ['request', 'description', 'item', 'document', 'request description'],
  request: ['evidence request'],
  status: ['status', 'request status'],
  owner: ['owner', 'assigned to', 'responsible'],
  due: ['due', 'due date', 'due (utc)'],
  comment: ['comment', 'comments', 'notes', 'auditor comment'],
} as const
type Column = keyof typeof TITLES
const NEEDED: readonly Column[] = ['reference', 'title', 'status']

/**
 * The list of an auditor with its current statuses, followed by each of our evidence requests that no row of it names, with an empty
 * status. The list is filled in and read back. Text that people stated is written unchanged; the column of documents on file is ours and is
 * not read back.
 */
export function requestTable(
  input: Pick<FormatInput, 'assessment' | 'catalog' | 'register'>,
  current: readonly AuditorRequest[],
): readonly (readonly string[])[] {
  const requested = requestedById(input)
  const named = new Set(current.flatMap(({ reference, request }) => [reference, request]))
  const onFile = (id: string | null): string =>
    id === null ? '' : requestLines(input.catalog, requested, [id]).join('')
  return [
    REQUEST_COLUMNS.map(({ title }) => title),
    ...current.map((entry) => {
      const { reference, title, request, status, owner, due, comment } = requestStated(entry)
      return [
        reference,
        title,
        request ?? '',
        auditorStatusWords[status],
        owner ?? '',
        due ?? '',
        comment ?? '',
        onFile(request),
      ]
    }),
    ...input.catalog.requests
      .filter(({ id }) => requested(id) !== undefined && !named.has(id))
      .map(({ id, title }) => [id, title, id, '', '', '', '', onFile(id)]),
  ]
}

/** The same table as a sheet: every cell is text, so that a spreadsheet changes none of it. */
export const requestSheet = (rows: readonly (readonly string[])[]): Sheet => ({
  name: 'Requests',
  widths: REQUEST_COLUMNS.map(({ width }) => width),
  keys: 1,
  rows,
})

interface ChangedRequest extends StatedRequest {
  readonly row: number
}

interface RequestReading {
  readonly changed: readonly ChangedRequest[]
  readonly unchanged: number
  /** One sentence each, with the row. Nothing is stored where there are any. */
  readonly problems: readonly string[]
}

/** Reads the list of an auditor. Rows that state what the register states, and rows of ours in which nothing was entered, are no entries. */
export function readRequestTable(
  rows: readonly TableRow[],
  current: ReadonlyMap<string, AuditorRequest>,
): RequestReading {
  const [heading, ...body] = rows
  const titles = heading?.cells.map(({ text }) => text.trim().toLowerCase()) ?? []
  const places = new Map(
    (Object.keys(TITLES) as Column[]).map((column) => [
      column,
      titles.findIndex((title) => (TITLES[column] as readonly string[]).includes(title)),
    ]),
  )
  const missing = NEEDED.filter((column) => places.get(column) === -1)
  if (missing.length > 0)
    return {
      changed: [],
      unchanged: 0,
      problems: [`the table has no column ${missing.map((one) => quote(TITLES[one][0])).join(', ')}`],
    }
  const seen = new Map<string, number>()
  const changed: ChangedRequest[] = []
  const problems: string[] = []
  let unchanged = 0
  for (const { row, cells } of body) {
    const read = requestRowOf(cells, places)
    const before = 'problem' in read ? undefined : seen.get(read.stated.reference)
    if ('problem' in read) problems.push(`row ${row}: ${read.problem}`)
    else if (before !== undefined)
      problems.push(`row ${row}: ${quote(read.stated.reference)} is in row ${before} as well`)
    else {
      const { stated, isEmpty } = read
      seen.set(stated.reference, row)
      const known = current.get(stated.reference)
      if (known === undefined ? isEmpty : isSameRequest(stated, requestStated(known))) unchanged += 1
      else changed.push({ row, ...stated })
    }
  }
  return { changed, unchanged, problems }
}

/** `isEmpty`: a row of ours, named after an evidence request, in which nothing was entered. */
type ReadRequestRow = { readonly stated: StatedRequest; readonly isEmpty: boolean } | { readonly problem: string }

function requestRowOf(cells: readonly TableCell[], places: ReadonlyMap<Column, number>): ReadRequestRow {
  const cell = (column: Column): TableCell => cells[places.get(column) ?? -1] ?? { text: '', isFormula: false }
  const formula = (Object.keys(TITLES) as Column[]).find((column) => cell(column).isFormula)
  if (formula !== undefined) return { problem: `${quote(TITLES[formula][0])} is a formula; enter its text` }
  const text = (column: Column): string => cell(column).text.trim()
  const [reference, request] = [text('reference').replace(/\s+/gu, ' '), text('request').toUpperCase()]
  if (reference === '') return { problem: 'it has no reference' }
  const status = auditorStatusOf(text('status'))
  if (status === null)
    return {
      problem: `the status ${quote(text('status'))} is not one of ${AUDITOR_STATUSES.map((one) => auditorStatusWords[one]).join(', ')}`,
    }
  const entered = [text('status'), text('owner'), text('due'), text('comment')]
  return {
    stated: {
      reference,
      title: text('title'),
      request: request || null,
      status,
      owner: text('owner') || null,
      due: text('due') || null,
      comment: text('comment') || null,
    },
    isEmpty: reference === request && entered.every((one) => one === ''),
  }
}

/** Other words of auditors for a status. */
const SAME: Readonly<Record<string, AuditorRequest['status']>> = {
  '': 'open',
  requested: 'open',
  outstanding: 'open',
  'in-progress': 'open',
  provided: 'ready',
  submitted: 'ready',
  complete: 'accepted',
  closed: 'accepted',
  flagged: 'returned',
  rejected: 'returned',
  'not-applicable': 'not-needed',
}

/** A status as a list names it; an empty one is open. Null for any other text. */
export function auditorStatusOf(text: string): AuditorRequest['status'] | null {
  const word = text.toLowerCase().replace(/[\s_-]+/g, '-')
  return AUDITOR_STATUSES.find((one) => one === word) ?? (Object.hasOwn(SAME, word) ? (SAME[word] ?? null) : null)
}

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

/** Every finding with its management response, as a table that is filled in and read back. Text that people stated is written unchanged. */
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

interface ResponseContext {
  readonly fleet: string
  /** All checks of which there can be findings. */
  readonly checks: readonly string[]
  readonly current: ReadonlyMap<string, ManagementResponse>
}

/** One row that states something else than the register. */
interface ChangedRow extends Stated {
  readonly row: number
  readonly check: string
}

interface ResponseReading {
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
