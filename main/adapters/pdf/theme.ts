import type { Paper, ReportDocument } from '../../core/base/report-document.ts'

/** Geometry of a page in points; the body is between the running head and foot of one line each. */
export interface Page {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly right: number
  readonly bodyWidth: number
  readonly top: number
  readonly end: number
}

const MARGIN = { side: 48, top: 60, bottom: 54 } as const

/** ISO 216 and ANSI Y14.1. */
const PAPER_SIZE: Readonly<Record<Paper, readonly [width: number, height: number]>> = {
  a4: [595.28, 841.89],
  letter: [612, 792],
}

/** The page of a paper; A4 where none is chosen. */
export function pageOf(paper: Paper = 'a4'): Page {
  const [width, height] = PAPER_SIZE[paper]
  return {
    width,
    height,
    left: MARGIN.side,
    right: width - MARGIN.side,
    bodyWidth: width - 2 * MARGIN.side,
    top: MARGIN.top,
    end: height - MARGIN.bottom,
  }
}

/** Inks keep at least 4.5:1 on paper and on both fills; no meaning rests on color alone. */
export const INK = {
  text: '#111827',
  quiet: '#4B5563',
  link: '#1D4F8F',
  rule: '#C9CED6',
  strongRule: '#374151',
  headFill: '#EEF0F3',
  groupFill: '#F3F4F6',
  demoFill: '#FBF0C4',
  paper: '#FFFFFF',
} as const

/** Ink per mark, as on screen. */
export const MARK_INK = {
  'ring-tick': '#0067B8',
  'square-cross': '#7F1D1D',
  'diamond-question': '#8F6B00',
  bar: '#374151',
  'dotted-ring': '#374151',
  dot: '#374151',
  'severity-critical': '#7F1D1D',
  'severity-high': '#111827',
  'severity-medium': '#111827',
  'severity-low': '#111827',
  'severity-info': '#374151',
} as const

/** Ink per role of meaning in a figure. */
export const FIGURE_INK = {
  plain: INK.text,
  quiet: INK.quiet,
  for: MARK_INK['ring-tick'],
  against: MARK_INK['square-cross'],
  unclear: MARK_INK['diamond-question'],
} as const

/** Sizes of the styles of a line in one surrounding. */
export interface Scale {
  readonly plain: number
  readonly quiet: number
  readonly mono: number
}

/** Sizes and spacing of everything but figures. */
export interface Type {
  readonly leading: number
  /** Name of the document, and the lines over and under it. */
  readonly title: number
  readonly subtitle: number
  readonly section: number
  readonly heading: number
  readonly sub: number
  readonly text: Scale
  readonly list: Scale
  readonly fact: Scale
  readonly cell: Scale
  readonly column: number
  readonly code: number
  readonly banner: number
  readonly figure: number
  readonly key: number
  readonly head: number
  readonly foot: number
  readonly table: TableStyle
}

interface TableStyle {
  readonly padX: number
  readonly padY: number
  readonly headInk: string
  /** Without a fill the column titles are on paper, and the outer columns are flush with the text. */
  readonly isHeadFilled: boolean
}

/** Nothing on paper is smaller. */
const SMALLEST: Scale = { plain: 9, quiet: 9, mono: 9 }

const ANNEX: Type = {
  leading: 1.36,
  title: 26,
  subtitle: 10.5,
  section: 16,
  heading: 11.5,
  sub: 9.6,
  text: SMALLEST,
  list: SMALLEST,
  fact: SMALLEST,
  cell: SMALLEST,
  column: 9,
  code: 9,
  banner: 10.5,
  figure: 9.5,
  key: 9,
  head: 9,
  foot: 9,
  table: { padX: 4, padY: 3, headInk: INK.text, isHeadFilled: true },
}

const READING: Type = {
  leading: 1.3,
  title: 19,
  subtitle: 10,
  section: 15,
  heading: 10.6,
  sub: 9.6,
  text: { plain: 9.2, quiet: 9, mono: 9 },
  list: { plain: 9.2, quiet: 9, mono: 9 },
  fact: { plain: 9.1, quiet: 9, mono: 9 },
  cell: { plain: 9.1, quiet: 9, mono: 9 },
  column: 9,
  code: 9,
  banner: 10.6,
  figure: 9.6,
  key: 9,
  head: 9,
  foot: 9,
  table: { padX: 6, padY: 3.6, headInk: INK.quiet, isHeadFilled: false },
}

/** The sizes of a density; small where none is chosen. */
export const typeOf = (density: ReportDocument['density'] = 'annex'): Type => (density === 'reading' ? READING : ANNEX)
