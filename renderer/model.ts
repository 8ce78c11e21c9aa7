import type { AssessmentView, CheckView, Counted, NodeRow } from '../schemas/ipc-results.ts'
import type { Finding, NodeAssessment } from '../schemas/types.ts'
import { gradeWords, layerSaid, type Property, VERDICTS, type Verdict, verdictLetters } from '../schemas/words.ts'
import { failureTitle } from './run-progress.ts'

/** Worst first, in the same order as the report: what contradicts, then what is missing, then the rest. */
const SEVERITY: readonly Verdict[] = ['not-met', 'not-tested', 'inconclusive', 'met', 'informational', 'not-applicable']
export const severity = (verdict: Verdict): number => SEVERITY.indexOf(verdict)

/** What the engine counted, by name. No screen counts verdicts itself, so that no two give different numbers. */
export interface Tally {
  readonly counts: Readonly<Record<Verdict, number>>
  /** The denominator of shares: what is only recorded, or does not apply, is not in it. */
  readonly decidable: number
  readonly total: number
}

/** Without numbers, as of a node that the view does not have, everything is 0. */
export function tallyIn(counted: Counted | null | undefined): Tally {
  const at = (place: number): number => counted?.[place] ?? 0
  const counts = Object.fromEntries(VERDICTS.map((verdict, place) => [verdict, at(place)])) as Record<Verdict, number>
  return { counts, decidable: at(VERDICTS.length), total: at(VERDICTS.length + 1) }
}

const BESIDES: readonly (readonly [Verdict, string])[] = [
  ['informational', 'only recorded'],
  ['not-applicable', 'not applicable'],
]

/** "6 of 8": supported out of what can be decided. Empty where nothing can. */
export const shareOf = ({ counts, decidable }: Tally): string =>
  decidable === 0 ? '' : `${counts.met} of ${decidable}`

/** What stands in no share, by name: "4 only recorded, 1 not applicable". Empty where there is nothing of the kind. */
export const besidesOf = ({ counts }: Tally): string =>
  BESIDES.flatMap(([verdict, words]) => (counts[verdict] === 0 ? [] : [`${counts[verdict]} ${words}`])).join(', ')

/** The same in little room: "6 of 8 +5". */
export const shortShareOf = (tally: Tally): string =>
  [shareOf(tally), tally.total === tally.decidable ? '' : `+${tally.total - tally.decidable}`].filter(Boolean).join(' ')

export interface Acceptance {
  readonly until: string
  readonly owner: string
}
export interface CellCheck {
  readonly check: CheckView
  readonly verdict: Verdict
  /** In force. It stands beside the verdict and never changes it. */
  readonly accepted: Acceptance | null
  readonly expired: boolean
}
export interface Cell {
  readonly property: Property
  /** The worst verdict over the property's checks: silence never supports. */
  readonly verdict: Verdict
  readonly tally: Tally
  /** Worst first. */
  readonly checks: readonly CellCheck[]
  /** The acceptance that ends first, with how many checks of this cell are accepted. */
  readonly accepted: (Acceptance & { readonly count: number }) | null
  /** Checks whose acceptance has ended. */
  readonly expired: number
}
export interface MatrixRow {
  readonly node: NodeRow
  /** False when the node gave no evidence at all; its cells are then all "not collected". */
  readonly collected: boolean
  readonly cells: readonly Cell[]
}
export interface Matrix {
  readonly properties: readonly Property[]
  readonly rows: readonly MatrixRow[]
  /** For each of the properties: all declared nodes, by the worst verdict that each has there. */
  readonly totals: readonly Tally[]
}

export const wasReached = (node: Pick<NodeRow, 'status'>): boolean =>
  node.status === 'complete' || node.status === 'partial'

const rowOf = (view: AssessmentView, node: string): NodeRow | null => view.rows.find((row) => row.node === node) ?? null

const VERDICT_OF: ReadonlyMap<string, Verdict> = new Map(VERDICTS.map((verdict) => [verdictLetters[verdict], verdict]))

const verdictIn = (letters: string, at: number): Verdict => VERDICT_OF.get(letters.charAt(at)) ?? 'not-tested'

/** The verdict of the check at that place among the view's checks. */
export const verdictAt = ({ verdicts }: Pick<NodeRow, 'verdicts'>, at: number): Verdict => verdictIn(verdicts, at)

