import type { FigureKey, FigureMark, FigureTone } from '../../../schemas/figure.ts'
import { plain } from '../../core/plain-text.ts'

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

/** How a link is drawn: each tone has its own stroke in addition to its ink, so that a copy in black and white states the same. */
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
 * Widths of IBM Plex Sans in thousandths of the size, by class of character, rounded up to the widest of the class in the regular and
 * the semibold cut: a picture is laid out without the font at hand, and no text may leave its box.
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
