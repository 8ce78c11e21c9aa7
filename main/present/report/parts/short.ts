import { plain } from '../../../core/base/plain-text.ts'

/** Units of width: the width of an “n”, in the regular and the semibold font. */
const SLIM = /[fijlrt .,:;'!()[\]|]/
const NARROW = /[a-ln-vx-z0-9 .,:;'!()[\]/\\_{}|-]/
/** Further letters of European languages and of Vietnamese, and marks of text, that the fonts of the PDF files have. */
const WIDE = /[ -\u017f\u0384-\u03ce\u1ea0-\u1ef9\u2010-\u2026€№™]/
const CYRILLIC = /[\u0400-\u045f\u0490-\u0493\u04ae-\u04b3\u04d8-\u04d9\u04e8-\u04e9]/
const WIDE_CYRILLIC = /[ЂЉЊЋДЖМФШЩЪЫЮжфшщыюљњ]/
/** Accents that are drawn over the letter before them. */
const ACCENT = /[\u0300-\u0304\u0306-\u030c\u031b\u0323\u0326-\u0328]/

/** Maximum width of a letter. Letters missing from the fonts are printed as a code, hence 10. */
function widthOf(char: string): number {
  if (ACCENT.test(char)) return 0
  if (SLIM.test(char)) return 0.68
  if (NARROW.test(char)) return 1
  if (CYRILLIC.test(char)) return WIDE_CYRILLIC.test(char) ? 1.85 : 1.3
  return WIDE.test(char) ? 1.65 : 10
}

const weight = (words: string): number => [...words].reduce((sum, char) => sum + widthOf(char), 0)

/** Typed text or a name from a node, truncated to `most` units of width. */
export function short(words: string, most: number): string {
  const whole = plain(words.trim().replace(/\s+/g, ' '), most)
  if (weight(whole) <= most) return whole
  let sum = weight('…')
  const kept = [...whole].filter((char) => {
    sum += widthOf(char)
    return sum <= most
  })
  return `${kept.join('')}…`
}

/** The name of the organization as page 1 has it in its title, on at most two lines. */
export const titleName = (name: string): string => short(name, 64)
