import {
  documentLine,
  riskAreaWords,
  rowStateWords,
  serverLine,
  severityWords,
} from '../../../../schemas/conclusion-words.ts'
import type { EphiMap } from '../../../../schemas/types.ts'
import { CLAIM_ANSWERS, claimAnswerWords, decisionWords } from '../../../../schemas/words.ts'
import { grouped } from '../../../core/base/grouping.ts'
import { of, oneLine, plural } from '../../../core/base/plain-text.ts'
import { type Tally, tally } from '../../../core/conclusion/tally.ts'
import { withMappedPaths } from '../../../core/engagement/ephi.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import { nodeAssessmentPath, PATHS } from '../../../core/pack/pack-files.ts'
import type { AgreementRow, RiskElement } from '../../../core/recording/evidence-view.ts'
import { decidedFor } from '../../../core/register/decisions.ts'
import { controlsInScope } from '../../report/controls/tests-of-controls.ts'
import { chosenFrameworks } from '../../report/parts/wording.ts'
import type { FormatInput } from '../input.ts'
import { type Grid, type GridCell, gridOf, upTo } from './grid.ts'
import { checkText, limitColumns, requestedById, requestLines } from './population.ts'
import { namedIn } from './results.ts'

/** Nodes named in one cell. */
const MOST_NAMED = 50

/** One row per finding, for the analysis of 45 CFR 164.308(a)(1)(ii)(A). Likelihood, impact, level of risk and decision are left to people. */
function riskGrid(input: FormatInput): Grid {
  const { assessment, catalog, recordings, shown, views } = input
  const view = views.hipaa.riskAnalysis
  const threats = new Map(view.threats.map((one) => [one.riskArea, one]))
  const measures = measuresIn(catalog, tally(assessment, catalog.checks))
  const paths = ephiPathsOf(recordings, assessment.scope.engagement?.ephi)
  const rows = shown.findings.map((finding, at) => ({ number: at + 1, finding, threat: threats.get(finding.riskArea) }))
  return gridOf(rows, {
    row: [8, ({ number }) => number],
    asset: [40, ({ finding }) => namedIn(finding, MOST_NAMED).join(', ')],
    'declared ePHI paths on it': [
      40,
      ({ finding }) =>
        upTo(
          finding.deviations.flatMap(({ subject }) => (paths.get(subject) ?? []).map((path) => `${subject}: ${path}`)),
          MOST_NAMED,
        ).join(', '),
    ],
    threat: [50, ({ threat }) => threat?.threat ?? ''],
    'threat sources (NIST SP 800-30)': [24, ({ threat }) => threat?.sources.join(', ') ?? ''],
    'vulnerability (finding)': [60, ({ finding }) => finding.condition],
    finding: [12, ({ finding }) => finding.reference],
    'risk area': [24, ({ finding }) => riskAreaWords[finding.riskArea]],
    'existing measures, as observed': [60, ({ finding }) => measures(finding)],
    'compensating controls, as stated by management': [50, ({ finding }) => compensatingText(finding)],
    'evidence in the pack': [60, ({ finding }) => evidenceOf(finding)],
    'severity of the finding (no likelihood, no impact)': [20, ({ finding }) => severityWords[finding.severity.level]],
    'likelihood (entered by people)': [20, () => ''],
    'impact (entered by people)': [20, () => ''],
    'level of risk (entered by people)': [20, () => ''],
    'decision and measure (entered by people)': [40, () => ''],
    owner: [24, ({ finding }) => oneLine(finding.response?.owner ?? '')],
    ...limitColumns(() => view),
  })
}

const compensatingText = ({ deviations }: Finding): string =>
  [...new Set(deviations.flatMap(({ accepted }) => accepted?.compensatingControl ?? []))]
    .map((one) => oneLine(one))
    .join(' | ')

/** Checks of the same risk area that are satisfied on nodes of a finding. */
function measuresIn(catalog: FormatInput['catalog'], counted: Tally): (finding: Finding) => string {
  return ({ riskArea, check, deviations, what }) => {
    if (what === 'inventory') return ''
    const others = catalog.severities.filter((one) => one.riskArea === riskArea && one.check !== check)
    return others
      .flatMap((one) => {
        const count = deviations.filter(({ subject }) => counted.verdict(subject, one.check) === 'satisfied').length
        return count === 0 ? [] : [`${one.check}: satisfied on ${of(count, deviations.length)}`]
      })
      .join(' | ')
  }
}

