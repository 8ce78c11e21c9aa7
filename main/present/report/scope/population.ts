import { type FailureCode, failureWords } from '../../../../schemas/failure-words.ts'
import type {
  Assessment,
  Engagement,
  Inventory,
  InventoryOnly,
  NodeAssessment,
  ReconciledNode,
  Reconciliation,
} from '../../../../schemas/types.ts'
import { dayCount } from '../../../../schemas/words.ts'
import { alike } from '../../../core/base/grouping.ts'
import { names, of, oneLine, plain, plural } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  headedTable,
  heading,
  list,
  plainCell,
  type Section,
  table,
  text,
} from '../../../core/base/report-document.ts'
import { FRESH_DAYS } from '../../../core/conclusion/assess.ts'
import { reached } from '../../../core/conclusion/tally.ts'
import { PATHS } from '../../../core/pack/pack-files.ts'
import { compare } from '../../../core/recording/recording.ts'
import { markText, NOTHING_SHARED, surplusNames } from '../../../core/recording/same-machine.ts'
import type { Matter } from '../parts/input.ts'
import { nodeWords, see, titles } from '../parts/wording.ts'
import { declaredBy, factBlock, typed } from './boundary.ts'

/** Up to this many nodes are listed in full even where all lists agree. */
const ALL_SHOWN = 40
/** Row limit of a printed table; the remaining rows are in the embedded file. */
const MOST_ROWS = 1000

/** Declared population, fleet file and provider inventory in one line, for the first page. Null without an engagement. */
export function populationLine({ assessment: { reconciliation } }: Pick<Matter, 'assessment'>): string | null {
  if (reconciliation === undefined) return null
  const { declared, inFleet, inventory, unreconciled, conflicts } = reconciliation
  const lists = `${declared} declared, ${inFleet} in the fleet file`
  const against =
    inventory === null
      ? '; no provider inventory to reconcile with'
      : `, ${inventory} in the provider inventory: ${unreconciled} unreconciled`
  return `${lists}${against}${conflicts.length === 0 ? '' : `; ${plural(conflicts.length, 'conflict')} between the lists`}`
}

/** How many nodes of the population were collected. */
export const answeredLine = ({ assessment }: Pick<Matter, 'assessment'>): string =>
  `${of(machinesReached(assessment), assessment.nodes.length)} ${nodeWords(assessment)} collected${sameMachineNote(assessment)}`

/** How many machines were collected: several names of one machine count once. */
export const machinesReached = ({ nodes, shared = NOTHING_SHARED }: Pick<Assessment, 'nodes' | 'shared'>): number =>
  nodes.filter(reached).length - surplusNames(shared)

/** Whether results are of a sample: whoever collects can leave nodes out, and they stay in the population. */
export const sampling = ({ assessment, assessment: { nodes } }: Pick<Matter, 'assessment'>): string =>
  nodes.length === 0
    ? 'No nodes declared; nothing was collected.'
    : `No sampling: ${nodes.length === 1 ? 'the one declared node is' : `all ${nodes.length} ${nodeWords(assessment)} are`} the population, and a node without evidence counts as not tested. ${of(machinesReached(assessment), nodes.length)} collected.`

/** Names that are not counted as tested, as they refer to a machine that is; empty where there is none. */
export function sameMachineNote({ shared = NOTHING_SHARED }: Pick<Assessment, 'shared'>): string {
  const surplus = surplusNames(shared)
  return surplus === 0
    ? ''
    : `; ${plural(surplus, 'name')} ${surplus === 1 ? 'refers' : 'refer'} to a machine already counted under another name`
}

/** The population, the source of each list, and whether the lists reconcile. */
export function populationSection(matter: Matter): Section {
  const { scope, reconciliation } = matter.assessment
  const { engagement } = scope
  const line = populationLine(matter)
  return {
    id: 'population',
    title: titles.population,
    blocks: [
      ...(line === null ? [] : [text(`${line}.`)]),
      text(sampling(matter)),
      ...(reconciliation === undefined || reconciliation.unreconciled === 0 ? [] : [UNCOVERED]),
      ...(engagement === undefined ? [text(UNDECLARED)] : sources(engagement)),
      ...(reconciliation === undefined ? [] : comparison(reconciliation)),
      ...sameMachines(matter),
      ...notReached(matter),
      heading(3, 'Changes over time'),
      text(
        'One collection does not show which nodes were added or removed. The run chain in the pack lists earlier packs of this fleet, if any.',
      ),
    ],
  }
}

