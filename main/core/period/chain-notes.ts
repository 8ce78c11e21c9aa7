import { quote } from '../plain-text.ts'
import type { LoggedEntry } from '../run-chain/entry.ts'
import { CLOCK_TOLERANCE_MINUTES, shortened } from '../run-chain/notes.ts'
import { dayOf } from './days.ts'

interface Window {
  /** Days of UTC, both included. */
  readonly from: string
  readonly to: string
  readonly asOf?: string
}

/** Notes on the order, dates and keys of run chain entries in a period, one sentence each. Entries are numbered from 1. */
export function chainNotes(entries: readonly LoggedEntry[], window: Window): readonly string[] {
  return [
    ...begunLater(entries, window),
    ...shortened(unsignedPlans(entries)),
    ...shortened(datedLater(entries, window)),
    ...shortened(enteredLater(entries, window)),
    ...shortened(newKeys(entries, window)),
  ]
}

const TOLERANCE = CLOCK_TOLERANCE_MINUTES * 60_000
const isIn = (at: string, { from, to }: Window): boolean => dayOf(at) >= from && dayOf(at) <= to

function begunLater(entries: readonly LoggedEntry[], { from }: Window): readonly string[] {
  const [first] = entries
  if (first === undefined) return ['The run chain has no entries and covers no day.']
  return dayOf(first.entry.at) <= from
    ? []
    : [
        `The run chain begins at ${first.entry.at}, after the first day of the period. It does not cover earlier schedules and runs.`,
      ]
}

const unsignedPlans = (entries: readonly LoggedEntry[]): readonly string[] =>
  entries.flatMap(({ entry, signature }, index) =>
    entry.kind === 'plan' && signature === null
      ? [`Entry ${index + 1}, for schedule ${quote(entry.schedule)}, is not signed and has no effect.`]
      : [],
  )

/** Entries dated in the future. A run dated after the period is not in it, whenever it took place. */
function datedLater(entries: readonly LoggedEntry[], { asOf }: Window): readonly string[] {
  if (asOf === undefined) return []
  return entries.flatMap(({ entry }, index) =>
    Date.parse(entry.at) - Date.parse(asOf) <= TOLERANCE
      ? []
      : [`Entry ${index + 1} is dated ${entry.at}, later than this period report, ${asOf}. A clock was wrong.`],
  )
}

/** Entries dated before a preceding entry: a clock was behind, or the entry was added afterwards. */
function enteredLater(entries: readonly LoggedEntry[], window: Window): readonly string[] {
  const notes: string[] = []
  let latest = { at: Number.NEGATIVE_INFINITY, place: 0 }
  for (const [index, { entry }] of entries.entries()) {
    const at = Date.parse(entry.at)
    if (latest.at - at > TOLERANCE && isIn(entry.at, window))
      notes.push(
        `Entry ${index + 1} is dated ${entry.at} but follows entry ${latest.place}, dated ${new Date(latest.at).toISOString()}. A clock was set back, or the entry was added afterwards.`,
      )
    if (at > latest.at) latest = { at, place: index + 1 }
  }
  return notes
}

/** Runs of the period sealed by a key that no earlier entry names. */
function newKeys(entries: readonly LoggedEntry[], window: Window): readonly string[] {
  const known = new Set<string>()
  return entries.flatMap(({ entry }, index) => {
    const isNew = index > 0 && !known.has(entry.signer)
    known.add(entry.signer)
    return isNew && entry.kind === 'run' && isIn(entry.at, window)
      ? [
          `Entry ${index + 1}, run ${quote(entry.run)}, was sealed by a key not used in earlier entries: ${entry.signer}.`,
        ]
      : []
  })
}
