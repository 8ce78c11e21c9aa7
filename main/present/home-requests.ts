import type { CountedRows, HomeNotice, Phrase } from '../../schemas/ipc-findings.ts'
import { plural } from '../core/plain-text.ts'
import type { RequestCounts } from '../core/request-counts.ts'

const REQUESTS: CountedRows = { rows: 'requests' }
const phrase = (text: string, counts: CountedRows | null = null): Phrase => ({ text, counts })

/** Requests of auditors that await the officer, in words; none where nothing does, or where there is no portal. Pure. */
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
