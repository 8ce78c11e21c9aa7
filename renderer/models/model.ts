import { SEVERITIES } from '../../schemas/conclusion-words.ts'
import type { AssessmentView, CheckView, Counted, NodeRow } from '../../schemas/ipc-results.ts'
import type { CheckResult, NodeAssessment } from '../../schemas/types.ts'
import {
  environmentText,
  gradeWords,
  type Property,
  VERDICTS,
  type Verdict,
  verdictLetters,
} from '../../schemas/words.ts'
import { failureTitle } from './run-progress.ts'
import { when } from './text.ts'

/** Worst first, in the order of the report: not satisfied, then missing, then the rest. */
const SEVERITY: readonly Verdict[] = [
  'not-satisfied',
  'not-tested',
  'inconclusive',
  'satisfied',
  'informational',
  'not-applicable',
]
export const severity = (verdict: Verdict): number => SEVERITY.indexOf(verdict)

/** The engine’s counts by name. No screen counts verdicts itself, so that no two screens differ. */
export interface Tally {
  readonly counts: Readonly<Record<Verdict, number>>
  /** The denominator of shares, without informational and not applicable checks. */
  readonly decidable: number
  readonly total: number
}

/** Names the counts of the engine. All are 0 without counts, as for a node that is not in the view. */
export function tallyIn(counted: Counted | null | undefined): Tally {
  const at = (place: number): number => counted?.[place] ?? 0
  const counts = Object.fromEntries(VERDICTS.map((verdict, place) => [verdict, at(place)])) as Record<Verdict, number>
  return { counts, decidable: at(VERDICTS.length), total: at(VERDICTS.length + 1) }
}

const BESIDES: readonly (readonly [Verdict, string])[] = [
  ['informational', 'informational'],
  ['not-applicable', 'not applicable'],
]

/** "6 of 8": satisfied out of the checks with a criterion. Empty where there is none. */
export const shareOf = ({ counts, decidable }: Tally): string =>
  decidable === 0 ? '' : `${counts.satisfied} of ${decidable}`

/** Results that no share includes: "4 informational, 1 not applicable". Empty where there are none. */
export const notInShare = ({ counts }: Tally): string =>
  BESIDES.flatMap(([verdict, words]) => (counts[verdict] === 0 ? [] : [`${counts[verdict]} ${words}`])).join(', ')

export interface Acceptance {
  readonly until: string
  readonly owner: string
}

interface CellCheck {
  readonly check: CheckView
  readonly verdict: Verdict
  /** In effect. A risk acceptance never changes the verdict. */
  readonly accepted: Acceptance | null
  readonly expired: boolean
}

export interface Cell {
  readonly property: Property
  /** The worst verdict over the property’s checks: a missing result never counts as satisfied. */
  readonly verdict: Verdict
  readonly tally: Tally
  /** Worst first. */
  readonly checks: readonly CellCheck[]
  /** Those of the inconclusive checks that only a second run can decide. */
  readonly fromSecondRun: number
  /** The risk acceptance that expires first, with how many checks of this cell are accepted. */
  readonly accepted: (Acceptance & { readonly count: number }) | null
  /** Checks whose risk acceptance expired. */
  readonly expired: number
}

export interface MatrixRow {
  readonly node: NodeRow
  /** False when no evidence was collected from the node; all its cells are then “not tested”. */
  readonly collected: boolean
  readonly cells: readonly Cell[]
}

export interface Matrix {
  readonly properties: readonly Property[]
  readonly rows: readonly MatrixRow[]
  /** For each property: the results of all nodes tested. */
  readonly sums: readonly CellCounts[]
}

export const wasReached = (node: Pick<NodeRow, 'status'>): boolean =>
  node.status === 'complete' || node.status === 'partial'

/** When a node was observed. Nothing was observed on one that could not be reached. */
export function observedWords(node: Pick<NodeRow, 'status' | 'observedAt'>): string {
  if (wasReached(node)) return `Observed ${when(node.observedAt)}`
  return node.observedAt === null ? 'Not observed' : `Not observed; collection attempted ${when(node.observedAt)}`
}

const rowOf = (view: AssessmentView, node: string): NodeRow | null => view.rows.find((row) => row.node === node) ?? null

const VERDICT_OF: ReadonlyMap<string, Verdict> = new Map(VERDICTS.map((verdict) => [verdictLetters[verdict], verdict]))

const verdictIn = (letters: string, at: number): Verdict => VERDICT_OF.get(letters.charAt(at)) ?? 'not-tested'

