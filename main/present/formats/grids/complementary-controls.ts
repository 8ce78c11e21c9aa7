import { rowStateWords } from '../../../../schemas/conclusion-words.ts'
import type {
  ControlAssessment,
  ControlRef,
  Engagement,
  Period,
  SubserviceOrganization,
  SubserviceReport,
} from '../../../../schemas/types.ts'
import { isDay } from '../../../core/base/days.ts'
import { oneLine } from '../../../core/base/plain-text.ts'
import { tally } from '../../../core/conclusion/tally.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import { nodeTestsIn } from '../../period-report/lists.ts'
import { countLines, itemName } from '../../report/parts/wording.ts'
import type { FormatInput } from '../input.ts'
import { type Grid, type GridCell, gridOf } from './grid.ts'
import { requestedById, requestLines } from './population.ts'

const NOT_SHOWN =
  'Declared by the entity. A bridge letter is a statement of the organization and no test. Check results state single moments and do not conclude on the control; its owner does. Sources: AT-C 205; AICPA SOC 2 guide, complementary controls and subservice organizations.'

/** Days of a reporting basis, both ends included; one day for a reporting date (Type 1). */
interface BasisDays {
  readonly from: string
  readonly to: string
}

/** Without an engagement, nothing is compared with the basis. */
const NO_DAYS: BasisDays = { from: '', to: '' }

interface ComplementaryInput {
  readonly catalog: Pick<Catalog, 'frameworks'>
  readonly engagement: Engagement | undefined
  readonly basis: BasisDays
  /** The state of a related control, in words. */
  readonly stateOf: (control: ControlRef) => string
  readonly resultOf: (check: string) => string
  readonly documents: readonly string[]
}

/** The matrix for one run, with results over the nodes; without rows where nothing is declared. */
export function complementaryGrid(input: FormatInput): Grid {
  const { assessment, catalog } = input
  const { engagement } = assessment.scope
  const counted = tally(assessment, catalog.checks)
  const basis = engagement?.reportingBasis
  return matrixOf({
    catalog,
    engagement,
    basis: basis?.kind === 'date' ? { from: basis.date, to: basis.date } : (basis ?? NO_DAYS),
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
  const controls = conclusions?.controls.map(({ conclusion }) => conclusion) ?? []
  return matrixOf({
    catalog,
    engagement: engagement ?? undefined,
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

/**
 * Matrix of complementary user entity controls (CUEC) and controls of subservice organizations (CSOC), as AT-C 205 and the SOC 2 guide of the AICPA
 * ask for: each with the report that it comes from, how much of the reporting date or period that report covers, and the results next to it. The
 * reports and their deviations are for people to review.
 */
function matrixOf(input: ComplementaryInput): Grid {
  const { catalog, basis, stateOf, documents } = input
  const days = daysIn(basis) ?? ''
  const rows = rowsOf(input).map((row) => ({ ...row, covered: coveredDays(basis, row.report) }))
  return gridOf(rows, {
    kind: [40, ({ kind }) => kind],
    organization: [30, ({ organization }) => oneLine(organization, 200)],
    id: [14, ({ id }) => oneLine(id, 60)],
    control: [70, ({ text }) => oneLine(text, 1000)],
    'relevant to': [50, ({ controls }) => controls.map((one) => itemName(catalog, one))],
    'conclusions on these controls': [
      50,
      ({ controls }) => controls.map((one) => `${itemName(catalog, one)}: ${stateOf(one)}`),
    ],
    'check results': [60, ({ results }) => results],
    'reporting basis': [
      30,
      () => (basis.from === basis.to ? `As of ${basis.to} (Type 1)` : `${basis.from} to ${basis.to} (Type 2)`),
    ],
    'report on file': [40, ({ report }) => (report === null ? 'None on file' : oneLine(report.title, 300))],
    'report from': [14, ({ report }) => report?.from ?? ''],
    'report to': [14, ({ report }) => report?.to ?? ''],
    'bridge letter until': [14, ({ report }) => report?.bridgedUntil ?? ''],
    'days of the reporting basis': [12, () => days],
    'of these, in the period of the report': [14, ({ covered }) => covered.inReport],
    'of these, in a bridge letter alone': [14, ({ covered }) => covered.bridged],
    'of these, not covered': [12, ({ covered }) => covered.open],
    'documents, with status': [70, () => documents],
    'report reviewed by, on (entered by people)': [24, () => ''],
    'deviations in the report and their effect here (entered by people)': [40, () => ''],
    'conclusion on the control (entered by people)': [30, () => ''],
    'declared by': [24, ({ owner }) => oneLine(owner, 200)],
    'declared on': [14, ({ on }) => on],
    limitations: [100, () => NOT_SHOWN],
  })
}

interface DeclaredControl {
  readonly kind: string
  readonly organization: string
  readonly id: string
  readonly text: string
  readonly controls: readonly ControlRef[]
  readonly results: GridCell
  readonly report: SubserviceReport | null
  readonly owner: string
  readonly on: string
}

const KINDS: Readonly<Record<SubserviceOrganization['method'], string>> = {
  'carve-out': 'Complementary subservice organization control (carve-out)',
  inclusive: 'Control of the subservice organization (inclusive)',
}

/** User entity controls of all reports, then the controls of each organization. An organization without declared controls has one row. */
function rowsOf({ engagement, resultOf }: ComplementaryInput): readonly DeclaredControl[] {
  const { complementaryUserEntityControls = [], subserviceOrganizations = [] } = engagement ?? {}
  const organizations = new Map(subserviceOrganizations.map((one) => [one.name, one]))
  return [
    ...complementaryUserEntityControls.map((one) => ({
      ...one,
      kind: 'Complementary user entity control',
      organization: one.of,
      results:
        one.checks.length === 0
          ? 'No mapped check; a document is required.'
          : one.checks.map((check) => `${check}: ${resultOf(check)}`),
      report: organizations.get(one.of)?.report ?? null,
    })),
    ...subserviceOrganizations.flatMap(({ name, method, report, owner, on, controls }) =>
      (controls.length === 0 ? [{ text: 'No controls declared.', controls: [] }] : controls).map((one) => ({
        ...{ kind: KINDS[method], organization: name, id: '', results: '', report, owner, on },
        ...one,
      })),
    ),
  ]
}

/** How many days of a reporting basis a report on file covers, as cells. */
function coveredDays(
  basis: BasisDays,
  report: SubserviceReport | null,
): Readonly<Record<'inReport' | 'bridged' | 'open', string | number>> {
  if (report === null) return { inReport: 0, bridged: 0, open: daysIn(basis) ?? '' }
  return coverageOf(basis, report) ?? { inReport: '', bridged: '', open: 'A date is not valid' }
}

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
