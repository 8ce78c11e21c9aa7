/**
 * A picture as plain data: lines, boxes and words on a grid of points, drawn the same in the window (SVG) and in the report (PDF). It
 * always has a table that states the same in words. Tones are roles of meaning; each is a line style or a shape as well as a color.
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
  /** One sentence: what the picture shows, and its limit. */
  readonly caption: string
  readonly width: number
  readonly height: number
  readonly marks: readonly FigureMark[]
  readonly legend: readonly FigureKey[]
  readonly table: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
}

/** Pictures of one node, in the order in which they are shown. */
export const NODE_FIGURES = ['isolation-families', 'block-stack', 'topology', 'location-map'] as const
export type NodeFigureKind = (typeof NODE_FIGURES)[number]

/** One line of the legend; its sample is drawn in a box of 24 × 10 points. */
export interface FigureKey {
  readonly sample: readonly FigureMark[]
  readonly text: string
}

/** `plain`: structure. `for`, `against`, `unclear`: what a reading shows. `quiet`: background. */
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
      /** Rings in even-odd order; where `within` is given, only what lies inside every one of its outlines is drawn. */
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
      /** With a rim of paper, so that it can be read over lines. */
      readonly rimmed?: true
    }

/** Lines of a hatched area: slope in degrees, distance and width in points. Tones differ by these as well as by their ink. */
export const HATCHES: Readonly<
  Record<FigureTone, { readonly degrees: number; readonly apart: number; readonly width: number }>
> = {
  plain: { degrees: 45, apart: 3.5, width: 0.7 },
  quiet: { degrees: -45, apart: 7, width: 0.5 },
  for: { degrees: 0, apart: 3.5, width: 0.7 },
  against: { degrees: 90, apart: 3, width: 1 },
  unclear: { degrees: -30, apart: 5, width: 0.7 },
}

/** How much of the ink a solid area takes: it lies over what is beneath it, so that borders stay visible. */
export const TINT = 0.13
