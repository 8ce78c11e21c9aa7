import type { AssessmentView, CheckView } from '../schemas/ipc-views.ts'
import type { Finding, NodeAssessment } from '../schemas/types.ts'
import { gradeWords, layerWords, PROPERTIES, type Property, type Verdict, verdictWords } from '../schemas/words.ts'
import { failureTitle } from './run-progress.ts'

/** Worst first, in the same order as the report: what contradicts, then what is missing, then the rest. */
const SEVERITY: readonly Verdict[] = ['not-met', 'not-tested', 'inconclusive', 'met', 'informational', 'not-applicable']
const severity = (verdict: Verdict): number => SEVERITY.indexOf(verdict)

export interface CheckOnNode {
  readonly check: CheckView
  readonly finding: Finding | null
  readonly verdict: Verdict
}

export interface Cell {
  readonly property: Property
  /** The worst verdict over the property's checks: silence never supports. */
  readonly verdict: Verdict
  readonly met: number
  readonly total: number
  readonly checks: readonly CheckOnNode[]
}

export interface MatrixRow {
  readonly node: NodeAssessment
  /** Null when the node gave no evidence at all. */
  readonly cells: readonly Cell[] | null
}

export interface Matrix {
  readonly properties: readonly Property[]
  readonly rows: readonly MatrixRow[]
}

export const wasReached = (node: NodeAssessment): boolean =>
  node.recording !== null && (node.status === 'complete' || node.status === 'partial')

export const propertiesOf = (view: AssessmentView): readonly Property[] =>
  PROPERTIES.filter((property) => view.checks.some((check) => check.property === property))

export function cellOf(view: AssessmentView, node: NodeAssessment, property: Property): Cell {
  const findings = new Map(node.findings.map((finding) => [finding.check, finding]))
  const checks = view.checks
    .filter((check) => check.property === property)
    .map((check): CheckOnNode => {
      const finding = findings.get(check.id) ?? null
      return { check, finding, verdict: finding?.verdict ?? 'not-tested' }
    })
    .sort((a, b) => severity(a.verdict) - severity(b.verdict))
  return {
    property,
    verdict: checks[0]?.verdict ?? 'not-tested',
    met: checks.filter(({ verdict }) => verdict === 'met').length,
    total: checks.length,
    checks,
  }
}

/** Nodes by properties. Rows with contradictions come first, then rows without evidence, then the rest; ties by name. */
export function matrixOf(view: AssessmentView): Matrix {
  const properties = propertiesOf(view)
  const rows = view.assessment.nodes.map(
    (node): MatrixRow => ({
      node,
      cells: wasReached(node) ? properties.map((property) => cellOf(view, node, property)) : null,
    }),
  )
  return { properties, rows: [...rows].sort(worstFirst) }
}

function worstFirst(a: MatrixRow, b: MatrixRow): number {
  const weight = ({ cells }: MatrixRow): readonly [number, number] => {
    if (cells === null) return [severity('not-tested'), 0]
    const against = cells.flatMap(({ checks }) => checks).filter(({ verdict }) => verdict === 'not-met').length
    return [Math.min(...cells.map(({ verdict }) => severity(verdict))), -against]
  }
  const [left, right] = [weight(a), weight(b)]
  return left[0] - right[0] || left[1] - right[1] || (a.node.node < b.node.node ? -1 : 1)
}

/** How many nodes of the declared population have this property's worst verdict at "met". Not collected stays in the denominator. */
export const supportedNodes = (matrix: Matrix, property: Property): number =>
  matrix.rows.filter(({ cells }) => cells?.find((cell) => cell.property === property)?.verdict === 'met').length

export function whyNotCollected(node: NodeAssessment): string {
  if (node.failure === null)
    return node.status === 'missing' ? 'no recording of this declared node' : 'it answered nothing'
  return `${failureTitle(node.failure.code)} (${node.failure.detail})`
}

/** What the execution layer is, with the platform's name. */
export function layerLine(node: NodeAssessment): string {
  if (node.isolation === null) return 'Not decided'
  const { layer, platform, concealed } = node.isolation
  const named = platform === null ? layerWords[layer] : `${layerWords[layer]} · ${platform}`
  return concealed ? `${named}, and it hides this` : named
}

export const TENANCY: Readonly<Record<NonNullable<NodeAssessment['isolation']>['tenancy'], string>> = {
  'single-observed': 'One tenant observed on this operating system',
  shared: 'More than one tenant observed',
  unknown: 'Not decided',
}

export const gradeLine = (node: NodeAssessment): string =>
  node.isolation === null ? 'Not decided' : `${node.isolation.grade} · ${gradeWords[node.isolation.grade]}`

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

/** "2 supported, 1 contradicted" in the order of severity. */
export const verdictCounts = (checks: readonly CheckOnNode[]): string =>
  SEVERITY.map((verdict) => ({ verdict, count: checks.filter((one) => one.verdict === verdict).length }))
    .filter(({ count }) => count > 0)
    .map(({ verdict, count }) => `${count} ${verdictWords[verdict].label.toLowerCase()}`)
    .join(', ')
