import type { FigureKey, FigureMark, FigureTone } from '../../../schemas/figure.ts'
import type { Place } from '../../../schemas/types.ts'
import { cos, sin } from '../../core/base/elementary.ts'
import { plain } from '../../core/base/plain-text.ts'
import { recentResults } from '../../core/base/recent.ts'
import type { Disc } from '../../core/geo/geodesy.ts'
import { commonEdge, discOutline, type MapView, type Outline } from '../../core/geo/map.ts'
import type { XY } from '../../core/geo/thin.ts'

type Area = Extract<FigureMark, { is: 'area' }>
type Rings = Area['rings']

export const area = (
  rings: Rings,
  tone: FigureTone,
  fill: Area['fill'],
  outline: Area['outline'] = 'none',
  within: readonly Rings[] = [],
): readonly FigureMark[] =>
  rings.length === 0 ? [] : [{ is: 'area', rings, ...(within.length === 0 ? {} : { within }), tone, fill, outline }]

type LineOptions = Parameters<typeof line>[2]

/** The visible part of a disc’s edge, open where it leaves the picture. */
export const edge = (view: MapView, disc: Disc, tone: FigureTone, stroke: LineOptions): readonly FigureMark[] =>
  recentEdges([view, ...numbersOf(disc)], () => (outlineOf(disc) ?? []).flatMap((ring) => view.pieces(ring))).map(
    (piece) => line(piece, tone, stroke),
  )

/** The visible part of a disc’s area. */
export const within = (view: MapView, disc: Disc): Rings =>
  recentAreas([view, ...numbersOf(disc)], () => {
    const outline = outlineOf(disc)
    return outline === null ? [] : view.rings([outline])
  })

// A picture asks for a disc several times, and nodes of one place have the same discs in the same view.
const recentEdges = recentResults<Rings>()
const recentAreas = recentResults<Rings>()
const recentOutlines = recentResults<Outline | null>()
const outlineOf = (disc: Disc): Outline | null => recentOutlines(numbersOf(disc), () => discOutline(disc))

/** The edge of the common part of discs. */
export const edgeOfAll = (discs: readonly Disc[]): ReturnType<typeof commonEdge> =>
  recentCommonEdges(discs.flatMap(numbersOf), () => commonEdge(discs))

const recentCommonEdges = recentResults<ReturnType<typeof commonEdge>>()
const numbersOf = ({ center: { latitude, longitude }, radiusKm }: Disc): readonly number[] => [
  latitude,
  longitude,
  radiusKm,
]

const SMALLEST = 7

/** A place that people declared: its outline, hatched. A point is drawn as the smallest visible area, since no node is located to a point. */
export function place(view: MapView, disc: Disc, tone: FigureTone): readonly FigureMark[] {
  const middle = view.at(disc.center)
  const rings = within(view, disc)
  if (middle !== null && widthOfRings(rings) < SMALLEST)
    return area([circle(moved(view, middle))], tone, 'hatched', 'solid')
  return [...area(rings, tone, 'hatched'), ...edge(view, disc, tone, { weight: 2, dashed: false })]
}

/** Moves a mark at the edge of the picture inwards until it is entirely visible. */
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

/** A vantage point: a small square. */
export const square = ([x, y]: XY): FigureMark => box(x - 2.5, y - 2.5, 5, 5, 'plain', true)
/** Centers of squares for the visible places. */
export const squaresOf = (view: MapView, places: readonly Place[]): readonly XY[] =>
  places.flatMap((one) => {
    const at = view.at(one)
    return at === null ? [] : [moved(view, at)]
  })

export interface Name {
  readonly at: XY
  readonly text: string
  /** Follows the text, and is never cut. */
  readonly end?: string
  readonly bold?: boolean
  /** The area that is named. The name is written beside it where there is room. */
  readonly area?: Room
}

