import type { FigureKey, FigureMark, FigureTone } from '../../../schemas/figure.ts'
import type { Place } from '../../../schemas/types.ts'
import { cos, sin } from '../../core/elementary.ts'
import { discOutline, type MapView } from '../../core/geo/map.ts'
import type { Disc } from '../../core/geo/region.ts'
import type { XY } from '../../core/geo/thin.ts'
import { box, fitted, line, squareKey, widthOf, words } from './marks.ts'

type Area = Extract<FigureMark, { is: 'area' }>
export type Rings = Area['rings']

export const area = (
  rings: Rings,
  tone: FigureTone,
  fill: Area['fill'],
  outline: Area['outline'] = 'none',
  within: readonly Rings[] = [],
): readonly FigureMark[] =>
  rings.length === 0 ? [] : [{ is: 'area', rings, ...(within.length === 0 ? {} : { within }), tone, fill, outline }]

type Stroke = Parameters<typeof line>[2]

/** The edge of a disc, as far as it is in the picture: where it leaves the picture it is open. */
export const edge = (view: MapView, disc: Disc, tone: FigureTone, stroke: Stroke): readonly FigureMark[] =>
  (discOutline(disc) ?? []).flatMap((ring) => view.pieces(ring)).map((piece) => line(piece, tone, stroke))

/** Everything within a disc, as far as it is in the picture. */
export const within = (view: MapView, disc: Disc): Rings => {
  const outline = discOutline(disc)
  return outline === null ? [] : view.rings([outline])
}

const SMALLEST = 7

/**
 * A place of people: its outline, hatched. A point stands as the smallest area that can be seen, since no one knows a node to the point.
 */
export function place(view: MapView, disc: Disc, tone: FigureTone): readonly FigureMark[] {
  const middle = view.at(disc.center)
  const rings = within(view, disc)
  if (middle !== null && widthOfRings(rings) < SMALLEST)
    return area([circle(moved(view, middle))], tone, 'hatched', 'solid')
  return [...area(rings, tone, 'hatched'), ...edge(view, disc, tone, { weight: 2, dashed: false })]
}

/** A mark at the edge of the picture is moved in as far as it takes to see it whole. */
const moved = ({ frame: { left, top, width, height } }: MapView, [x, y]: XY): XY => [
  Math.min(left + width - SMALLEST / 2, Math.max(left + SMALLEST / 2, x)),
  Math.min(top + height - SMALLEST / 2, Math.max(top + SMALLEST / 2, y)),
]

const widthOfRings = (rings: Rings): number => {
  const across = rings.flat().map(([x]) => x)
  return across.length === 0 ? 0 : Math.max(...across) - Math.min(...across)
}

const circle = ([x, y]: XY): readonly XY[] =>
  Array.from({ length: 16 }, (_, index): XY => {
    const turn = (index * Math.PI) / 8
    const tenth = (value: number): number => Math.round(value * 10) / 10
    return [tenth(x + (SMALLEST / 2) * cos(turn)), tenth(y + (SMALLEST / 2) * sin(turn))]
  })

/** Where a person stood to measure: a small square. */
export const square = ([x, y]: XY): FigureMark => box(x - 2.5, y - 2.5, 5, 5, 'plain', true)
/** The middles of squares for these places, as far as they are in the picture. */
export const squaresOf = (view: MapView, places: readonly Place[]): readonly XY[] =>
  places.flatMap((one) => {
    const at = view.at(one)
    return at === null ? [] : [moved(view, at)]
  })

export interface Name {
  readonly at: XY
  readonly text: string
  readonly bold?: boolean
}

interface Room {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const LONGEST = 150

interface Spot {
  readonly x: number
  readonly base: number
  readonly anchor: 'start' | 'middle' | 'end'
}

/** How much of a name is before its anchor. */
const BEFORE: Readonly<Record<Spot['anchor'], number>> = { start: 0, middle: 0.5, end: 1 }

/**
 * Names next to what they name, where there is room for them: none over another, over a square or out of the picture. The table has all.
 */
export function names(view: MapView, wanted: readonly Name[], taken: readonly XY[]): readonly FigureMark[] {
  const { left, top, width, height } = view.frame
  const rooms: Room[] = taken.map(([x, y]) => ({ left: x - 3, right: x + 3, top: y - 3, bottom: y + 3 }))
  return wanted.flatMap(({ at: [x, y], text, bold = false }) => {
    const wide = widthOf(fitted(text, LONGEST, 8), 8) + 1
    // How wide a name is depends on the letters it is drawn with: it stands close to what it names with any.
    const spots: readonly Spot[] = [
      { x: x + 6, base: y + 2.8, anchor: 'start' },
      { x: x - 6, base: y + 2.8, anchor: 'end' },
      { x, base: y - 7, anchor: 'middle' },
      { x, base: y + 13, anchor: 'middle' },
      { x: x + 6, base: y - 7, anchor: 'start' },
      { x: x + 6, base: y + 13, anchor: 'start' },
    ]
    for (const { x: from, base, anchor } of spots) {
      const start = from - wide * BEFORE[anchor]
      const room = { left: start, right: start + wide, top: base - 7, bottom: base + 2.5 }
      const isIn =
        room.left >= left + 2 &&
        room.right <= left + width - 2 &&
        room.top >= top + 2 &&
        room.bottom <= top + height - 2
      if (!isIn || rooms.some((other) => meet(other, room))) continue
      rooms.push(room)
      return words(text, from, base, LONGEST, { bold, anchor }).map(rimmed)
    }
    return []
  })
}

const rimmed = (mark: FigureMark): FigureMark => (mark.is === 'text' ? { ...mark, rimmed: true } : mark)

const meet = (a: Room, b: Room): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

const NICE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]

/** How long a kilometre is, in the lower left corner; none where that differs over the picture. */
export function scaleBar({ kmPerPoint, frame: { left, top, height } }: MapView): readonly FigureMark[] {
  if (kmPerPoint === null) return []
  const km = NICE.filter((one) => one / kmPerPoint <= 90).at(-1) ?? 1
  const [x, y] = [left + 10, top + height - 8]
  const end = x + km / kmPerPoint
  const bar: readonly XY[] = [
    [x, y - 3],
    [x, y],
    [end, y],
    [end, y - 3],
  ]
  return [line(bar, 'plain', { weight: 1, dashed: false }), ...words(`${km} km`, end + 4, y, 60).map(rimmed)]
}

/** A sample of an area for the legend. */
export const areaKey = (text: string, tone: FigureTone, fill: Area['fill'], stroke: Stroke | null): FigureKey => {
  const corners: readonly XY[] = [
    [1.5, 1],
    [22.5, 1],
    [22.5, 9],
    [1.5, 9],
  ]
  return squareKey(
    [
      ...(fill === 'none' ? [] : area([corners], tone, fill)),
      ...(stroke === null ? [] : [line([...corners, ...corners.slice(0, 1)], tone, stroke)]),
    ],
    text,
  )
}
