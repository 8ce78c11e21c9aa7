import type { Figure, FigureMark, FigureTone } from '../../../schemas/figure.ts'
import type { Calendar, CalendarDay } from '../../../schemas/types.ts'
import { dayCount, durationWords } from '../../../schemas/words.ts'
import { of, plain, plural } from '../../core/base/plain-text.ts'
import {
  type Block,
  headedTable,
  heading,
  monoCell,
  plainCell,
  quiet,
  type Section,
  table,
  text,
} from '../../core/base/report-document.ts'
import { brief, moment } from '../report/parts/wording.ts'
import { dayOf } from '../report/scope/boundary.ts'
import { DAY_STATES, type DayState, type DayStretch, dayState, dayStateWords, stretches } from './day-states.ts'
import {
  entryWords,
  MOST_ROWS,
  noneMissed,
  noteBlocks,
  PERIOD_TITLES,
  type PeriodReportInput,
  restBlock,
  restIn,
  seePart,
} from './lists.ts'

/** The verb of “1 of 92” and of “2 of 92”. */
const were = (count: number): string => (count === 1 ? 'was' : 'were')

/** Schedules, counts and the calendar, as a figure and as a table. */
export function coverageSection(input: PeriodReportInput): Section {
  const { calendar, plans } = input.period
  const { counts } = calendar
  const found = stretches(calendar.days)
  return {
    id: 'coverage',
    title: PERIOD_TITLES.coverage,
    blocks: [
      text(
        `${counts.planned === 0 ? 'No scheduled run was due.' : `${of(counts.completed, counts.planned)} scheduled runs took place, ${counts.late} of them late. ${of(counts.recorded, counts.planned)} ${were(counts.recorded)} missed and explained in a signed entry. ${of(counts.unrecorded, counts.planned)} ${were(counts.unrecorded)} missed without explanation.`} ${plural(counts.unplanned, 'unscheduled run')} took place. On ${of(counts.daysWith, counts.days)}\u00a0days at least one node was collected.`,
      ),
      heading(3, 'Schedules', true),
      ...(plans.length === 0
        ? [
            text(
              'The run chain contains no schedule, so no run was due and none can be missing. The days below show only which runs took place.',
            ),
          ]
        : [planTable(input)]),
      heading(3, 'Calendar', true),
      ...calendarFigures(calendar).map((figure): Block => ({ kind: 'figure', figure })),
      headedTable(
        STRETCH_COLUMNS,
        found.slice(0, MOST_ROWS).map((one) => {
          const [days = '', ...others] = stretchRow(one)
          return [[{ text: days, style: 'strong' }], ...others.map(plainCell)]
        }),
      ),
      ...(found.length > MOST_ROWS
        ? [quiet('For later days, see data/period.json in the pack, under “calendar”.')]
        : []),
    ],
  }
}

const planTable = ({ period }: PeriodReportInput): Block =>
  headedTable(
    { Schedule: 16, Due: 28, 'In time': 17, 'From, to (UTC)': 24, Entry: 15 },
    period.plans
      .slice(0, MOST_ROWS)
      .map(({ schedule, cadence, withinMinutes, from, until, entry }) => [
        [{ text: plain(schedule), style: 'strong' }],
        plainCell(plain(cadence)),
        plainCell(`Sealed within ${durationWords(withinMinutes)}`),
        [
          { text: moment(from) },
          { text: until === null ? 'until further notice' : `to ${moment(until)}`, style: 'quiet' },
        ],
        plainCell(`line ${entry}`),
      ]),
  )

/** Unexplained missed runs first, then explained ones, then days without evidence. */
export function gapSection(input: PeriodReportInput): Section {
  const { calendar } = input.period
  return {
    id: 'gaps',
    title: PERIOD_TITLES.gaps,
    blocks: [
      heading(3, 'Missed runs, unexplained', true),
      ...unrecordedBlocks(input),
      heading(3, 'Missed runs, explained', true),
      ...recordedBlocks(input),
      heading(3, 'Days without evidence', true),
      ...(calendar.without.length === 0
        ? [text(`None. At least one node was collected on each of ${dayCount(calendar.counts.days)}.`)]
        : [
            text(
              `On ${of(calendar.counts.days - calendar.counts.daysWith, calendar.counts.days)}\u00a0days no node was collected in any run. Not tested: the state of the nodes on those days.`,
            ),
            withoutTable(input),
          ]),
      ...noteBlocks(input),
    ],
  }
}

