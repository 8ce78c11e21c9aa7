import { riskAreaWords, severityWords } from '../../../../schemas/conclusion-words.ts'
import type { EphiMap } from '../../../../schemas/types.ts'
import { withMappedPaths } from '../../../core/engagement/ephi.ts'
import type { RiskElement } from '../../../core/evidence-view.ts'
import type { Finding } from '../../../core/finding/finding.ts'
import { nodeAssessmentPath, PATHS } from '../../../core/pack-files.ts'
import { of, plural } from '../../../core/phrases.ts'
import { oneLine } from '../../../core/plain-text.ts'
import { type Tally, tally } from '../../../core/tally.ts'
import type { FormatInput } from '../input.ts'
import { namedIn } from './findings.ts'
import { columns, type Grid, type GridCell } from './grid.ts'
import { limitsOf, requestedById, requestLines } from './requested.ts'

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
  sources: 50,
  limitations: 70,
})

/** One row per finding, for the analysis of 45 CFR 164.308(a)(1)(ii)(A). Likelihood, impact, level of risk and decision are left to people. */
export function riskGrid(input: FormatInput): Grid {
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
  sources: 50,
  limitations: 70,
})

/** The nine elements that OCR expects of a risk analysis: what this evidence contains for each, and what people add. */
export function elementsGrid(input: FormatInput): Grid {
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
