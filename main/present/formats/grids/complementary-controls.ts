import { rowStateWords } from '../../../../schemas/conclusion-words.ts'
import type {
  ControlAssessment,
  ControlRef,
  Engagement,
  Period,
  SubserviceOrganization,
  SubserviceReport,
} from '../../../../schemas/types.ts'
import type { Catalog } from '../../../core/catalog.ts'
import { oneLine } from '../../../core/plain-text.ts'
import { isDay } from '../../../core/register/days.ts'
import { tally } from '../../../core/tally.ts'
import { nodeTestsIn } from '../../period-report/lists.ts'
import { countLines, itemName } from '../../report/wording.ts'
import type { FormatInput } from '../input.ts'
import { columns, type Grid, type GridCell } from './grid.ts'
import { requestedById, requestLines } from './population.ts'

/**
 * Matrix of complementary user entity controls (CUEC) and controls of subservice organizations (CSOC), as AT-C 205 and the SOC 2 guide of the AICPA
 * ask for: each with the report that it comes from, how much of the reporting date or period that report covers, and the results next to it. The
 * reports and their deviations are for people to review.
 */

const COLUMNS = columns({
  kind: 40,
  organization: 30,
  id: 14,
  control: 70,
  'relevant to': 50,
  'conclusions on these controls': 50,
  'check results': 60,
  'reporting basis': 30,
  'report on file': 40,
  'report from': 14,
  'report to': 14,
  'bridge letter until': 14,
  'days of the reporting basis': 12,
  'of these, in the period of the report': 14,
  'of these, in a bridge letter alone': 14,
  'of these, not covered': 12,
  'documents, with status': 70,
  'report reviewed by, on (entered by people)': 24,
  'deviations in the report and their effect here (entered by people)': 40,
  'conclusion on the control (entered by people)': 30,
  'declared by': 24,
  'declared on': 14,
  limitations: 100,
})

const NOT_SHOWN =
  'Declared by the entity. A bridge letter is a statement of the organization and no test. Check results state single moments and do not conclude on the control; its owner does. Sources: AT-C 205; AICPA SOC 2 guide, complementary controls and subservice organizations.'

/** Days of a reporting basis, both ends included; one day for a reporting date (Type 1). */
interface BasisDays {
  readonly from: string
  readonly to: string
}

interface ComplementaryInput {
  readonly catalog: Pick<Catalog, 'frameworks'>
  readonly engagement: Engagement
  readonly basis: BasisDays
  /** What the controls that it relates to were concluded as. */
  readonly stateOf: (control: ControlRef) => string
  readonly resultOf: (check: string) => string
  readonly documents: readonly string[]
}

/** The matrix for one run, with results over the nodes; without rows where nothing is declared. */
export function complementaryGrid(input: FormatInput): Grid {
  const { assessment, catalog } = input
  const { engagement } = assessment.scope
  if (engagement === undefined) return { columns: COLUMNS, rows: [] }
  const counted = tally(assessment, catalog.checks)
  const { reportingBasis: basis } = engagement
  return matrixOf({
    catalog,
    engagement,
    basis: basis.kind === 'date' ? { from: basis.date, to: basis.date } : basis,
    stateOf: stateIn(assessment.controls),
    resultOf: (check) =>
      countLines(counted.overNodes(check))
        .map(({ text }) => text)
        .join(', '),
    documents: requestLines(catalog, requestedById(input), ['ER-34', 'ER-35']),
  })
}

/** The matrix for a period (Type 2), with results over node tests; without rows where nothing is declared. */
export function complementaryPeriodGrid(
  { engagement, conclusions, from, to }: Pick<Period, 'conclusions' | 'engagement' | 'from' | 'to'>,
  catalog: Catalog,
): Grid {
  if (engagement === null) return { columns: COLUMNS, rows: [] }
  const controls = conclusions?.controls.map(({ conclusion }) => conclusion) ?? []
  return matrixOf({
    catalog,
    engagement,
    basis: { from, to },
    stateOf: stateIn(controls),
    resultOf: nodeTestsIn({ conclusions }),
    documents: ['ER-34, ER-35: see controls.csv'],
  })
}

function stateIn(controls: readonly ControlAssessment[]): ComplementaryInput['stateOf'] {
  const states = new Map(controls.map((one) => [`${one.framework}\n${one.control}`, rowStateWords[one.state].label]))
  return ({ framework, control }) => states.get(`${framework}\n${control}`) ?? 'not in scope'
}

