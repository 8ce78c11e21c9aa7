/** Texts that people enter into a register, alone or in a table. */

/** A text as it is stored, with line feeds alone; null where it is empty. */
export const given = (text: string): string | null => text.replace(/\r\n?/g, '\n').trim() || null
export const inOneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()

/** Lengths that the register permits. */
export interface Lengths {
  readonly shortest: number
  readonly longest: number
}

export const NAME: Lengths = { shortest: 1, longest: 200 }
export const PROSE: Lengths = { shortest: 3, longest: 2000 }
// What no table can hold: control characters but tab and line feed, halves of surrogate pairs, noncharacters, and the replacement
// character, which stands for bytes that were no text.
const NOT_TEXT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffd]|\p{Surrogate}|\p{Noncharacter_Code_Point}/u

/** Why a text cannot be stored, with its name; null where it can, or where there is none. */
export function textProblem(name: string, text: string | null, { shortest, longest }: Lengths): string | null {
  if (text === null) return null
  if (NOT_TEXT.test(text)) return `${name} contains a character that a table cannot hold`
  if (text.length < shortest) return `${name} must have at least ${shortest} characters`
  return text.length > longest ? `${name} must have at most ${longest} characters` : null
}
