import type { Figure, FigureMark } from '../../schemas/figure.ts'
import type { HistoryDay } from '../../schemas/ipc-history.ts'
import { dayState, dayStateWords } from './history-model.ts'
import { day as dayWords } from './text.ts'

const [WIDTH, HEIGHT, LEFT, TOP, BASE] = [480, 110, 26, 12, 90]

/** Nodes collected and declared per day: bars, with a table of the same values. */
export function answeredFigure(all: readonly HistoryDay[], today: string): Figure {
  const days = all.filter(({ day }) => day <= today)
  const most = Math.max(1, ...days.map(({ declared }) => declared))
  const step = (WIDTH - LEFT - 4) / Math.max(1, days.length)
  const height = (count: number): number => ((BASE - TOP) * count) / most
  const bar = (place: number, count: number, filled: boolean): FigureMark => ({
    is: 'box',
    x: LEFT + place * step + step * 0.12,
    y: BASE - height(count),
    width: step * 0.76,
    height: height(count),
    tone: filled ? 'plain' : 'quiet',
    filled,
  })
  return {
    kind: 'nodes-by-day',
    title: 'Nodes collected per day',
    caption: 'Each bar shows the run that reached the most nodes on that day. A day without a bar has no evidence.',
    width: WIDTH,
    height: HEIGHT,
    marks: [
      ...axis(most),
      ...days.flatMap((one, place): readonly FigureMark[] => [
        ...(one.declared > 0 ? [bar(place, one.declared, false)] : []),
        ...(one.answered > 0 ? [bar(place, one.answered, true)] : []),
        ...(one.unrecorded > 0 ? [cross(LEFT + (place + 0.5) * step)] : []),
      ]),
      ...ends(days),
    ],
    legend: [
      { sample: [sample(true)], text: 'collected' },
      { sample: [sample(false)], text: 'declared' },
      ...(days.some(({ unrecorded }) => unrecorded > 0)
        ? [{ sample: [cross(12, 5)], text: 'scheduled run missed, unexplained' }]
        : []),
    ],
    table: {
      head: ['Day', 'Collected', 'Declared', 'Status'],
      rows: days
        .filter((one) => dayState(one, today) !== 'nothing')
        .map((one) => [
          dayWords(one.day),
          String(one.answered),
          String(one.declared),
          dayStateWords[dayState(one, today)].label,
        ]),
    },
  }
}

const sample = (filled: boolean): FigureMark => ({
  is: 'box',
  x: 4,
  y: 1,
  width: 16,
  height: 8,
  tone: filled ? 'plain' : 'quiet',
  filled,
})

/** A small filled square with a cross, the shape of deviations. */
const cross = (x: number, y: number = BASE + 5): FigureMark => ({
  is: 'box',
  x: x - 2.5,
  y: y - 2.5,
  width: 5,
  height: 5,
  tone: 'against',
  filled: true,
})

const text = (x: number, y: number, words: string, anchor: 'start' | 'end'): FigureMark => ({
  is: 'text',
  x,
  y,
  text: words,
  size: 8,
  anchor,
  bold: false,
  mono: false,
  tone: 'plain',
})

const axis = (most: number): readonly FigureMark[] => [
  {
    is: 'line',
    points: [
      [LEFT, BASE],
      [WIDTH, BASE],
    ],
    tone: 'plain',
    weight: 1,
    dashed: false,
  },
  text(LEFT - 4, TOP + 3, String(most), 'end'),
  text(LEFT - 4, BASE + 2, '0', 'end'),
]

function ends(days: readonly HistoryDay[]): readonly FigureMark[] {
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return []
  return [
    text(LEFT, HEIGHT - 4, dayWords(first.day), 'start'),
    ...(last === first ? [] : [text(WIDTH, HEIGHT - 4, dayWords(last.day), 'end')]),
  ]
}
