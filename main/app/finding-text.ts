import { findingStatusWords, riskAreaWords, severityWords } from '../../schemas/conclusion-words.ts'
import type { ManagementResponse } from '../../schemas/types.ts'
import type { Finding } from '../core/finding/finding.ts'
import { of, plural } from '../core/phrases.ts'
import { oneLine, plain } from '../core/plain-text.ts'
import type { CheckRemediation } from '../core/work-order.ts'
import { remedyOf } from '../present/presentation.ts'
import { statusText } from '../present/report/findings.ts'

/** Who remedies a finding, and by when. */
export const ownerLine = ({ response, isOverdue }: Pick<Finding, 'response' | 'isOverdue'>): string =>
  `${response?.owner == null ? 'Owner not assigned' : `Owner: ${oneLine(response.owner, 100)}`}${
    response?.due == null ? '' : `, due ${response.due.slice(0, 10)}${isOverdue ? ' (overdue)' : ''}`
  }`

/** One finding in two lines, for lists. */
export const findingLines = (finding: Finding): readonly string[] => [
  `${finding.reference}  ${severityWords[finding.severity.level]}  ${finding.condition}`,
  `      ${statusText(finding)}. ${ownerLine(finding)}`,
]

/** One finding in full, as plain text: what was found, by what criterion, its severity, and what management states. */
export function findingText(
  finding: Finding,
  {
    remediation,
    history,
  }: { readonly remediation: CheckRemediation | undefined; readonly history: readonly ManagementResponse[] },
): readonly string[] {
  const { reference, severity, condition, check, criterion, effect, deviations, tested, what, controls } = finding
  const limits = criterion.thresholds.map(({ threshold, shown }) => `${threshold.title}: ${shown}`)
  return [
    `${reference}  ${severityWords[severity.level]}: ${condition}`,
    `  Status: ${statusText(finding)}. ${ownerLine(finding)}`,
    `  Check: ${check} (${riskAreaWords[finding.riskArea]})`,
    `  Criterion: ${[criterion.expected, ...limits].join(' ')}${criterion.source === '' ? '' : ` Source: ${criterion.source}`}`,
    `  Deviations: ${of(deviations.length, tested)} ${what === 'inventory' ? 'inventory rows' : 'nodes tested'}`,
    ...deviations.flatMap(({ subject, observedAt, observations, accepted, isStale }) => [
      `    ${subject}${observedAt === null ? '' : `, ${observedAt}`}${isStale ? ', not retested since' : ''}${accepted === null ? '' : `, risk accepted until ${accepted.expiresAt.slice(0, 10)}`}`,
      ...observations
        .filter(({ direction }) => direction === 'contradicts')
        .map(({ text }) => `      ${oneLine(text, 500)}`),
    ]),
    ...listed('Inconclusive on', finding.inconclusive),
    ...listed('Not tested on', finding.untested),
    `  Effect: ${effect.join(' ')}`,
    `  Severity: ${severityWords[severity.base]} by its check`,
    ...severity.raised.map(
      ({ text, nodes }) => `    higher because ${text}: ${nodes.map((node) => plain(node)).join(', ')}`,
    ),
    ...severity.lowered.map(({ text }) => `    lower because ${text}`),
    ...severity.notEvaluated.map((text) => `    not evaluated: ${text}`),
    `  Recommendation: ${remedyOf(finding, remediation)}`,
    ...(controls.length === 0
      ? ['  Decides no control in scope.']
      : [`  Controls: ${controls.map(({ control }) => control).join(', ')}`]),
    ...(finding.firstSeen === null
      ? []
      : [`  First observed: ${finding.firstSeen}; last observed: ${finding.lastSeen}`]),
    ...(history.length === 0
      ? ['  No management response.']
      : [
          `  Management responses (${plural(history.length, 'entry', 'entries')}, the latest first):`,
          ...history.flatMap(responseLines),
        ]),
  ]
}

const listed = (title: string, nodes: readonly string[]): readonly string[] =>
  nodes.length === 0 ? [] : [`  ${title}: ${nodes.map((node) => plain(node)).join(', ')}`]

/** One response as lines of plain text, with whether it is signed. */
export function responseLines(entry: ManagementResponse): readonly string[] {
  const { id, status, owner, due, plan, cause, statedBy, statedAt, withdrawn, signatures = [] } = entry
  return [
    `    ${id}  ${findingStatusWords[status]}${owner === null ? '' : `, owner ${oneLine(owner, 200)}`}${due === null ? '' : `, due ${due.slice(0, 10)}`}`,
    `      Stated by ${oneLine(statedBy, 200)} at ${statedAt}. ${signatures.length === 0 ? 'Not digitally signed.' : `Signed with key ${signatures[0]?.fingerprint}; “verify” checks it.`}`,
    ...(plan === null ? [] : [`      Plan: ${oneLine(plan)}`]),
    ...(cause === undefined ? [] : [`      Cause: ${oneLine(cause)}`]),
    ...(withdrawn === null
      ? []
      : [`      Withdrawn at ${withdrawn.at} by ${oneLine(withdrawn.by, 200)}: ${oneLine(withdrawn.reason)}`]),
  ]
}
