import { basename } from 'node:path'
import { type Document, LineCounter, parseDocument } from 'yaml'
import type { Engagement, Inventory, InventoryInFile } from '../../../schemas/types.ts'
import type { DeclaredEngagement } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { decodeUtf8, plain, quote } from '../../core/base/plain-text.ts'
import { engagementProblems, namesOf, withRowKeys } from '../../core/engagement/form.ts'
import { withDefaults } from '../../core/engagement/template.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import { pathFrom as besideFile, offsetOf } from '../fleet-file.ts'
import { type PlacedProblem, placedProblems, placeName, type SchemaName } from '../schema-validator.ts'
import { readNamed, unread } from '../stored-file.ts'
import { inventoryFileOf, inventoryRows, LARGEST_INVENTORY_MIB } from './inventory-file.ts'

/**
 * An engagement file, YAML or JSON, and the provider inventory that it names, in the same folder. Empty fields may be
 * omitted. Controls of frameworks may be named by their printed id. Fails with input.not-found and input.refused; every
 * problem names line, column and field, and an error in the inventory is reported at the field that names it.
 */
export async function readEngagement(
  file: string,
  beside: string | null,
  known: Known,
): Promise<Outcome<DeclaredEngagement>> {
  const path = placeOf(file, beside)
  const read = await readDocument<Readonly<Record<string, unknown>>>('engagement-in-file', path)
  if (!read.ok) return read
  const { value, refuse } = read.value
  const declared = withDefaults(value)
  // An unstarted map takes its owner and date from the whole file, where their absence is reported.
  const misfits = problemsOfForm(declared).filter(({ path: [part] }) => part !== 'ephi' || value.ephi != null)
  if (misfits.length > 0) return refuse(misfits)
  const written = declared.inventory as InventoryInFile | null
  const listed = written === null ? null : await readInventory(written, path)
  const whole = { ...declared, inventory: listed?.inventory ?? null } as unknown as Engagement
  const engagement = withRowKeys(whole, known.frameworks)
  const problems = [
    ...engagementProblems(engagement, namesOf(known.checks, known.frameworks)),
    ...(listed?.problems ?? []),
  ]
  return problems.length > 0 ? refuse(problems) : ok({ engagement, inventory: listed?.bytes ?? null })
}

/** Schema violations. The inventory is checked in its file form: its lines are in another file. */
function problemsOfForm(declared: Readonly<Record<string, unknown>>): readonly PlacedProblem[] {
  const { inventory, reportingBasis } = declared
  const whole = placedProblems('engagement', { ...declared, inventory: null })
  const list =
    inventory === null
      ? []
      : placedProblems('inventory-in-file', inventory).map(({ path, text }) => ({ path: ['inventory', ...path], text }))
  const other = isPeriod(reportingBasis) ? BASES.date : BASES.period
  const all = [
    ...whole.filter(({ path, text }) => path[0] !== 'reportingBasis' || !other.test(`${path.at(-1)} ${text}`)),
    ...list,
  ]
  return all.filter((problem) => !isOtherChoice(problem, all)).map(inPlainWords)
}

/** Problems that a schema with alternatives reports for the branch that was not meant. */
const BASES = {
  date: /^(reportingBasis lacks “date”|kind must be "date"|(from|to) is not a known field)/,
  period: /^(reportingBasis lacks “(from|to)”|kind must be "period"|date is not a known field)/,
} as const

const isPeriod = (basis: unknown): boolean =>
  typeof basis === 'object' && basis !== null && 'kind' in basis && basis.kind === 'period'

/** “Nothing” was allowed here as well, and another value was meant. */
const isOtherChoice = ({ path, text }: PlacedProblem, all: readonly PlacedProblem[]): boolean =>
  text.startsWith('must be nothing') &&
  all.some((other) => other.text !== text && path.every((part, at) => other.path[at] === part))

const DAYS = ['on', 'date', 'fieldwork', 'from', 'to', 'bridgedUntil']

function inPlainWords({ path, text }: PlacedProblem): PlacedProblem {
  if (path.join('.') === 'reportingBasis.kind') return { path, text: 'must be date or period' }
  const [shown, form] = text.split(', which is not in the expected form')
  if (form === undefined) return { path, text }
  const field = path.at(-1)
  if (DAYS.some((day) => day === field)) return { path, text: `${shown}, must be a date such as 2027-03-01` }
  return field === 'path' ? { path, text: `${shown}, must be an absolute path such as /data/ephi` } : { path, text }
}

interface ReadInventory {
  readonly inventory: Inventory
  readonly bytes: Uint8Array
  readonly problems: readonly PlacedProblem[]
}

