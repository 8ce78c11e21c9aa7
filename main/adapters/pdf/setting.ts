import type { Cell, Line } from '../../core/report-document.ts'
import type { FontName } from './fonts.ts'
import type { SetLine, Sheet } from './sheet.ts'
import { INK, LEADING, SIZE } from './theme.ts'
import { wrap } from './wrap.ts'

/** Sizes in running text and in tables. */
export interface Scale {
  readonly plain: number
  readonly quiet: number
  readonly mono: number
}
export const TEXT_SCALE: Scale = { plain: SIZE.body, quiet: SIZE.body - 0.8, mono: SIZE.table }
export const TABLE_SCALE: Scale = { plain: SIZE.table, quiet: SIZE.quiet, mono: SIZE.mono }

/**
 * Breaks one paragraph into lines of the given width. A mark hangs before the first; the others are indented below it.
 */
export function setLine(sheet: Sheet, line: Line, width: number, scale: Scale): readonly SetLine[] {
  const font: FontName = line.style === 'strong' ? 'strong' : line.style === 'mono' ? 'mono' : 'sans'
  const size = line.style === 'mono' ? scale.mono : line.style === 'quiet' ? scale.quiet : scale.plain
  const ink = line.style === 'quiet' ? INK.quiet : INK.text
  const indent = line.mark === undefined ? 0 : size * 1.35
  const mark =
    line.mark === undefined
      ? undefined
      : { name: line.mark, size: size * 0.92, ...(line.means === undefined ? {} : { means: line.means }) }
  const broken = wrap(sheet.drawable(line.text, font), width - indent, sheet.measure(font, size))
  return broken.map((text, index) => ({
    text,
    font,
    size,
    ink,
    height: size * LEADING,
    indent,
    ...(index === 0 && mark !== undefined ? { mark } : {}),
  }))
}

export const setCell = (sheet: Sheet, cell: Cell, width: number, scale: Scale): readonly SetLine[] =>
  cell.flatMap((line) => setLine(sheet, line, width, scale))

export const heightOf = (lines: readonly SetLine[]): number => lines.reduce((sum, { height }) => sum + height, 0)

/** As many lines from the start as fit into `room`. */
export function fitting(lines: readonly SetLine[], room: number): number {
  let used = 0
  const index = lines.findIndex(({ height }) => {
    used += height
    return used > room + 0.01
  })
  return index === -1 ? lines.length : index
}
