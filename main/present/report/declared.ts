import { PATHS } from '../../core/pack-files.ts'
import { oneLine, plain } from '../../core/plain-text.ts'
import { type Block, type Cell, type Line, plainCell, quiet, text } from '../../core/report-document.ts'
import { day } from './wording.ts'

/** `2026-05-14` as `14 May 2026`; text in another form is returned unchanged. */
export const dayOf = (written: string): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(written) ? day(`${written}T00:00Z`) : plain(written, 40)

/** Who declared a part of the engagement, and when. */
export const declaredBy = ({ owner, on }: { readonly owner: string; readonly on: string }): string =>
  `Declared ${byWhom({ owner, on })}`

/** The same below a label that states the rest. */
export const byWhom = ({ owner, on }: Declared): string => `by ${oneLine(owner, 200)} on ${dayOf(on)}`

/** The same as a quiet line. */
const declaredLine = (part: { readonly owner: string; readonly on: string }): Line => ({
  text: declaredBy(part),
  style: 'quiet',
})

type Declared = { readonly owner: string; readonly on: string }

/** Who declared the rows of a table: once below it where all have the same person and date, otherwise in each row. */
export function whoseWord(parts: readonly Declared[]): {
  readonly inRow: (part: Declared) => readonly Line[]
  readonly beneath: readonly Block[]
} {
  const [first, ...others] = parts
  const same = first !== undefined && others.every((part) => declaredBy(part) === declaredBy(first))
  return same
    ? { inRow: () => [], beneath: [quiet(`${declaredBy(first)}.`)] }
    : { inRow: (part) => [declaredLine(part)], beneath: [] }
}

const DAY_MS = 86_400_000

/** Whole days from the end of a date until a time: null for an invalid date, negative for a future one. */
export function daysSince(written: string, asOf: string): number | null {
  const days = Math.floor((Date.parse(asOf) - Date.parse(`${written}T00:00:00.000Z`)) / DAY_MS)
  return Number.isNaN(days) ? null : days
}

/** Typed text as a table cell. */
export const typed = (words: string, max = 2000): Cell => plainCell(oneLine(words, max))

/** Several typed texts, one per line; `none` where there are none. */
export const typedList = (words: readonly string[], none: string): Cell =>
  words.length === 0 ? plainCell(none) : words.map((one) => ({ text: oneLine(one, 500) }))

export type FactRows = readonly { readonly label: string; readonly value: Cell }[]

export const factBlock = (rows: FactRows): Block => ({ kind: 'facts', rows })

/** Entries of one kind printed in full; the others are in the pack. */
export const MOST_ENTRIES = 300

/** States where the remaining entries are. */
export const furtherEntries = (count: number): readonly Block[] =>
  count <= MOST_ENTRIES ? [] : [text(`${count - MOST_ENTRIES} more are in the pack, in ${PATHS.register}.`)]
