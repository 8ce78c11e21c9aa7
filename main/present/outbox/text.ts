import { SEVERITIES, severityWords } from '../../../schemas/conclusion-words.ts'
import { names, of, oneLine, plain, plural } from '../../core/base/plain-text.ts'
import type {
  EvidenceDates,
  FindingItem,
  FindingOutcome,
  ItemSource,
  OutboxItem,
  PackItem,
} from '../../core/outbox/item.ts'
import { severityCounts } from '../presentation.ts'

const demoMark = ({ demo }: ItemSource): string => (demo ? '[Demo data] ' : '')

/** One line that names an item, of at most so many characters. */
export function headline(item: OutboxItem, most = 150): string {
  const text =
    item.kind === 'finding'
      ? `${item.reference} ${OUTCOMES[item.outcome] ?? severityWords[item.severity]}: ${item.title}`
      : `${item.fleet}: ${foundText(item)} in the evidence pack of ${item.asOf.slice(0, 10)}`
  // plain() adds a character where it cuts.
  return oneLine(`${demoMark(item)}${text}`, most - 1)
}

/** Words printed instead of the severity. */
const OUTCOMES: Readonly<Record<FindingOutcome, string | null>> = {
  deviations: null,
  none: 'No deviation',
  undetermined: 'Undetermined',
}

const foundText = ({ findings, nodes }: PackItem): string => {
  const total = SEVERITIES.reduce((sum, level) => sum + (level === 'info' ? 0 : findings[level]), 0)
  if (total === 0 && nodes.tested === 0) return 'no node was tested'
  return total === 0
    ? 'no findings on the nodes tested'
    : `${plural(total, 'finding')} (${severityCounts({ ...findings, info: 0 })})`
}

/** A fact of an item: a label and its value. */
export type Fact = readonly [label: string, value: string]

/** The facts of an item; its source comes last. */
export const factsOf = (item: OutboxItem): readonly Fact[] => [
  ...(item.demo ? [['Demo data', 'Not evidence: produced from the built-in demo fleet.'] as const] : []),
  ...(item.kind === 'finding' ? findingFacts(item) : packFacts(item)),
  ['Evidence collected', dateText(item.evidence)],
  ['Evaluation date', item.asOf],
  ['Run', plain(item.run)],
  ['Evidence pack', plain(item.pack.name)],
  ['SHA-256 of the pack', item.pack.sha256],
  ['Key', item.key],
]

/** The facts of an item as lines of text, with its limitation. */
export const linesOf = (item: OutboxItem): readonly string[] => [
  ...factsOf(item).map(([label, value]) => `${label}: ${value}`),
  LIMITATION,
]

/** Stated where an item is read without its pack. */
export const LIMITATION =
  'This item repeats states from the evidence pack. The pack holds the evidence and its limitations; verify it with “barewitness verify”.'

function findingFacts(item: FindingItem): readonly Fact[] {
  const { what, nodes, deviations, tested, refused = 0, inconclusive, notTested } = item
  const counted = refused === 0 ? 'nodes tested' : `nodes: ${tested} tested, ${refused} refused before login`
  return [
    [item.outcome === 'deviations' ? 'Condition found' : 'Condition in an earlier pack', item.title],
    ['Severity', severityWords[item.severity]],
    ['Status', item.status],
    ...(item.outcome === 'undetermined' ? [['Missing evidence', UNDETERMINED] as const] : []),
    ...(item.due === null ? [] : [['Due', item.due] as const]),
    what === 'nodes'
      ? [
          'Deviations',
          `${of(deviations, tested + refused)} ${counted}${nodes.length === 0 ? '' : `: ${names(nodes, MOST_NAMES)}`}`,
        ]
      : ['Deviations', `${of(deviations, tested)} rows of the provider inventory`],
    ...(inconclusive.length === 0 ? [] : [['Inconclusive', names(inconclusive, MOST_NAMES)] as const]),
    ...(notTested.length === 0 ? [] : [['Not tested', names(notTested, MOST_NAMES)] as const]),
    ['Expected condition', item.expected],
    ...(item.controls.length === 0 ? [] : [['Controls', item.controls.join(', ')] as const]),
    ['Check', item.check],
  ]
}

function packFacts({ nodes, results, documents, leading, ...item }: PackItem): readonly Fact[] {
  const { satisfied, notSatisfied, inconclusive, notTested, other } = results
  return [
    ['Fleet', plain(item.fleet)],
    ['Nodes tested', of(nodes.tested, nodes.declared)],
    ['Findings', foundText({ ...item, nodes, results, documents, leading })],
    ...leading.map(({ reference, title, severity }): Fact => [`${reference} ${severityWords[severity]}`, title]),
    [
      'Check results',
      `${satisfied} satisfied, ${notSatisfied} not satisfied, ${inconclusive} inconclusive, ${notTested} not tested, ${other} not applicable or informational`,
    ],
    [
      'Documents',
      `${of(documents.outstanding, documents.needed)} outstanding${documents.overdue === 0 ? '' : `, ${documents.overdue} overdue`}`,
    ],
  ]
}

const MOST_NAMES = 100
const UNDETERMINED = 'This pack does not show whether the condition is remedied.'

const dateText = (dates: EvidenceDates | null): string => {
  if (dates === null) return 'date not known'
  return dates.from === dates.to ? dates.from : `${dates.from} to ${dates.to}`
}
