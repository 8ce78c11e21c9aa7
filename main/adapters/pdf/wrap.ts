/** Width of a text in points. */
export type Measure = (text: string) => number

/**
 * Text with every character that the font lacks (and every control) written as `\u{hex}`, so that nothing in a report
 * is invisible and no missing glyph is drawn.
 */
export function drawable(text: string, covers: (codePoint: number) => boolean): string {
  if (PRINTABLE.test(text)) return text
  let out = ''
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    const shown = char === ' ' || (code > 0x20 && code !== 0x7f && covers(code))
    out += shown ? char : code === 0x0a || code === 0x09 ? ' ' : `\\u{${code.toString(16)}}`
  }
  return out
}

/** Whether a text has a character written as its number: by the function above, or as invisible before that. */
export const hasCode = (text: string): boolean => text.includes('\\u{')

/** ASCII from space to tilde, which every font has. */
const PRINTABLE = /^[ -~]*$/

/**
 * Breaks text into lines no wider than `width`. A line broken at a space keeps it, so that words stay separate for a
 * screen reader; a word wider than the line is broken after punctuation where there is some, otherwise anywhere.
 */
export function wrap(text: string, width: number, measure: Measure): readonly string[] {
  const space = measure(' ')
  const lines: string[] = []
  let line = ''
  let used = 0
  const end = (): void => {
    lines.push(`${line} `)
    line = ''
    used = 0
  }
  for (const word of text.split(' ').filter((part) => part !== '')) {
    const wide = measure(word)
    if (line !== '' && used + space + wide > width) end()
    if (wide <= width) {
      used += (line === '' ? 0 : space) + wide
      line = line === '' ? word : `${line} ${word}`
      continue
    }
    const pieces = breakWord(word, width, measure)
    lines.push(...pieces.slice(0, -1))
    line = pieces.at(-1) ?? ''
    used = measure(line)
  }
  if (line !== '' || lines.length === 0) lines.push(line)
  return lines
}

const AFTER = /[/\-_.,:;=@)}+]/

function breakWord(word: string, width: number, measure: Measure): readonly string[] {
  const pieces: string[] = []
  let piece = ''
  let used = 0
  let stop = 0
  for (const char of word) {
    const wide = measure(char)
    if (used + wide > width && piece !== '') {
      const at = stop > piece.length / 2 ? stop : piece.length
      pieces.push(piece.slice(0, at))
      piece = piece.slice(at)
      used = measure(piece)
      stop = 0
    }
    piece += char
    used += wide
    if (AFTER.test(char)) stop = piece.length
  }
  return [...pieces, piece]
}

/** A line of fixed pitch, broken at spaces if needed; continuation lines are indented by two, as in a listing. */
export function wrapFixed(text: string, columns: number): readonly string[] {
  if (text.length <= columns) return [text]
  const at = text.lastIndexOf(' ', columns - 1)
  const cut = at > columns / 3 ? at + 1 : columns
  return [text.slice(0, cut), ...wrapFixed(`  ${text.slice(cut)}`, columns)]
}
