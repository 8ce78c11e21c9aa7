import { millisOf } from './register/days.ts'
import type { EntryContent } from './register/signed-content.ts'
import { readEntryContent } from './register/signed-content.ts'

/** What a sealer was shown, read back from the text that it would sign. */
export type SealingContent = { readonly kind: 'register-entry' } & EntryContent

/** How far the clock of a team server may be ahead of that of a sealer. */
export const MOST_AHEAD_MS = 5 * 60_000

/**
 * Reads the text that a sealer is asked to sign. Null for every text that is not one of the known kinds in exactly the form in which this program
 * writes it, and for one that states a time after `now`. `problems` validates against the schema of a register.
 */
export function readSealingContent(
  text: string,
  now: string,
  problems: (register: unknown) => readonly string[],
): SealingContent | null {
  const entry = readEntryContent(text, problems)
  return entry === null || isAhead(entry.at, now) ? null : { kind: 'register-entry', ...entry }
}

const isAhead = (at: string, now: string): boolean => !(millisOf(at) <= millisOf(now) + MOST_AHEAD_MS)
