import { severityWords } from '../../../../schemas/conclusion-words.ts'
import type { Sheet } from '../../../core/all-ports.ts'
import { oneLine } from '../../../core/base/plain-text.ts'
import type { Finding, Remediated } from '../../../core/finding/finding.ts'
import type { CheckRemediation } from '../../../core/finding/work-order.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import { byCheck } from '../../presentation.ts'
import { criterionText, effectText, remedyText, statusText } from '../../report/findings.ts'
import { deviatingOf, testedWords } from '../../report/parts/refused.ts'
import { shortName } from '../../report/parts/wording.ts'
import { type Closed, closedOf, type FormatInput, GENERAL_LIMITATION, mappedControls, nistControls } from '../input.ts'
import { columns, type Grid, type GridCell, sheetOf } from './grid.ts'
import { controlNames, dueDay, namedIn } from './results.ts'

/** Columns A to AE of the FedRAMP POA&M template, in its order and under its names. */
const COLUMNS = columns({
  'POAM ID': 12,
  Controls: 18,
  'Weakness Name': 40,
  'Weakness Description': 60,
  'Weakness Detector Source': 20,
  'Weakness Source Identifier': 34,
  'Asset Identifier': 24,
  'Point of Contact': 20,
  'Resources Required': 20,
  'Overall Remediation Plan': 50,
  'Original Detection Date': 14,
  'Scheduled Completion Date': 14,
  'Planned Milestones': 40,
  'Milestone Changes': 40,
  'Status Date': 14,
  'Vendor Dependency': 12,
  'Last Vendor Check-in Date': 14,
  'Vendor Dependent Product Name': 24,
  'Original Risk Rating': 12,
  'Adjusted Risk Rating': 12,
  'Risk Adjustment': 12,
  'False Positive': 12,
  'Operational Requirement': 14,
  'Deviation Rationale': 40,
  'Supporting Documents': 40,
  Comments: 60,
  'Auto-Approve': 10,
  'Binding Operational Directive 22-01 tracking': 14,
  'Binding Operational Directive 22-01 Due Date': 14,
  CVE: 14,
  'Service Name': 20,
})

/** Assets listed in one cell, one a line: a cell that Excel opens has at most 253 lines. */
const MOST_ASSETS = 200

/**
 * The plan of action and milestones as a workbook with the columns of the FedRAMP template: open findings, and findings that later runs of
 * the period confirm as closed. Columns that an authorizing official decides (adjusted ratings, approved deviations) are never filled in.
 */
export function poamSheets(input: FormatInput): readonly Sheet[] {
  return [
    sheetOf('Open POA&M Items', { columns: COLUMNS, rows: openRows(input) }, 'findings.csv'),
    sheetOf('Closed POA&M Items', { columns: COLUMNS, rows: closedRows(input) }, 'findings.csv'),
    sheetOf('About', aboutGrid(input), 'the report'),
  ]
}

function openRows(input: FormatInput): Grid['rows'] {
  const { catalog, remediations, shown } = input
  const remedies = byCheck(remediations)
  const requested = new Set((input.register.acceptanceRequests ?? []).map(({ check }) => check))
  return shown.findings.map((finding) => {
    const remediation = remedies.get(finding.check)
    const isAccepted = finding.deviations.some(({ accepted }) => accepted !== null)
    return cells({
      ...shared(input, catalog, finding),
      'Weakness Description': [
        `${finding.condition}.`,
        `Criterion: ${criterionText(finding)}`,
        `Effect: ${effectText(finding)}`,
      ],
      'Asset Identifier': namedIn(finding, MOST_ASSETS),
      'Point of Contact': oneLine(finding.response?.owner ?? ''),
      'Overall Remediation Plan': oneLine(finding.response?.plan ?? remedyText(finding, remediation), 4000),
      'Original Detection Date': dayOf(finding.firstSeen),
      'Scheduled Completion Date': dueDay(finding),
      'Planned Milestones': milestones(finding, remediation),
      'Milestone Changes': shown.remediated.filter(({ check }) => check === finding.check).map(remediatedText),
      'Status Date': dayOf(finding.response?.statedAt ?? finding.lastSeen),
      ...vendor(input, remediation),
      'Original Risk Rating': severityWords[finding.severity.level],
      'False Positive': finding.status === 'disputed' ? 'Pending' : 'No',
      'Operational Requirement': isAccepted || requested.has(finding.check) ? 'Pending' : 'No',
      'Deviation Rationale': rationale(finding),
      Comments: [
        `Status: ${statusText(finding)}.`,
        `Deviations: ${deviatingOf(finding)}${testedWords(finding)}; inconclusive: ${finding.inconclusive.length}; not tested: ${finding.untested.length}.`,
        ...(finding.cause === null ? [] : [`Cause, as management states it: ${oneLine(finding.cause, 600)}`]),
        ...controlNames(catalog, finding),
      ],
    })
  })
}