function unrecordedBlocks({ period }: PeriodReportInput): readonly Block[] {
  const days = period.calendar.days.filter((day) => dayState(day) === 'unrecorded')
  if (days.length === 0) return [text(noneMissed(period))]
  return [
    text(
      `A run was scheduled, and the run chain contains neither the run nor a missed-run entry. Management needs to explain ${days.length === 1 ? 'this day' : `these ${dayCount(days.length)}`}.`,
    ),
    headedTable(
      { Day: 24, 'Unexplained / scheduled': 38, 'Nodes collected in another run that day': 38 },
      days
        .slice(0, MOST_ROWS)
        .map(({ day, unrecorded, planned, answered }) => [
          [{ text: dayOf(day), style: 'strong' }],
          [{ text: of(unrecorded, planned), mark: 'square-cross' }],
          plainCell(answered === 0 ? 'none' : String(answered)),
        ]),
    ),
    ...restBlock(days.length - MOST_ROWS),
  ]
}

/** The owner’s explanation, its time and key, so that late explanations are visible. */
function recordedBlocks(input: PeriodReportInput): readonly Block[] {
  const { missedRuns } = input.period
  if (missedRuns.length === 0) return [text('No missed-run entries in this period.')]
  return [
    text('Explanations are printed as entered. The time of entry comes from the clock of the recording computer.'),
    table(
      { 'Due (UTC)': 17, Explanation: 43, 'Entered (UTC)': 17, Key: 23 },
      missedRuns
        .slice(0, MOST_ROWS)
        .map(({ due, schedule, why, at, entry, signer, signed }) => [
          [{ text: moment(due) }, { text: schedule === null ? 'no schedule stated' : plain(schedule), style: 'quiet' }],
          plainCell(plain(why.replace(/\s+/g, ' '), 1000)),
          [{ text: moment(at) }, { text: `line ${entry}`, style: 'quiet' }],
          signed ? monoCell(brief(signer)) : [{ text: 'Not signed; no effect', style: 'strong' }],
        ]),
    ),
    ...restBlock(missedRuns.length - MOST_ROWS),
  ]
}

const withoutTable = ({ period }: PeriodReportInput): Block =>
  headedTable(
    { From: 30, To: 30, Days: 40 },
    period.calendar.without
      .slice(0, MOST_ROWS)
      .map(({ from, to, days }) => [
        [{ text: dayOf(from), style: 'strong' }],
        plainCell(dayOf(to)),
        plainCell(String(days)),
      ]),
  )

/** Every run with its run chain entry, sealed digest and key. */
export function runSection(input: PeriodReportInput): Section {
  const { runs } = input.period
  const bare = runs.filter(({ catalog }) => catalog === null).length
  return {
    id: 'runs',
    title: PERIOD_TITLES.runs,
    blocks: [
      text(
        `${plural(runs.length, 'run')} of the period are in the run chain. The digest is the beginning of the SHA-256 of the run’s tagmanifest-sha256.txt, as sealed and as entered in the run chain. To compare it, see ${seePart('howto')}.`,
      ),
      ...(bare === 0
        ? []
        : [
            text(
              `${of(bare, runs.length)} runs have no enclosed run trace. Only their digest is stated, and they support no result here.`,
            ),
          ]),
      ...(runs.length === 0
        ? []
        : [runTable(input), quiet(`Line: ${entryWords(0).replace('line 0', 'the line')}, counted from 1.`)]),
      ...restIn(input, 'runs', runs.length - MOST_ROWS),
    ],
  }
}

const runTable = ({ period: { runs } }: PeriodReportInput): Block =>
  headedTable(
    { Run: 25, 'As of (UTC)': 18, 'Scheduled for (UTC)': 19, 'Collected / declared': 14, 'Sealed digest': 15, Line: 9 },
    runs
      .slice(0, MOST_ROWS)
      .map((run) => [
        [{ text: plain(run.run, 100), style: 'mono' }],
        plainCell(moment(run.at)),
        plainCell(run.planned === null ? 'unscheduled' : moment(run.planned.due)),
        plainCell(run.catalog === null ? 'no run trace' : of(run.answered, run.declared)),
        monoCell(brief(run.tagManifest)),
        plainCell(String(run.entry)),
      ]),
  )

const LEFT = 44
const TOP = 14
const STEP = 12.7
const ROW = 17
const CELL = 12
/** Months that fit on a page at a readable size. */
const MONTHS_IN_ONE = 24

/** The coverage calendar as figures, one row per month. Every state has its own shape, so that color is not needed to distinguish them. */
export function calendarFigures({ days }: Pick<Calendar, 'days'>): readonly Figure[] {
  const months = [...new Set(days.map(({ day }) => day.slice(0, 7)))]
  const parts = Array.from({ length: Math.ceil(months.length / MONTHS_IN_ONE) }, (_, index) =>
    months.slice(index * MONTHS_IN_ONE, (index + 1) * MONTHS_IN_ONE),
  )
  return parts.map((part) =>
    figureOf(
      part,
      days.filter(({ day }) => part.includes(day.slice(0, 7))),
    ),
  )
}

