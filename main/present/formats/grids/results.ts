import { findingStatusWords, riskAreaWords, severityWords } from '../../../../schemas/conclusion-words.ts'
import type { Observation } from '../../../../schemas/types.ts'
import { verdictWords } from '../../../../schemas/words.ts'
import { grouped } from '../../../core/base/grouping.ts'
import { oneLine } from '../../../core/base/plain-text.ts'
import { collectedAt, SEVERITY } from '../../../core/conclusion/tally.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import { acceptancesOf } from '../../../core/register/register.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import { byCheck, findingByCheck } from '../../presentation.ts'
import { criterionText, effectText, remedyText } from '../../report/findings.ts'
import { limitedControls, refusedNodes } from '../../report/parts/refused.ts'
import { shortName } from '../../report/parts/wording.ts'
import { controlIndex, type FormatInput } from '../input.ts'
import { WHO } from '../work-order-document.ts'
import { columns, type Grid, gridOf, MOST_LISTED, upTo } from './grid.ts'

/** Nodes named in one cell; results.csv has a row for each. */
const MOST_NODES_NAMED = 500

/** One row per finding, the most severe first. Informational results are in the table of results alone. */
export function findingsGrid({
  assessment,
  catalog,
  remediations,
  shown,
}: Pick<FormatInput, 'assessment' | 'catalog' | 'remediations' | 'shown'>): Grid {
  const remedies = byCheck(remediations)
  const rows = shown.findings.map((finding) => ({ finding, remediation: remedies.get(finding.check) }))
  return gridOf(rows, {
    reference: [12, ({ finding }) => finding.reference],
    severity: [12, ({ finding }) => severityWords[finding.severity.level]],
    condition: [50, ({ finding }) => finding.condition],
    criterion: [50, ({ finding }) => criterionText(finding)],
    effect: [60, ({ finding }) => effectText(finding)],
    recommendation: [60, ({ finding, remediation }) => remedyText(finding, remediation)],
    who: [20, ({ remediation }) => (remediation === undefined ? '' : WHO[remediation.whoCanChange])],
    nodes: [40, ({ finding }) => namedIn(finding, MOST_NODES_NAMED).join(', ')],
    deviations: [12, ({ finding }) => finding.deviations.length],
    tested: [10, ({ finding }) => finding.tested],
    'not tested': [10, ({ finding }) => finding.untested.length],
    controls: [50, ({ finding }) => controlNames(catalog, finding).join(' | ')],
    status: [20, ({ finding }) => findingStatusWords[finding.status]],
    owner: [20, ({ finding }) => oneLine(finding.response?.owner ?? '')],
    'due (UTC)': [14, ({ finding }) => dueDay(finding)],
    plan: [50, ({ finding }) => oneLine(finding.response?.plan ?? '')],
    'first seen (UTC)': [25, ({ finding }) => finding.firstSeen ?? ''],
    'last seen (UTC)': [25, ({ finding }) => finding.lastSeen ?? ''],
    check: [34, ({ finding }) => finding.check],
    'risk area': [24, ({ finding }) => riskAreaWords[finding.riskArea]],
    inconclusive: [12, ({ finding }) => finding.inconclusive.length],
    'deviations with a risk acceptance in effect': [
      14,
      ({ finding }) => finding.deviations.filter(({ accepted }) => accepted !== null).length,
    ],
    overdue: [10, ({ finding }) => (finding.isOverdue ? 'yes' : 'no')],
    cause: [50, ({ finding }) => oneLine(finding.cause ?? '')],
    'refused before login': [10, ({ finding }) => refusedNodes(finding).length],
    'controls that the refusal limits': [
      50,
      ({ finding }) =>
        controlNames(catalog, { controls: limitedControls({ assessment, catalog }, finding) }).join(' | '),
    ],
    'deviations with an expired risk acceptance': [
      14,
      ({ finding }) => finding.deviations.filter(({ acceptanceExpired }) => acceptanceExpired !== null).length,
    ],
  })
}

/** The first deviating nodes or inventory rows of a finding by name, and how many more there are. */
export const namedIn = ({ deviations }: Finding, most: number): readonly string[] =>
  upTo(
    deviations.map(({ subject }) => subject),
    most,
  )

/** The controls that a finding concerns, each with its framework. */
export function controlNames(
  catalog: Pick<Catalog, 'frameworks'>,
  { controls }: { readonly controls: readonly Pick<Finding['controls'][number], 'framework' | 'control'>[] },
): readonly string[] {
  const controlOf = controlIndex(catalog)
  return controls.map(
    ({ framework, control }) => `${shortName(framework)} ${controlOf(framework, control)?.id ?? control}`,
  )
}

