import { plain } from '../../core/plain-text.ts'

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