function ephiPathsOf(
  recordings: FormatInput['recordings'],
  ephi: EphiMap | undefined,
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    recordings.map(({ recording }) => {
      const { name, ephiPaths = [] } = withMappedPaths(recording.node, ephi)
      return [name, ephiPaths]
    }),
  )
}

const MOST_FILES = 5

const evidenceOf = ({ what, deviations }: Finding): string =>
  what === 'inventory'
    ? PATHS.scope
    : upTo(
        deviations.map(({ subject }) => nodeAssessmentPath(subject)),
        MOST_FILES,
      ).join(', ')

/** The nine elements that OCR expects of a risk analysis: what this evidence contains for each, and what people add. */
function elementsGrid(input: FormatInput): Grid {
  const view = input.views.hipaa.riskAnalysis
  const requested = requestedById(input)
  return gridOf(view.elements, {
    element: [30, ({ title }) => title],
    'step of NIST SP 800-66 Rev. 2, section 3.2': [50, ({ step }) => step],
    'in this evidence': [70, (element) => elementText(input, element)],
    'left to people': [70, ({ people }) => people],
    'requested documents': [70, ({ requests }) => requestLines(input.catalog, requested, requests)],
    'result (entered by people)': [30, () => ''],
    ...limitColumns(() => view),
  })
}

function elementText({ assessment, shown, packName, register }: FormatInput, { id }: RiskElement): string {
  const { declared, tested, findings } = shown.figures
  const ephi = assessment.scope.engagement?.ephi
  switch (id) {
    case 'scope':
      return `${plural(declared, 'declared node')}, ${tested} tested; ${
        ephi === undefined
          ? 'no ePHI map declared'
          : `${plural(ephi.stores.length, 'ePHI location')} and ${plural(ephi.flows.length, 'ePHI flow')} declared`
      }.`
    case 'data-collection':
      return 'Declared ePHI paths and what was observed of them: sheet “ePHI carriers”. Flows are as declared.'
    case 'threats-and-vulnerabilities': {
      const all = Object.values(findings).reduce((sum, count) => sum + count, 0)
      return `${plural(all, 'finding')}, one row each in sheet “Risk analysis input”.`
    }
    case 'current-measures':
      return `Satisfied checks in sheets “Results” and “Risk analysis input”; ${plural(register.riskAcceptances.length, 'risk acceptance')} with compensating controls, as stated.`
    case 'documentation':
      return `Evidence pack ${packName}, as of ${assessment.asOf}.`
    case 'review':
      return 'This run is one moment. A period report states runs, missed runs and changes.'
    default:
      return 'Nothing: not determined by this tool.'
  }
}

/** The relation to the provider as the evidence shows it, then the clauses of 45 CFR 164.314(a) and 164.504(e) for a person to look up. */
function agreementGrid(input: FormatInput): Grid {
  const { catalog, views } = input
  const view = views.hipaa.agreement
  const requested = requestedById(input)
  const counted = tally(input.assessment, catalog.checks)
  const row =
    (part: string) =>
    ({ clause, title, summary, checks, requests }: AgreementRow) => ({
      part,
      clause,
      title,
      summary,
      evidence: checks.map((check) => checkText(catalog, counted, check)) as GridCell,
      requests,
    })
  const rows = [
    ...relationRows(input).map(([title, evidence]) => ({
      ...{ part: 'Relation', clause: '', summary: '', requests: [] },
      title,
      evidence,
    })),
    ...view.relation.map(row('Relation')),
    ...view.clauses.map(row('Clause')),
  ]
  return gridOf(rows, {
    part: [16, ({ part }) => part],
    section: [24, ({ clause }) => clause],
    subject: [40, ({ title }) => title],
    'what the section asks for': [70, ({ summary }) => summary],
    'what the evidence shows': [70, ({ evidence }) => evidence],
    'requested documents': [70, ({ requests }) => requestLines(catalog, requested, requests)],
    'clause present (entered by people)': [16, () => ''],
    'place in the agreement (entered by people)': [24, () => ''],
    'read by, on (entered by people)': [24, () => ''],
    ...limitColumns(() => view),
  })
}

