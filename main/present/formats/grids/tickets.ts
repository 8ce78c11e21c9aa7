import { type Severity, severityWords } from '../../../../schemas/conclusion-words.ts'
import type { RemediationVariant } from '../../../../schemas/types.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import { oneLine } from '../../../core/plain-text.ts'
import type { CheckRemediation, WorkItem, WorkOrder } from '../../../core/work-order.ts'
import { criterionText, effectText, remedyText, statusText } from '../../report/findings.ts'
import { deviatingOf, testedWords } from '../../report/refused.ts'
import { DEMO_NOTICE, type FormatInput } from '../input.ts'
import { familiesOf, partsOf, remedyLines, WHO } from '../work-order-document.ts'
import { columns, type Grid } from './grid.ts'
import { controlNames, dueDay, namedIn } from './results.ts'

const COLUMNS = columns({
  node: 24,
  check: 34,
  deviation: 50,
  'expected condition': 50,
  observations: 70,
  severity: 14,
  'reason for the severity': 50,
  'who can change it': 20,
  steps: 40,
  'applies to': 30,
  'set first': 50,
  commands: 70,
  files: 60,
  requests: 60,
  note: 50,
  verification: 50,
  expected: 40,
  'side effects': 50,
  'also settles on this node': 40,
  source: 50,
  'tested on': 30,
  'risk acceptance in effect until (UTC)': 28,
  owner: 24,
  'due (UTC)': 12,
})

/** One row per deviation and way to remedy it, the most severe of each node first. */
export const workOrderGrid = (orders: readonly WorkOrder[]): Grid => ({
  columns: COLUMNS,
  rows: orders.flatMap(({ node, items }) =>
    items.flatMap((item) => item.variants.map((variant) => rowOf(node, item, variant))),
  ),
})

function rowOf(node: string, item: WorkItem, variant: RemediationVariant): readonly string[] {
  const { check, finding, condition, observed, severity, remediation, alsoHere, accepted, response } = item
  const { title, when, inputs, prepare, files, commands, ask, note, verify } = partsOf(variant)
  return [
    node,
    check,
    finding,
    condition,
    observed.join(' | '),
    severityWords[severity.severity],
    severity.why,
    WHO[remediation.whoCanChange],
    when === undefined ? title : `${title} (for: ${when})`,
    familiesOf(variant),
    inputs.map(({ name, is }) => `${name}: ${is}`).join(' | '),
    [...prepare, ...commands].join(' | '),
    files.map(({ path, content }) => `${path}: ${content.trimEnd().split('\n').join(' | ')}`).join(' || '),
    ask.map((one) => `${one.of}: ${one.for}`).join(' | '),
    note ?? '',
    verify.command ?? verify.inspect ?? '',
    verify.expected,
    remediation.sideEffects,
    alsoHere.join(', '),
    remediation.source,
    (remediation.proven ?? []).map(({ distribution }) => distribution).join(', '),
    accepted?.until ?? '',
    response?.owner ?? '',
    response?.due?.slice(0, 10) ?? '',
  ]
}

/** What tickets are written from. */
export type TicketInput = Pick<FormatInput, 'catalog' | 'remediations' | 'shown' | 'demo' | 'packName'>

const JIRA = columns({
  Summary: 60,
  Description: 80,
  'Issue Type': 12,
  Priority: 12,
  Labels: 40,
  'Due date': 14,
  Assignee: 20,
  'External ID': 12,
})
const JIRA_PRIORITY: Readonly<Record<Severity, string>> = {
  critical: 'Highest',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  info: 'Lowest',
}

/** One row per finding for the CSV import of Jira; the external ID is the reference of the finding. */
export const jiraGrid = (input: TicketInput): Grid => ({
  columns: JIRA,
  rows: ticketsOf(input).map(({ finding, summary, description }) => [
    summary,
    description,
    'Task',
    JIRA_PRIORITY[finding.severity.level],
    `barewitness ${finding.reference} ${finding.riskArea} severity-${finding.severity.level}`,
    dueDay(finding),
    oneLine(finding.response?.owner ?? ''),
    finding.reference,
  ]),
})

const SERVICE_NOW = columns({
  short_description: 60,
  description: 80,
  priority: 10,
  urgency: 10,
  impact: 10,
  assigned_to: 20,
  due_date: 20,
  correlation_id: 14,
  correlation_display: 16,
  category: 20,
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
export const serviceNowGrid = (input: TicketInput): Grid => ({
  columns: SERVICE_NOW,
  rows: ticketsOf(input).map(({ finding, summary, description }) => [
    summary,
    description,
    ...SERVICE_NOW_PRIORITY[finding.severity.level],
    oneLine(finding.response?.owner ?? ''),
    finding.response?.due == null ? '' : `${dueDay(finding)} 23:59:59`,
    finding.reference,
    'Barewitness',
    finding.riskArea,
  ]),
})

interface Ticket {
  readonly finding: Finding
  readonly summary: string
  readonly description: readonly string[]
}

/** Nodes listed in one ticket; results.csv has all. */
const MOST_NODES = 100
/** Jira and ServiceNow take a summary of up to 255 and 160 characters. */
const LONGEST_SUMMARY = 150

function ticketsOf({ catalog, remediations, shown, demo, packName }: TicketInput): readonly Ticket[] {
  const remedies = new Map(remediations.map((one) => [one.check, one]))
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
  ...(finding.untested.length === 0 ? [] : [`Not tested: ${finding.untested.length}`]),
  `Recommendation: ${remedyText(finding, remediation)}`,
  ...(remediation === undefined ? [] : ['Steps:', ...remedyLines(remediation)]),
]
