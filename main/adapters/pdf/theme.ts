/**
 * A4 in points, and the style of everything on it. Inks keep at least 4.9:1 on white; no meaning rests on color alone.
 */
export const PAGE = { width: 595.28, height: 841.89, left: 48, right: 48, top: 60, bottom: 54 } as const
export const BODY_WIDTH = PAGE.width - PAGE.left - PAGE.right
export const BODY_END = PAGE.height - PAGE.bottom

export const INK = {
  text: '#111827',
  quiet: '#4B5563',
  rule: '#C9CED6',
  strongRule: '#374151',
  headFill: '#EEF0F3',
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

export const SIZE = {
  title: 26,
  section: 16,
  heading: 11.5,
  sub: 9.5,
  body: 9,
  table: 7.8,
  mono: 6.3,
  quiet: 7.2,
  foot: 7,
} as const
export const LEADING = 1.36
