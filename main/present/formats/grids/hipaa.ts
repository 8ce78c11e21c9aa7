import {
  documentLine,
  riskAreaWords,
  rowStateWords,
  serverLine,
  severityWords,
} from '../../../../schemas/conclusion-words.ts'
import type { EphiMap } from '../../../../schemas/types.ts'
import { claimAnswerWords, decisionWords } from '../../../../schemas/words.ts'
import { withMappedPaths } from '../../../core/engagement/ephi.ts'
import type { AgreementRow, RiskElement } from '../../../core/evidence-view.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import { nodeAssessmentPath, PATHS } from '../../../core/pack-files.ts'
import { of, oneLine, plural } from '../../../core/plain-text.ts'
import { decidedFor } from '../../../core/register/decisions.ts'
import { type Tally, tally } from '../../../core/tally.ts'
import { controlsInScope } from '../../report/tests-of-controls.ts'
import { chosenFrameworks } from '../../report/wording.ts'
import type { FormatInput } from '../input.ts'
import { columns, type Grid, type GridCell } from './grid.ts'
import { checkText, limitsOf, requestedById, requestLines } from './population.ts'
import { namedIn } from './results.ts'

/** Nodes named in one cell. */
const MOST_NAMED = 50

const RISK_COLUMNS = columns({
  row: 8,
  asset: 40,
  'declared ePHI paths on it': 40,
  threat: 50,
  'threat sources (NIST SP 800-30)': 24,
  'vulnerability (finding)': 60,
  finding: 12,
  'risk area': 24,
  'existing measures, as observed': 60,
  'compensating controls, as stated by management': 50,
  'evidence in the pack': 60,
  'severity of the finding (no likelihood, no impact)': 20,
  'likelihood (entered by people)': 20,
  'impact (entered by people)': 20,
  'level of risk (entered by people)': 20,
  'decision and measure (entered by people)': 40,
  owner: 24,
  sources: 80,
  limitations: 90,
})

/** One row per finding, for the analysis of 45 CFR 164.308(a)(1)(ii)(A). Likelihood, impact, level of risk and decision are left to people. */
function riskGrid(input: FormatInput): Grid {
  const { assessment, catalog, recordings, shown, views } = input
  const view = views.hipaa.riskAnalysis
  const threats = new Map(view.threats.map((one) => [one.riskArea, one]))
  const measures = measuresIn(catalog, tally(assessment, catalog.checks))
  const paths = ephiPathsOf(recordings, assessment.scope.engagement?.ephi)
  return {
    columns: RISK_COLUMNS,
    rows: shown.findings.map((finding, at): readonly GridCell[] => {
      const threat = threats.get(finding.riskArea)
      const subjects = finding.deviations.map(({ subject }) => subject)
      const compensating = new Set(finding.deviations.flatMap(({ accepted }) => accepted?.compensatingControl ?? []))
      return [
        at + 1,
        namedIn(finding, MOST_NAMED).join(', '),
        limited(subjects.flatMap((node) => (paths.get(node) ?? []).map((path) => `${node}: ${path}`))),
        threat?.threat ?? '',
        threat?.sources.join(', ') ?? '',
        finding.condition,
        finding.reference,
        riskAreaWords[finding.riskArea],
        measures(finding),
        [...compensating].map((one) => oneLine(one)).join(' | '),
        evidenceOf(finding),
        severityWords[finding.severity.level],
        '',
        '',
        '',
        '',
        oneLine(finding.response?.owner ?? ''),
        ...limitsOf(view),
      ]
    }),
  }
}

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

