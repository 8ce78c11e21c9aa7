import type { Deviation, EarlierRuns } from '../../../schemas/types.ts'
import { of, plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'
import { type Block, type Cell, heading, quiet, text } from '../../core/report-document.ts'
import type { Matter } from './input.ts'
import { when } from './wording.ts'

const MOST_RUNS = 400

/** A time without its zone, for columns headed UTC. */
const moment = (instant: string): string => when(instant).replace(/ UTC$/, '')

/** Deviations from the first earlier run of the declared period up to this one: first found, remediated since, and still open. */
export function deviationsOverRuns(matter: Matter, { runs, deviations }: EarlierRuns): readonly Block[] {
  const asOf = when(matter.assessment.asOf)
  const kept = runs.filter((run) => run.kept)
  const rows = claimRows(matter, deviations)
  return [
    heading(3, `Deviations up to ${asOf}`, true),
    text(
      `Based on ${of(kept.length, runs.length)} earlier runs of the declared period and this run. “First found” is the first of these runs with the deviation, which may be older. “Remediated” counts deviations that a later run shows satisfied or not applicable; without a later conclusive result, a deviation counts as open. A risk acceptance does not remove a deviation.`,
    ),
    text(
      'The earlier runs are not in this pack. Their results come from run traces kept with the run chain; each can be compared with the pack of its run by the digest below. The results of this run come from this pack only.',
    ),
    rows.length === 0
      ? text('No deviations noted on the nodes tested in any of these runs.')
      : {
          kind: 'table',
          columns: [
            { title: 'Expected condition', width: 46 },
            { title: 'Deviations now', width: 13 },
            { title: 'First found (UTC)', width: 19 },
            { title: 'Remediated', width: 11 },
            { title: 'Still open', width: 11 },
          ],
          rows,
        },
    heading(4, 'Earlier runs'),
    {
      kind: 'table',
      rowHeaders: true,
      columns: [
        { title: 'Run', width: 26 },
        { title: 'As of (UTC)', width: 20 },
        { title: 'SHA-256 of its tag manifest', width: 54 },
      ],
      rows: runs
        .slice(-MOST_RUNS)
        .map(({ run, at, tagManifest, kept: isKept }): readonly Cell[] => [
          [{ text: plain(run, 100), style: 'mono' }],
          [{ text: moment(at) }],
          [
            { text: tagManifest, style: 'mono' },
            ...(isKept ? [] : [{ text: 'Run trace not available; not used.', style: 'strong' } as const]),
          ],
        ]),
    },
    ...(runs.length > MOST_RUNS
      ? [quiet(`And ${plural(runs.length - MOST_RUNS, 'run')} before them, in the run chain of the pack.`)]
      : []),
  ]
}

function claimRows({ catalog, shown }: Matter, deviations: readonly Deviation[]): readonly (readonly Cell[])[] {
  const now = [...shown.findings, ...shown.informational]
  const apart = new Map(now.map((finding) => [finding.check, finding]))
  const before = catalog.checks.filter(({ id }) => !apart.has(id) && deviations.some((one) => one.check === id))
  const listed = [...now.map(({ check: id, criterion }) => ({ id, expected: criterion.expected })), ...before]
  return listed.map((check) => {
    const own = deviations.filter((one) => one.check === check.id)
    const open = own.filter((one) => one.open).length
    const count = apart.get(check.id)?.deviations.length ?? 0
    return [
      [{ text: check.expected }, { text: check.id, style: 'quiet' }],
      [{ text: of(count, apart.get(check.id)?.tested ?? 0), ...(count > 0 ? { mark: 'square-cross' as const } : {}) }],
      [{ text: moment(own.map(({ found }) => found.at).sort(compare)[0] ?? '') }],
      [{ text: of(own.length - open, own.length) }],
      [open === 0 ? { text: of(0, own.length) } : { text: of(open, own.length), style: 'strong' }],
    ]
  })
}