function closedRows(input: FormatInput): Grid['rows'] {
  const { catalog, shown } = input
  return closedOf(shown).map((closed) => {
    const rated = catalog.severities.find(({ check }) => check === closed.check)
    return cells({
      ...shared(input, catalog, closed),
      'Weakness Description': rated?.why ?? '',
      'Asset Identifier': [...new Set(closed.steps.flatMap(({ nodes }) => nodes))].slice(0, MOST_ASSETS),
      'Milestone Changes': closed.steps.map(remediatedText),
      'Status Date': dayOf(closed.steps.at(-1)?.at ?? null),
      'Original Risk Rating': rated === undefined ? '' : severityWords[rated.severity],
      Comments: 'Remediated: later runs of the period find no deviation.',
    })
  })
}

type Row = Readonly<Record<string, GridCell>>

const cells = (row: Row): readonly GridCell[] => COLUMNS.map(({ title }) => row[title] ?? '')

/** Cells that an open and a closed finding have in common. */
const shared = (
  { producer, packName, evidenceDigest, assessment }: FormatInput,
  catalog: Catalog,
  { reference, check, title }: Pick<Finding | Closed, 'reference' | 'check' | 'title'>,
): Row => ({
  'POAM ID': reference,
  Controls: controlIds(catalog, check).join(', '),
  'Weakness Name': title,
  'Weakness Detector Source': producer,
  'Weakness Source Identifier': check,
  'Adjusted Risk Rating': 'N/A',
  'Risk Adjustment': 'No',
  'False Positive': 'No',
  'Operational Requirement': 'No',
  'Supporting Documents': [packName, `Evidence digest ${evidenceDigest}`],
  'Auto-Approve': 'No',
  'Service Name': oneLine(assessment.scope.engagement?.boundary.system ?? assessment.scope.fleet, 200),
})

/** NIST SP 800-53 controls, as the template requires; where the check is mapped to none, the controls of the frameworks in scope. */
function controlIds(catalog: Catalog, check: string): readonly string[] {
  const nist = nistControls(catalog, check)
  if (nist.length > 0) return nist
  return catalog.frameworks
    .filter(({ proposed }) => !proposed)
    .flatMap(({ id, controls }) => mappedControls(controls, check).map((control) => `${shortName(id)} ${control}`))
}

const dayOf = (instant: string | null): string => instant?.slice(0, 10) ?? ''

/** Steps in order, the last one with the due day where management states one. */
const milestones = (finding: Finding, remediation: CheckRemediation | undefined): readonly string[] => {
  const due = dueDay(finding)
  const steps = [...new Set((remediation?.steps ?? []).map(({ title }) => title))]
  return [
    ...steps.map((title, index) => `(${index + 1}) ${title}`),
    ...(due === '' ? [] : [`(${steps.length + 1}) ${due}: confirmed by a collection`]),
  ]
}

const remediatedText = ({ nodes, run, at }: Remediated): string =>
  `${dayOf(at)}: remediated on ${nodes.slice(0, MOST_ASSETS).join(', ')}, confirmed by run ${run}`

/** A finding that only the provider of the servers can remedy depends on that vendor. */
const vendor = ({ assessment }: FormatInput, remediation: CheckRemediation | undefined): Row =>
  remediation?.whoCanChange === 'provider'
    ? {
        'Vendor Dependency': 'Yes',
        'Vendor Dependent Product Name': oneLine(assessment.scope.provider?.name ?? 'Provider of the servers', 200),
      }
    : { 'Vendor Dependency': 'No' }

/** Reasons of risk acceptances in effect. */
const rationale = ({ deviations }: Finding): readonly string[] => [
  ...new Set(
    deviations.flatMap(({ accepted }) =>
      accepted === null
        ? []
        : [
            `Risk accepted by management until ${dayOf(accepted.expiresAt)}, approved by ${oneLine(accepted.approvedBy)}: ${oneLine(accepted.reason)} Compensating control: ${oneLine(accepted.compensatingControl)}`,
          ],
    ),
  ),
]

const aboutGrid = ({ assessment, run, producer, demo }: FormatInput): Grid => ({
  columns: columns({ about: 34, content: 100 }),
  rows: [
    ...(demo ? [['Demo data', 'yes']] : []),
    ['CSP', oneLine(assessment.scope.engagement?.entity ?? '')],
    ['System Name', oneLine(assessment.scope.engagement?.boundary.system ?? assessment.scope.fleet, 200)],
    ['Impact Level', 'not stated'],
    ['POA&M Date', dayOf(assessment.asOf)],
    ['Run', run],
    ['Produced by', producer],
    ['Not filled in', NOT_FILLED_IN],
    ['Limitations', GENERAL_LIMITATION],
  ],
})

const NOT_FILLED_IN =
  'Adjusted ratings, approved deviations, vendor check-ins, Binding Operational Directive 22-01 and CVE: the evidence does not show them. A risk that management accepted is Pending: approval by an authorizing official is not known.'