/** One property on one row, over all its checks. */
export function cellOf(view: AssessmentView, row: NodeRow, property: Property): Cell {
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
    accepted: accepted[0] === undefined ? null : { ...accepted[0], count: accepted.length },
    expired: checks.filter(({ expired }) => expired).length,
  }
}

/** The same, by the node's name; null when this run or pack does not declare it. */
export function cellOfNode(view: AssessmentView, node: string, property: Property): Cell | null {
  const row = rowOf(view, node)
  return row === null ? null : cellOf(view, row, property)
}

/** Nodes by properties. Rows with contradictions come first, then rows without evidence, then the rest; ties by name. */
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
  return { properties, rows: rows.map(({ row }) => row), totals: view.nodesCounted.map(tallyIn) }
}

function weightOf({ collected, cells }: MatrixRow): readonly [worst: number, contradictions: number] {
  if (!collected) return [severity('not-tested'), 0]
  const against = cells.reduce((sum, { tally }) => sum + tally.counts['not-met'], 0)
  return [Math.min(...cells.map(({ verdict }) => severity(verdict))), against]
}

/** How many of the declared nodes have each verdict for a property. What was not collected stays in the count. */
export const totalsOf = ({ properties, totals }: Matrix, property: Property): Tally =>
  totals[properties.indexOf(property)] ?? tallyIn(null)

export function whyNotCollected(node: Pick<NodeRow, 'failure' | 'status'>): string {
  if (node.failure === null)
    return node.status === 'missing' ? 'no recording of this declared node' : 'it answered nothing'
  return `${failureTitle(node.failure.code)} (${node.failure.detail})`
}

/** What the execution layer is, with the platform's name. */
export function layerLine(
  of: (Pick<NodeRow, 'layer' | 'platform' | 'concealed'> & { readonly rule?: { readonly id: string } }) | null,
): string {
  if (of === null || of.layer === null) return 'Not decided'
  const said = layerSaid({ layer: of.layer, rule: of.rule ?? { id: '' } })
  const named = of.platform === null ? said : `${said} · ${of.platform}`
  return of.concealed ? `${named}, and it hides this` : named
}

export const TENANCY: Readonly<Record<NonNullable<NodeAssessment['isolation']>['tenancy'], string>> = {
  'single-observed': 'One tenant observed on this operating system',
  shared: 'More than one tenant observed',
  unknown: 'Not decided',
}

export const gradeLine = ({ isolation }: Pick<NodeAssessment, 'isolation'>): string =>
  isolation === null ? 'Not decided' : `${isolation.grade} · ${gradeWords[isolation.grade]}`

export interface CheckOnNode {
  readonly check: CheckView
  readonly finding: Finding | null
  readonly verdict: Verdict
}
/** The property's checks with the findings of one node, worst first. */
export function checksOf(
  checks: readonly CheckView[],
  node: Pick<NodeAssessment, 'findings'>,
  property: Property,
): readonly CheckOnNode[] {
  return checks
    .filter((check) => check.property === property)
    .map((check) => {
      const finding = node.findings.find((one) => one.check === check.id) ?? null
      return { check, finding, verdict: finding?.verdict ?? ('not-tested' as const) }
    })
    .sort((a, b) => severity(a.verdict) - severity(b.verdict))
}

/** What would change a verdict, said from the verdict and what it rests on. */
export function whatWouldChange({ verdict, finding, check }: CheckOnNode): string {
  const reasons = finding?.reasons ?? []
  const against = reasons.filter(({ says }) => says === 'against').length
  const unclear = reasons.filter(({ says }) => says === 'unclear').length
  const many = (count: number, word: string): string =>
    count === 1 ? `the one ${word}` : `each of the ${count} ${word}s`
  switch (verdict) {
    case 'met':
      return `Any sign against it, or losing ${check.needs.length === 1 ? 'the answer' : `one of the ${check.needs.length} answers`} it needs.`
    case 'not-met':
      return `A later collection in which ${many(against, 'sign')} against is gone.`
    case 'inconclusive':
      return unclear === 0
        ? 'Evidence that decides the claim.'
        : `Collecting what is unclear: ${many(unclear, 'point')} above.`
    case 'not-tested':
      return 'Collecting evidence from this node.'
    case 'not-applicable':
      return 'A collection that shows the claim can apply to this node.'
    case 'informational':
      return 'Nothing: no expectation is set.'
  }
}
