import { describe, expect, test } from 'vitest'
import { changesSince, missingRuns } from '../main/present/home-notices.ts'
import type { Flip, Uncollected } from '../schemas/drift.ts'
import type { HomeNotice } from '../schemas/ipc-findings.ts'

const noticeText = (notices: readonly HomeNotice[]) =>
  notices.map(({ is, phrases }) => [is, phrases.map(({ text }) => text).join('')])

describe('scheduled runs that are missing', () => {
  test('none are stated where every run arrived', () => {
    expect(missingRuns({ unexplained: [], overdue: [] })).toEqual([])
  })

  test('a chain that cannot be read is stated, and is no sign that every run arrived', () => {
    expect(missingRuns({ unexplained: [], overdue: [], isUnreadable: true })).toMatchObject([
      { is: 'unknown', action: { opens: { rows: 'missed-runs' } } },
    ])
  })

  test('the last missed run and the first overdue one are named with their time, and every count opens them', () => {
    const notices = missingRuns({
      unexplained: [{ due: '2026-11-18T02:00:00.000Z' }, { due: '2026-11-19T02:00:00.000Z' }],
      overdue: [{ due: '2026-11-20T02:00:00.000Z', until: '2026-11-20T04:40:00.000Z' }],
    })
    expect(noticeText(notices)).toEqual([
      ['missed', '2 scheduled runs were missed and have no recorded reason; the last was due 19 Nov 2026 02:00 UTC.'],
      [
        'overdue',
        '1 scheduled run is overdue: due 20 Nov 2026 02:00 UTC, counted as missed after 20 Nov 2026 04:40 UTC.',
      ],
    ])
    for (const { phrases, action } of notices) {
      expect(phrases[0]?.counts).toEqual({ rows: 'missed-runs' })
      expect(action.opens).toEqual({ rows: 'missed-runs' })
    }
  })
})

describe('what changed since the run before', () => {
  const flip = (node: string, check: string, after: Flip['after']): Flip => ({
    node,
    check,
    before: 'satisfied',
    after,
    because: 'evidence',
    probes: [],
  })
  const away: Uncollected = {
    node: 'gpu-05',
    before: { status: 'complete', failure: null },
    after: { status: 'failed', failure: 'ssh.timeout' },
    checks: ['a', 'b'],
    probes: [],
  }
  const since = (flips: readonly Flip[], uncollected: readonly Uncollected[], explained = 0) =>
    changesSince({
      before: { run: 'r1', startedAt: '2026-11-19T02:00:00.000Z' },
      after: { run: 'r2' },
      drift: { flips, uncollected, compared: 6 },
      explained,
    })

  test('nothing is stated as nothing, with the nodes that it is about', () => {
    expect(noticeText(since([], []))).toEqual([
      ['unchanged', 'No result changed since the run of 19 Nov 2026 02:00 UTC on 6 nodes compared.'],
    ])
  })

  test('results are counted by their new verdict, deviations first; a node that was away is not a changed result', () => {
    const notices = since(
      [flip('gpu-01', 'a', 'satisfied'), flip('gpu-02', 'a', 'not-satisfied'), flip('gpu-02', 'b', 'not-satisfied')],
      [away],
      1,
    )
    expect(noticeText(notices)).toEqual([
      ['explained', '1 scheduled run since the run of 19 Nov 2026 02:00 UTC was missed; the reason is recorded.'],
      [
        'changed',
        '3 results changed since the run of 19 Nov 2026 02:00 UTC, on 2 nodes: 2 now not satisfied, 1 satisfied. 1 node was not collected completely in one of the runs: gpu-05.',
      ],
    ])
    const changed = notices[1]
    expect(changed?.action.opens).toEqual({ rows: 'changes', before: 'r1', after: 'r2' })
    for (const { text, counts } of changed?.phrases ?? [])
      if (/^\d/.test(text)) expect(counts, text).toEqual(changed?.action.opens)
  })
})
