import { plain } from '../../core/plain-text.ts'

/**
 * Widths of IBM Plex Sans in thousandths of the size, by class of character, rounded up to the widest of the class in the regular and
 * the semibold cut: a picture is laid out without the font at hand, and no text may leave its box.
 */
const CLASSES: readonly (readonly [width: number, characters: string])[] = [
  [320, " ijl.,'!:;’‘"],
  [410, '|[](){}ft·-r'],
  [565, '/\\I"zcsvyxkJgL?“”'],
  [620, 'abdehnopqu0123456789+<=>^`~$_*FTSEZ×–−'],
  [735, 'ABCDGHKNOPQRUVXY&#'],
  [830, 'Mw—'],
]
/** The widest of what is left: m, W, @, %, the ellipsis, the arrow, letters with marks. */
const WIDEST = 1000
const WIDTHS = new Map(CLASSES.flatMap(([width, characters]) => [...characters].map((char) => [char, width] as const)))
/** Plex Mono: every character is as wide as the others. */
const MONO = 600

/** The width of a drawn text in points, never less than it takes. */
export function widthOf(text: string, size: number, mono = false): number {
  let sum = 0
  for (const char of text) sum += mono ? MONO : (WIDTHS.get(char) ?? WIDEST)
  return (sum * size) / 1000
}

const UNDRAWN = /[^\x20-\x7e\xa1-\u017f…→·×“”’‘–—−]/gu

/** Text that may come from a node, as a picture can show it: characters outside the drawn set stand as `\u{hex}`. */
export const drawn = (text: string): string =>
  plain(text, 400).replace(UNDRAWN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)

/** The text, cut with an ellipsis where it is wider than `room`. */
export function fitted(text: string, room: number, size: number, mono = false): string {
  const whole = drawn(text)
  if (widthOf(whole, size, mono) <= room) return whole
  let kept = ''
  let used = widthOf('…', size, mono)
  for (const char of whole) {
    used += widthOf(char, size, mono)
    if (used > room) break
    kept += char
  }
  return kept === '' && used > room + size ? '' : `${kept.trimEnd()}…`
}
