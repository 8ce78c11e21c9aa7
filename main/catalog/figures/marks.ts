import type { FigureKey, FigureMark, FigureTone } from '../../../schemas/figure.ts'
import { fitted } from './text.ts'

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
