import {
  findingStatusWords,
  RISK_AREAS,
  SEVERITIES,
  type Severity,
  severityWords,
} from '../../schemas/conclusion-words.ts'
import type { CountedRows, FindingRow, FindingStatusName, FixedBy, Phrase } from '../../schemas/ipc-findings.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { type FindingFilter, NO_FILTER } from './filters.ts'
import type { Route } from './routes.ts'
import type { TableColumn } from './table-model.ts'
import { visible } from './text.ts'

export const NO_FINDING_FILTER: FindingFilter = { severities: [], status: null, owner: null, node: null, text: '' }

export const SEVERE: readonly Severity[] = ['critical', 'high']
/** Levels that findings are counted by. */
export const LEVELS: readonly Severity[] = SEVERITIES.filter((level) => level !== 'info')

/** Whether a row passes the filter. The node is not compared here: the engine filters by it. */
export function showsFinding({ severities, status, owner, text }: FindingFilter, row: FindingRow): boolean {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean)
  const searched = `${row.reference} ${row.check} ${row.condition} ${row.owner ?? ''}`.toLowerCase()
  return (
    (severities.length === 0 || severities.includes(row.severity)) &&
    (status === null || row.status === status) &&
    (owner === null || isOwned(owner, row)) &&
    words.every((word) => searched.includes(word))
  )
}

const isOwned = (owner: NonNullable<FindingFilter['owner']>, row: FindingRow): boolean =>
  owner.is === 'named' ? row.owner === owner.name : (row.owner !== null) === (owner.is === 'some')

export const isNoFindingFilter = ({ severities, status, owner, node, text }: FindingFilter): boolean =>
  severities.length === 0 && status === null && owner === null && node === null && text.trim() === ''

export const FINDING_SORTS = ['severity', 'condition', 'nodes', 'controls', 'owner', 'due', 'status'] as const
export type FindingSort = (typeof FINDING_SORTS)[number]

const bySeverity = (a: FindingRow, b: FindingRow): number =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
  RISK_AREAS.indexOf(a.riskArea) - RISK_AREAS.indexOf(b.riskArea) ||
  b.deviations - a.deviations ||
  (a.check < b.check ? -1 : 1)
/** Findings without the value come last. */
const byText = (a: string | null, b: string | null): number =>
  a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1

const ORDERS: Readonly<Record<FindingSort, (a: FindingRow, b: FindingRow) => number>> = {
  severity: bySeverity,
  condition: (a, b) => byText(a.condition, b.condition),
  nodes: (a, b) => b.deviations - a.deviations,
  controls: (a, b) => b.controls - a.controls,
  owner: (a, b) => byText(a.owner, b.owner),
  due: (a, b) => byText(a.due, b.due),
  status: (a, b) => byText(a.statusText, b.statusText),
}

/** In the order of a column, then by severity, risk area, deviations and check. */
export const sortedFindings = (
  rows: readonly FindingRow[],
  { by, isReversed }: { readonly by: FindingSort; readonly isReversed: boolean },
): readonly FindingRow[] => [...rows].sort((a, b) => (isReversed ? -1 : 1) * ORDERS[by](a, b) || bySeverity(a, b))

/** Deviations out of nodes tested. With nodes refused before login, both counts are named. */
export function deviatingWords(
  { deviations, tested, refused }: Pick<FindingRow, 'deviations' | 'tested' | 'refused'>,
  noun = '',
): string {
  const counts = `${deviations} of ${tested + refused}${noun === '' ? '' : ` ${noun}`}`
  return refused === 0 ? counts : `${counts}: ${refusedWords({ tested, refused })}`
}

/** What the nodes of a count are, where some were refused before login. */
export const refusedWords = ({ tested, refused }: Pick<FindingRow, 'tested' | 'refused'>): string =>
  `${tested} tested, ${refused} refused before login`

/** Columns of the list of findings. Their order is that of sortedFindings(), which compares levels and days. */
export const FINDING_COLUMNS: readonly (TableColumn<FindingRow> & { readonly id: FindingSort | 'reference' })[] = [
  { id: 'reference', title: 'Reference', isRowHeader: true, text: ({ reference }) => reference },
  { id: 'severity', title: 'Severity', text: ({ severity }) => severityWords[severity] },
  { id: 'condition', title: 'Condition found', isRowHeader: true, text: ({ condition }) => condition },
  { id: 'nodes', title: 'Deviating, of tested', text: deviatingWords },
  { id: 'controls', title: 'Controls', text: ({ controls }) => controls },
  { id: 'owner', title: 'Owner', text: ({ owner }) => owner },
  { id: 'due', title: 'Due', text: ({ due }) => due },
  { id: 'status', title: 'Status', text: ({ statusText }) => statusText },
]

