import type { HistoryView } from '../../app/history-view.ts'
import type { Rebuilt } from '../../app/rebuild-history.ts'
import type { KeptHead } from '../../core/history.ts'
import { plain } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'

/** The lines of `history list`: the entries of each run chain by time, then stored runs that are in no chain. */
export function* listLines({ fleets, outside, rebuilt }: HistoryView): Generator<string> {
  for (const { fleet, entries, reading, retired } of fleets) {
    yield `Fleet ${plain(fleet)}, run chain with ${entries} entries`
    const late = new Set(reading.late.map(({ run }) => run))
    const gone = new Set(retired.map(({ tagManifest }) => tagManifest))
    const rows = [
      ...reading.runs.map(({ run, at, planned, declared, answered, catalog, tagManifest }) => {
        const plan = planned === null ? 'not scheduled' : `scheduled for ${planned.due}${late.has(run) ? ', late' : ''}`
        const evidence = gone.has(tagManifest) ? '; evidence deleted under the retention policy' : ''
        // The entry is written before the pack: a run that was killed in between has an entry and no seal.
        const found =
          catalog === null
            ? `recorded in the run chain${evidence === '' ? '; run trace and pack are missing' : ''}; ${plan}`
            : `${answered} of ${declared} nodes collected; ${plan}; sealed`
        return [at, `${plain(run)}  ${found}${evidence}`] as const
      }),
      ...reading.missedRuns.map(
        ({ due, why, signed }) =>
          [due, `missed run, ${signed ? 'reason recorded' : 'reason noted but not signed'}: ${plain(why)}`] as const,
      ),
      ...reading.awaited.map(
        ({ due, schedule, until }) =>
          [due, `overdue: scheduled by ${plain(schedule)}, can still run until ${until}`] as const,
      ),
      ...reading.unrecorded.map(
        ({ due, schedule }) => [due, `MISSED RUN, no reason recorded: scheduled by ${plain(schedule)}`] as const,
      ),
    ]
    for (const [at, text] of rows.sort(([a], [b]) => compare(a, b))) yield `  ${at}  ${text}`
    const { counts } = reading.calendar
    yield `  scheduled ${counts.planned}: took place ${counts.completed} (late ${counts.late}), missed with a reason ${counts.recorded}, missed without a reason ${counts.unrecorded}; not scheduled ${counts.unplanned}`
    for (const note of reading.notes) yield `  ${note}`
  }
  if (outside.length > 0) yield 'Not in a run chain of this folder'
  for (const head of outside) yield `  ${head.asOf}  ${headText(head)}`
  if (rebuilt !== null) yield* rebuiltLines(rebuilt)
}

export const headText = ({ run, answered, declared, sealed, demo }: KeptHead): string =>
  `${plain(run)}  ${answered} of ${declared} nodes collected; ${sealed === null ? 'NOT SEALED' : 'sealed'}${demo ? '; demo data' : ''}`

export function* rebuiltLines({ taken, putAside, missing }: Rebuilt): Generator<string> {
  if (taken.length > 0) yield `Added to the history from sealed packs: ${taken.map((run) => plain(run)).join(', ')}.`
  if (putAside.length > 0) yield `Unreadable, moved aside: ${putAside.map((name) => plain(name)).join(', ')}.`
  for (const { run, why } of missing)
    yield `Run ${plain(run)} is in the run chain, but the history has no trace of it: ${why}.`
}
