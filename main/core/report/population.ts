import { type FailureCode, failureWords } from '../../../schemas/failure-words.ts'
import type {
  Assessment,
  Coverage,
  CoveredNode,
  Engagement,
  Inventory,
  InventoryOnly,
  NodeAssessment,
} from '../../../schemas/types.ts'
import { FRESH_DAYS } from '../assess.ts'
import { PATHS } from '../pack-files.ts'
import { oneLine, plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { markText, NOTHING_SHARED, surplusNames } from '../same-machine.ts'
import { reached } from '../tally.ts'
import { declaredBy, factBlock, typed } from './declared.ts'
import { alike } from './grouping.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, plainCell, type Section, text } from './model.ts'
import { see, titles } from './titles.ts'
import { names, of, plural } from './wording.ts'

/** So many nodes stand in full even where all lists agree on them. */
const ALL_SHOWN = 40
/** No reader goes through more rows than these; the rest stands in the embedded file. */
const MOST_ROWS = 1000

/** Declared list, enrolled nodes and the provider’s list in one line, for the first page. Null without an engagement. */
export function populationLine({ assessment: { coverage } }: Pick<Matter, 'assessment'>): string | null {
  if (coverage === undefined) return null
  const { declared, enrolled, inventory, uncovered, conflicts } = coverage
  const lists = `${declared} declared, ${enrolled} enrolled`
  const against =
    inventory === null
      ? '; no list of the provider to compare with'
      : `, ${inventory} in the provider’s list: ${uncovered} unaccounted for`
  return `${lists}${against}${conflicts.length === 0 ? '' : `; ${plural(conflicts.length, 'contradiction')} between the lists`}`
}

/** What the nodes of an assessment are: a fleet file can enrol some that the declared list leaves out. */
export const nodeWords = ({ nodes, coverage }: Pick<Assessment, 'nodes' | 'coverage'>): string =>
  coverage === undefined || coverage.declared === nodes.length ? 'declared nodes' : 'declared or enrolled nodes'

/** How many nodes answered, of all that are meant. */
export const answeredLine = ({ assessment }: Pick<Matter, 'assessment'>): string =>
  `${of(machinesReached(assessment), assessment.nodes.length)} ${nodeWords(assessment)} answered${sameMachineNote(assessment)}`

/** How many machines answered: names that are one machine count once. */
export const machinesReached = ({ nodes, shared = NOTHING_SHARED }: Pick<Assessment, 'nodes' | 'shared'>): number =>
  nodes.filter(reached).length - surplusNames(shared)

function sameMachineNote({ shared = NOTHING_SHARED }: Pick<Assessment, 'shared'>): string {
  const surplus = surplusNames(shared)
  return surplus === 0
    ? ''
    : `; ${plural(surplus, 'name')} of them ${surplus === 1 ? 'is' : 'are'} a machine that counts under another name`
}

/** Which nodes are meant, where that list comes from, and whether the lists agree. */
export function populationSection(matter: Matter): Section {
  const { scope, coverage } = matter.assessment
  const { engagement } = scope
  const line = populationLine(matter)
  return {
    id: 'population',
    title: titles.population,
    blocks: [
      ...(line === null ? [] : [text(`${line}.`)]),
      ...(coverage === undefined || coverage.uncovered === 0 ? [] : [UNCOVERED]),
      ...(engagement === undefined ? [text(UNDECLARED)] : sources(engagement)),
      ...(coverage === undefined ? [] : comparison(coverage)),
      ...sameMachines(matter),
      ...notReached(matter),
      heading(3, 'Changes over time'),
      text(
        'Which nodes were added or removed cannot be told from one collection. The chain of runs in the pack names earlier packs of this fleet, where it has any.',
      ),
    ],
  }
}

const UNCOVERED: Block = {
  kind: 'banner',
  title: 'The provider’s list names nodes that nobody accounts for',
  text: 'While one of them stands, no item counts as supported by what nodes answered. An item that rests on records alone still can be.',
}

/** Names that are one machine, and by what that is known. */
function sameMachines({ assessment: { shared } }: Matter): readonly Block[] {
  if (shared === undefined) return []
  const { machines } = shared
  return [
    heading(3, 'Names that are one machine', true),
    ...(machines.length === 0
      ? [
          text(
            'None was found. Nodes that answered were compared by boot id, serial numbers of system and board, and system UUID, as each could be read.',
          ),
        ]
      : [
          text(
            'Each of these machines counts once. While one stands under several names, no item counts as supported by what nodes answered: what was declared as several nodes is not shown to be several machines.',
          ),
          {
            kind: 'table',
            columns: [
              { title: 'Names', width: 40 },
              { title: 'What they have in common', width: 60 },
            ],
            rows: machines.slice(0, MOST_ROWS).map(({ nodes, by, container }): readonly Cell[] => [
              plainCell(names(nodes, 40)),
              [
                ...by.map((mark) => ({ text: markText(mark) })),
                ...(container
                  ? [
                      {
                        text: 'At least one of the names is a container, which shares its boot with the server that it runs on.',
                      },
                    ]
                  : []),
              ],
            ]),
          } as const,
          ...rest(machines.length),
        ]),
  ]
}

const UNDECLARED =
  'No engagement was declared. The nodes are those of the fleet file of whoever ran the collection; where that list comes from, who owns it and of which day it is was not said. No list of the provider was compared, so nothing here shows that the list is whole.'

const KINDS: Readonly<Record<Inventory['kind'], string>> = {
  'portal-export': 'Export of the provider’s portal',
  invoice: 'Invoice of the provider',
  order: 'Order placed with the provider',
}

function sources({ population, inventory }: Engagement): readonly Block[] {
  return [
    heading(3, 'Where the lists come from', true),
    factBlock([
      {
        label: 'Declared list',
        value: [
          { text: `${oneLine(population.source, 500)}; ${plural(population.nodes.length, 'node')}` },
          { text: declaredBy(population), style: 'quiet' },
        ],
      },
      { label: 'Enrolled nodes', value: plainCell('The fleet file that the collection was made with.') },
      { label: 'Provider’s list', value: inventory === null ? plainCell(NO_INVENTORY) : inventoryCell(inventory) },
    ]),
  ]
}

const NO_INVENTORY =
  'None was given. Nothing here shows that the declared list names every machine that the provider bills or runs.'

const inventoryCell = (inventory: Inventory): Cell => [
  { text: `${KINDS[inventory.kind]}: ${oneLine(inventory.source, 500)}; ${plural(inventory.rows.length, 'row')}` },
  { text: declaredBy(inventory), style: 'quiet' },
  { text: `File ${plain(inventory.file.name)}, ${plural(inventory.file.size, 'byte')}, SHA-256` },
  { text: plain(inventory.file.sha256, 64), style: 'mono' },
  { text: `In the pack as ${PATHS.inventory}`, style: 'quiet' },
]

function comparison(coverage: Coverage): readonly Block[] {
  const compared = coverage.inventory !== null
  const apart = coverage.nodes.filter((node) => !agrees(node, compared))
  const shown = coverage.nodes.length <= ALL_SHOWN ? coverage.nodes : apart
  const agreeing = coverage.nodes.length - apart.length
  return [
    heading(3, 'The lists against each other', true),
    text(
      `${of(agreeing, coverage.nodes.length)} nodes stand in every list that was compared.${compared ? ' A row of the provider’s list fits a node by serial number, else by address, else by name.' : ''}`,
    ),
    ...(shown.length === 0 ? [] : [nodeTable(shown.slice(0, MOST_ROWS)), ...rest(shown.length)]),
    ...(coverage.inventoryOnly.length === 0
      ? []
      : [
          heading(3, 'In the provider’s list only'),
          onlyTable([...coverage.inventoryOnly].sort(unaccountedFirst).slice(0, MOST_ROWS)),
          ...rest(coverage.inventoryOnly.length),
        ]),
    ...(coverage.conflicts.length === 0
      ? []
      : [
          heading(3, 'Where the lists contradict each other'),
          {
            kind: 'list',
            items: coverage.conflicts.slice(0, MOST_ROWS).map((words) => ({ text: oneLine(words, 600) })),
          } as const,
          ...rest(coverage.conflicts.length),
        ]),
  ]
}

const agrees = ({ declared, enrolled, inventory }: CoveredNode, compared: boolean): boolean =>
  declared && enrolled && (!compared || inventory !== null)

const rest = (count: number): readonly Block[] =>
  count <= MOST_ROWS ? [] : [text(`And ${count - MOST_ROWS} more; the pack has them all, in data/assessment.json.`)]

const nodeTable = (nodes: readonly CoveredNode[]): Block => ({
  kind: 'table',
  rowHeaders: true,
  columns: [
    { title: 'Node', width: 34 },
    { title: 'Declared', width: 14 },
    { title: 'Enrolled', width: 14 },
    { title: 'Answered', width: 14 },
    { title: 'Provider’s list', width: 24 },
  ],
  rows: nodes.map(({ node, declared, enrolled, answered, inventory }) => [
    [{ text: plain(node, 80), style: 'strong' }],
    yes(declared),
    yes(enrolled),
    yes(answered),
    inventory === null ? yes(false) : plainCell(`${plain(inventory.id, 100)}, by ${MATCHED[inventory.by]}`),
  ]),
})

const MATCHED = { serial: 'serial number', address: 'address', name: 'name' } as const
const yes = (is: boolean): Cell => (is ? plainCell('Yes') : [{ text: 'No', style: 'strong' }])

const unaccountedFirst = (a: InventoryOnly, b: InventoryOnly): number =>
  Number(a.leftOut !== null) - Number(b.leftOut !== null) || compare(a.row.id, b.row.id)

const onlyTable = (rows: readonly InventoryOnly[]): Block => ({
  kind: 'table',
  columns: [
    { title: 'Row', width: 20 },
    { title: 'Name, address, serial number', width: 40 },
    { title: 'Accounted for', width: 40 },
  ],
  rows: rows.map(({ row, leftOut }) => [
    typed(row.id, 200),
    plainCell(
      [row.name, row.address, row.serial].flatMap((part) => (part === null ? [] : [plain(part)])).join(', ') ||
        'Nothing but its id',
    ),
    leftOut === null ? [{ text: 'Nobody said', style: 'strong' }] : typed(`Left out as declared: ${leftOut}`),
  ]),
})

/** Declared nodes without usable evidence, by reason. */
function notReached({ assessment }: Matter): readonly Block[] {
  const { nodes } = assessment
  const short = nodes.flatMap((node) => {
    const why = whyShort(node)
    return why === null ? [] : [{ node: node.node, why }]
  })
  const groups = [...alike(short, ({ why }) => why)].sort((some, others) => others.length - some.length)
  return [
    heading(3, 'Nodes without evidence, or with less than was asked', true),
    ...(groups.length === 0
      ? [text(nodes.length === 0 ? 'No node was declared.' : 'None: every declared node was collected whole.')]
      : [
          {
            kind: 'table',
            columns: [
              { title: 'Why', width: 36 },
              { title: 'Nodes', width: 14 },
              { title: 'Which', width: 50 },
            ],
            rows: groups.map((group): readonly Cell[] => [
              plainCell(group[0]?.why ?? ''),
              plainCell(of(group.length, nodes.length)),
              plainCell(
                names(
                  group.map(({ node }) => node),
                  40,
                ),
              ),
            ]),
          } as const,
          text(`What happened at each, and what to do, stands in ${see('undecided')}.`),
        ]),
  ]
}

/** Why a node gave less than was asked; null where it did not. */
function whyShort(node: NodeAssessment): string | null {
  if (!reached(node))
    return (
      failureWords[node.failure?.code as FailureCode]?.title ??
      (node.recording === null ? 'There is no recording of it' : 'It answered nothing')
    )
  if (node.stale) return `Its evidence is more than ${FRESH_DAYS} days old, or dated after this report`
  return node.status === 'partial' ? 'It was collected in part' : null
}
