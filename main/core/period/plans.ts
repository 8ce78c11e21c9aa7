import type { PlannedSpan } from '../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../base/failure.ts'
import { quote } from '../base/plain-text.ts'
import { compare } from '../recording/recording.ts'
import { dueTimes, parseCadence, type Zones } from '../run-chain/cadence.ts'
import type { LoggedEntry } from '../run-chain/entry.ts'

/** One run required by a schedule in the run chain. */
export interface DueRun {
  readonly schedule: string
  readonly due: string
  /** Minutes after which it is late. */
  readonly withinMinutes: number
}

/**
 * The schedules in a run chain with their periods of effect; sorted by schedule, then by entry. A schedule is in effect from the time it
 * states, or from its entry if that is later, because the past cannot be scheduled. It ends when the next entry for it was added at
 * the earliest, whatever that entry states, because runs already due cannot be withdrawn. A clock that was set back ends nothing either, and unsigned
 * entries have no effect.
 */
export function planSpans(entries: readonly LoggedEntry[]): readonly PlannedSpan[] {
  const closed: PlannedSpan[] = []
  const open = new Map<string, PlannedSpan>()
  let latest = ''
  for (const [index, { entry, signature }] of entries.entries()) {
    latest = later(latest, entry.at)
    if (entry.kind !== 'plan' || signature === null) continue
    const { schedule, cadence, withinMinutes } = entry
    const from = later(entry.from, entry.at)
    const before = open.get(schedule)
    const until = later(from, latest)
    if (before !== undefined && compare(before.from, until) < 0) closed.push({ ...before, until })
    open.delete(schedule)
    if (cadence !== null) open.set(schedule, { schedule, cadence, withinMinutes, from, until: null, entry: index + 1 })
  }
  return [...closed, ...open.values()].sort((a, b) => compare(a.schedule, b.schedule) || a.entry - b.entry)
}

/** Times can be written with or without milliseconds. */
const later = (a: string, b: string): string => {
  const one = iso(b)
  return a !== '' && Date.parse(a) >= Date.parse(one) ? iso(a) : one
}

const iso = (instant: string): string => new Date(Date.parse(instant)).toISOString()

/**
 * Every run required by the schedules after `after` and up to and including `until`, each once; sorted by schedule and time. Fails with
 * input.refused where a time zone is unknown here, because due times cannot be computed without it, and where the schedules require an unreasonable
 * number of runs.
 */
export function dueRuns(
  spans: readonly PlannedSpan[],
  zones: Zones,
  { after, until }: { readonly after: string; readonly until: string },
): Outcome<readonly DueRun[]> {
  const found = new Map<string, DueRun>()
  for (const { schedule, cadence, withinMinutes, from, until: end } of spans) {
    const read = parseCadence(cadence)
    const times =
      read === null ? null : dueTimes(read, zones, later(from, after), end === null ? until : earlier(end, until))
    if (times === null)
      return fail('input.refused', `cannot evaluate ${quote(cadence)}: unknown time zone on this computer`)
    if (found.size + times.length > MOST_DUE) return fail('input.refused', 'the schedules require too many runs')
    for (const due of times) {
      const key = `${schedule} ${due}`
      if (!found.has(key)) found.set(key, { schedule, due, withinMinutes })
    }
  }
  return ok([...found.values()].sort((a, b) => compare(a.schedule, b.schedule) || compare(a.due, b.due)))
}

/** Hourly runs of two schedules over ten years, and more. */
const MOST_DUE = 200_000

const earlier = (a: string, b: string): string => (Date.parse(a) <= Date.parse(b) ? a : b)
