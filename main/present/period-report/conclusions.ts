import { documentLine, rowStateWords } from '../../../schemas/conclusion-words.ts'
import type { Period, PeriodConclusions, PeriodControl } from '../../../schemas/types.ts'
import { dayCount } from '../../../schemas/words.ts'
import { alike } from '../../core/base/grouping.ts'
import { names, of, outOf, plain, plural } from '../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  headedTable,
  heading,
  type Line,
  list,
  plainCell,
  quiet,
  type Section,
  text,
} from '../../core/base/report-document.ts'
import type { Practice, PracticesView } from '../../core/recording/evidence-view.ts'
import type { Framework } from '../../core/rules/framework.ts'
import { partsBlock, stateBlock } from '../report/controls/control-detail.ts'
import { CUSTOMER_MAPPING, documentCell, moment, serverMarked, when } from '../report/parts/wording.ts'
import { nodeTestsIn, PERIOD_TITLES, type PeriodReportInput, rowsOf, seePart } from './lists.ts'

/** Conclusions on controls over the period: per framework both parts in one count, then each control in scope. */
export function conclusionSection({ period: { conclusions }, frameworks, catalog }: PeriodReportInput): Section {
  const ours = new Set(catalog.frameworks.map(({ id }) => id))
  return {
    id: 'conclusions',
    title: PERIOD_TITLES.conclusions,
    blocks:
      conclusions === null
        ? [text('The evidence of no run is available, so no control can be concluded on.')]
        : [
            text(countedWords(conclusions)),
            list(RULE.map((words) => ({ text: words }))),
            text(documentWords(conclusions)),
            ...(conclusions.frameworks.length === 0 ? [text('The last run chose no framework.')] : []),
            ...frameworks.flatMap((framework) => frameworkBlocks(framework, conclusions, !ours.has(framework.id))),
          ],
  }
}

const RULE: readonly string[] = [
  'A deviation in any run is a deviation of the period, also after remediation. The table states the first and the last run with a deviation, and on how many nodes no later run shows remediation.',
  'Without a deviation, a node test that is inconclusive, or in which a deciding check was not tested, leaves the control at “Unable to conclude”.',
  'Without either, a node test that did not take place leaves it at “Scope limitation”. Each missed run, and each run whose evidence is not available, counts the nodes of the run before it as not tested. A part of the period in which no schedule was in effect has the same effect, without a number of node tests.',
  '“No deviations noted” therefore means: a schedule was in effect throughout, no scheduled run is missing, and every deciding check was satisfied on every declared node to which it applies, in every run. It does not cover the time between runs.',
  'A risk acceptance in effect at a run is counted and removes no deviation.',
]

const countedWords = ({ runs, missed, unavailable }: PeriodConclusions): string =>
  `Each control has two results: the server part and the document part. The same rules apply as for one run. One node in one run is one item of the population (a node test). ${plural(runs, 'run')} were counted; ${plural(missed, 'scheduled run')} did not take place in the period, and the evidence of ${plural(unavailable, 'sealed run')} is not available.`

const documentWords = ({ run, covered }: PeriodConclusions): string =>
  `Documents, decisions and the choice of frameworks are those sealed by the last run with evidence, ${plain(run.run, 100)}, as of ${when(run.at)}. Not tested: whether a document covers the whole period. ${
    covered
      ? 'The run chain covers the period: a schedule was in effect throughout, and every scheduled run took place or is explained.'
      : `The run chain does not cover the period: at some time no schedule was in effect, or a scheduled run was missed without explanation; see ${seePart('gaps')}.`
  }`

