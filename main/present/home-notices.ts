import type { Flip, RunDrift } from '../../schemas/drift.ts'
import type { CountedRows, HomeNotice, Phrase } from '../../schemas/ipc-findings.ts'
import type { RequestCounts } from '../../schemas/ipc-portal.ts'
import { type Verdict, verdictWords } from '../../schemas/words.ts'
import { names, plural } from '../core/base/plain-text.ts'
import { when } from './report/parts/wording.ts'

const REQUESTS: CountedRows = { rows: 'requests' }
export const phrase = (text: string, counts: CountedRows | null = null): Phrase => ({ text, counts })

/** Requests of auditors that await the officer, in words; empty where none does, and where there is no portal. Pure. */
export function requestNotices(counts: RequestCounts | null): readonly HomeNotice[] {
  if (counts === null || counts.waiting + counts.commented === 0) return []
  const { waiting, late, commented } = counts
  return [
    {
      is: late > 0 ? 'late-requests' : 'requests',
      phrases: [
        ...(waiting === 0
          ? []
          : [
              phrase(plural(waiting, 'request'), REQUESTS),
              phrase(` of auditors ${waiting === 1 ? 'awaits' : 'await'} an answer${lateWords(late, waiting)}.`),
            ]),
        ...(commented === 0
          ? []
          : [
              ...(waiting === 0 ? [] : [phrase(' ')]),
              phrase(plural(commented, waiting === 0 ? 'request' : 'further request'), REQUESTS),
              phrase(` ${commented === 1 ? 'has' : 'have'} a new comment of an auditor.`),
            ]),
      ],
      action: { label: 'Show requests', opens: REQUESTS },
    },
  ]
}

const lateWords = (late: number, waiting: number): string =>
  late === 0 ? '' : late === waiting ? ', past due' : `, ${late} of them past due`

/** Scheduled runs of the fleet that did not arrive. */
export interface DueRuns {
  /** Missed without a recorded reason, by time. */
  readonly unexplained: readonly { readonly due: string }[]
  /** Due, and still in time until then; by time. */
  readonly overdue: readonly { readonly due: string; readonly until: string }[]
  /** The run chain could not be read, so that it is not known whether runs were missed. */
  readonly isUnreadable?: boolean
}

const MISSED: CountedRows = { rows: 'missed-runs' }

/** Scheduled runs that are missing, in words; none where every run arrived. Pure. */
export function missingRuns({ unexplained, overdue, isUnreadable = false }: DueRuns): readonly HomeNotice[] {
  const [last, first] = [unexplained.at(-1), overdue[0]]
  return [
    ...(isUnreadable
      ? [
          {
            is: 'unknown' as const,
            phrases: [phrase('The run chain could not be read. It is not known whether scheduled runs were missed.')],
            action: { label: 'Show history', opens: MISSED },
          },
        ]
      : []),
    ...(last === undefined
      ? []
      : [
          {
            is: 'missed' as const,
            phrases: [
              phrase(plural(unexplained.length, 'scheduled run'), MISSED),
              phrase(
                unexplained.length === 1
                  ? ` was missed and has no recorded reason: due ${when(last.due)}.`
                  : ` were missed and have no recorded reason; the last was due ${when(last.due)}.`,
              ),
            ],
            action: { label: unexplained.length === 1 ? 'Record reason' : 'Record reasons', opens: MISSED },
          },
        ]),
    ...(first === undefined
      ? []
      : [
          {
            is: 'overdue' as const,
            phrases: [
              phrase(plural(overdue.length, 'scheduled run'), MISSED),
              phrase(
                ` ${overdue.length === 1 ? 'is' : 'are'} overdue: due ${when(first.due)}, counted as missed after ${when(first.until)}.`,
              ),
            ],
            action: { label: 'Show overdue runs', opens: MISSED },
          },
        ]),
  ]
}

/** Two runs that follow each other, and what differs between them. */
interface RunChanges {
  readonly before: { readonly run: string; readonly startedAt: string }
  readonly after: { readonly run: string }
  readonly drift: Pick<RunDrift, 'flips' | 'uncollected' | 'compared'>
  /** Scheduled runs in between that were missed, and whose reason is recorded. */
  readonly explained: number
}

/** The changes since the previous run, in words: results, nodes that cannot be compared, and missed runs. Pure. */
export function changesSince({ before, after, drift, explained }: RunChanges): readonly HomeNotice[] {
  const { flips, uncollected, compared } = drift
  const opens: CountedRows = { rows: 'changes', before: before.run, after: after.run }
  const since = `the run of ${when(before.startedAt)}`
  const notCompared =
    uncollected.length === 0
      ? []
      : [
          phrase(' '),
          phrase(plural(uncollected.length, 'node'), opens),
          phrase(
            ` ${uncollected.length === 1 ? 'was' : 'were'} not collected completely in one of the runs: ${names(
              uncollected.map(({ node }) => node),
              3,
            )}.`,
          ),
        ]
  const nodes = new Set(flips.map(({ node }) => node)).size
  const changed =
    flips.length === 0
      ? [
          phrase(`No result changed since ${since} on `),
          phrase(`${plural(compared, 'node')} compared`, opens),
          phrase('.'),
        ]
      : [
          phrase(plural(flips.length, 'result'), opens),
          phrase(` changed since ${since}, on `),
          phrase(plural(nodes, 'node'), opens),
          phrase(': '),
          ...byVerdict(flips).flatMap(([verdict, count], at) => [
            ...(at === 0 ? [] : [phrase(', ')]),
            phrase(`${count} ${at === 0 ? 'now ' : ''}${nowWords(verdict)}`, opens),
          ]),
          phrase('.'),
        ]
  return [
    ...(explained === 0
      ? []
      : [
          {
            is: 'explained' as const,
            phrases: [
              phrase(plural(explained, 'scheduled run'), MISSED),
              phrase(
                ` since ${since} ${explained === 1 ? 'was' : 'were'} missed; the reason ${explained === 1 ? 'is' : 'of each is'} recorded.`,
              ),
            ],
            action: { label: 'Show missed runs', opens: MISSED },
          },
        ]),
    {
      is: flips.length + uncollected.length === 0 ? 'unchanged' : 'changed',
      phrases: [...changed, ...notCompared],
      action: { label: 'Compare runs', opens },
    },
  ]
}

const ORDER: readonly (Verdict | null)[] = [
  ...(['not-satisfied', 'inconclusive', 'satisfied', 'not-tested', 'informational', 'not-applicable'] as const),
  null,
]

/** Results by their new verdict, deviations first. */
function byVerdict(flips: readonly Flip[]): readonly (readonly [Verdict | null, number])[] {
  return ORDER.flatMap((verdict) => {
    const count = flips.filter(({ after }) => after === verdict).length
    return count === 0 ? [] : [[verdict, count] as const]
  })
}

const nowWords = (verdict: Verdict | null): string =>
  verdict === null ? 'without this check' : verdictWords[verdict].label.toLowerCase()
