import { levelWords } from '../../../../schemas/conclusion-words.ts'
import type { Assessment, SharedMachine } from '../../../../schemas/types.ts'
import { collectedAt, summarize, type Tally } from '../../../core/conclusion/tally.ts'
import type { ViewSource } from '../../../core/recording/evidence-view.ts'
import { markText } from '../../../core/recording/same-machine.ts'
import { countLines } from '../../report/parts/wording.ts'
import { documentCounts, type RequestedDocument } from '../../report/scope/outstanding.ts'
import type { FormatInput } from '../input.ts'
import { type Grid, type GridColumns, gridOf } from './grid.ts'

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

/** The sources of a view and what it does not show, as the last columns of each of its rows. */
export const limitColumns = <T>(viewOf: (one: T) => ViewSource): GridColumns<T> => ({
  sources: [80, (one) => viewOf(one).sources.join('; ')],
  limitations: [90, (one) => viewOf(one).notShown],
})

/** Results of one check over all nodes, in one line. */
export function checkText(catalog: FormatInput['catalog'], counted: Tally, id: string): string {
  const check = catalog.checks.find((one) => one.id === id)
  if (check === undefined) return `${id}: a document answers it.`
  return `${id}: ${countLines(counted.overNodes(id))
    .map(({ text }) => text)
    .join(', ')}`
}

/** One row per node of the population: lists that contain it, other names of the same machine, and counts of its verdicts. */
export function populationGrid({ nodes, reconciliation, shared }: Assessment): Grid {
  const lists = new Map(reconciliation?.nodes.map((entry) => [entry.node, entry]))
  const machines = new Map(shared?.machines.flatMap((machine) => machine.nodes.map((node) => [node, machine])))
  const rows = nodes.map((node) => ({
    node,
    on: lists.get(node.node),
    machine: machines.get(node.node),
    counts: summarize(node.results.map(({ verdict }) => verdict)).counts,
    answered: node.results.some(({ verdict }) => verdict !== 'not-tested'),
  }))
  const noRow = reconciliation?.inventory == null ? 'no list' : 'no row'
  return gridOf(rows, {
    node: [24, ({ node }) => node.node],
    declared: [10, ({ on }) => words(on?.declared)],
    'in fleet file': [10, ({ on }) => words(on?.inFleet)],
    'inventory row': [22, ({ on }) => on?.inventory?.id ?? noRow],
    'matched by': [12, ({ on }) => on?.inventory?.by ?? ''],
    collected: [10, ({ on, answered }) => words(on?.collected ?? answered)],
    'same machine as': [34, ({ node, machine }) => otherNames(node.node, machine)],
    by: [44, ({ machine }) => machine?.by.map(markText).join(', ') ?? ''],
    status: [12, ({ node }) => node.status],
    'reason not collected': [
      34,
      ({ node: { failure } }) => (failure === null ? '' : `${failure.code}: ${failure.detail}`),
    ],
    'collected at (UTC)': [25, ({ node }) => collectedAt(node)],
    'age in days': [12, ({ node, answered }) => (answered ? (node.ageDays ?? '') : '')],
    stale: [12, ({ node }) => words(node.stale)],
    rights: [10, ({ node }) => node.privilege ?? ''],
    satisfied: [11, ({ counts }) => counts.satisfied],
    'not satisfied': [13, ({ counts }) => counts['not-satisfied']],
    inconclusive: [13, ({ counts }) => counts.inconclusive],
    'not applicable': [13, ({ counts }) => counts['not-applicable']],
    'not tested': [13, ({ counts }) => counts['not-tested']],
    informational: [11, ({ counts }) => counts.informational],
    'recording SHA-256': [74, ({ node }) => node.recording?.digest ?? ''],
    'synthetic recording': [90, ({ node }) => node.synthetic ?? ''],
  })
}

const words = (holds: boolean | undefined): string => (holds === undefined ? 'no list' : holds ? 'yes' : 'no')

/** Other names listed in one cell; the assessment has all. */
const MOST_NAMES = 20

function otherNames(node: string, machine: SharedMachine | undefined): string {
  const others = machine?.nodes.filter((name) => name !== node) ?? []
  const more = others.length - MOST_NAMES
  return [...others.slice(0, MOST_NAMES), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** Inventory rows without a matching node. */
export const inventoryGrid = ({ reconciliation }: Assessment): Grid =>
  gridOf(reconciliation?.inventoryOnly ?? [], {
    'inventory row': [22, ({ row }) => row.id],
    name: [24, ({ row }) => row.name ?? ''],
    address: [20, ({ row }) => row.address ?? ''],
    serial: [24, ({ row }) => row.serial ?? ''],
    'reason for exclusion': [60, ({ excluded }) => excluded ?? 'not excluded: unreconciled'],
  })