/** The provider as declared, with the results of its claims; then the other organizations whose controls are needed. */
function relationRows({ assessment }: FormatInput): readonly (readonly [string, string])[] {
  const { provider, engagement } = assessment.scope
  const answers = assessment.nodes.flatMap(({ claims = [] }) => claims)
  const count = (result: (typeof answers)[number]['result']): string =>
    `${claimAnswerWords[result].label.toLowerCase()} ${answers.filter((one) => one.result === result).length}`
  const organizations = engagement?.subserviceOrganizations ?? []
  return [
    ['Provider', provider === undefined ? 'No provider profile declared.' : provider.name],
    [
      'Claims of the provider, per claim and node',
      answers.length === 0
        ? 'None compared with node evidence.'
        : `${plural(answers.length, 'result')}: ${CLAIM_ANSWERS.map(count)
            .filter((counted) => !counted.endsWith(' 0'))
            .join(', ')}.`,
    ],
    [
      'Subservice organizations',
      organizations.length === 0
        ? 'None declared.'
        : organizations
            .map(
              ({ name, report }) =>
                `${oneLine(name, 200)}: ${report === null ? 'no report on file' : `report ${oneLine(report.title, 200)}`}`,
            )
            .join(' | '),
    ],
  ]
}

/**
 * Views for readers of the HIPAA Security Rule: input to a risk analysis, checklist for the agreement with a business associate, and index by the
 * sections of the OCR audit protocol; none where that rule is not one of the frameworks chosen. All have the same results and documents as the
 * report, and columns that people fill in are empty.
 */
export function hipaaSheets(input: FormatInput): readonly { readonly name: string; readonly grid: Grid }[] {
  const { current } = chosenFrameworks(input)
  if (!current.some(({ id }) => id === input.views.hipaa.protocol.framework)) return []
  return [
    { name: 'Risk analysis input', grid: riskGrid(input) },
    { name: 'Risk analysis elements', grid: elementsGrid(input) },
    { name: 'Business associate', grid: agreementGrid(input) },
    { name: 'OCR audit protocol', grid: protocolGrid(input) },
  ]
}

/** One row per section, in the order of the protocol: conclusion, findings, documents with status, and where the pack has the evidence. */
function protocolGrid(input: FormatInput): Grid {
  const { assessment, catalog, register, shown, views } = input
  const view = views.hipaa.protocol
  const requested = requestedById(input)
  const framework = catalog.frameworks.find(({ id }) => id === view.framework)
  const rows = framework === undefined ? [] : controlsInScope({ assessment }, framework)
  const references = referencesBy(shown.findings)
  return gridOf(rows, {
    section: [24, ({ control }) => control.id],
    title: [44, ({ control }) => control.title],
    'required or addressable': [16, ({ control }) => control.level],
    conclusion: [28, ({ result }) => rowStateWords[result.state].label],
    'server part': [50, ({ result }) => serverLine(result.server)],
    findings: [30, ({ result }) => references(result.control).join(', ')],
    'document part': [40, ({ result }) => documentLine(result.documents)],
    'documents, with status': [
      80,
      ({ control }) => requestLines(catalog, requested, [...new Set(Object.values(control.requests ?? {}).flat())]),
    ],
    decision: [
      40,
      ({ result }) => {
        const [one] = decidedFor(register, result, assessment.asOf)
        return one === undefined ? '' : `${decisionWords[one.decision]}, approved by ${oneLine(one.approvedBy)}`
      },
    ],
    'evidence in the pack': [
      40,
      ({ result }) =>
        result.checks.some(({ decides }) => decides) ? `${PATHS.assessment}, ${PATHS.register}` : PATHS.register,
    ],
    'not covered': [70, ({ control }) => control.notCovered],
    ...limitColumns(() => view),
  })
}

/** References of the findings that concern a control. */
function referencesBy(findings: readonly Finding[]): (control: string) => readonly string[] {
  const found = grouped(findings, ({ controls }) => controls.map(({ control }) => control))
  return (control) => (found.get(control) ?? []).map(({ reference }) => reference)
}