function limited(texts: readonly string[]): string {
  const more = texts.length - MOST_NAMED
  return [...texts.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

const MOST_FILES = 5

const evidenceOf = ({ what, deviations }: Finding): string =>
  what === 'inventory'
    ? PATHS.scope
    : [
        ...deviations.slice(0, MOST_FILES).map(({ subject }) => nodeAssessmentPath(subject)),
        ...(deviations.length > MOST_FILES ? [`and ${deviations.length - MOST_FILES} more`] : []),
      ].join(', ')

const ELEMENT_COLUMNS = columns({
  element: 30,
  'step of NIST SP 800-66 Rev. 2, section 3.2': 50,
  'in this evidence': 70,
  'left to people': 70,
  'requested documents': 70,
  'result (entered by people)': 30,
  sources: 80,
  limitations: 90,
})

/** The nine elements that OCR expects of a risk analysis: what this evidence contains for each, and what people add. */
function elementsGrid(input: FormatInput): Grid {
  const view = input.views.hipaa.riskAnalysis
  const requested = requestedById(input)
  return {
    columns: ELEMENT_COLUMNS,
    rows: view.elements.map((element) => [
      element.title,
      element.step,
      elementText(input, element),
      element.people,
      requestLines(input.catalog, requested, element.requests),
      '',
      ...limitsOf(view),
    ]),
  }
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

const AGREEMENT_COLUMNS = columns({
  part: 16,
  section: 24,
  subject: 40,
  'what the section asks for': 70,
  'what the evidence shows': 70,
  'requested documents': 70,
  'clause present (entered by people)': 16,
  'place in the agreement (entered by people)': 24,
  'read by, on (entered by people)': 24,
  sources: 80,
  limitations: 90,
})

/** The relation to the provider as the evidence shows it, then the clauses of 45 CFR 164.314(a) and 164.504(e) for a person to look up. */
function agreementGrid(input: FormatInput): Grid {
  const view = input.views.hipaa.agreement
  const requested = requestedById(input)
  const counted = tally(input.assessment, input.catalog.checks)
  const row =
    (part: string) =>
    (one: AgreementRow): readonly GridCell[] => [
      part,
      one.clause,
      one.title,
      one.summary,
      one.checks.map((check) => checkText(input.catalog, counted, check)),
      requestLines(input.catalog, requested, one.requests),
      '',
      '',
      '',
      ...limitsOf(view),
    ]
  return {
    columns: AGREEMENT_COLUMNS,
    rows: [
      ...relationRows(input).map(([subject, text]) => [
        'Relation',
        '',
        subject,
        '',
        text,
        '',
        '',
        '',
        '',
        ...limitsOf(view),
      ]),
      ...view.relation.map(row('Relation')),
      ...view.clauses.map(row('Clause')),
    ],
  }
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
        : `${plural(answers.length, 'result')}: ${count('corroborated')}, ${count('contradicted')}, ${count('document-required')}.`,
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
 * sections of the OCR audit protocol. All have the same results and documents as the report, and columns that people fill in are empty.
 */
interface HipaaSheet {
  readonly name: string
  readonly grid: Grid
}

/** The sheets for the HIPAA Security Rule; none where it is not one of the frameworks chosen. */
export function hipaaSheets(input: FormatInput): readonly HipaaSheet[] {
  const { current } = chosenFrameworks(input)
  if (!current.some(({ id }) => id === input.views.hipaa.protocol.framework)) return []
  return [
    { name: 'Risk analysis input', grid: riskGrid(input) },
    { name: 'Risk analysis elements', grid: elementsGrid(input) },
    { name: 'Business associate', grid: agreementGrid(input) },
    { name: 'OCR audit protocol', grid: protocolGrid(input) },
  ]
}

const PROTOCOL_COLUMNS = columns({
  section: 24,
  title: 44,
  'required or addressable': 16,
  conclusion: 28,
  'server part': 50,
  findings: 30,
  'document part': 40,
  'documents, with status': 80,
  decision: 40,
  'evidence in the pack': 40,
  'not covered': 70,
  sources: 80,
  limitations: 90,
})

/** One row per section, in the order of the protocol: conclusion, findings, documents with status, and where the pack has the evidence. */
function protocolGrid(input: FormatInput): Grid {
  const { assessment, catalog, register, shown, views } = input
  const view = views.hipaa.protocol
  const requested = requestedById(input)
  const framework = catalog.frameworks.find(({ id }) => id === view.framework)
  const rows = framework === undefined ? [] : controlsInScope({ assessment }, framework)
  const references = referencesBy(shown.findings)
  return {
    columns: PROTOCOL_COLUMNS,
    rows: rows.map(({ control, result }) => {
      const ids = [...new Set(Object.values(control.requests ?? {}).flat())]
      const [decision] = decidedFor(register, result, assessment.asOf)
      return [
        control.id,
        control.title,
        control.level,
        rowStateWords[result.state].label,
        serverLine(result.server),
        references(result.control).join(', '),
        documentLine(result.documents),
        requestLines(catalog, requested, ids),
        decision === undefined
          ? ''
          : `${decisionWords[decision.decision]}, approved by ${oneLine(decision.approvedBy)}`,
        result.checks.some(({ decides }) => decides) ? `${PATHS.assessment}, ${PATHS.register}` : PATHS.register,
        control.notCovered,
        ...limitsOf(view),
      ]
    }),
  }
}

/** References of the findings that concern a control. */
function referencesBy(findings: readonly Finding[]): (control: string) => readonly string[] {
  const found = new Map<string, string[]>()
  for (const { reference, controls } of findings)
    for (const { control } of controls) {
      const known = found.get(control)
      if (known === undefined) found.set(control, [reference])
      else known.push(reference)
    }
  return (control) => found.get(control) ?? []
}