/** User entity controls of all reports, then the controls of each organization. An organization without declared controls has one row. */
function matrixOf(input: ComplementaryInput): Grid {
  const { engagement, resultOf } = input
  const organizations = new Map(engagement.subserviceOrganizations.map((one) => [one.name, one]))
  return {
    columns: COLUMNS,
    rows: [
      ...engagement.complementaryUserEntityControls.map((one) => [
        'Complementary user entity control',
        oneLine(one.of, 200),
        oneLine(one.id, 60),
        oneLine(one.text, 1000),
        ...controlCells(input, one.controls),
        one.checks.length === 0
          ? 'No mapped check; a document is required.'
          : one.checks.map((check) => `${check}: ${resultOf(check)}`),
        ...reportCells(input, organizations.get(one.of)?.report ?? null),
        ...endCells(input, one),
      ]),
      ...engagement.subserviceOrganizations.flatMap((one) => organizationRows(input, one)),
    ],
  }
}

function organizationRows(input: ComplementaryInput, one: SubserviceOrganization): readonly (readonly GridCell[])[] {
  const kind =
    one.method === 'carve-out'
      ? 'Complementary subservice organization control (carve-out)'
      : 'Control of the subservice organization (inclusive)'
  const controls = one.controls.length === 0 ? [{ text: 'No controls declared.', controls: [] }] : one.controls
  return controls.map(({ text, controls: relevant }) => [
    kind,
    oneLine(one.name, 200),
    '',
    oneLine(text, 1000),
    ...controlCells(input, relevant),
    '',
    ...reportCells(input, one.report),
    ...endCells(input, one),
  ])
}

const controlCells = (
  { catalog, stateOf }: ComplementaryInput,
  controls: readonly ControlRef[],
): readonly GridCell[] => [
  controls.map((one) => itemName(catalog, one)),
  controls.map((one) => `${itemName(catalog, one)}: ${stateOf(one)}`),
]

function reportCells({ basis }: ComplementaryInput, report: SubserviceReport | null): readonly GridCell[] {
  const type = basis.from === basis.to ? `As of ${basis.to} (Type 1)` : `${basis.from} to ${basis.to} (Type 2)`
  const all = daysIn(basis)
  if (report === null) return [type, 'None on file', '', '', '', all ?? '', 0, 0, all ?? '']
  const { title, from, to, bridgedUntil } = report
  const covered = coverageOf(basis, report)
  return [
    type,
    oneLine(title, 300),
    from,
    to,
    bridgedUntil ?? '',
    ...(covered === null
      ? [all ?? '', '', '', 'A date is not valid']
      : [covered.all, covered.inReport, covered.bridged, covered.open]),
  ]
}

const endCells = (
  { documents }: ComplementaryInput,
  { owner, on }: { readonly owner: string; readonly on: string },
): readonly GridCell[] => [documents, '', '', '', oneLine(owner, 200), on, NOT_SHOWN]

interface Coverage {
  readonly all: number
  readonly inReport: number
  /** Days that only a bridge letter covers. */
  readonly bridged: number
  readonly open: number
}

/** How many days of a reporting basis a report of an organization covers; null where a date is not valid. */
export function coverageOf(
  basis: BasisDays,
  { from, to, bridgedUntil }: Omit<SubserviceReport, 'title'>,
): Coverage | null {
  const [start, end, first, last] = [basis.from, basis.to, from, to].map(dayNumber)
  const bridge = bridgedUntil === null ? last : dayNumber(bridgedUntil)
  if (start == null || end == null || first == null || last == null || bridge == null) return null
  const shared = (since: number, until: number): number =>
    Math.max(0, Math.min(end, until) - Math.max(start, since) + 1)
  const all = Math.max(0, end - start + 1)
  const inReport = shared(first, last)
  const bridged = bridge > last ? shared(Math.max(first, last + 1), bridge) : 0
  return { all, inReport, bridged, open: all - inReport - bridged }
}

function daysIn({ from, to }: BasisDays): number | null {
  const [start, end] = [dayNumber(from), dayNumber(to)]
  return start === null || end === null ? null : Math.max(0, end - start + 1)
}

const DAY_MS = 86_400_000

const dayNumber = (day: string): number | null => (isDay(day) ? Date.parse(`${day}T00:00:00.000Z`) / DAY_MS : null)