function frameworkBlocks(
  framework: Framework,
  { controls }: PeriodConclusions,
  isOfCustomer: boolean,
): readonly Block[] {
  const found = controls.filter(({ conclusion }) => conclusion.framework === framework.id)
  const results = found.map(({ conclusion }) => conclusion)
  const inScope = found.filter(({ conclusion }) => conclusion.state !== 'out-of-scope')
  return [
    heading(3, `Controls: ${plain(framework.title, 120)}`, true),
    ...(framework.proposed ? [quiet('Proposed rule, not in effect.')] : []),
    ...(isOfCustomer ? [quiet(CUSTOMER_MAPPING)] : []),
    partsBlock(results),
    stateBlock(results),
    ...(inScope.length === 0 ? [] : [controlTable(framework, inScope)]),
    ...(inScope.length === found.length
      ? []
      : [quiet(`${of(found.length - inScope.length, found.length)} controls are not in scope and not listed.`)]),
  ]
}

function controlTable({ controls }: Framework, found: readonly PeriodControl[]): Block {
  const byKey = new Map(controls.map((control) => [control.key, control]))
  return headedTable(
    { Control: 30, Servers: 36, Documents: 14, State: 20 },
    found.map(({ conclusion, deviations }): readonly Cell[] => {
      const control = byKey.get(conclusion.control)
      const title = control === undefined ? conclusion.control : `${control.id} ${control.title}`
      return [
        [{ text: plain(title, 400), style: 'strong' }],
        [serverMarked(conclusion.server, 'node test'), ...deviatingLines(deviations)],
        [documentCell(conclusion.documents), ...failingLines(conclusion.documents.deviations)],
        plainCell(rowStateWords[conclusion.state].label),
      ]
    }),
  )
}

/** Documents that were inspected and do not support the control, by their requests. */
const failingLines = (requests: readonly string[]): readonly Line[] =>
  requests.length === 0 ? [] : [{ text: names(requests, 6), style: 'quiet' }]

/** When the deciding checks deviated, and whether the last runs show it remediated. */
const deviatingLines = (deviations: PeriodControl['deviations']): readonly Line[] =>
  deviations === null
    ? []
    : [
        { text: `First seen ${moment(deviations.first.at)}, last seen ${moment(deviations.last.at)}`, style: 'quiet' },
        deviations.open === 0
          ? {
              text: `Remediated on ${deviations.nodes === 1 ? 'the node' : `all ${deviations.nodes} nodes`} by the end`,
              style: 'quiet',
            }
          : { text: `Open on ${outOf(deviations.open, deviations.nodes, 'node')} at the end`, style: 'strong' },
      ]

/** controls.csv: one row per control of each framework. */
export const controlRows = ({ conclusions }: Pick<Period, 'conclusions'>): readonly (readonly string[])[] =>
  rowsOf(conclusions?.controls ?? [], {
    framework: ({ conclusion }) => conclusion.framework,
    control: ({ conclusion }) => conclusion.control,
    state: ({ conclusion }) => rowStateWords[conclusion.state].label,
    'server part': ({ conclusion }) => serverMarked(conclusion.server, 'node test').text,
    'node tests due': ({ conclusion }) => conclusion.server.population,
    'node tests performed': ({ conclusion }) => conclusion.server.tested,
    'node tests with a deviation': ({ conclusion }) => conclusion.server.deviating,
    'of these risk accepted': ({ conclusion }) => conclusion.server.accepted,
    'node tests not performed': ({ conclusion }) => conclusion.server.population - conclusion.server.tested,
    'nodes with a deviation': ({ deviations }) => deviations?.nodes ?? 0,
    'of these open at period end': ({ deviations }) => deviations?.open ?? 0,
    'first seen in run': ({ deviations }) => deviations?.first.run ?? '',
    'first seen at': ({ deviations }) => deviations?.first.at ?? '',
    'last seen in run': ({ deviations }) => deviations?.last.run ?? '',
    'last seen at': ({ deviations }) => deviations?.last.at ?? '',
    'document part': ({ conclusion }) => documentLine(conclusion.documents),
    'documents required': ({ conclusion }) => conclusion.documents.needed,
    'documents held': ({ conclusion }) => conclusion.documents.held,
    'documents outstanding': ({ conclusion }) =>
      conclusion.documents.outstanding.map(({ request, title }) => request ?? title).join('; '),
    'documents that do not support': ({ conclusion }) => conclusion.documents.deviations.join('; '),
  })

