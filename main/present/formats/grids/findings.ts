import type { Assessment, Observation, Register } from '../../../../schemas/types.ts'
import { verdictWords } from '../../../../schemas/words.ts'
import type { Catalog } from '../../../core/catalog.ts'
import { acceptancesOf } from '../../../core/register.ts'
import { SEVERITY } from '../../../core/tally.ts'
import { columns, type Grid, MOST_LISTED } from './grid.ts'

export const FINDINGS_COLUMNS = columns({
  node: 24,
  check: 34,
  'expected condition': 48,
  verdict: 14,
  label: 20,
  observations: 70,
  limitations: 50,
  'collected at (UTC)': 25,
  'recording SHA-256': 66,
  'risk acceptance in effect until (UTC)': 28,
  'risk acceptance': 34,
})

/** Observations in one line. */
export const reasonsText = (reasons: readonly Observation[]): string =>
  reasons.map(({ direction, text }) => `${direction}: ${text}`).join(' | ')

/** One row per node and check, generated lazily. A risk acceptance is listed next to a verdict and never changes it. */
export function* findingRows(
  assessment: Assessment,
  catalog: Catalog,
  register: Register,
): Generator<Grid['rows'][number]> {
  const checks = new Map(catalog.checks.map((check) => [check.id, check]))
  const { inForce } = acceptancesOf(register.riskAcceptances, assessment.asOf)
  for (const node of assessment.nodes)
    for (const finding of node.results) {
      const exception = finding.verdict === 'not-satisfied' ? inForce(node.node, finding.check) : null
      yield [
        node.node,
        finding.check,
        checks.get(finding.check)?.expected ?? '',
        finding.verdict,
        verdictWords[finding.verdict].label,
        reasonsText(finding.observations),
        checks.get(finding.check)?.limitations ?? '',
        node.observedAt ?? '',
        node.recording?.digest ?? '',
        exception?.expiresAt ?? '',
        exception?.id ?? '',
      ]
    }
}

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
})

/** Nodes named in one cell; findings.csv lists all. */
const MOST_NAMED = 200

/** All rows; for a large fleet one row per check and verdict with its nodes, deviations first. */
export function findingsGrid(assessment: Assessment, catalog: Catalog, register: Register): Grid {
  const rows = assessment.nodes.reduce((sum, { results }) => sum + results.length, 0)
  return rows > MOST_LISTED
    ? { columns: COUNT_COLUMNS, rows: countRows(assessment, catalog, register) }
    : { columns: FINDINGS_COLUMNS, rows: [...findingRows(assessment, catalog, register)] }
}

function countRows(assessment: Assessment, catalog: Catalog, register: Register): Grid['rows'] {
  const { inForce } = acceptancesOf(register.riskAcceptances, assessment.asOf)
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
      const accepted = verdict === 'not-satisfied' ? nodes.filter((node) => inForce(node, id) !== null).length : 0
      const more = nodes.length - MOST_NAMED
      const named = [...nodes.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
      const label = verdictWords[verdict].label
      const all = assessment.nodes.length
      return [[id, expected, verdict, label, nodes.length, all, named, accepted, limitations, 'findings.csv']]
    }),
  )
}
