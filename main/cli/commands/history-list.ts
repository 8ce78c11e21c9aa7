import type { HistoryView } from '../../app/history-view.ts'
import type { Rebuilt } from '../../app/rebuild-history.ts'
import type { KeptHead } from '../../core/history.ts'
import { plain } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'

/** What `history list` says: what the chains say happened, in the order of its days, and what stands in none. */
export function* listLines({ fleets, outside, rebuilt }: HistoryView): Generator<string> {
  for (const { fleet, entries, reading, retired } of fleets) {
    yield `Fleet ${plain(fleet)}, a chain of ${entries} entries`
    const late = new Set(reading.late.map(({ run }) => run))
    const gone = new Set(retired.map(({ tagManifest }) => tagManifest))
    const rows = [
      ...reading.runs.map(({ run, at, planned, declared, answered, catalog, tagManifest }) => {
        const plan = planned === null ? 'not planned' : `planned for ${planned.due}${late.has(run) ? ', late' : ''}`
        const evidence = gone.has(tagManifest) ? '; its evidence was taken away under the retention policy' : ''
        // The entry comes before the pack: a run that was killed in between has one and no seal.
        const found =
          catalog === null
            ? `entered into the chain${evidence === '' ? '; neither its trace nor its pack is at hand' : ''}; ${plan}`
            : `${answered} of ${declared} nodes; ${plan}; sealed`
        return [at, `${plain(run)}  ${found}${evidence}`] as const
      }),
      ...reading.gaps.map(
        ({ due, why, signed }) =>
          [due, `no run: ${signed ? 'recorded' : 'noted, but not signed'}: ${plain(why)}`] as const,
      ),
      ...reading.awaited.map(
        ({ due, schedule, until }) =>
          [due, `overdue: planned by ${plain(schedule)}, may still arrive until ${until}`] as const,
      ),
      ...reading.unrecorded.map(
        ({ due, schedule }) => [due, `NO RUN, and no record of why: planned by ${plain(schedule)}`] as const,
      ),
    ]
    for (const [at, text] of rows.sort(([a], [b]) => compare(a, b))) yield `  ${at}  ${text}`
    const { counts } = reading.calendar
    yield `  planned ${counts.planned}: took place ${counts.met} (late ${counts.late}), recorded as missed ${counts.recorded}, without a record ${counts.unrecorded}; not planned ${counts.unplanned}`
    for (const note of reading.notes) yield `  ${note}`
  }
  if (outside.length > 0) yield 'In no chain of this folder'
  for (const head of outside) yield `  ${head.asOf}  ${headText(head)}`
  if (rebuilt !== null) yield* rebuiltLines(rebuilt)
}

export const headText = ({ run, answered, declared, sealed, demo }: KeptHead): string =>
  `${plain(run)}  ${answered} of ${declared} nodes; ${sealed === null ? 'NOT SEALED' : 'sealed'}${demo ? '; made-up nodes of the demo' : ''}`

export function* rebuiltLines({ taken, putAside, missing }: Rebuilt): Generator<string> {
  if (taken.length > 0)
    yield `Taken into the history from their sealed packs: ${taken.map((run) => plain(run)).join(', ')}.`
  if (putAside.length > 0)
    yield `Could not be read and were put aside: ${putAside.map((name) => plain(name)).join(', ')}.`
  for (const { run, why } of missing)
    yield `The chain names run ${plain(run)}, and the history has no trace of it: ${why}.`
}