const COLUMNS = [
  'part',
  'subject',
  'days',
  'days in the period',
  'days with evidence',
  'scheduled runs',
  'took place',
  'missed, explained',
  'missed, unexplained',
  'unscheduled',
  'first run',
  'last run',
  'evidence',
  'requested documents',
  'practice of the entity (entered by people)',
  'sources',
  'limitations',
]

/**
 * recognized-security-practices.csv: for which days of the twelve months before the end of a period evidence exists, by month, and what the checks
 * counted that relate to each practice of HICP. It states days and counts, and never that a practice was in place (Public Law 116-321 leaves it to
 * the entity to demonstrate that).
 */
export function practiceRows(
  period: Pick<Period, 'calendar' | 'conclusions' | 'from' | 'runs' | 'to'>,
  view: PracticesView,
): readonly (readonly string[])[] {
  const window = twelveMonthsTo(period.to)
  const days = new Map(period.calendar.days.map((day) => [day.day, day]))
  const runs = period.runs.map(({ at }) => at)
  const evidence = (span: readonly string[]): number => span.filter((day) => (days.get(day)?.answered ?? 0) > 0).length
  const limits = [view.sources.join('; '), view.notShown]
  const counted = (part: string, subject: string, span: readonly string[], text: string): readonly string[] => {
    const sum = (name: 'planned' | 'completed' | 'recorded' | 'unrecorded' | 'unplanned'): number =>
      span.reduce((total, day) => total + (days.get(day)?.[name] ?? 0), 0)
    const covered = new Set(span)
    const within = runs.filter((at) => covered.has(at.slice(0, 10))).sort()
    return [
      part,
      subject,
      ...[
        span.length,
        span.filter((day) => days.has(day)).length,
        evidence(span),
        sum('planned'),
        sum('completed'),
        sum('recorded'),
        sum('unrecorded'),
        sum('unplanned'),
      ].map(String),
      within[0] ?? '',
      within.at(-1) ?? '',
      text,
      '',
      '',
      ...limits,
    ]
  }
  const checks = nodeTestsIn(period)
  return [
    COLUMNS,
    counted('Statement', `${window[0]} to ${period.to}`, window, statement(evidence(window), window.length, period)),
    ...monthsOf(window).map(([month, span]) => counted('Month', month, span, '')),
    ...view.practices.map((practice) => [
      'Practice',
      `${practice.id} ${practice.title}`,
      ...Array.from({ length: 10 }, () => ''),
      practiceText(practice, checks),
      practice.requests.join(', '),
      '',
      ...limits,
    ]),
  ]
}

const statement = (held: number, all: number, { from, to }: Pick<Period, 'from' | 'to'>): string =>
  `Evidence exists for ${of(held, all)}\u00a0days of the twelve months before ${to} (period of this account: ${from} to ${to}). ${
    held === all ? '' : `For ${dayCount(all - held)} there is none. `
  }Nothing is stated about practices between the runs.`

const practiceText = ({ checks }: Practice, counted: (check: string) => string): string =>
  checks.length === 0
    ? 'No check of a server relates to it; documents only.'
    : checks.map((check) => `${check}: ${counted(check)}`).join(' | ')

const DAY = 86_400_000
const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The days of the twelve months that end with a day: from the day after the same day of the year before. */
function twelveMonthsTo(last: string): readonly string[] {
  const end = Date.parse(`${last}T00:00:00.000Z`)
  const before = Date.UTC(Number(last.slice(0, 4)) - 1, Number(last.slice(5, 7)) - 1, Number(last.slice(8, 10)))
  return Array.from({ length: Math.round((end - before) / DAY) }, (_, at) => dayText(before + (at + 1) * DAY))
}

/** Days by calendar month, in order; the first and the last may be incomplete. */
function monthsOf(days: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  const monthOf = (day: string): string => day.slice(0, 7)
  return alike(days, monthOf).map((span) => [monthOf(span[0] ?? ''), span])
}
