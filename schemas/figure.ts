/**
 * A picture as plain data: lines, boxes and words on a grid of points, drawn the same in the window (SVG) and in the report (PDF). It
 * always has a table that says the same in words. Tones are roles of meaning; each is a line style or a shape as well as a color.
 */
export interface Figure {
  readonly kind: 'topology' | 'block-stack' | 'isolation-families'
  readonly title: string
  /** One sentence: what the picture shows, and its limit. */
  readonly caption: string
  readonly width: number
  readonly height: number
  readonly marks: readonly FigureMark[]
  readonly legend: readonly FigureKey[]
  readonly table: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
}

/** One line of the legend; its sample is drawn in a box of 24 × 10 points. */
export interface FigureKey {
  readonly sample: readonly FigureMark[]
  readonly text: string
}

/** `plain`: structure. `for`, `against`, `unclear`: what a reading says. `quiet`: what stands behind. */
export type FigureTone = 'plain' | 'quiet' | 'for' | 'against' | 'unclear'

/** In points; y grows downwards. Texts are single lines, already cut to fit and free of control characters. */
export type FigureMark =
  | {
      readonly is: 'box'
      readonly x: number
      readonly y: number
      readonly width: number
      readonly height: number
      readonly tone: FigureTone
      readonly filled: boolean
    }
  | {
      readonly is: 'line'
      readonly points: readonly (readonly [number, number])[]
      readonly tone: FigureTone
      readonly weight: 1 | 2 | 3
      readonly dashed: boolean
    }
  | {
      readonly is: 'text'
      readonly x: number
      readonly y: number
      readonly text: string
      readonly size: 8 | 9 | 11
      readonly anchor: 'start' | 'middle' | 'end'
      readonly bold: boolean
      readonly mono: boolean
      readonly tone: FigureTone
    }
