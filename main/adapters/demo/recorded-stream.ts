/**
 * The bytes of a stream as lines of a recorded node's file, in the first of these forms that suits:
 * - `text`: `|` and the line as it is, in UTF-8 without control characters but tab.
 * - `escaped`: the same in printable ASCII and tab; a backslash is `\\`, a carriage return `\r`, any other byte `\xHH`.
 * - `hex`: `|`, 16 bytes as hex pairs, ` xN` where N lines follow each other alike, then two blanks and the same as
 *   ASCII, for the reader only.
 * In text and escaped each line stands for itself with its line feed; after a last line without one follows `\`.
 */
export type StreamForm = 'text' | 'escaped' | 'hex'

export const isStreamForm = (word: string): word is StreamForm => ['text', 'escaped', 'hex'].includes(word)

const NO_LINE_FEED = '\\'

/** Throws where the lines are not in the form. */
export function decodeStream(form: StreamForm, lines: readonly string[]): Uint8Array {
  if (form === 'hex') return Buffer.concat(lines.map(hexLine))
  const isOpen = lines.at(-1) === NO_LINE_FEED
  const closed = isOpen ? lines.slice(0, -1) : lines
  const odd = closed.find((line) => !(form === 'text' ? line.startsWith('|') : ESCAPED_LINE.test(line)))
  if (odd !== undefined) throw new Error(`not a line of ${form}: ${odd.slice(0, 40)}`)
  const text = closed.map((line) => line.slice(1)).join('\n') + (isOpen || closed.length === 0 ? '' : '\n')
  return form === 'text' ? Buffer.from(text, 'utf8') : Buffer.from(text.replace(ESCAPE, unescaped), 'latin1')
}

const ESCAPED_LINE = /^\|(?:[\t -[\]-~]|\\(?:\\|r|x[0-9a-f]{2}))*$/
const ESCAPE = /\\(\\|r|x[0-9a-f]{2})/g

const unescaped = (_: string, escaped: string): string => {
  if (escaped === 'r') return '\r'
  return escaped === '\\' ? '\\' : String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
}

function hexLine(line: string): Buffer {
  const found = /^\|([0-9a-f]{2}(?: [0-9a-f]{2})*)(?: x(\d+))?(?: {2}.*)?$/.exec(line)
  if (found === null) throw new Error(`not a line of hex: ${line.slice(0, 40)}`)
  const bytes = Buffer.from((found[1] ?? '').replaceAll(' ', ''), 'hex')
  return Buffer.concat(Array.from({ length: Number(found[2] ?? '1') }, () => bytes))
}