/** The verdict of the check at a position in the view's checks. */
export const verdictAt = ({ verdicts }: Pick<NodeRow, 'verdicts'>, at: number): Verdict => verdictIn(verdicts, at)

/** One property on one row, over all its checks. */
function cellOf(view: AssessmentView, row: NodeRow, property: Property): Cell {
  const checks = view.checks
    .map((check, at): CellCheck => {
      const accepted = row.accepted.find((one) => one.check === check.id)
      return {
        check,
        verdict: verdictAt(row, at),
        accepted: accepted === undefined ? null : { until: accepted.until, owner: accepted.owner },
        expired: row.expired.includes(check.id),
      }
    })
    .filter(({ check }) => check.property === property)
    .sort((a, b) => severity(a.verdict) - severity(b.verdict))
  const place = view.properties.indexOf(property)
  const accepted = checks.flatMap((one) => one.accepted ?? []).sort((a, b) => (a.until < b.until ? -1 : 1))
  return {
    property,
    verdict: verdictIn(row.worst, place),
    tally: tallyIn(row.counted[place]),
    checks,
    fromSecondRun: checks.filter(
      ({ check, verdict }) => verdict === 'inconclusive' && view.fromSecondRun.includes(check.id),
    ).length,
    accepted: accepted[0] === undefined ? null : { ...accepted[0], count: accepted.length },
    expired: checks.filter(({ expired }) => expired).length,
  }
}

/** The same by node name; null if this run or pack does not declare the node. */
export function cellOfNode(view: AssessmentView, node: string, property: Property): Cell | null {
  const row = rowOf(view, node)
  return row === null ? null : cellOf(view, row, property)
}

/** Nodes by properties. Nodes with deviations come first, then nodes without evidence, then the rest; ties by name. */
export function matrixOf(view: AssessmentView): Matrix {
  const { properties } = view
  const rows = view.rows.map((node) => {
    const row: MatrixRow = {
      node,
      collected: wasReached(node),
      cells: properties.map((property) => cellOf(view, node, property)),
    }
    return { row, weight: weightOf(row) }
  })
  rows.sort(
    (a, b) => a.weight[0] - b.weight[0] || b.weight[1] - a.weight[1] || (a.row.node.node < b.row.node.node ? -1 : 1),
  )
  const tested = rows.filter(({ row }) => row.collected)
  const sums = properties.map((_, place) => sumOf(tested.map(({ row }) => countsOf(row.cells[place]))))
  return { properties, rows: rows.map(({ row }) => row), sums }
}

function weightOf({ collected, cells }: MatrixRow): readonly [worst: number, contradictions: number] {
  if (!collected) return [severity('not-tested'), 0]
  const against = cells.reduce((sum, { tally }) => sum + tally.counts['not-satisfied'], 0)
  return [Math.min(...cells.map(({ verdict }) => severity(verdict))), against]
}

/**
 * Results of one or several cells: those that this run can decide, and separately those that count against no node.
 */
export interface CellCounts {
  readonly notSatisfied: number
  readonly inconclusive: number
  readonly satisfied: number
  /** Checks of a node that was reached, without evidence. */
  readonly notTested: number
  readonly informational: number
  readonly notApplicable: number
  readonly fromSecondRun: number
}

const NO_COUNTS: CellCounts = {
  notSatisfied: 0,
  inconclusive: 0,
  satisfied: 0,
  notTested: 0,
  informational: 0,
  notApplicable: 0,
  fromSecondRun: 0,
}

/** The counts of a cell; without one, all are 0. */
export function countsOf(cell: Cell | undefined): CellCounts {
  if (cell === undefined) return NO_COUNTS
  const { fromSecondRun, tally } = cell
  const { counts } = tally
  return {
    notSatisfied: counts['not-satisfied'],
    inconclusive: counts.inconclusive - fromSecondRun,
    satisfied: counts.satisfied,
    notTested: counts['not-tested'],
    informational: counts.informational,
    notApplicable: counts['not-applicable'],
    fromSecondRun,
  }
}

export const sumOf = (all: readonly CellCounts[]): CellCounts =>
  all.reduce(
    (sum, one) =>
      Object.fromEntries(
        Object.entries(sum).map(([name, count]) => [name, count + one[name as keyof CellCounts]]),
      ) as unknown as CellCounts,
    NO_COUNTS,
  )

/** The counts that decide, in words: "2 not satisfied, 0 inconclusive, 7 satisfied". */
export const countWords = ({ notSatisfied, inconclusive, satisfied, notTested }: CellCounts): string =>
  [
    `${notSatisfied} not satisfied`,
    `${inconclusive} inconclusive`,
    `${satisfied} satisfied`,
    ...(notTested === 0 ? [] : [`${notTested} not tested`]),
  ].join(', ')