const UNCOVERED: Block = {
  kind: 'banner',
  title: 'Unreconciled assets in the provider inventory',
  text: 'Until every row is reconciled, a control that requires the population comparison is not supported. All other conclusions are limited to the declared servers.',
}

/** Node names that refer to one machine, and the identifiers that show it. */
function sameMachines({ assessment: { shared } }: Matter): readonly Block[] {
  if (shared === undefined) return []
  const { machines } = shared
  return [
    heading(3, 'Duplicate names of one machine', true),
    ...(machines.length === 0
      ? [
          text(
            'None found. Collected nodes were compared by boot ID, system and board serial numbers, and system UUID, where each was readable.',
          ),
        ]
      : [
          text(
            'Each of these machines counts once. While one machine has several names, the server part of a control does not cover the declared population: the evidence does not show that the declared nodes are separate machines.',
          ),
          table(
            { Names: 40, 'Shared identifiers': 60 },
            machines.slice(0, MOST_ROWS).map(({ nodes, by, container }): readonly Cell[] => [
              plainCell(names(nodes, 40)),
              [
                ...by.map((mark) => ({ text: markText(mark) })),
                ...(container
                  ? [
                      {
                        text: 'At least one name is a container, which shares the boot ID of the server it runs on.',
                      },
                    ]
                  : []),
              ],
            ]),
          ),
          ...rest(machines.length),
        ]),
  ]
}

const UNDECLARED =
  'The engagement is not defined. The nodes are those of the fleet file used for collection; its source, owner and date were not stated. No provider inventory was compared, so completeness of the population is not shown.'

const KINDS: Readonly<Record<Inventory['kind'], string>> = {
  'portal-export': 'Export from the provider’s portal',
  invoice: 'Provider invoice',
  order: 'Order placed with the provider',
}

function sources({ population, inventory }: Engagement): readonly Block[] {
  return [
    heading(3, 'Sources of the lists', true),
    factBlock([
      {
        label: 'Declared population',
        value: [
          { text: `${oneLine(population.source, 500)}; ${plural(population.nodes.length, 'node')}` },
          { text: declaredBy(population), style: 'quiet' },
        ],
      },
      { label: 'Fleet file', value: plainCell('The fleet file used for the collection.') },
      { label: 'Provider inventory', value: inventory === null ? plainCell(NO_INVENTORY) : inventoryCell(inventory) },
    ]),
  ]
}

const NO_INVENTORY =
  'None supplied. The evidence does not show that the declared population includes every machine that the provider bills or operates.'

const inventoryCell = (inventory: Inventory): Cell => [
  { text: `${KINDS[inventory.kind]}: ${oneLine(inventory.source, 500)}; ${plural(inventory.rows.length, 'row')}` },
  { text: declaredBy(inventory), style: 'quiet' },
  { text: `File ${plain(inventory.file.name)}, ${plural(inventory.file.size, 'byte')}, SHA-256` },
  { text: plain(inventory.file.sha256, 64), style: 'mono' },
  { text: `In the pack as ${PATHS.inventory}`, style: 'quiet' },
]

function comparison(coverage: Reconciliation): readonly Block[] {
  const compared = coverage.inventory !== null
  const apart = coverage.nodes.filter((node) => !agrees(node, compared))
  const shown = coverage.nodes.length <= ALL_SHOWN ? coverage.nodes : apart
  const agreeing = coverage.nodes.length - apart.length
  return [
    heading(3, 'Reconciliation', true),
    text(
      `${of(agreeing, coverage.nodes.length)} nodes are in every list compared.${compared ? ' An inventory row is matched to a node by serial number, then by address, then by name.' : ''}`,
    ),
    ...(shown.length === 0
      ? []
      : [nodeTable(shown.length <= ALL_SHOWN ? shown.map((node) => [node]) : grouped(shown))]),
    ...(coverage.inventoryOnly.length === 0
      ? []
      : [
          heading(3, 'In provider inventory only'),
          onlyTable([...coverage.inventoryOnly].sort(unaccountedFirst).slice(0, MOST_ROWS)),
          ...rest(coverage.inventoryOnly.length),
        ]),
    ...(coverage.conflicts.length === 0
      ? []
      : [
          heading(3, 'Conflicts between the lists'),
          list(coverage.conflicts.slice(0, MOST_ROWS).map((words) => ({ text: oneLine(words, 600) }))),
          ...rest(coverage.conflicts.length),
        ]),
  ]
}

