import { plain } from './plain-text.ts'

/** One of several: “3 of 12”. */
export const of = (part: number, whole: number): string => `${part} of ${whole}`
/** A number with its noun in the right form. */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** A list of names, truncated so that it stays readable in a fleet of hundreds. */
export function names(all: readonly string[], most = 12): string {
  const shown = all.slice(0, most).map((name) => plain(name, 80))
  const more = all.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}
