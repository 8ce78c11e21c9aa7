import type { Assessment, CheckResult, ControlCheck, NodeAssessment } from '../../../schemas/types.ts'
import { PROPERTIES, type Property, type Verdict } from '../../../schemas/words.ts'
import type { Check } from '../rules/check.ts'

/** Worst first: contradicting verdicts, then missing evidence, then the rest. */
export const SEVERITY: readonly Verdict[] = [
  'not-satisfied',
  'not-tested',
  'inconclusive',
  'satisfied',
  'informational',
  'not-applicable',
]
export const severity = (verdict: Verdict): number => SEVERITY.indexOf(verdict)

type Counts = Readonly<Record<Verdict, number>>

/**
 * Results by node and check. A check without a result on a node counts as not tested there: missing evidence never
 * supports.
 */
export interface Tally {
  readonly result: (node: string, check: string) => CheckResult | undefined
  readonly verdict: (node: string, check: string) => Verdict
  readonly checksOf: (property: Property) => readonly Check[]
  readonly properties: readonly Property[]
  readonly cell: (node: string, property: Property) => PropertyCell
  /** Nodes on which a check is not satisfied, in the order of the assessment. */
  readonly contradictedOn: (check: string) => readonly string[]
  /** Number of nodes on which a check has a result other than not tested; the denominator of its deviations. */
  readonly testedOn: (check: string) => number
  /** All checks of the catalog on one node. */
  readonly onNode: (node: string) => PropertyCell
  /** One check on all nodes. */
  readonly overNodes: (check: string) => PropertyCell
}

/** Counts of verdicts: the one way in which window, report, tables and command line count check results. */
export interface PropertyCell {
  /** The worst verdict among those counted. */
  readonly worst: Verdict
  /** They add up to `total`. */
  readonly counts: Counts
  readonly total: number
  /**
   * The denominator of every share. Informational and not applicable results are excluded, since they can be neither
   * satisfied nor not satisfied.
   */
  readonly decidable: number
}

export function tally(assessment: Assessment, checks: readonly Check[]): Tally {
  const results = new Map(assessment.nodes.map((node) => [node.node, byCheck(node)]))
  const result = (node: string, check: string): CheckResult | undefined => results.get(node)?.get(check)
  const verdict = (node: string, check: string): Verdict => result(node, check)?.verdict ?? 'not-tested'
  const names = assessment.nodes.map(({ node }) => node)
  const grouped = new Map(PROPERTIES.map((property) => [property, checks.filter((c) => c.property === property)]))
  const checksOf = (property: Property): readonly Check[] => grouped.get(property) ?? []
  return {
    result,
    verdict,
    checksOf,
    properties: PROPERTIES.filter((property) => checksOf(property).length > 0),
    cell: (node, property) => summarize(checksOf(property).map(({ id }) => verdict(node, id))),
    contradictedOn: remembered((check) => names.filter((node) => verdict(node, check) === 'not-satisfied')),
    testedOn: remembered((check) => names.filter((node) => verdict(node, check) !== 'not-tested').length),
    onNode: remembered((node) => summarize(checks.map(({ id }) => verdict(node, id)))),
    overNodes: remembered((check) => summarize(names.map((node) => verdict(node, check)))),
  }
}

/** Remembers results, because the same counts are used in many parts of a report. */
function remembered<T>(of: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>()
  return (key) => {
    const found = known.get(key) ?? of(key)
    known.set(key, found)
    return found
  }
}

const byCheck = (node: NodeAssessment): ReadonlyMap<string, CheckResult> =>
  new Map(node.results.map((found) => [found.check, found]))

export function summarize(verdicts: readonly Verdict[]): PropertyCell {
  const counts: Record<Verdict, number> = {
    satisfied: 0,
    'not-satisfied': 0,
    inconclusive: 0,
    'not-applicable': 0,
    'not-tested': 0,
    informational: 0,
  }
  for (const verdict of verdicts) counts[verdict] += 1
  return counted(counts)
}

/** A cell from existing counts. */
function counted(counts: Counts): PropertyCell {
  const worst = SEVERITY.find((verdict) => counts[verdict] > 0) ?? 'not-tested'
  return { worst, counts, total: sumOf(counts, () => true), decidable: sumOf(counts, isDecidable) }
}

const sumOf = (counts: Counts, which: (verdict: Verdict) => boolean): number =>
  SEVERITY.filter(which).reduce((sum, verdict) => sum + counts[verdict], 0)

/** Whether a result with this verdict is in the denominator of shares. */
export const isDecidable = (verdict: Verdict): boolean => verdict !== 'informational' && verdict !== 'not-applicable'

/** The results of one check over all nodes, as a control counts them. */
export const countedCheck = (check: ControlCheck): PropertyCell =>
  counted({
    satisfied: check.satisfied,
    'not-satisfied': check.notSatisfied,
    inconclusive: check.inconclusive,
    'not-tested': check.notTested,
    'not-applicable': check.notApplicable,
    informational: check.informational,
  })

/** The sum of several cells. */
export function joined(cells: readonly PropertyCell[]): PropertyCell {
  const counts = { ...summarize([]).counts }
  for (const cell of cells) for (const verdict of SEVERITY) counts[verdict] += cell.counts[verdict]
  return counted(counts)
}

/** Whether a node has a recording in which at least one question was answered. */
export const reached = (node: NodeAssessment): boolean =>
  node.recording !== null && (node.status === 'complete' || node.status === 'partial')

/** When a node was collected; empty where it was not, also where a login was tried. UTC, ISO 8601. */
export const collectedAt = (node: NodeAssessment): string => (reached(node) ? (node.observedAt ?? '') : '')
