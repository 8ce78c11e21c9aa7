import { stated } from '../../core/base/optional.ts'
import type { Cell, Line } from '../../core/base/report-document.ts'
import type { FontName } from './fonts.ts'
import type { SetLine, Sheet } from './sheet.ts'
import { INK, type Scale } from './theme.ts'
import { type Measure, wrap } from './wrap.ts'

/** The area of a paragraph or a cell. */
export interface Slot {
  readonly width: number
  readonly align?: 'right' | undefined
}

/** All styles at one size. */
export const sized = (size: number): Scale => ({ plain: size, quiet: size, mono: size })

/**
 * Breaks one paragraph into lines that fit the slot. A mark hangs before the first; the others are indented below it.
 */
export function setLine(sheet: Sheet, line: Line, { width, align }: Slot, scale: Scale): readonly SetLine[] {
  const font: FontName = line.style === 'strong' ? 'strong' : line.style === 'mono' ? 'mono' : 'sans'
  const size = line.style === 'mono' ? scale.mono : line.style === 'quiet' ? scale.quiet : scale.plain
  const ink = line.link !== undefined ? INK.link : line.style === 'quiet' ? INK.quiet : INK.text
  const indent = line.mark === undefined ? 0 : size * 1.35
  const measure = sheet.measure(font, size)
  const link = line.link === undefined ? undefined : { anchor: line.link }
  const shift = (text: string): number =>
    align === 'right' ? Math.max(0, width - indent - measure(text.trimEnd())) : 0
  return broken(sheet, line, font, width - indent, measure).map((text, index) => ({
    text,
    font,
    size,
    ink,
    height: size * sheet.type.leading,
    indent,
    shift: shift(text),
    ...stated({ link }),
    ...(index === 0 ? first(line, size) : {}),
  }))
}

/** Mark and anchor, which only the first line of a paragraph has. */
const first = ({ mark, means, anchor, text }: Line, size: number): Pick<SetLine, 'mark' | 'anchor'> =>
  stated({
    mark: mark && { name: mark, size: size * 0.92, ...stated({ means }) },
    anchor: anchor === undefined ? undefined : { name: anchor, title: text },
  })

/** Keeps “page” and its number on one line while the text is broken. */
const TIE = '\u00a0'

/**
 * The words of a paragraph in lines. Space for the widest page number is reserved, because a rehearsal breaks the same
 * lines and does not have the number yet.
 */
function broken(sheet: Sheet, line: Line, font: FontName, width: number, measure: Measure): readonly string[] {
  const words = sheet.drawable(line.text, font)
  if (line.link === undefined || line.showsPage !== true) return wrap(words, width, measure)
  const number = sheet.pageOf(line.link)
  if (words === '') return [number]
  const tail = `page${TIE}${sheet.widestPage}`
  const lines = wrap(`${words}, ${tail}`, width, measure)
  const last = lines.at(-1) ?? ''
  if (last.endsWith(tail)) return [...lines.slice(0, -1), `${last.slice(0, -tail.length)}page ${number}`]
  const apart = wrap(`${words}, page`, width, measure)
  return [...apart.slice(0, -1), `${apart.at(-1) ?? ''} `, number]
}

export const setCell = (sheet: Sheet, cell: Cell, slot: Slot, scale: Scale): readonly SetLine[] =>
  cell.flatMap((line) => setLine(sheet, line, slot, scale))

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