async function readInventory(written: InventoryInFile, path: string): Promise<ReadInventory> {
  const { source, kind, file, columns = {}, excluded = [], owner, on } = written
  const at = ['inventory', 'file']
  const name = basename(file)
  const read = await readNamed(placeOf(file, path), LARGEST_INVENTORY_MIB)
  const reading = typeof read === 'string' ? null : inventoryRows(read, columns)
  const problems: readonly PlacedProblem[] =
    reading === null
      ? [{ path: at, text: `names ${quote(file)}, which ${read}` }]
      : [
          ...reading.columns.map(({ field, text }) => ({ path: ['inventory', 'columns', field], text })),
          ...reading.problems.map(({ line, text }) => ({
            path: at,
            text: `names ${quote(name)}, ${line === null ? 'which' : `whose line ${line}`} ${text}`,
          })),
        ]
  const bytes = typeof read === 'string' ? new Uint8Array() : read
  const rows = reading?.rows ?? []
  return {
    inventory: {
      source,
      kind,
      file: inventoryFileOf(name, bytes),
      rows,
      // Excluded ids cannot be looked up in an inventory that could not be read.
      excluded: problems.length > 0 ? [] : excluded,
      owner,
      on,
    },
    bytes,
    problems,
  }
}

/** Ids that declarations may name. */
export type Known = Pick<Catalog, 'checks' | 'frameworks' | 'claimTests' | 'providers' | 'offNodeChecks'>

const LARGEST_MIB = 8
const MOST_ALIASES = 100
const MOST_PROBLEMS = 20

/** A YAML or JSON document that fits a schema, and a function that names a position in it. */
export interface PlacedDocument<T> {
  readonly value: T
  /** Its location: the base of relative paths in it. */
  readonly path: string
  /** input.refused, each problem as `file:line:column: field text`; several are separated by “; ”. */
  readonly refuse: (problems: readonly PlacedProblem[]) => Outcome<never>
}

/**
 * Path of a named file: a relative path is resolved from the folder of `beside`, or from the working folder. `~/` is
 * the home folder.
 */
export const placeOf = (file: string, beside: string | null): string =>
  beside === null && !file.startsWith('~') ? file : besideFile(beside ?? '', file)

/**
 * Reads a handwritten document. Fails with input.not-found where it cannot be read, and with input.refused where it is
 * too large, not YAML in UTF-8, or does not fit the schema; then every problem names line, column and field.
 */
export async function readDocument<T>(schema: SchemaName, path: string): Promise<Outcome<PlacedDocument<T>>> {
  const read = await readNamed(path, LARGEST_MIB)
  if (typeof read === 'string') return unread(path, read)
  const text = decodeUtf8(read)
  return text === null || text.includes('\0')
    ? fail('input.refused', `${path}:1:1: not UTF-8 text`)
    : parseDeclared<T>(schema, text, path)
}

/** As readDocument(), for a text; `path` names it in problems. */
function parseDeclared<T>(schema: SchemaName, text: string, path: string): Outcome<PlacedDocument<T>> {
  const lines = new LineCounter()
  const document = documentOf(text.replace(/^\uFEFF/, ' '), lines)
  if (document === null)
    return fail('input.refused', `${path}:1:1: the document has too many parts, or is nested too deeply`)
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${path}:${line}:${col}`
  }
  const [syntax] = document.errors
  if (syntax !== undefined) return fail('input.refused', `${at(syntax.pos[0])}: ${plain(syntax.message)}`)
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: MOST_ALIASES })
  } catch {
    return fail('input.refused', `${path}:1:1: the document expands too many aliases`)
  }
  const refuse = (problems: readonly PlacedProblem[]): Outcome<never> => {
    const listed = problems
      .slice(0, MOST_PROBLEMS)
      .map((problem) => `${at(offsetOf(document, problem.path))}: ${placeName(problem.path)} ${problem.text}`)
    const more = problems.length - listed.length
    return fail('input.refused', [...listed, ...(more > 0 ? [`and ${more} more`] : [])].join('; '))
  }
  const misfits = placedProblems(schema, value)
  return misfits.length > 0 ? refuse(misfits) : ok({ value: value as T, path, refuse })
}

/**
 * Null where the document has more parts or deeper nesting than any valid one. Checked before parsing: deep nesting
 * ends the program, not only the parser. Brackets in texts count as well.
 */
function documentOf(text: string, lineCounter: LineCounter): Document | null {
  if (DEEP_LINE.test(text) || depthOf(text) > DEEPEST || (text.match(/[\n,:]/g)?.length ?? 0) > MOST_MARKS) return null
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false })
  } catch {
    return null
  }
}

const DEEPEST = 100
/** Lines, commas and colons: more would take too long to read. Twenty thousand nodes take a tenth of it. */
const MOST_MARKS = 400_000
/** Deep indentation, or many list and key marks in a row. */
const DEEP_LINE = /^(?: {400}|[ \t]{0,400}(?:[-?:][ \t]{1,40}){100})/m

function depthOf(text: string): number {
  let [depth, deepest] = [0, 0]
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1)
    deepest = Math.max(deepest, depth)
  }
  return deepest
}
