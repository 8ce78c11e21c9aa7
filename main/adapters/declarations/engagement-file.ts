import { basename } from 'node:path'
import type { Engagement, Inventory, InventoryInFile } from '../../../schemas/types.ts'
import type { DeclaredEngagement } from '../../core/all-ports.ts'
import type { Catalog } from '../../core/catalog.ts'
import { engagementProblems, namesOf, withRowKeys } from '../../core/engagement/form.ts'
import { withDefaults } from '../../core/engagement/template.ts'
import { type Outcome, ok } from '../../core/failure.ts'
import { quote } from '../../core/plain-text.ts'
import { createSchemaValidator, type PlacedProblem } from '../schema-validator.ts'
import { placeOf, readDocument } from './document.ts'
import { inventoryFileOf, inventoryRows, readList } from './inventory-file.ts'

/** Built at first use: compiling the schemas takes some 30 ms. */
let validator: ReturnType<typeof createSchemaValidator> | null = null

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
  validator ??= createSchemaValidator()
  const { inventory, reportingBasis } = declared
  const whole = validator.placed('engagement', { ...declared, inventory: null })
  const list =
    inventory === null
      ? []
      : validator
          .placed('inventory-in-file', inventory)
          .map(({ path, text }) => ({ path: ['inventory', ...path], text }))
  const other = isPeriod(reportingBasis) ? BASES.date : BASES.period
  const all = [
    ...whole.filter(({ path, text }) => path[0] !== 'reportingBasis' || !other.test(`${path.at(-1)} ${text}`)),
    ...list,
  ]
  return all.filter((problem) => !isOtherChoice(problem, all)).map(inPlainWords)
}

/** What a schema with alternatives reports for the branch that was not meant. */
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
  const read = await readList(placeOf(file, path))
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
