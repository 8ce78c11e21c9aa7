/**
 * A figure as plain data: lines, boxes and words on a grid of points, drawn alike in the window (SVG) and in the report (PDF). It always has a
 * table with the same content in words. Tones denote meanings; each has a line style or shape in addition to a color.
 */
export interface Figure {
  readonly kind:
    | 'topology'
    | 'block-stack'
    | 'isolation-families'
    | 'location-map'
    | 'coverage-calendar'
    | 'nodes-by-day'
  readonly title: string
  /** One sentence about what the figure shows and its limit. */
  readonly caption: string
  readonly width: number
  readonly height: number
  readonly marks: readonly FigureMark[]
  readonly legend: readonly FigureKey[]
  readonly table: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
}

/** Figures of one node, in display order. */
export const NODE_FIGURES = ['isolation-families', 'block-stack', 'topology', 'location-map'] as const
export type NodeFigureKind = (typeof NODE_FIGURES)[number]

/** One line of the legend; its sample is drawn in a box of 24 × 10 points. */
export interface FigureKey {
  readonly sample: readonly FigureMark[]
  readonly text: string
}

/** `plain`: structure. `for`, `against`, `unclear`: direction of a reading. `quiet`: background. */
export type FigureTone = 'plain' | 'quiet' | 'for' | 'against' | 'unclear'

/** In points; y grows downward. Texts are single lines, already shortened and without control characters. */
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
      /** Rings with the even-odd rule. With `within`, only the part inside all of its outlines is drawn. */
      readonly is: 'area'
      readonly rings: readonly (readonly (readonly [number, number])[])[]
      readonly within?: readonly (readonly (readonly (readonly [number, number])[])[])[]
      readonly tone: FigureTone
      readonly fill: 'none' | 'solid' | 'hatched'
      readonly outline: 'none' | 'solid' | 'dashed'
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
      /** Whether it has an outline in the color of the background, so that it is readable over lines. */
      readonly rimmed?: true
    }

/** Lines of a hatched area: slope in degrees, distance and width in points. Tones differ by these in addition to color. */
export const HATCHES: Readonly<
  Record<FigureTone, { readonly degrees: number; readonly apart: number; readonly width: number }>
> = {
  plain: { degrees: 45, apart: 3.5, width: 0.7 },
  quiet: { degrees: -45, apart: 7, width: 0.5 },
  for: { degrees: 0, apart: 3.5, width: 0.7 },
  against: { degrees: 90, apart: 3, width: 1 },
  unclear: { degrees: -30, apart: 5, width: 0.7 },
}

/** Opacity of a solid area, so that borders below it stay visible. */
export const TINT = 0.13