/** The day by which a finding is due (UTC), as YYYY-MM-DD; empty where management states none. */
export const dueDay = ({ response }: Finding): string => response?.due?.slice(0, 10) ?? ''

type ResultInput = Pick<FormatInput, 'assessment' | 'catalog' | 'register' | 'shown'>

export const RESULTS_COLUMNS = columns({
  node: 24,
  check: 34,
  'expected condition': 60,
  verdict: 14,
  label: 20,
  observations: 110,
  limitations: 70,
  'collected at (UTC)': 25,
  'recording SHA-256': 74,
  'risk acceptance in effect until (UTC)': 28,
  'risk acceptance': 34,
  finding: 12,
  severity: 12,
  owner: 20,
})

/** Observations in one line. */
export const reasonsText = (reasons: readonly Observation[]): string =>
  reasons.map(({ direction, text }) => `${direction}: ${text}`).join(' | ')

/**
 * One row per node and check, generated lazily. A risk acceptance is listed next to a verdict and never changes it. A result that is not
 * satisfied has the reference, the severity and the owner of its finding.
 */
export function* resultRows({ assessment, catalog, register, shown }: ResultInput): Generator<Grid['rows'][number]> {
  const checks = new Map(catalog.checks.map((check) => [check.id, check]))
  const findings = findingByCheck(shown)
  const { inForce } = acceptancesOf(register.riskAcceptances, assessment.asOf)
  for (const node of assessment.nodes)
    for (const { check, verdict, observations } of node.results) {
      const exception = verdict === 'not-satisfied' ? inForce(node.node, check) : null
      const finding = verdict === 'not-satisfied' ? findings.get(check) : undefined
      yield [
        node.node,
        check,
        checks.get(check)?.expected ?? '',
        verdict,
        verdictWords[verdict].label,
        reasonsText(observations),
        checks.get(check)?.limitations ?? '',
        collectedAt(node),
        node.recording?.digest ?? '',
        exception?.expiresAt ?? '',
        exception?.id ?? '',
        ...findingCells(finding),
      ]
    }
}

const findingCells = (finding: Finding | undefined): readonly [string, string, string] =>
  finding === undefined
    ? ['', '', '']
    : [finding.reference, severityWords[finding.severity.level], oneLine(finding.response?.owner ?? '')]

/** Nodes named in one cell; results.csv lists all. */
const MOST_NAMED = 200

/** All rows; for a large fleet one row per check and verdict with its nodes, deviations first. */
export function resultsGrid(input: ResultInput): Grid {
  const rows = input.assessment.nodes.reduce((sum, { results }) => sum + results.length, 0)
  return rows > MOST_LISTED ? countsGrid(input) : { columns: RESULTS_COLUMNS, keys: 2, rows: [...resultRows(input)] }
}

function countsGrid({ assessment, catalog, register, shown }: ResultInput): Grid {
  const { inForce } = acceptancesOf(register.riskAcceptances, assessment.asOf)
  const findings = findingByCheck(shown)
  const found = grouped(assessment.nodes, ({ results }) => results.map(({ check, verdict }) => `${verdict} ${check}`))
  const rows = SEVERITY.flatMap((verdict) =>
    catalog.checks.flatMap((check) => {
      const nodes = (found.get(`${verdict} ${check.id}`) ?? []).map(({ node }) => node)
      const isDeviation = verdict === 'not-satisfied'
      const finding = findingCells(isDeviation ? findings.get(check.id) : undefined)
      return nodes.length === 0 ? [] : [{ check, verdict, nodes, isDeviation, finding }]
    }),
  )
  return gridOf(rows, {
    check: [34, ({ check }) => check.id],
    'expected condition': [48, ({ check }) => check.expected],
    verdict: [14, ({ verdict }) => verdict],
    label: [20, ({ verdict }) => verdictWords[verdict].label],
    nodes: [12, ({ nodes }) => nodes.length],
    'nodes in population': [12, () => assessment.nodes.length],
    'node names': [70, ({ nodes }) => upTo(nodes, MOST_NAMED).join(', ')],
    'risk acceptances in effect': [
      12,
      ({ check, nodes, isDeviation }) =>
        isDeviation ? nodes.filter((node) => inForce(node, check.id) !== null).length : 0,
    ],
    limitations: [50, ({ check }) => check.limitations],
    'observations by node': [24, () => 'results.csv'],
    finding: [12, ({ finding }) => finding[0]],
    severity: [12, ({ finding }) => finding[1]],
    owner: [20, ({ finding }) => finding[2]],
  })
}
