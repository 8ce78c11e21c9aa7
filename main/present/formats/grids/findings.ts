import { findingStatusWords, riskAreaWords, severityWords } from '../../../../schemas/conclusion-words.ts'
import type { Catalog } from '../../../core/catalog.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import { oneLine } from '../../../core/plain-text.ts'
import { criterionText, effectText, remedyText } from '../../report/findings.ts'
import { shortName } from '../../report/wording.ts'
import { controlIndex, type FormatInput } from '../input.ts'
import { WHO } from '../work-order-document.ts'
import { columns, type Grid } from './grid.ts'

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
})

/** Nodes named in one cell; results.csv has a row for each. */
const MOST_NAMED = 500

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
        namedIn(finding, MOST_NAMED).join(', '),
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
