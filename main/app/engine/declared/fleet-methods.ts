import { formatOf } from '../../../../schemas/import-format.ts'
import type {
  FleetView,
  ImportField,
  ImportKind,
  ImportPreview,
  NodeConnection,
} from '../../../../schemas/ipc-views.ts'
import type { Fleet, FleetNode } from '../../../../schemas/types.ts'
import { policyQuestion } from '../../../catalog/location/answers.ts'
import { hexOf } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { plain } from '../../../core/base/plain-text.ts'
import type { TableRow } from '../../../core/base/table.ts'
import { listText } from '../../../core/engagement/list-text.ts'
import { fleetNodeView, fleetView } from '../../evaluate/views.ts'
import { type EngineContext, methods } from '../context/context.ts'
import { fileName, turnOf } from '../context/kept-json.ts'
import { storedFleet, storeFleet } from './fleet-store.ts'

/** Previews that were shown and not yet accepted: the newest few. Discarded when the program ends. */
type Offered = Map<string, OfferedNodes>
interface OfferedNodes {
  readonly nodes: readonly FleetNode[]
  /** The imported text, for reading it again with other columns. */
  readonly source: ImportSource
}

interface ImportSource {
  readonly kind: ImportKind
  readonly text: string
  readonly file: string | null
}

const MOST_OFFERED = 4
const NO_TEXT = 'this file is no text; save the list as CSV or as a workbook (.xlsx)'
const NO_LONGER = 'this preview is no longer available; import the file again'

/** The fleet of this folder, and changes to it. No method contacts a node. */
export function fleetMethods(context: EngineContext) {
  const { ports, session } = context
  const offered: Offered = new Map()
  const turn = turnOf(context, 'fleet')
  const change = (edit: (fleet: Fleet) => Outcome<readonly FleetNode[]>) => turn(() => changed(context, edit))
  return methods({
    'fleet.get': async () => ok(session.fleet === null ? null : fleetView(session.fleet, session.demo)),
    'fleet.import-choose': async ({ kind }, chosen) => {
      if (chosen === undefined) return ok(null)
      const file = fileName(chosen.path)
      if (chosen.path.toLowerCase().endsWith('.xlsx')) {
        const rows = await ports.readTable(chosen.path)
        return rows.ok ? await preview(context, offered, { kind: 'csv', text: tableText(rows.value), file }) : rows
      }
      const bytes = await ports.files.read(chosen.path)
      if (!bytes.ok) return bytes
      const text = listText(bytes.value)
      if (text.includes('\0')) return fail('input.refused', `${file}: ${NO_TEXT}`)
      return await previewFile(context, offered, { kind, text, file })
    },
    'fleet.import-text': async ({ kind, text }) => await preview(context, offered, { kind, text, file: null }),
    'fleet.import-columns': async ({ handle, columns }) => {
      const before = offered.get(handle)
      if (before === undefined) return fail('input.refused', NO_LONGER)
      const again = await preview(context, offered, before.source, columns)
      if (again.ok) offered.delete(handle)
      return again
    },
    'fleet.accept': ({ handle }) => turn(() => accept(context, offered, handle)),
    'fleet.edit-node': ({ node, was, ...wanted }) =>
      change((fleet) => {
        const before = fleet.nodes.find(({ name }) => name === node)
        if (before === undefined) return fail('input.refused', 'the fleet has no node of this name', node)
        const joined = was === undefined ? ok(wanted) : joinedConnection(was, wanted, fleetNodeView(before))
        if (!joined.ok) return joined
        const { address, port, user, sudo } = joined.value
        const { user: _, ...rest } = before
        const edited: FleetNode = { ...rest, address, port, sudo, ...(user === '' ? {} : { user }) }
        return ok(fleet.nodes.map((one) => (one === before ? edited : one)))
      }),
    'fleet.remove-nodes': ({ nodes }) =>
      change((fleet) => {
        const gone = new Set(nodes)
        const unknown = nodes.find((name) => !fleet.nodes.some((node) => node.name === name))
        if (unknown !== undefined) return fail('input.refused', 'the fleet has no node of this name', unknown)
        const kept = fleet.nodes.filter(({ name }) => !gone.has(name))
        const needed = neededStill(fleet, kept, gone)
        return needed === null ? ok(kept) : fail('input.refused', needed)
      }),
  })
}

const CONNECTION = { address: 'address', port: 'port', user: 'account', sudo: 'use of sudo' } as const

/** Joins what one person changed of a connection that they were shown with what is stored now. Refused where another person changed the same. */
function joinedConnection(was: NodeConnection, wanted: NodeConnection, now: NodeConnection): Outcome<NodeConnection> {
  const members = Object.keys(CONNECTION) as (keyof NodeConnection)[]
  const mine = members.filter((one) => wanted[one] !== was[one])
  const both = mine.filter((one) => now[one] !== was[one] && now[one] !== wanted[one])
  if (both.length > 0) {
    const names = both.map((one) => CONNECTION[one]).join(' and the ')
    return fail(
      'input.refused',
      `another person changed the ${names} meanwhile; close this form and edit the node again`,
    )
  }
  const { address, port, user, sudo } = now
  return ok({ ...{ address, port, user, sudo }, ...Object.fromEntries(mine.map((one) => [one, wanted[one]])) })
}

