import type { Figure, FigureMark, FigureTone } from '../../../schemas/figure.ts'
import type { Isolation, SignalReading } from '../../../schemas/types.ts'
import { familyWords } from '../../../schemas/words.ts'
import { FAMILIES, type Family } from '../single-tenancy/isolation/signal.ts'
import { SIGNALS } from '../single-tenancy/isolation/signals.ts'
import { box, FIGURE_WIDTH, line, squareKey, words } from './marks.ts'

type Reads = Exclude<SignalReading['indicates'], 'not-applicable'>

/** The columns, in order: one square for each reading, and the count at the end. */
const DRAWN: readonly { readonly reads: Reads; readonly head: string; readonly key: string; readonly end: number }[] = [
  { reads: 'bare-metal', head: 'Hardware', key: 'Reads as on hardware', end: 267 },
  { reads: 'virtual', head: 'Guest', key: 'Reads as on a guest', end: 300 },
  { reads: 'neutral', head: 'Neither', key: 'Neutral', end: 339 },
  { reads: 'unreadable', head: 'Not read', key: 'Not read', end: 383 },
]
const TONES: Readonly<Record<Reads, FigureTone>> = {
  'bare-metal': 'for',
  virtual: 'against',
  neutral: 'plain',
  unreadable: 'unclear',
}

const square = (reads: Reads, x: number, y: number, side: number): FigureMark =>
  box(x, y, side, side, TONES[reads], reads === 'bare-metal' || reads === 'virtual')

const LEFT = 84
const SQUARES = 136
/** Where the column of anomaly counts begins. */
const RIGHT = 392
const ROW = 20
const HEAD = 18

interface Row {
  readonly family: Family
  readonly readings: readonly SignalReading[]
  /** Signals with an anomaly. */
  readonly anomalous: ReadonlySet<string>
  readonly impossible: number
  readonly unexplained: number
}

const ANOMALY = squareKey(
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
  'Anomaly; counted as impossible on the stated hardware + needing an explanation',
)

/** For each family of signals, its readings as countable squares; null where none was read and there is no anomaly. */
export function isolationFamilies(isolation: Isolation): Figure | null {
  const rows = FAMILIES.map((family) => rowOf(isolation, family)).filter(
    (row) => row.readings.some(isDrawn) || hasAnomaly(row),
  )
  if (rows.every((row) => !hasAnomaly(row) && row.readings.every(({ indicates }) => !isRead(indicates)))) return null
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
      ...(rows.some(hasAnomaly) ? [ANOMALY] : []),
    ],
    table: {
      head: ['Family', 'As on hardware', 'As on a guest', 'Neutral', 'Not read', 'Doesn’t apply', 'Anomalies'],
      rows: rows.map((row) => [
        familyWords[row.family],
        ...[...DRAWN.map(({ reads }) => reads), 'not-applicable'].map((reads) => `${countOf(row.readings, reads)}`),
        hasAnomaly(row) ? `${row.impossible} impossible, ${row.unexplained} unexplained` : 'None seen',
      ]),
    },
  }
}

const FAMILY_OF = new Map(SIGNALS.map(({ id, family }) => [id, family]))
const isRead = (reads: SignalReading['indicates']): boolean => reads !== 'unreadable' && reads !== 'not-applicable'
const isDrawn = ({ indicates }: SignalReading): boolean => indicates !== 'not-applicable'
const countOf = (readings: readonly SignalReading[], reads: string): number =>
  readings.filter((one) => one.indicates === reads).length

const hasAnomaly = ({ impossible, unexplained }: Row): boolean => impossible + unexplained > 0

function rowOf({ signals, anomalies }: Isolation, family: Family): Row {
  const own = anomalies.filter((one) => one.family === family)
  const impossible = own.filter((one) => one.class === 'impossible').length
  return {
    family,
    readings: signals.filter(({ id }) => FAMILY_OF.get(id) === family),
    anomalous: new Set(own.map(({ signal }) => signal)),
    impossible,
    unexplained: own.length - impossible,
  }
}

const heads = (): readonly FigureMark[] => [
  ...words('Family', 0, 10, LEFT - 4, { tone: 'quiet' }),
  ...DRAWN.flatMap(({ head, end }) => words(head, end, 10, 42, { anchor: 'end', tone: 'quiet' })),
  ...words('Anomalies', RIGHT, 10, FIGURE_WIDTH - RIGHT, { tone: 'quiet' }),
  line(
    [
      [0, HEAD - 3],
      [FIGURE_WIDTH, HEAD - 3],
    ],
    'quiet',
  ),
]

function drawRow(row: Row, top: number, pitch: number): readonly FigureMark[] {
  const { family, readings, anomalous } = row
  const side = Math.min(9, pitch - 2)
  const base = top + 12
  // Within a kind, signals with an anomaly come first, so that they are marked by one continuous line.
  const placed = DRAWN.flatMap(({ reads }) => {
    const own = readings.filter((one) => one.indicates === reads)
    return [...own.filter(({ id }) => anomalous.has(id)), ...own.filter(({ id }) => !anomalous.has(id))].map((one) => ({
      ...one,
      reads,
    }))
  })
  return [
    ...words(familyWords[family], 0, base, LEFT - 4, { bold: hasAnomaly(row) }),
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
      return [square(reads, x, base - 7, side), ...(anomalous.has(id) ? [under] : [])]
    }),
    ...DRAWN.flatMap(({ reads, end }) => {
      const count = countOf(readings, reads)
      return words(`${count}`, end, base, 40, { anchor: 'end', tone: count === 0 ? 'quiet' : 'plain' })
    }),
    ...words(hasAnomaly(row) ? `${row.impossible} + ${row.unexplained}` : '', RIGHT, base, FIGURE_WIDTH - RIGHT, {
      tone: 'against',
      bold: true,
    }),
    line(
      [
        [0, top + ROW - 3],
        [FIGURE_WIDTH, top + ROW - 3],
      ],
      'quiet',
    ),
  ]
}
