import { findingStatusWords, riskAreaWords, severityWords } from '../../../../schemas/conclusion-words.ts'
import type { Observation } from '../../../../schemas/types.ts'
import { verdictWords } from '../../../../schemas/words.ts'
import type { Catalog } from '../../../core/catalog.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import { oneLine } from '../../../core/plain-text.ts'
import { acceptancesOf } from '../../../core/register.ts'
import { collectedAt, SEVERITY } from '../../../core/tally.ts'
import { criterionText, effectText, remedyText } from '../../report/findings.ts'
import { refusedNodes } from '../../report/refused.ts'
import { shortName } from '../../report/wording.ts'
import { controlIndex, type FormatInput } from '../input.ts'
import { WHO } from '../work-order-document.ts'
import { columns, type Grid, MOST_LISTED } from './grid.ts'

const COLUMNS = columns({
  reference: 12,
  severity: 12,
  condition: 50,
  criterion: 50,
  effect: 60,
  recommendation: 60,
  who: 20,
  nodes: 40,
  deviations: 12,
  tested: 10,
  'not tested': 10,
  controls: 50,
  status: 20,
  owner: 20,
  'due (UTC)': 14,
  plan: 50,
  'first seen (UTC)': 25,
  'last seen (UTC)': 25,
  check: 34,
  'risk area': 24,
  inconclusive: 12,
  'deviations with a risk acceptance in effect': 14,
  overdue: 10,
  cause: 50,
  'refused before login': 10,
})

/** Nodes named in one cell; results.csv has a row for each. */
const MOST_NODES_NAMED = 500

/** One row per finding, the most severe first. Informational results are in the table of results alone. */
export const findingsGrid = ({
  catalog,
  remediations,
  shown,
}: Pick<FormatInput, 'catalog' | 'remediations' | 'shown'>): Grid => {
  const remedies = new Map(remediations.map((one) => [one.check, one]))
  return {
    columns: COLUMNS,
    rows: shown.findings.map((finding) => {
      const remediation = remedies.get(finding.check)
      const { response, deviations } = finding
      return [
        finding.reference,
        severityWords[finding.severity.level],
        finding.condition,
        criterionText(finding),
        effectText(finding),
        remedyText(finding, remediation),
        remediation === undefined ? '' : WHO[remediation.whoCanChange],
        namedIn(finding, MOST_NODES_NAMED).join(', '),
        deviations.length,
        finding.tested,
        finding.untested.length,
        controlNames(catalog, finding).join(' | '),
        findingStatusWords[finding.status],
        oneLine(response?.owner ?? ''),
        dueDay(finding),
        oneLine(response?.plan ?? ''),
        finding.firstSeen ?? '',
        finding.lastSeen ?? '',
        finding.check,
        riskAreaWords[finding.riskArea],
        finding.inconclusive.length,
        deviations.filter(({ accepted }) => accepted !== null).length,
        finding.isOverdue ? 'yes' : 'no',
        oneLine(finding.cause ?? ''),
        refusedNodes(finding).length,
      ]
    }),
  }
}

/** Deviating nodes, or rows of an inventory, by name, as far as they are to be listed. */
export function namedIn({ deviations }: Finding, most: number): readonly string[] {
  const more = deviations.length - most
  return [...deviations.slice(0, most).map(({ subject }) => subject), ...(more > 0 ? [`and ${more} more`] : [])]
}

/** The controls that a finding concerns, each with its framework. */
export function controlNames(catalog: Pick<Catalog, 'frameworks'>, { controls }: Finding): readonly string[] {
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

const findingByCheck = ({ findings, informational }: ResultInput['shown']): ReadonlyMap<string, Finding> =>
  new Map([...findings, ...informational].map((one) => [one.check, one]))

const findingCells = (finding: Finding | undefined): readonly [string, string, string] =>
  finding === undefined
    ? ['', '', '']
    : [finding.reference, severityWords[finding.severity.level], oneLine(finding.response?.owner ?? '')]

const COUNT_COLUMNS = columns({
  check: 34,
  'expected condition': 48,
  verdict: 14,
  label: 20,
  nodes: 12,
  'nodes in population': 12,
  'node names': 70,
  'risk acceptances in effect': 12,
  limitations: 50,
  'observations by node': 24,
  finding: 12,
  severity: 12,
  owner: 20,
})

/** Nodes named in one cell; results.csv lists all. */
const MOST_NAMED = 200

/** All rows; for a large fleet one row per check and verdict with its nodes, deviations first. */
export function resultsGrid(input: ResultInput): Grid {
  const rows = input.assessment.nodes.reduce((sum, { results }) => sum + results.length, 0)
  return rows > MOST_LISTED
    ? { columns: COUNT_COLUMNS, rows: countRows(input) }
    : { columns: RESULTS_COLUMNS, keys: 2, rows: [...resultRows(input)] }
}

function countRows({ assessment, catalog, register, shown }: ResultInput): Grid['rows'] {
  const { inForce } = acceptancesOf(register.riskAcceptances, assessment.asOf)
  const findings = findingByCheck(shown)
  const found = new Map<string, string[]>()
  for (const { node, results } of assessment.nodes)
    for (const { check, verdict } of results) {
      const own = found.get(`${verdict} ${check}`)
      if (own === undefined) found.set(`${verdict} ${check}`, [node])
      else own.push(node)
    }
  return SEVERITY.flatMap((verdict) =>
    catalog.checks.flatMap(({ id, expected, limitations }) => {
      const nodes = found.get(`${verdict} ${id}`) ?? []
      if (nodes.length === 0) return []
      const deviates = verdict === 'not-satisfied'
      const accepted = deviates ? nodes.filter((node) => inForce(node, id) !== null).length : 0
      const more = nodes.length - MOST_NAMED
      const named = [...nodes.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
      const label = verdictWords[verdict].label
      const all = assessment.nodes.length
      const cells = findingCells(deviates ? findings.get(id) : undefined)
      return [[id, expected, verdict, label, nodes.length, all, named, accepted, limitations, 'results.csv', ...cells]]
    }),
  )
}