function figureOf(months: readonly string[], days: readonly CalendarDay[]): Figure {
  const states = new Set(days.map(dayState))
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? '']
  return {
    kind: 'coverage-calendar',
    title: `Coverage calendar, ${dayOf(first)} to ${dayOf(last)}`,
    caption:
      'One cell per UTC day. A filled cell means that scheduled runs took place and every node was collected; it does not describe the results.',
    width: LEFT + 31 * STEP,
    height: TOP + months.length * ROW,
    marks: [
      ...Array.from({ length: 31 }, (_, index) =>
        label(LEFT + index * STEP + CELL / 2, 9, String(index + 1), 'middle'),
      ),
      ...months.map((month, row) => label(0, TOP + row * ROW + CELL - 3, dayOf(`${month}-01`).slice(2), 'start')),
      ...days.flatMap((day) => {
        const row = months.indexOf(day.day.slice(0, 7))
        return cell(dayState(day), LEFT + (Number(day.day.slice(8)) - 1) * STEP, TOP + row * ROW)
      }),
    ],
    legend: DAY_STATES.filter((state) => states.has(state)).map((state) => ({
      sample: cell(state, 6, -1),
      text: `${dayStateWords[state].letter}: ${dayStateWords[state].label}`,
    })),
    table: { head: Object.keys(STRETCH_COLUMNS), rows: stretches(days).map(stretchRow) },
  }
}

const label = (x: number, y: number, text: string, anchor: 'start' | 'middle') =>
  ({ is: 'text', x, y, text, size: 8, anchor, bold: false, mono: false, tone: 'quiet' }) as const

const square = (x: number, y: number, width: number, tone: FigureTone, filled: boolean) =>
  ({ is: 'box', x, y, width, height: width, tone, filled }) as const

/** A day: full, half full or hollow where runs took place; a letter in a frame where one was missed, bold where it is unexplained. */
function cell(state: DayState, x: number, y: number): readonly FigureMark[] {
  const { letter } = dayStateWords[state]
  const written = {
    ...label(x + CELL / 2, y + CELL - 2.8, letter, 'middle'),
    size: 9,
    bold: true,
    tone: 'plain',
  } as const
  const small = CELL - 4
  const middle = y + CELL / 2
  const full = square(x + 2, y + 2, small, 'for', true)
  const hollow = square(x + 2, y + 2, small, 'for', false)
  switch (state) {
    case 'completed':
      return [full]
    case 'late':
      return [square(x, y, CELL, 'for', false), written]
    case 'partial':
      return [hollow, { ...full, y: full.y + small / 2, height: small / 2 }]
    case 'unplanned':
      return [hollow]
    case 'recorded':
      return [square(x, y, CELL, 'unclear', false), written]
    case 'no-evidence':
      return [{ is: 'area', rings: [frame(x, y)], tone: 'quiet', fill: 'solid', outline: 'solid' }, written]
    case 'unrecorded':
      return [{ is: 'line', points: [...frame(x, y), [x, y]], tone: 'against', weight: 3, dashed: false }, written]
    case 'nothing':
      return [
        {
          is: 'line',
          points: [
            [x + 3, middle],
            [x + CELL - 3, middle],
          ],
          tone: 'plain',
          weight: 1,
          dashed: false,
        },
      ]
  }
}

const frame = (x: number, y: number): readonly (readonly [number, number])[] => [
  [x, y],
  [x + CELL, y],
  [x + CELL, y + CELL],
  [x, y + CELL],
]

/** The table with the data of the figure: its columns with their widths. */
const STRETCH_COLUMNS = {
  Days: 16,
  State: 17,
  'Took place / scheduled': 12,
  Late: 6,
  'Missed, explained': 11,
  'Missed, unexplained': 13,
  Unscheduled: 13,
  'Nodes collected / declared': 12,
}

function stretchRow({ state, days }: DayStretch): readonly string[] {
  const sum = (count: (day: CalendarDay) => number): number => days.reduce((total, day) => total + count(day), 0)
  const [first, last] = [days[0], days.at(-1)]
  const from = dayOf(first?.day ?? '')
  const to = dayOf(last?.day ?? '')
  const ran = days.filter(({ declared }) => declared > 0).sort((a, b) => a.answered - b.answered)
  const answers = [ran[0], ran.at(-1)].flatMap((day) => (day === undefined ? [] : [of(day.answered, day.declared)]))
  return [
    from === to ? from : `${from.slice(-4) === to.slice(-4) ? from.slice(0, -5) : from} to ${to}`,
    `${dayStateWords[state].letter}: ${dayStateWords[state].label}`,
    of(
      sum(({ completed }) => completed),
      sum(({ planned }) => planned),
    ),
    String(sum(({ late }) => late)),
    String(sum(({ recorded }) => recorded)),
    String(sum(({ unrecorded }) => unrecorded)),
    String(sum(({ unplanned }) => unplanned)),
    [...new Set(answers)].join(' to ') || 'none',
  ]
}
