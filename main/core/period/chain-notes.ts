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

/** What the order, the dates and the keys of a chain's entries say of a period, one sentence each. Places are counted from 1. */
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
  if (first === undefined) return ['The chain of runs has no entry: it says nothing of any day.']
  return dayOf(first.entry.at) <= from
    ? []
    : [
        `The chain of runs begins at ${first.entry.at}, after the first day of the period. Of what was planned or done before, it says nothing.`,
      ]
}

const unsignedPlans = (entries: readonly LoggedEntry[]): readonly string[] =>
  entries.flatMap(({ entry, signature }, index) =>
    entry.kind === 'plan' && signature === null
      ? [
          `Entry ${index + 1}, a plan for schedule ${quote(entry.schedule)}, is not signed. It plans nothing and ends nothing.`,
        ]
      : [],
  )

/** A clock that was ahead. A run that is dated after the period is not in it, whenever it took place. */
function datedLater(entries: readonly LoggedEntry[], { asOf }: Window): readonly string[] {
  if (asOf === undefined) return []
  return entries.flatMap(({ entry }, index) =>
    Date.parse(entry.at) - Date.parse(asOf) <= TOLERANCE
      ? []
      : [`Entry ${index + 1} is dated ${entry.at}, later than this account of it, ${asOf}. A clock was wrong.`],
  )
}

/** Entries of the period that were made after later ones: a clock that was behind, or an entry that was made afterwards. */
function enteredLater(entries: readonly LoggedEntry[], window: Window): readonly string[] {
  const notes: string[] = []
  let latest = { at: Number.NEGATIVE_INFINITY, place: 0 }
  for (const [index, { entry }] of entries.entries()) {
    const at = Date.parse(entry.at)
    if (latest.at - at > TOLERANCE && isIn(entry.at, window))
      notes.push(
        `Entry ${index + 1} is dated ${entry.at}, and was entered after entry ${latest.place}, dated ${new Date(latest.at).toISOString()}. A clock was set back, or it was made afterwards.`,
      )
    if (at > latest.at) latest = { at, place: index + 1 }
  }
  return notes
}

/** Runs of the period by a key that nothing before names. */
function newKeys(entries: readonly LoggedEntry[], window: Window): readonly string[] {
  const known = new Set<string>()
  return entries.flatMap(({ entry }, index) => {
    const isNew = index > 0 && !known.has(entry.signer)
    known.add(entry.signer)
    return isNew && entry.kind === 'run' && isIn(entry.at, window)
      ? [
          `Entry ${index + 1}, run ${quote(entry.run)}, was sealed by a key that no entry before it names: ${entry.signer}.`,
        ]
      : []
  })
}