const agrees = ({ declared, inFleet, inventory }: ReconciledNode, compared: boolean): boolean =>
  declared && inFleet && (!compared || inventory !== null)

const rest = (count: number): readonly Block[] =>
  count <= MOST_ROWS ? [] : [text(`And ${count - MOST_ROWS} more; data/assessment.json in the pack lists all.`)]

/** Nodes that are in the same lists; a large fleet has one row for each such group, and data/assessment.json has each node. */
const grouped = (nodes: readonly ReconciledNode[]): readonly (readonly ReconciledNode[])[] =>
  [
    ...alike(nodes, ({ declared, inFleet, collected, inventory }) =>
      JSON.stringify([declared, inFleet, collected, inventory?.by ?? null]),
    ),
  ].sort((some, others) => others.length - some.length)

/** The names in a row of several nodes. */
const MOST_NAMED = 24

const nodeTable = (rows: readonly (readonly ReconciledNode[])[]): Block =>
  headedTable(
    { Node: 34, Declared: 14, 'In fleet file': 14, Collected: 14, 'Provider inventory': 24 },
    rows.flatMap((nodes): readonly (readonly Cell[])[] => {
      const [first, ...others] = nodes
      if (first === undefined) return []
      const { node, declared, inFleet, collected, inventory } = first
      const isOne = others.length === 0
      const matched =
        inventory === null ? '' : `${isOne ? plain(inventory.id, 100) : 'Yes'}, by ${MATCHED[inventory.by]}`
      return [
        [
          isOne
            ? [{ text: plain(node, 80), style: 'strong' }]
            : [
                { text: plural(nodes.length, 'node'), style: 'strong' },
                {
                  text: names(
                    nodes.map((one) => one.node),
                    MOST_NAMED,
                  ),
                  style: 'quiet',
                },
              ],
          yes(declared),
          yes(inFleet),
          yes(collected),
          inventory === null ? yes(false) : plainCell(matched),
        ],
      ]
    }),
  )

const MATCHED = { serial: 'serial number', address: 'address', name: 'name' } as const
const yes = (is: boolean): Cell => (is ? plainCell('Yes') : [{ text: 'No', style: 'strong' }])

const unaccountedFirst = (a: InventoryOnly, b: InventoryOnly): number =>
  Number(a.excluded !== null) - Number(b.excluded !== null) || compare(a.row.id, b.row.id)

const onlyTable = (rows: readonly InventoryOnly[]): Block =>
  table(
    { Row: 20, 'Name, address, serial number': 40, Explanation: 40 },
    rows.map(({ row, excluded }) => [
      typed(row.id, 200),
      plainCell(
        [row.name, row.address, row.serial].flatMap((part) => (part === null ? [] : [plain(part)])).join(', ') ||
          'ID only',
      ),
      excluded === null
        ? [{ text: 'No explanation', style: 'strong' }]
        : typed(`Excluded, with rationale: ${excluded}`),
    ]),
  )

/** Declared nodes not collected or partially collected, by reason. */
function notReached({ assessment }: Matter): readonly Block[] {
  const { nodes } = assessment
  const short = nodes.flatMap((node) => {
    const why = whyShort(node)
    return why === null ? [] : [{ node: node.node, why }]
  })
  const groups = [...alike(short, ({ why }) => why)].sort((some, others) => others.length - some.length)
  return [
    heading(3, 'Nodes not collected or partially collected', true),
    ...(groups.length === 0
      ? [
          text(
            nodes.length === 0
              ? 'No nodes declared.'
              : `None. Output was obtained from every declared node. For probes without a complete capture, see ${see('undecided')}.`,
          ),
        ]
      : [
          table(
            { Reason: 36, Count: 14, Nodes: 50 },
            groups.map((group): readonly Cell[] => [
              plainCell(group[0]?.why ?? ''),
              plainCell(of(group.length, nodes.length)),
              plainCell(
                names(
                  group.map(({ node }) => node),
                  40,
                ),
              ),
            ]),
          ),
          text(`For causes and recommended actions, see ${see('undecided')}.`),
        ]),
  ]
}

/** Why a node was not or only partially collected; null where it was collected completely. */
function whyShort(node: NodeAssessment): string | null {
  if (!reached(node))
    return (
      failureWords[node.failure?.code as FailureCode]?.title ??
      (node.recording === null ? 'No recording exists' : 'No output was returned')
    )
  if (node.stale) return `Stale evidence: more than ${dayCount(FRESH_DAYS)} old, or dated after this report`
  return node.status === 'partial' ? 'Partially collected' : null
}
