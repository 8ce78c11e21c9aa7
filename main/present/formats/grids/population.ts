import { levelWords } from '../../../../schemas/conclusion-words.ts'
import type { Assessment, NodeAssessment, ReconciledNode, SharedMachine } from '../../../../schemas/types.ts'
import type { ViewSource } from '../../../core/evidence-view.ts'
import { markText } from '../../../core/same-machine.ts'
import { collectedAt, summarize, type Tally } from '../../../core/tally.ts'
import { documentCounts, type RequestedDocument } from '../../report/outstanding.ts'
import { countLines } from '../../report/wording.ts'
import type { FormatInput } from '../input.ts'
import { columns, type Grid } from './grid.ts'

/** Status of evidence requests by id, as the list of requests has it. */
type RequestedById = (id: string) => RequestedDocument | undefined

/** Every request of the frameworks in effect, looked up once for many rows. */
export function requestedById(input: Pick<FormatInput, 'assessment' | 'catalog' | 'register'>): RequestedById {
  const found = new Map(documentCounts(input).requested.flatMap((one) => (one.id === null ? [] : [[one.id, one]])))
  return (id) => found.get(id)
}

/** One line per request: its id and title, and how far its document was examined. */
export function requestLines(
  { requests }: FormatInput['catalog'],
  requested: RequestedById,
  ids: readonly string[],
): readonly string[] {
  return ids.map((id) => {
    const title = requests.find((one) => one.id === id)?.title ?? ''
    return `${id} ${title}: ${statusOf(requested(id))}`
  })
}

function statusOf(document: RequestedDocument | undefined): string {
  if (document === undefined) return 'not requested for the frameworks chosen'
  const { level, conclusion } = document.status
  if (conclusion === 'does-not-support') return 'inspected, does not support'
  const reached = level === null ? 'nothing on file' : `on file, ${levelWords[level].label.toLowerCase()}`
  return `${document.isOutstanding ? 'outstanding' : 'held'}; ${reached}`
}

/** What a view rests on and what it does not show, as the last columns of each of its rows. */
export const limitsOf = ({ sources, notShown }: ViewSource): readonly string[] => [sources.join('; '), notShown]

/** Results of one check over all nodes, in one line. */
export function checkText(catalog: FormatInput['catalog'], counted: Tally, id: string): string {
  const check = catalog.checks.find((one) => one.id === id)
  if (check === undefined) return `${id}: a document answers it.`
  return `${id}: ${countLines(counted.overNodes(id))
    .map(({ text }) => text)
    .join(', ')}`
}

const COLUMNS = columns({
  node: 24,
  declared: 10,
  'in fleet file': 10,
  'inventory row': 22,
  'matched by': 12,
  collected: 10,
  'same machine as': 34,
  by: 44,
  status: 12,
  'reason not collected': 34,
  'collected at (UTC)': 25,
  'age in days': 12,
  stale: 12,
  rights: 10,
  satisfied: 11,
  'not satisfied': 13,
  inconclusive: 13,
  'not applicable': 13,
  'not tested': 13,
  informational: 11,
  'recording SHA-256': 74,
  'synthetic recording': 90,
})

/** One row per node of the population: lists that contain it, other names of the same machine, and counts of its verdicts. */
export function populationGrid({ nodes, reconciliation, shared }: Assessment): Grid {
  const lists = new Map(reconciliation?.nodes.map((entry) => [entry.node, entry]))
  const machines = new Map(shared?.machines.flatMap((machine) => machine.nodes.map((node) => [node, machine])))
  return {
    columns: COLUMNS,
    rows: nodes.map((node) =>
      row(node, lists.get(node.node), reconciliation?.inventory != null, machines.get(node.node)),
    ),
  }
}

/** Other names listed in one cell; the assessment has all. */
const MOST_NAMES = 20

const words = (holds: boolean | undefined): string => (holds === undefined ? 'no list' : holds ? 'yes' : 'no')

function row(
  node: NodeAssessment,
  on: ReconciledNode | undefined,
  inventory: boolean,
  machine: SharedMachine | undefined,
): readonly (string | number)[] {
  const others = machine?.nodes.filter((name) => name !== node.node) ?? []
  const { counts } = summarize(node.results.map(({ verdict }) => verdict))
  const answered = node.results.some(({ verdict }) => verdict !== 'not-tested')
  return [
    node.node,
    words(on?.declared),
    words(on?.inFleet),
    on?.inventory?.id ?? (inventory ? 'no row' : 'no list'),
    on?.inventory?.by ?? '',
    words(on?.collected ?? answered),
    [
      ...others.slice(0, MOST_NAMES),
      ...(others.length > MOST_NAMES ? [`${others.length - MOST_NAMES} more`] : []),
    ].join(', '),
    machine?.by.map(markText).join(', ') ?? '',
    node.status,
    node.failure === null ? '' : `${node.failure.code}: ${node.failure.detail}`,
    collectedAt(node),
    answered ? (node.ageDays ?? '') : '',
    words(node.stale),
    node.privilege ?? '',
    counts.satisfied,
    counts['not-satisfied'],
    counts.inconclusive,
    counts['not-applicable'],
    counts['not-tested'],
    counts.informational,
    node.recording?.digest ?? '',
    node.synthetic ?? '',
  ]
}

const INVENTORY_COLUMNS = columns({
  'inventory row': 22,
  name: 24,
  address: 20,
  serial: 24,
  'reason for exclusion': 60,
})

/** Inventory rows without a matching node. */
export const inventoryGrid = ({ reconciliation }: Assessment): Grid => ({
  columns: INVENTORY_COLUMNS,
  rows: (reconciliation?.inventoryOnly ?? []).map(({ row: { id, name, address, serial }, excluded }) => [
    id,
    name ?? '',
    address ?? '',
    serial ?? '',
    excluded ?? 'no explanation',
  ]),
})
