import { type Severity, severityWords } from '../../../../schemas/conclusion-words.ts'
import { oneLine } from '../../../core/base/plain-text.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import type { CheckRemediation, WorkOrder } from '../../../core/finding/work-order.ts'
import { byCheck } from '../../presentation.ts'
import { criterionText, effectText, remedyText, statusText } from '../../report/findings.ts'
import { deviatingOf, testedWords } from '../../report/parts/refused.ts'
import { DEMO_NOTICE, type FormatInput } from '../input.ts'
import { familiesOf, partsOf, remedyLines, WHO } from '../work-order-document.ts'
import { type Grid, gridOf } from './grid.ts'
import { controlNames, dueDay, namedIn } from './results.ts'

/** One row per deviation and way to remedy it, the most severe of each node first. */
export function workOrderGrid(orders: readonly WorkOrder[]): Grid {
  const rows = orders.flatMap(({ node, items }) =>
    items.flatMap((item) => item.variants.map((variant) => ({ ...item, node, variant: partsOf(variant) }))),
  )
  return gridOf(rows, {
    node: [24, ({ node }) => node],
    check: [34, ({ check }) => check],
    deviation: [50, ({ finding }) => finding],
    'expected condition': [50, ({ condition }) => condition],
    observations: [70, ({ observed }) => observed.join(' | ')],
    severity: [14, ({ severity }) => severityWords[severity.severity]],
    'reason for the severity': [50, ({ severity }) => severity.why],
    'who can change it': [20, ({ remediation }) => WHO[remediation.whoCanChange]],
    steps: [40, ({ variant: { title, when } }) => (when === undefined ? title : `${title} (for: ${when})`)],
    'applies to': [30, ({ variant }) => familiesOf(variant)],
    'set first': [50, ({ variant }) => variant.inputs.map(({ name, is }) => `${name}: ${is}`).join(' | ')],
    commands: [70, ({ variant }) => [...variant.prepare, ...variant.commands].join(' | ')],
    files: [
      60,
      ({ variant }) =>
        variant.files.map(({ path, content }) => `${path}: ${content.trimEnd().split('\n').join(' | ')}`).join(' || '),
    ],
    requests: [60, ({ variant }) => variant.ask.map((one) => `${one.of}: ${one.for}`).join(' | ')],
    note: [50, ({ variant }) => variant.note ?? ''],
    verification: [50, ({ variant: { verify } }) => verify.command ?? verify.inspect ?? ''],
    expected: [40, ({ variant }) => variant.verify.expected],
    'side effects': [50, ({ remediation }) => remediation.sideEffects],
    'also settles on this node': [40, ({ alsoHere }) => alsoHere.join(', ')],
    source: [50, ({ remediation }) => remediation.source],
    'tested on': [30, ({ remediation }) => (remediation.proven ?? []).map((one) => one.distribution).join(', ')],
    'risk acceptance in effect until (UTC)': [28, ({ accepted }) => accepted?.until ?? ''],
    owner: [24, ({ response }) => response?.owner ?? ''],
    'due (UTC)': [12, ({ response }) => response?.due?.slice(0, 10) ?? ''],
  })
}

/** Input of tickets. */
export type TicketInput = Pick<FormatInput, 'catalog' | 'remediations' | 'shown' | 'demo' | 'packName'>

const JIRA_PRIORITY: Readonly<Record<Severity, string>> = {
  critical: 'Highest',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  info: 'Lowest',
}

/** One row per finding for the CSV import of Jira; the external ID is the reference of the finding. */
export const jiraGrid = (input: TicketInput): Grid =>
  gridOf(ticketsOf(input), {
    Summary: [60, ({ summary }) => summary],
    Description: [80, ({ description }) => description],
    'Issue Type': [12, () => 'Task'],
    Priority: [12, ({ finding }) => JIRA_PRIORITY[finding.severity.level]],
    Labels: [
      40,
      ({ finding: { reference, riskArea, severity } }) =>
        `barewitness ${reference} ${riskArea} severity-${severity.level}`,
    ],
    'Due date': [14, ({ finding }) => dueDay(finding)],
    Assignee: [20, ({ finding }) => oneLine(finding.response?.owner ?? '')],
    'External ID': [12, ({ finding }) => finding.reference],
  })

/** Priority with the urgency and the impact from which ServiceNow derives it (its default matrix). */
export const SERVICE_NOW_PRIORITY: Readonly<
  Record<Severity, readonly [priority: number, urgency: number, impact: number]>
> = {
  critical: [1, 1, 1],
  high: [2, 1, 2],
  medium: [3, 2, 2],
  low: [4, 2, 3],
  info: [5, 3, 3],
}

/** One row per finding for an import set of ServiceNow; the correlation ID is the reference of the finding. */
export const serviceNowGrid = (input: TicketInput): Grid =>
  gridOf(ticketsOf(input), {
    short_description: [60, ({ summary }) => summary],
    description: [80, ({ description }) => description],
    priority: [10, ({ finding }) => SERVICE_NOW_PRIORITY[finding.severity.level][0]],
    urgency: [10, ({ finding }) => SERVICE_NOW_PRIORITY[finding.severity.level][1]],
    impact: [10, ({ finding }) => SERVICE_NOW_PRIORITY[finding.severity.level][2]],
    assigned_to: [20, ({ finding }) => oneLine(finding.response?.owner ?? '')],
    due_date: [20, ({ finding }) => (finding.response?.due == null ? '' : `${dueDay(finding)} 23:59:59`)],
    correlation_id: [14, ({ finding }) => finding.reference],
    correlation_display: [16, () => 'Barewitness'],
    category: [20, ({ finding }) => finding.riskArea],
  })

interface Ticket {
  readonly finding: Finding
  readonly summary: string
  readonly description: readonly string[]
}

/** Nodes listed in one ticket; results.csv has all. */
const MOST_NODES = 100
/** Jira accepts a summary of up to 255 characters, ServiceNow of up to 160. */
const LONGEST_SUMMARY = 150

function ticketsOf({ catalog, remediations, shown, demo, packName }: TicketInput): readonly Ticket[] {
  const remedies = byCheck(remediations)
  return shown.findings.map((finding) => ({
    finding,
    summary: oneLine(`${finding.reference} ${finding.condition}`, LONGEST_SUMMARY),
    description: [
      ...(demo ? [DEMO_NOTICE] : []),
      ...descriptionOf(finding, remedies.get(finding.check)),
      `Controls: ${controlNames(catalog, finding).join(', ') || 'decides no control in scope'}`,
      `Check: ${finding.check}. Evidence pack: ${packName}.`,
      'Close this ticket when a later collection finds no deviation.',
    ],
  }))
}

const descriptionOf = (finding: Finding, remediation: CheckRemediation | undefined): readonly string[] => [
  `Condition: ${finding.condition}.`,
  `Severity: ${severityWords[finding.severity.level]}. Status: ${statusText(finding)}.`,
  `Criterion: ${criterionText(finding)}`,
  `Effect: ${effectText(finding)}`,
  `Nodes: ${deviatingOf(finding)}${testedWords(finding)} deviate: ${namedIn(finding, MOST_NODES).join(', ')}`,
  ...(finding.inconclusive.length === 0 ? [] : [`Inconclusive: ${finding.inconclusive.length}`]),
  ...(finding.untested.length === 0 ? [] : [`Not tested: ${finding.untested.length}`]),
  `Recommendation: ${remedyText(finding, remediation)}`,
  ...(remediation === undefined ? [] : ['Steps:', ...remedyLines(remediation)]),
]
