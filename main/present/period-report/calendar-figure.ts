import type { Figure, FigureMark } from '../../../schemas/figure.ts'
import type { Calendar, CalendarDay } from '../../../schemas/types.ts'
import { of } from '../../core/phrases.ts'
import { dayOf } from '../report/declared.ts'
import { DAY_STATES, type DayState, type DayStretch, dayState, dayStateWords, stretches } from './day-states.ts'

const LEFT = 56
const TOP = 14
const STEP = 17.4
const ROW = 20
const CELL = 15
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
      ...months.map((month, row) => label(0, TOP + row * ROW + 11, dayOf(`${month}-01`).slice(2), 'start')),
      ...days.flatMap((day) => {
        const row = months.indexOf(day.day.slice(0, 7))
        return cell(dayState(day), LEFT + (Number(day.day.slice(8)) - 1) * STEP, TOP + row * ROW)
      }),
    ],
    legend: DAY_STATES.filter((state) => states.has(state)).map((state) => ({
      sample: cell(state, 5, -3),
      text: `${dayStateWords[state].letter}: ${dayStateWords[state].label}`,
    })),
    table: { head: STRETCH_HEAD, rows: stretches(days).map(stretchRow) },
  }
}

const label = (x: number, y: number, text: string, anchor: 'start' | 'middle'): FigureMark => ({
  is: 'text',
  x,
  y,
  text,
  size: 8,
  anchor,
  bold: false,
  mono: false,
  tone: 'quiet',
})

type Tone = Extract<FigureMark, { is: 'box' }>['tone']
const box = (x: number, y: number, width: number, height: number, tone: Tone, filled: boolean): FigureMark => ({
  is: 'box',
  x,
  y,
  width,
  height,
  tone,
  filled,
})

/** A day: full, half full or hollow where runs took place; a letter in a frame where one was missed, bold where it is unexplained. */
function cell(state: DayState, x: number, y: number): readonly FigureMark[] {
  const { letter } = dayStateWords[state]
  const written: FigureMark = {
    ...label(x + CELL / 2, y + CELL - 4, letter, 'middle'),
    size: 9,
    bold: true,
    tone: 'plain',
  } as FigureMark
  const inner = [x + 3, y + 3, CELL - 6] as const
  switch (state) {
    case 'completed':
      return [box(inner[0], inner[1], inner[2], inner[2], 'for', true)]
    case 'late':
      return [box(x, y, CELL, CELL, 'for', false), written]
    case 'partial':
      return [
        box(inner[0], inner[1], inner[2], inner[2], 'for', false),
        box(inner[0], inner[1] + inner[2] / 2, inner[2], inner[2] / 2, 'for', true),
      ]
    case 'unplanned':
      return [box(inner[0], inner[1], inner[2], inner[2], 'for', false)]
    case 'recorded':
      return [box(x, y, CELL, CELL, 'unclear', false), written]
    case 'no-evidence':
      return [{ is: 'area', rings: [frame(x, y)], tone: 'quiet', fill: 'solid', outline: 'solid' }, written]
    case 'unrecorded':
      return [{ is: 'line', points: [...frame(x, y), [x, y]], tone: 'against', weight: 3, dashed: false }, written]
    case 'nothing':
      return [
        {
          is: 'line',
          points: [
            [x + 5, y + CELL / 2],
            [x + CELL - 5, y + CELL / 2],
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

/** The table with the data of the figure. */
export const STRETCH_HEAD = [
  'Days',
  'State',
  'Took place / scheduled',
  'Late',
  'Missed, explained',
  'Missed, unexplained',
  'Unscheduled',
  'Nodes collected / declared',
] as const

export function stretchRow({ state, days }: DayStretch): readonly string[] {
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