interface Room {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const LONGEST = 170

interface Spot {
  readonly x: number
  readonly base: number
  readonly anchor: 'start' | 'middle' | 'end'
}

/** How much of a name is before its anchor. */
const BEFORE: Readonly<Record<Spot['anchor'], number>> = { start: 0, middle: 0.5, end: 1 }

/**
 * Names next to what they name, where there is room for them: none over another, over a square or out of the picture,
 * and as little over an area as possible. The table has all.
 */
export function names(view: MapView, wanted: readonly Name[], taken: readonly XY[]): readonly FigureMark[] {
  const { left, top, width, height } = view.frame
  const rooms: Room[] = taken.map(([x, y]) => ({ left: x - 3, right: x + 3, top: y - 3, bottom: y + 3 }))
  // An area that fills the picture leaves no room beside it.
  const areas = wanted.flatMap(({ area }) => (area === undefined || area.right - area.left > width / 2 ? [] : [area]))
  return wanted.flatMap(({ at: [x, y], text: name, end = '', bold = false, area: own }) => {
    const text = `${fitted(name, LONGEST - widthOf(end, 8), 8)}${end}`
    const wide = widthOf(text, 8) + 1
    // The width of a name depends on the font of the reader, so every spot keeps the name close to its mark at any width.
    const spots: readonly Spot[] = [
      ...(own === undefined ? [] : besideArea(own, y)),
      { x: x + 6, base: y + 2.8, anchor: 'start' },
      { x: x - 6, base: y + 2.8, anchor: 'end' },
      { x, base: y - 7, anchor: 'middle' },
      { x, base: y + 13, anchor: 'middle' },
      { x: x + 6, base: y - 7, anchor: 'start' },
      { x: x + 6, base: y + 13, anchor: 'start' },
    ]
    const free = spots.flatMap((spot) => {
      const start = spot.x - wide * BEFORE[spot.anchor]
      const room = { left: start, right: start + wide, top: spot.base - 7, bottom: spot.base + 2.5 }
      const isIn =
        room.left >= left + 2 &&
        room.right <= left + width - 2 &&
        room.top >= top + 2 &&
        room.bottom <= top + height - 2
      if (!isIn || rooms.some((other) => meet(other, room))) return []
      const over = areas.filter((other) => meet(other, room)).map((other) => across(other, room) / wide)
      return [{ spot, room, over: Math.max(0, ...over) }]
    })
    const best = free.reduce<(typeof free)[number] | null>(
      (least, one) => (least === null || one.over < least.over ? one : least),
      null,
    )
    // The name of a vantage point that would stand on hatching is left to the table.
    if (best === null || (own === undefined && best.over > 0.5)) return []
    rooms.push(best.room)
    return words(text, best.spot.x, best.spot.base, LONGEST + 1, { bold, anchor: best.spot.anchor }).map(rimmed)
  })
}

/** How much of the width of one room another shares. */
const across = (a: Room, b: Room): number => Math.min(a.right, b.right) - Math.max(a.left, b.left)

/** The spots to the left and right of an area, then those above and below it. */
const besideArea = ({ left, right, top, bottom }: Room, y: number): readonly Spot[] => [
  { x: right + 5, base: y + 2.8, anchor: 'start' },
  { x: left - 5, base: y + 2.8, anchor: 'end' },
  { x: (left + right) / 2, base: top - 4, anchor: 'middle' },
  { x: (left + right) / 2, base: bottom + 10, anchor: 'middle' },
]

/** The visible box of a disc; null where none of it is visible. */
export function boxOf(view: MapView, disc: Disc): Room | null {
  const points = within(view, disc).flat()
  if (points.length === 0) return null
  const [across, down] = [points.map(([x]) => x), points.map(([, y]) => y)]
  return { left: Math.min(...across), right: Math.max(...across), top: Math.min(...down), bottom: Math.max(...down) }
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
export const areaKey = (text: string, tone: FigureTone, fill: Area['fill'], stroke: LineOptions | null): FigureKey => {
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

/** No picture is wider or higher, so that a page of paper shows its smallest words at 9 points or more. */
export const FIGURE_WIDTH = 440
export const FIGURE_HEIGHT = 480

/** Tenths of a point are fine enough, and the same on every machine. */
const tenth = (value: number): number => Math.round(value * 10) / 10

export const box = (
  x: number,
  y: number,
  width: number,
  height: number,
  tone: FigureTone = 'plain',
  filled = false,
): FigureMark => ({
  is: 'box',
  x: tenth(x),
  y: tenth(y),
  width: tenth(width),
  height: tenth(height),
  tone,
  filled,
})

/**
 * How a link is drawn: each tone has its own stroke besides its color, so that a black-and-white copy shows the same.
 */
type Stroke = { readonly weight: 1 | 2 | 3; readonly dashed: boolean }
const STROKES: Readonly<Record<FigureTone, Stroke>> = {
  plain: { weight: 1, dashed: false },
  quiet: { weight: 1, dashed: false },
  for: { weight: 1, dashed: false },
  against: { weight: 3, dashed: true },
  unclear: { weight: 1, dashed: true },
}

type Point = readonly [x: number, y: number]

export const line = (
  points: readonly Point[],
  tone: FigureTone = 'plain',
  stroke: Partial<Stroke> = {},
): FigureMark => ({
  is: 'line',
  points: points.map(([x, y]): Point => [tenth(x), tenth(y)]),
  tone,
  ...STROKES[tone],
  ...stroke,
})

/** A link along right angles. One that supports its claim is doubled. */
export function link(points: readonly Point[], tone: FigureTone): readonly FigureMark[] {
  if (tone !== 'for') return [line(points, tone)]
  const last = points.length - 1
  const beside = (by: number): FigureMark =>
    line(
      points.map(([x, y], index): Point => [index === 0 || index === last ? x : x + by, y + by]),
      tone,
    )
  return [beside(-1.2), beside(1.2)]
}

interface Lettering {
  readonly size?: 8 | 9 | 11
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly bold?: boolean
  readonly mono?: boolean
  readonly tone?: FigureTone
}

/** One line of text on its baseline, cut to the room it has; none where not even one character fits. */
export function words(text: string, x: number, y: number, room: number, style: Lettering = {}): readonly FigureMark[] {
  const { size = 8, anchor = 'start', bold = false, mono = false, tone = 'plain' } = style
  const shown = fitted(text, room, size, mono)
  return shown === '' ? [] : [{ is: 'text', x: tenth(x), y: tenth(y), text: shown, size, anchor, bold, mono, tone }]
}

/** Samples for the legend, in a box of 24 × 10. */
export const linkKey = (tone: FigureTone, text: string): FigureKey => ({
  sample: link(
    [
      [1.5, 5],
      [22.5, 5],
    ],
    tone,
  ),
  text,
})
export const squareKey = (sample: readonly FigureMark[], text: string): FigureKey => ({ sample, text })

/**
 * Widths of IBM Plex Sans in thousandths of the size, by class of character, rounded up to the widest of the class in
 * regular and semibold. A picture is laid out without access to the font, and no text may leave its box.
 */
const CLASSES: readonly (readonly [width: number, characters: string])[] = [
  [320, " ijl.,'!:;’‘"],
  [410, '|[](){}ft·-r'],
  [565, '/\\I"zcsvyxkJgL?“”'],
  [620, 'abdehnopqu0123456789+<=>^`~$_*FTSEZ×–−'],
  [735, 'ABCDGHKNOPQRUVXY&#'],
  [830, 'Mw—'],
]
/** The widest of what is left: m, W, @, %, the ellipsis, the arrow, letters with marks. */
const WIDEST = 1000
const WIDTHS = new Map(CLASSES.flatMap(([width, characters]) => [...characters].map((char) => [char, width] as const)))
/** Plex Mono: every character is as wide as the others. */
const MONO = 600

/** The width of a drawn text in points, never less than it takes. */
export function widthOf(text: string, size: number, mono = false): number {
  let sum = 0
  for (const char of text) sum += mono ? MONO : (WIDTHS.get(char) ?? WIDEST)
  return (sum * size) / 1000
}

const UNDRAWN = /[^\x20-\x7e\xa1-\u017f…→·×“”’‘–—−]/gu

/** Text that may come from a node, as a picture can show it: characters outside the drawn set stand as `\u{hex}`. */
export const drawn = (text: string): string =>
  plain(text, 400).replace(UNDRAWN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)

/** The text, cut with an ellipsis where it is wider than `room`. */
export function fitted(text: string, room: number, size: number, mono = false): string {
  const whole = drawn(text)
  if (widthOf(whole, size, mono) <= room) return whole
  let kept = ''
  let used = widthOf('…', size, mono)
  for (const char of whole) {
    used += widthOf(char, size, mono)
    if (used > room) break
    kept += char
  }
  return kept === '' && used > room + size ? '' : `${kept.trimEnd()}…`
}
