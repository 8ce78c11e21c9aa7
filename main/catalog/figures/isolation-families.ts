import type { Figure, FigureMark, FigureTone } from '../../../schemas/figure.ts'
import type { Isolation, SignalReading } from '../../../schemas/types.ts'
import { familyWords } from '../../../schemas/words.ts'
import { FAMILIES, type Family } from '../isolation/signal.ts'
import { SIGNALS } from '../isolation/signals.ts'
import { box, FIGURE_WIDTH, line, squareKey, words } from './marks.ts'

type Reads = Exclude<SignalReading['reads'], 'not-applicable'>

/** What is drawn, in the order of the columns: a square for each reading, and the count at the end. */
const DRAWN: readonly { readonly reads: Reads; readonly head: string; readonly key: string; readonly end: number }[] = [
  { reads: 'metal', head: 'Hardware', key: 'Reads as on hardware', end: 400 },
  { reads: 'virtual', head: 'Guest', key: 'Reads as on a guest', end: 438 },
  { reads: 'neutral', head: 'Neither', key: 'Neutral', end: 480 },
  { reads: 'unreadable', head: 'Not read', key: 'Not read', end: 524 },
]
const TONES: Readonly<Record<Reads, FigureTone>> = {
  metal: 'for',
  virtual: 'against',
  neutral: 'plain',
  unreadable: 'unclear',
}
const square = (reads: Reads, x: number, y: number, side: number): FigureMark =>
  box(x, y, side, side, TONES[reads], reads === 'metal' || reads === 'virtual')

const LEFT = 140
const SQUARES = 212
const ROW = 20
const HEAD = 18

interface Row {
  readonly family: Family
  readonly readings: readonly SignalReading[]
  readonly contradicted: ReadonlySet<string>
  readonly classes: string
}

const CONTRADICTED = squareKey(
  [
    square('virtual', 8, 0, 7),
    line(
      [
        [7, 9],
        [16, 9],
      ],
      'against',
      { weight: 2, dashed: false },
    ),
  ],
  'Impossible on the stated hardware (K1), or needs an explanation (K2)',
)

/** For each family of signals how its readings stand, to be counted by eye; null where none was read and nothing is contradicted. */
export function isolationFamilies(isolation: Isolation): Figure | null {
  const rows = FAMILIES.map((family) => rowOf(isolation, family)).filter(
    ({ readings, classes }) => readings.some(isDrawn) || classes !== '',
  )
  if (rows.every(({ readings, classes }) => classes === '' && readings.every(({ reads }) => !isRead(reads))))
    return null
  const most = Math.max(1, ...rows.map(({ readings }) => readings.filter(isDrawn).length))
  const pitch = Math.min(12, SQUARES / most)
  return {
    kind: 'isolation-families',
    title: 'Signals of hardware and of guests, by family',
    caption:
      'Each square is one signal as it was read on this node. Signals of one family can share a cause, so counts are not added up.',
    width: FIGURE_WIDTH,
    height: HEAD + rows.length * ROW + 2,
    marks: [...heads(), ...rows.flatMap((row, index) => drawRow(row, HEAD + index * ROW, pitch))],
    legend: [
      ...DRAWN.filter(({ reads }) => rows.some(({ readings }) => countOf(readings, reads) > 0)).map(({ reads, key }) =>
        squareKey([square(reads, 8, 1, 8)], key),
      ),
      ...(rows.some(({ classes }) => classes !== '') ? [CONTRADICTED] : []),
    ],
    table: {
      head: ['Family', 'As on hardware', 'As on a guest', 'Neutral', 'Not read', 'Doesn’t apply', 'Contradictions'],
      rows: rows.map(({ family, readings, classes }) => [
        familyWords[family],
        ...[...DRAWN.map(({ reads }) => reads), 'not-applicable'].map((reads) => `${countOf(readings, reads)}`),
        classes === '' ? 'None seen' : classes,
      ]),
    },
  }
}

const FAMILY_OF = new Map(SIGNALS.map(({ id, family }) => [id, family]))
const isRead = (reads: SignalReading['reads']): boolean => reads !== 'unreadable' && reads !== 'not-applicable'
const isDrawn = ({ reads }: SignalReading): boolean => reads !== 'not-applicable'
const countOf = (readings: readonly SignalReading[], reads: string): number =>
  readings.filter((one) => one.reads === reads).length

function rowOf({ signals, contradictions }: Isolation, family: Family): Row {
  const own = contradictions.filter((one) => one.family === family)
  const classes = (['K1', 'K2'] as const).flatMap((kind) => {
    const count = own.filter((one) => one.class === kind).length
    return count === 0 ? [] : [`${count} ${kind}`]
  })
  return {
    family,
    readings: signals.filter(({ id }) => FAMILY_OF.get(id) === family),
    contradicted: new Set(own.map(({ signal }) => signal)),
    classes: classes.join(', '),
  }
}

const heads = (): readonly FigureMark[] => [
  ...words('Family', 0, 10, LEFT, { tone: 'quiet' }),
  ...DRAWN.flatMap(({ head, end }) => words(head, end, 10, 42, { anchor: 'end', tone: 'quiet' })),
  ...words('Contradictions', 536, 10, 64, { tone: 'quiet' }),
  line(
    [
      [0, HEAD - 3],
      [FIGURE_WIDTH, HEAD - 3],
    ],
    'quiet',
  ),
]

function drawRow({ family, readings, contradicted, classes }: Row, top: number, pitch: number): readonly FigureMark[] {
  const side = Math.min(9, pitch - 2)
  const base = top + 12
  // Within a kind, what is contradicted comes first, so that its line is one line.
  const placed = DRAWN.flatMap(({ reads }) => {
    const own = readings.filter((one) => one.reads === reads)
    return [...own.filter(({ id }) => contradicted.has(id)), ...own.filter(({ id }) => !contradicted.has(id))].map(
      (one) => ({ ...one, reads }),
    )
  })
  return [
    ...words(familyWords[family], 0, base, LEFT - 6, { bold: classes !== '' }),
    ...placed.flatMap(({ id, reads }, index): readonly FigureMark[] => {
      const x = LEFT + index * pitch
      const under = line(
        [
          [x, base + 4],
          [x + side, base + 4],
        ],
        'against',
        { weight: 2, dashed: false },
      )
      return [square(reads, x, base - 7, side), ...(contradicted.has(id) ? [under] : [])]
    }),
    ...DRAWN.flatMap(({ reads, end }) => {
      const count = countOf(readings, reads)
      return words(`${count}`, end, base, 40, { anchor: 'end', tone: count === 0 ? 'quiet' : 'plain' })
    }),
    ...words(classes, 536, base, 64, { tone: 'against', bold: true }),
    line(
      [
        [0, top + ROW - 3],
        [FIGURE_WIDTH, top + ROW - 3],
      ],
      'quiet',
    ),
  ]
}
