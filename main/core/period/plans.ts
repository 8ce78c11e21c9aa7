import type { PlannedSpan } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../failure.ts'
import { quote } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { ok } from '../result.ts'
import type { LoggedEntry } from '../run-chain/entry.ts'
import { dueTimes, parseCadence, type Zones } from './cadence.ts'

/** One run that a plan in the chain asks for. */
export interface DueRun {
  readonly schedule: string
  readonly due: string
  /** Minutes after which it is late. */
  readonly withinMinutes: number
}

/**
 * What was planned, from when until when, as the plans in a chain say it; sorted by schedule, then by place. A plan holds from the moment it
 * names, or from when it was entered if that is later: nobody plans the past. And it ends when the next one for its schedule was entered at
 * the earliest, whatever that one says: nobody takes back what was due before. A clock that was set back ends nothing either, and what nobody
 * signed plans nothing and ends nothing.
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

/** Instants may be written with and without milliseconds. */
const later = (a: string, b: string): string => {
  const one = iso(b)
  return a !== '' && Date.parse(a) >= Date.parse(one) ? iso(a) : one
}
const iso = (instant: string): string => new Date(Date.parse(instant)).toISOString()

/**
 * Every run that the plans ask for after `after` and up to and including `until`, each once; sorted by schedule and moment. Fails with
 * input.refused where a time zone is not known here: without it nobody can say what was due; and where the plans ask for more than anybody
 * runs.
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
      return fail('input.refused', `what ${quote(cadence)} means is not known here: no such time zone on this computer`)
    if (found.size + times.length > MOST_DUE) return fail('input.refused', 'the plans ask for too many runs')
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
