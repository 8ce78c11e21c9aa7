import { plain } from '../../core/plain-text.ts'
import type { Block, Cell, Line } from '../../core/report-document.ts'

/**
 * Whether blocks fit on one page of A4 or US Letter, estimated conservatively without fonts: each letter counts as wide as the widest of its
 * class. Sizes are those of the PDF adapter; a test renders accepted pages and counts them.
 */
export const fitsOnePage = (blocks: readonly Block[]): boolean =>
  blocks.reduce((sum, block) => sum + heightOf(block), 0) <= PAGE.height

/** The narrower and the lower of both papers, inside the margins. */
const PAGE = { width: 499, height: 676 } as const
const LEADING = 1.3
/** Points per unit of weight, as a fraction of the font size. */
const UNIT = 0.61
/** Space below paragraphs and tables and around headings, at its largest. */
const GAP: Readonly<Record<'text' | 'block' | 'heading' | 'item' | 'row', number>> = {
  text: 5,
  block: 9,
  heading: 12,
  item: 2,
  row: 6,
}

/** Maximum width of a letter in units. Letters missing from the fonts are printed as a code, hence 10. */
function weight(words: string): number {
  let sum = 0
  for (const char of words) {
    const code = char.codePointAt(0) ?? 0
    sum += SLIM.test(char)
      ? 0.68
      : NARROW.test(char)
        ? 1
        : code < 0x250 || (code >= 0x2010 && code <= 0x2026)
          ? 1.65
          : 10
  }
  return sum
}
const SLIM = /[fijlrt .,:;'!()[\]|]/
const NARROW = /[a-ln-vx-z0-9 .,:;'!()[\]/\\_{}|-]/

/** Typed text or a name from a node, truncated to `most` units. */
export function short(words: string, most: number): string {
  const whole = plain(words.trim().replace(/\s+/g, ' '), most)
  if (weight(whole) <= most) return whole
  let sum = weight('…')
  const kept = [...whole].filter((char) => {
    sum += weight(char)
    return sum <= most
  })
  return `${kept.join('')}…`
}

/** Lines needed. A word wider than the line breaks after punctuation and can leave half of each line empty. */
function lineCount(words: string, width: number, size: number): number {
  const most = width / (size * UNIT)
  let lines = 1
  let used = 0
  for (const word of words.split(' ')) {
    const wide = weight(word)
    if (used > 0 && used + 1 + wide > most) {
      lines += 1
      used = 0
    }
    if (wide > most) lines += Math.ceil((2 * wide) / most)
    used = Math.min(most, used + (used > 0 ? 1 : 0) + wide)
  }
  return lines
}

const SIZES = { text: 9.2, fact: 9.1, list: 9.2, cell: 9.1, head: 9.1 } as const

const linesHeight = (line: Line, width: number, size: number): number => {
  const indent = line.mark === undefined ? 0 : size * LEADING
  // Digests use a smaller fixed-pitch font, which is never wider than this estimate.
  return lineCount(line.text, width - indent, size) * size * LEADING
}
const cellHeight = (cell: Cell, width: number, size: number): number =>
  cell.reduce((sum, line) => sum + linesHeight(line, width - 8, size), 0)

function rowsHeight(rows: readonly (readonly Cell[])[], widths: readonly number[], size: number): number {
  const total = widths.reduce((sum, width) => sum + width, 0)
  const share = widths.map((width) => (width / total) * PAGE.width)
  return rows.reduce(
    (sum, row) => sum + GAP.row + Math.max(0, ...row.map((cell, index) => cellHeight(cell, share[index] ?? 0, size))),
    0,
  )
}

function heightOf(block: Block): number {
  switch (block.kind) {
    case 'title':
      return (
        linesHeight({ text: block.over }, PAGE.width, 10.5) +
        linesHeight({ text: block.text }, PAGE.width, 26) +
        linesHeight({ text: block.under }, PAGE.width, 10.5) +
        14
      )
    case 'heading':
      return linesHeight({ text: block.text }, PAGE.width, block.level === 3 ? 11.5 : 9.5) + GAP.heading
    case 'text':
      return linesHeight(block.line, PAGE.width, SIZES.text) + GAP.text
    case 'list':
      return block.items.reduce((sum, item) => sum + linesHeight(item, PAGE.width, SIZES.list) + GAP.item, GAP.text)
    case 'facts': {
      const facts = block.rows.map(({ label, value }): readonly Cell[] => [[{ text: label }], value])
      const pairs = facts.flatMap((fact, at) => (at % 2 === 0 ? [[...fact, ...(facts[at + 1] ?? [])]] : []))
      return (
        (block.isPaired === true
          ? rowsHeight(pairs, [12, 38, 12, 38], SIZES.fact)
          : rowsHeight(facts, [22, 78], SIZES.fact)) + GAP.block
      )
    }
    case 'table': {
      const widths = block.columns.map(({ width }) => width)
      const head = block.columns.map(({ title }): Cell => [{ text: title }])
      return rowsHeight([head], widths, SIZES.head) + rowsHeight(block.rows, widths, SIZES.cell) + GAP.block
    }
    case 'banner':
      return (
        linesHeight({ text: block.title }, PAGE.width - 24, 10.5) +
        linesHeight({ text: block.text }, PAGE.width - 24, SIZES.text) +
        23
      )
    default:
      return PAGE.height + 1
  }
}