export const isFindingSort = (id: string | null): id is FindingSort => FINDING_SORTS.some((one) => one === id)

export const fixedByWords: Readonly<Record<FixedBy, string>> = {
  tenant: 'You',
  provider: 'Provider',
  both: 'You and provider',
}

/** How many findings have a management response, and how many of these are signed. */
export function statedWords(rows: readonly Pick<FindingRow, 'response'>[]): string {
  const stated = rows.flatMap(({ response }) => response ?? [])
  const signed = stated.filter(({ isSigned }) => isSigned).length
  return `${stated.length} with a management response, ${signed} digitally signed.`
}

export const statusMarks: Readonly<Record<FindingStatusName, string>> = {
  open: 'ring',
  'in-progress': 'disc-half',
  'ready-for-retest': 'disc',
  disputed: 'diamond-question',
  'risk-accepted': 'bar',
  'acceptance-expired': 'disc-late',
}

/** The filter in words: "critical, high, without owner, on gpu-01". Empty where it filters nothing. */
export function filterWords({ severities, status, owner, node, text }: FindingFilter): string {
  const parts = [
    ...severities.map((level) => severityWords[level].toLowerCase()),
    status === null ? '' : findingStatusWords[status].toLowerCase(),
    owner === null
      ? ''
      : owner.is === 'named'
        ? `owner ${visible(owner.name)}`
        : owner.is === 'none'
          ? 'without an owner'
          : 'with an owner',
    node === null ? '' : `on ${visible(node)}`,
    text.trim() === '' ? '' : `containing “${visible(text.trim())}”`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}

/** The screen that lists the rows that a number counts. */
export function routeOf(counts: CountedRows, of: Source): Route {
  switch (counts.rows) {
    case 'findings':
      return {
        screen: 'findings',
        of,
        filter: {
          ...NO_FINDING_FILTER,
          severities: counts.severity === 'severe' ? SEVERE : counts.severity === null ? [] : [counts.severity],
          owner: counts.owner === null ? null : { is: counts.owner === 'with' ? 'some' : 'none' },
          node: counts.node,
        },
      }
    case 'finding':
      return { screen: 'finding', of, reference: counts.reference }
    case 'nodes':
      return {
        screen: 'properties',
        of,
        filter: { ...NO_FILTER, tested: counts.state === 'all' ? null : counts.state },
      }
    case 'checks':
      return { screen: 'checks', of, state: counts.state }
    case 'check':
      return { screen: 'check', of, check: counts.check, nodes: counts.nodes }
    case 'node':
      return { screen: 'node', of, node: counts.node }
    case 'population':
      return { screen: 'engagement', of, part: 'population' }
    case 'fieldwork':
      return { screen: 'engagement', of }
    case 'documents':
      return { screen: 'documents', of }
    case 'controls':
      return {
        screen: 'controls',
        of,
        framework: counts.framework,
        ...(counts.state === null ? {} : { state: counts.state }),
      }
    case 'missed-runs':
      return { screen: 'history', part: 'days', at: 'missed-runs' }
    case 'requests':
      return { screen: 'requests' }
    case 'changes':
      return { screen: 'history', part: 'compare', pair: { before: counts.before, after: counts.after } }
  }
}

/** A phrase with the punctuation that must stay on its line. */
interface ClosedPhrase extends Phrase {
  readonly closing: string
}

/** Links of a sentence, each with the punctuation that follows it: a line can break after a link, and not before a colon. */
export function closedPhrases(phrases: readonly Phrase[]): readonly ClosedPhrase[] {
  const closingAfter = (at: number): string => {
    const next = phrases[at + 1]
    return phrases[at]?.counts == null || next?.counts !== null ? '' : (/^[.,:;]+/.exec(next.text)?.[0] ?? '')
  }
  return phrases
    .map((phrase, at) => ({
      ...phrase,
      text: phrase.text.slice(closingAfter(at - 1).length),
      closing: closingAfter(at),
    }))
    .filter(({ text }) => text !== '')
}
