import { severityWords } from '../../../../schemas/conclusion-words.ts'
import type { Observation } from '../../../../schemas/types.ts'
import { verdictWords } from '../../../../schemas/words.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import { oneLine } from '../../../core/plain-text.ts'
import { acceptancesOf } from '../../../core/register.ts'
import { SEVERITY } from '../../../core/tally.ts'
import type { FormatInput } from '../input.ts'
import { columns, type Grid, MOST_LISTED } from './grid.ts'

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
        node.observedAt ?? '',
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
