import type { Assessment, Reason, Register } from '../../../../schemas/types.ts'
import { verdictWords } from '../../../../schemas/words.ts'
import type { Catalog } from '../../catalog.ts'
import { acceptancesOf } from '../../register.ts'
import { columns, type Grid } from './grid.ts'

export const FINDINGS_COLUMNS = columns({
  node: 24,
  check: 34,
  claim: 48,
  verdict: 14,
  'in words': 20,
  reasons: 70,
  'what it does not show': 50,
  'observed at (UTC)': 25,
  'recording SHA-256': 66,
  'exception in force until (UTC)': 28,
  exception: 34,
})

/** The steps of an argument in one line. */
export const reasonsText = (reasons: readonly Reason[]): string =>
  reasons.map(({ says, text }) => `${says}: ${text}`).join(' | ')

/** One row per node and check, made as it is asked for. An exception stands beside a verdict and never changes it. */
export function* findingRows(
  assessment: Assessment,
  catalog: Catalog,
  register: Register,
): Generator<Grid['rows'][number]> {
  const checks = new Map(catalog.checks.map((check) => [check.id, check]))
  const { inForce } = acceptancesOf(register.exceptions, assessment.asOf)
  for (const node of assessment.nodes)
    for (const finding of node.findings) {
      const exception = finding.verdict === 'not-met' ? inForce(node.node, finding.check) : null
      yield [
        node.node,
        finding.check,
        checks.get(finding.check)?.claim ?? '',
        finding.verdict,
        verdictWords[finding.verdict].label,
        reasonsText(finding.reasons),
        checks.get(finding.check)?.limits ?? '',
        node.observedAt ?? '',
        node.recording?.digest ?? '',
        exception?.expiresAt ?? '',
        exception?.id ?? '',
      ]
    }
}

/** All of those rows. */
export const findingsGrid = (assessment: Assessment, catalog: Catalog, register: Register): Grid => ({
  columns: FINDINGS_COLUMNS,
  rows: [...findingRows(assessment, catalog, register)],
})
