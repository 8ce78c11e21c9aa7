/** Row heights: programs other than Excel keep the height of a row without one at a single line, and cover the rest of a wrapped text. */

/** The font of every cell, which other programs replace by one of the same widths. */
export const FONT = { family: 'Arial', size: 10 } as const

/** Width of a digit of the font in points: widths of columns are counted in digits. */
export const DIGIT = 5.25

const LINE = 12.75

/** Limit of Microsoft Excel. */
const HIGHEST = 409

/** Thousandths of the size, from space to tilde, as the metrics of Helvetica state them, which Arial shares. */
const WIDTHS = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
] as const

/** A letter that the metrics lack is taken to be as wide as the widest of them. */
const WIDEST = 1015

/** Programs round the width of each letter to whole pixels. */
const ROUNDED = 1.06

const widthOf = (text: string): number => {
  let sum = 0
  for (let at = 0; at < text.length; at++) sum += WIDTHS[text.charCodeAt(at) - 32] ?? WIDEST
  return (sum / 1000) * FONT.size * ROUNDED
}

/** Lines that a text takes in a column of this width in characters: broken behind spaces and hyphens, and within a longer word. */
export function linesOf(text: string, width: number): number {
  const room = width * DIGIT
  return text.split('\n').reduce((lines, line) => lines + wrapped(line, room), 0)
}

function wrapped(line: string, room: number): number {
  if (line.length * (WIDEST / 1000) * FONT.size * ROUNDED <= room) return 1
  let lines = 1
  let used = 0
  for (const word of line.match(/[^ -]*(?:-| +|$)/g) ?? []) {
    const wide = widthOf(word.trimEnd())
    if (used > 0 && used + wide > room) {
      lines += 1
      used = 0
    }
    lines += Math.max(0, Math.ceil(wide / room) - 1)
    used = (used + widthOf(word)) % room
  }
  return lines
}

/** Height of a row in points, so that no cell of it is covered; columns without a width count as one of ten characters. */
export function heightOf(cells: readonly string[], widths: readonly number[]): number {
  const lines = cells.reduce((most, cell, at) => Math.max(most, linesOf(cell, widths[at] ?? 10)), 1)
  return Math.min(lines * LINE, HIGHEST)
}
