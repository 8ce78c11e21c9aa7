import { of, plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import {
  type Block,
  type Cell,
  heading,
  monoCell,
  plainCell,
  quiet,
  type Section,
  text,
} from '../../core/report-document.ts'
import { dayOf } from '../report/declared.ts'
import { brief } from '../report/wording.ts'
import { calendarFigures, STRETCH_HEAD, stretchRow } from './calendar-figure.ts'
import { dayState, stretches } from './day-states.ts'
import { entryWords, MOST_ROWS, moment, PERIOD_TITLES, type PeriodReportInput, restIn, seePart } from './input.ts'
import { noteBlocks } from './lists.ts'

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
        `${of(counts.completed, counts.planned)} scheduled runs took place, ${counts.late} of them late. ${of(counts.recorded, counts.planned)} were missed and explained in a signed entry. ${of(counts.unrecorded, counts.planned)} were missed without explanation. ${plural(counts.unplanned, 'unscheduled run')} took place. On ${of(counts.daysWith, counts.days)} days at least one node was collected.`,
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
      {
        kind: 'table',
        rowHeaders: true,
        columns: STRETCH_HEAD.map((title, index) => ({ title, width: WIDTHS[index] ?? 10 })),
        rows: found
          .slice(0, MOST_ROWS)
          .map((one) =>
            stretchRow(one).map(
              (words, index): Cell => [index === 0 ? { text: words, style: 'strong' } : { text: words }],
            ),
          ),
      },
      ...(found.length > MOST_ROWS
        ? [quiet('For later days, see data/period.json in the pack, under “calendar”.')]
        : []),
    ],
  }
}

const WIDTHS = [21, 19, 12, 7, 11, 11, 9, 15]

const planTable = ({ period }: PeriodReportInput): Block => ({
  kind: 'table',
  rowHeaders: true,
  columns: [
    { title: 'Schedule', width: 16 },
    { title: 'Due', width: 28 },
    { title: 'In time', width: 17 },
    { title: 'From, to (UTC)', width: 24 },
    { title: 'Entry', width: 15 },
  ],
  rows: period.plans
    .slice(0, MOST_ROWS)
    .map(({ schedule, cadence, withinMinutes, from, until, entry }) => [
      [{ text: plain(schedule), style: 'strong' }],
      plainCell(plain(cadence)),
      plainCell(`Sealed within ${plural(withinMinutes, 'minute')}`),
      [
        { text: moment(from) },
        { text: until === null ? 'until further notice' : `to ${moment(until)}`, style: 'quiet' },
      ],
      plainCell(`line ${entry}`),
    ]),
})

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
        ? [text(`None. At least one node was collected on each of ${plural(calendar.counts.days, 'day')}.`)]
        : [
            text(
              `On ${of(calendar.counts.days - calendar.counts.daysWith, calendar.counts.days)} days no node was collected in any run. Not tested: the state of the nodes on those days.`,
            ),
            withoutTable(input),
          ]),
      ...noteBlocks(input),
    ],
  }
}

function unrecordedBlocks({ period }: PeriodReportInput): readonly Block[] {
  const days = period.calendar.days.filter((day) => dayState(day) === 'unrecorded')
  if (days.length === 0) return [text('None. The run chain accounts for every scheduled run.')]
  return [
    text(
      `A run was scheduled, and the run chain contains neither the run nor a missed-run entry. Management needs to explain ${days.length === 1 ? 'this day' : `these ${days.length} days`}.`,
    ),
    {
      kind: 'table',
      rowHeaders: true,
      columns: [
        { title: 'Day', width: 24 },
        { title: 'Unexplained / scheduled', width: 38 },
        { title: 'Nodes collected in another run that day', width: 38 },
      ],
      rows: days
        .slice(0, MOST_ROWS)
        .map(({ day, unrecorded, planned, answered }) => [
          [{ text: dayOf(day), style: 'strong' }],
          [{ text: of(unrecorded, planned), mark: 'square-cross' }],
          plainCell(answered === 0 ? 'none' : String(answered)),
        ]),
    },
    ...(days.length > MOST_ROWS
      ? [quiet(`And ${days.length - MOST_ROWS} more, in data/period.json in the pack.`)]
      : []),
  ]
}

/** The owner’s explanation, its time and key, so that late explanations are visible. */
function recordedBlocks(input: PeriodReportInput): readonly Block[] {
  const { missedRuns } = input.period
  if (missedRuns.length === 0) return [text('No missed-run entries in this period.')]
  return [
    text('Explanations are printed as entered. The time of entry comes from the clock of the recording computer.'),
    {
      kind: 'table',
      columns: [
        { title: 'Due (UTC)', width: 17 },
        { title: 'Explanation', width: 43 },
        { title: 'Entered (UTC)', width: 17 },
        { title: 'Key', width: 23 },
      ],
      rows: missedRuns
        .slice(0, MOST_ROWS)
        .map(({ due, schedule, why, at, entry, signer, signed }) => [
          [{ text: moment(due) }, { text: schedule === null ? 'no schedule stated' : plain(schedule), style: 'quiet' }],
          plainCell(plain(why.replace(/\s+/g, ' '), 1000)),
          [{ text: moment(at) }, { text: `line ${entry}`, style: 'quiet' }],
          signed ? monoCell(brief(signer)) : [{ text: 'Not signed; no effect', style: 'strong' }],
        ]),
    },
    ...(missedRuns.length > MOST_ROWS
      ? [quiet(`And ${missedRuns.length - MOST_ROWS} more, in data/period.json in the pack.`)]
      : []),
  ]
}

const withoutTable = ({ period }: PeriodReportInput): Block => ({
  kind: 'table',
  rowHeaders: true,
  columns: [
    { title: 'From', width: 30 },
    { title: 'To', width: 30 },
    { title: 'Days', width: 40 },
  ],
  rows: period.calendar.without
    .slice(0, MOST_ROWS)
    .map(({ from, to, days }) => [
      [{ text: dayOf(from), style: 'strong' }],
      plainCell(dayOf(to)),
      plainCell(String(days)),
    ]),
})

/** Every run with its run chain entry, sealed digest and key. */
export function runSection(input: PeriodReportInput): Section {
  const { runs } = input.period
  const bare = runs.filter(({ catalog }) => catalog === null).length
  const left = runs.length - MOST_ROWS
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
      ...(left > 0 ? [{ kind: 'text', line: restIn(input, 'runs', left) } as const] : []),
    ],
  }
}

const runTable = ({ period: { runs } }: PeriodReportInput): Block => ({
  kind: 'table',
  rowHeaders: true,
  columns: [
    { title: 'Run', width: 25 },
    { title: 'As of (UTC)', width: 18 },
    { title: 'Scheduled for (UTC)', width: 19 },
    { title: 'Collected / declared', width: 14 },
    { title: 'Sealed digest', width: 15 },
    { title: 'Line', width: 9 },
  ],
  rows: runs
    .slice(0, MOST_ROWS)
    .map((run) => [
      [{ text: plain(run.run, 100), style: 'mono' }],
      plainCell(moment(run.at)),
      plainCell(run.planned === null ? 'unscheduled' : moment(run.planned.due)),
      plainCell(run.catalog === null ? 'no run trace' : of(run.answered, run.declared)),
      monoCell(brief(run.tagManifest)),
      plainCell(String(run.entry)),
    ]),
})