/** Why nodes cannot be removed, by what else of the fleet needs them; null where nothing does. */
function neededStill(fleet: Fleet, kept: readonly FleetNode[], gone: ReadonlySet<string>): string | null {
  if (kept.every(({ jumpOnly }) => jumpOnly === true))
    return 'a fleet has at least one node to collect from; import another node first'
  for (const policy of fleet.residency ?? []) {
    const named = policy.nodes?.find((name) => gone.has(name))
    if (named !== undefined)
      return `the residency rule “${plain(policyQuestion(policy).title, 200)}” names ${named}; change it under Declarations first`
  }
  for (const { name, jump } of kept) {
    const through = jump?.find((one) => gone.has(one))
    if (through !== undefined)
      return `${name} is reached through ${through}; remove both, or change its connection under Declarations first`
  }
  return null
}

const OUTCOMES = {
  added: 'will-add',
  already: 'already-here',
  read: 'used',
  skipped: 'skipped',
  problem: 'skipped',
} as const

/** The sheet of a workbook as a table of text, each row on the line that its spreadsheet counts. */
function tableText(rows: readonly TableRow[]): string {
  // The last cells of a row are absent where they are empty.
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length))
  // A cell of several lines would move the rows below it.
  const cellText = (text: string): string => `"${text.replaceAll(/\s+/g, ' ').replaceAll('"', '""')}"`
  const lines = Array<string>(rows.at(-1)?.row ?? 0).fill('')
  for (const { row, cells } of rows)
    lines[row - 1] = Array.from({ length: width }, (_, at) => cellText(cells[at]?.text ?? '')).join(',')
  return lines.join('\n')
}

/** Previews a chosen file. Where the chosen format yields no node, the format that the text resembles is tried. */
async function previewFile(
  context: EngineContext,
  offered: Offered,
  source: ImportSource,
): Promise<Outcome<ImportPreview>> {
  const chosen = await preview(context, offered, source)
  const shown = formatOf(source.text)
  if (!chosen.ok || chosen.value.willAdd > 0 || shown === null || shown === source.kind) return chosen
  const read = await preview(context, offered, { ...source, kind: shown })
  if (!read.ok) return chosen
  const [given, other] = read.value.willAdd > 0 ? [read, chosen] : [chosen, read]
  offered.delete(other.value.handle)
  return given
}

async function preview(
  { ports, folder }: EngineContext,
  offered: Offered,
  source: ImportSource,
  columns?: readonly (ImportField | null)[],
): Promise<Outcome<ImportPreview>> {
  const { kind, text, file } = source
  const before = await storedFleet({ ports, folder })
  if (!before.ok) return before
  const {
    nodes,
    lines,
    columns: found = null,
  } = await ports.importers.preview(kind, text, before.value.nodes, columns === undefined ? {} : { columns })
  const handle = hexOf(ports.entropy.bytes(16))
  offered.set(handle, { nodes, source })
  for (const oldest of [...offered.keys()].slice(0, -MOST_OFFERED)) offered.delete(oldest)
  const rows = lines.map((one) => {
    const { line, text: shown, outcome, node = null, why } = one
    return { line, text: shown, outcome: OUTCOMES[outcome], node, note: why }
  })
  return ok({ handle, file, kind, rows, willAdd: nodes.length, columns: found })
}

async function accept(context: EngineContext, offered: Offered, handle: string): Promise<Outcome<FleetView>> {
  const nodes = offered.get(handle)?.nodes
  if (nodes === undefined) return fail('input.refused', NO_LONGER)
  if (context.session.demo && context.session.going !== null) return fail('input.refused', 'a run is in progress')
  const before = await storedFleet(context)
  if (!before.ok) return before
  const known = new Set(before.value.nodes.map(({ name }) => name))
  const added = [...before.value.nodes, ...nodes.filter(({ name }) => !known.has(name))]
  const stored = await storeFleet(context, before.value, { ...before.value, nodes: added } as Fleet)
  if (stored.ok) offered.delete(handle)
  return stored
}

async function changed(
  context: EngineContext,
  edit: (fleet: Fleet) => Outcome<readonly FleetNode[]>,
): Promise<Outcome<FleetView>> {
  if (context.session.demo) return fail('input.refused', 'the demo fleet cannot be changed')
  const before = await storedFleet(context)
  if (!before.ok) return before
  const edited = edit(before.value)
  return edited.ok ? await storeFleet(context, before.value, { ...before.value, nodes: edited.value } as Fleet) : edited
}