/**
 * What stands below the share of a cell: results that it does not include, and those of it that no single run can
 * decide.
 */
export const shareNote = ({ tally, fromSecondRun }: Pick<Cell, 'tally' | 'fromSecondRun'>): string =>
  [notInShare(tally), fromSecondRun === 0 ? '' : `${fromSecondRun} inconclusive until a second run`]
    .filter((words) => words !== '')
    .join(', ')

/**
 * Results that count against no node: "145 informational, 21 not applicable, 6 that need a second run". Empty where
 * there are none.
 */
export const excludedWords = ({ informational, notApplicable, fromSecondRun }: CellCounts): string =>
  [
    ...(informational === 0 ? [] : [`${informational} informational`]),
    ...(notApplicable === 0 ? [] : [`${notApplicable} not applicable`]),
    ...(fromSecondRun === 0 ? [] : [`${fromSecondRun} that ${fromSecondRun === 1 ? 'needs' : 'need'} a second run`]),
  ].join(', ')

export function whyNotCollected(node: Pick<NodeRow, 'failure' | 'status'>): string {
  if (node.failure === null)
    return node.status === 'missing' ? 'no recording of this declared node' : 'no output was received'
  return `${failureTitle(node.failure.code)} (${node.failure.detail})`
}

/** The execution environment, with the name of the platform. */
export function environmentLine(
  of: (Pick<NodeRow, 'environment' | 'platform' | 'concealed'> & { readonly rule?: { readonly id: string } }) | null,
): string {
  if (of === null || of.environment === null) return 'Undetermined'
  const text = environmentText({ environment: of.environment, rule: of.rule ?? { id: '' } })
  const named = of.platform === null ? text : `${text} · ${of.platform}`
  return of.concealed ? `${named}, concealed` : named
}

export const gradeLine = ({ isolation }: Pick<NodeAssessment, 'isolation'>): string =>
  isolation === null ? 'Undetermined' : `${isolation.grade} · ${gradeWords[isolation.grade]}`

export interface CheckOnNode {
  readonly check: CheckView
  readonly finding: CheckResult | null
  readonly verdict: Verdict
}

/** The property’s checks with the results of one node, worst first; of one verdict, the most severe first. */
export function checksOf(
  checks: readonly CheckView[],
  node: Pick<NodeAssessment, 'results'>,
  property: Property,
): readonly CheckOnNode[] {
  return checks
    .filter((check) => check.property === property)
    .map((check) => {
      const finding = node.results.find((one) => one.check === check.id) ?? null
      return { check, finding, verdict: finding?.verdict ?? ('not-tested' as const) }
    })
    .sort((a, b) => severity(a.verdict) - severity(b.verdict) || levelOf(a.check) - levelOf(b.check))
}

const levelOf = (check: CheckView): number => SEVERITIES.indexOf(check.severity)

/** The recommendation on one result: what would change its verdict, or that nothing has to be done. */
export function whatWouldChange({ verdict, finding, check }: CheckOnNode): string {
  const reasons = finding?.observations ?? []
  const against = reasons.filter(({ direction }) => direction === 'contradicts').length
  const unclear = reasons.filter(({ direction }) => direction === 'unclear').length
  const many = (count: number, word: string): string =>
    count === 1 ? `the one ${word}` : `each of the ${count} ${word}s`
  switch (verdict) {
    case 'satisfied':
      return `None. The result changes where a later observation contradicts the expected condition, or where ${check.requires.length === 1 ? 'its required capture' : `one of its ${check.requires.length} required captures`} is missing.`
    case 'not-satisfied':
      return `Correct ${many(against, 'contradicting observation')}, then collect again.`
    case 'inconclusive':
      return unclear === 0
        ? 'Collect evidence that decides the check.'
        : `Collect or declare what is missing: ${many(unclear, 'unclear point')} above.`
    case 'not-tested':
      return 'Collect evidence from this node.'
    case 'not-applicable':
      return 'None. The result changes where a later collection shows that the check applies to this node.'
    case 'informational':
      return 'None. No criterion applies.'
  }
}

/** Whether a result stays inconclusive because a declaration is missing: an unclear observation names the fleet file. */
export const lacksDeclaration = ({ verdict, finding }: Pick<CheckOnNode, 'verdict' | 'finding'>): boolean =>
  verdict === 'inconclusive' &&
  (finding?.observations ?? []).some(
    ({ direction, text }) => direction === 'unclear' && /\b[Dd]eclare\b[^.]*fleet file/.test(text),
  )
