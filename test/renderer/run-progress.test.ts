import { expect, test } from 'vitest'
import {
  applyEvent,
  applyEvents,
  counts,
  detailOf,
  endOf,
  missingNodes,
  progressFrom,
  type RunProgress,
  rowsOf,
  slowest,
  summaryOf,
  timeLeft,
} from '../../renderer/models/run-progress.ts'
import type { EngineEvent } from '../../schemas/ipc-views.ts'

const NODES = ['a', 'b', 'c', 'd']
type Step = readonly [at: number, event: EngineEvent]
const STARTED: Step = [0, { kind: 'run-started', run: 'r1', nodes: NODES }]
const connecting = (at: number, node: string): Step => [at, { kind: 'node-connecting', node }]
const collecting = (at: number, node: string, done: number): Step => [
  at,
  { kind: 'node-collecting', node, done, total: 10 },
]
const done = (at: number, node: string, partial = false): Step => [
  at,
  { kind: 'node-done', node, captures: 9, partial },
]
const failed = (at: number, node: string): Step => [
  at,
  { kind: 'node-failed', node, code: 'ssh.unreachable', detail: 'refused' },
]

function after(...steps: readonly Step[]): RunProgress {
  const progress = [STARTED, ...steps].reduce<RunProgress | null>((so, [at, event]) => applyEvent(so, event, at), null)
  if (progress === null) throw new Error('no run')
  return progress
}

test('events before a run are nothing, and menu events change nothing', () => {
  expect(applyEvent(null, { kind: 'node-connecting', node: 'a' }, 0)).toBeNull()
  const progress = after()
  expect(applyEvent(progress, { kind: 'go', to: 'nodes' }, 5)).toBe(progress)
})

test('events of one batch lead where they lead one by one, and leave the run before them as it was', () => {
  const again: Step = [7, { kind: 'run-started', run: 'r2', nodes: ['a', 'z'] }]
  const paused: Step = [3, { kind: 'run-paused', run: 'r1' }]
  const batch = [connecting(1, 'a'), done(2, 'a'), paused, failed(4, 'b'), collecting(5, 'x', 3)]
  for (const steps of [batch, [...batch, again, connecting(8, 'z')]]) {
    const before = after(connecting(1, 'c'))
    const events = steps.map(([at, event]) => ({ at, event }))
    const single = steps.reduce<RunProgress | null>((so, [at, event]) => applyEvent(so, event, at), before)
    expect(applyEvents(before, events)).toEqual(single)
    expect(before).toEqual(after(connecting(1, 'c')))
  }
  expect(applyEvents(null, [{ at: 0, event: { kind: 'node-connecting', node: 'a' } }])).toBeNull()
})

test('the row of a node is the same object until its progress changes, so that a table draws no other row again', () => {
  const before = after(connecting(1, 'a'), connecting(1, 'b'))
  const [first, second] = [
    rowsOf(before),
    rowsOf(applyEvent(before, { kind: 'node-connecting', node: 'a' }, 2) ?? before),
  ]
  expect(second.map(({ node }) => node)).toEqual(NODES)
  expect(second.map((row, at) => row === first[at])).toEqual([false, true, true, true])
})

test('time left is the pace so far; a node at work counts for what it answered', () => {
  expect(timeLeft(after(), 60_000)).toBeNull()
  expect(timeLeft(after(connecting(0, 'a')), 60_000)).toBeNull()
  expect(timeLeft(after(done(60_000, 'a')), 60_000)).toBe('about 3 min left')
  expect(timeLeft(after(done(60_000, 'a'), collecting(60_000, 'b', 5)), 90_000)).toBe('about 3 min left')
  expect(timeLeft(after(done(1, 'a'), failed(2, 'b'), done(3, 'c')), 30_000)).toBe('less than 1 min left')
})

test('once every node ended, their results are evaluated, until the run is done', () => {
  const evaluating: Step = [4, { kind: 'run-evaluating', run: 'r1', done: 2, total: 4 }]
  const paused: Step = [3, { kind: 'run-paused', run: 'r1' }]
  expect(after().evaluated).toBeNull()
  const progress = after(done(1, 'a'), paused, evaluating)
  expect([progress.evaluated, progress.paused, progress.ended]).toEqual([{ done: 2, total: 4 }, false, 'no'])
  expect(summaryOf(progress, 5)).toContain('Results are being evaluated')
  const ended = after(done(1, 'a'), evaluating, [5, { kind: 'run-done', run: 'r1', cancelled: false }])
  expect(summaryOf(ended, 6)).toContain('Collection finished')
})

test('there is no time left to guess while paused or after the end', () => {
  const paused: Step = [1, { kind: 'run-paused', run: 'r1' }]
  expect(timeLeft(after(done(1, 'a'), paused), 60_000)).toBeNull()
  expect(timeLeft(after(done(1, 'a'), paused, [2, { kind: 'run-resumed', run: 'r1' }]), 60_000)).not.toBeNull()
  expect(timeLeft(after(done(1, 'a'), [2, { kind: 'run-done', run: 'r1', cancelled: false }]), 60_000)).toBeNull()
})

test('a run that was paused before its start was reported stays paused; another run begins unpaused', () => {
  const paused: Step = [1, { kind: 'run-paused', run: 'r1' }]
  expect(after(paused, [2, { kind: 'run-started', run: 'r1', nodes: NODES }]).paused).toBe(true)
  expect(after(paused, [2, { kind: 'run-started', run: 'r2', nodes: NODES }]).paused).toBe(false)
  const ended: Step = [2, { kind: 'run-done', run: 'r1', cancelled: true }]
  expect(after(paused, ended, [3, { kind: 'run-started', run: 'r1', nodes: NODES }]).paused).toBe(false)
})

test('a node that is only timed is active, shows the remaining time, and counts as captured', () => {
  const timing: Step = [60_000, { kind: 'node-timing', node: 'a', secondsLeft: 48 }]
  const progress = after(connecting(0, 'a'), timing)
  expect(summaryOf(progress, 60_000)).toContain('slowest a: Timing, 48 s left')
  expect(counts(progress).finished).toBe(0)
  expect(timeLeft(progress, 60_000)).toBe('about 3 min left')
  expect(detailOf({ is: 'timing', secondsLeft: 48 })).toContain('Other nodes continue meanwhile.')
})

test('the slowest is the node that has been at work longest', () => {
  const progress = after(
    connecting(10, 'b'),
    connecting(20, 'a'),
    collecting(30, 'a', 9),
    connecting(5, 'c'),
    done(40, 'c'),
  )
  expect(slowest(progress)?.[0]).toBe('b')
  expect(slowest(after(done(1, 'a')))).toBeNull()
})

test('the summary shows counts, time left and the slowest node', () => {
  const progress = after(done(60_000, 'a'), failed(60_000, 'b'), collecting(60_000, 'c', 9))
  expect(summaryOf(progress, 120_000)).toBe(
    '2 of 4 nodes, 1 not collected; less than 1 min left; slowest c: Collecting, 9 of 10 commands.',
  )
  const ended = applyEvent(progress, { kind: 'run-done', run: 'r1', cancelled: true }, 0)
  expect(ended === null ? '' : summaryOf(ended, 0)).toBe(
    'Collection stopped: 1 of 4 nodes collected, 1 not collected, 2 not started or not finished. Collected evidence is kept.',
  )
})

test('the end of a run counts nodes that were collected in part, and evidence only where there is any', () => {
  const end = (...steps: readonly Step[]): string => endOf(after(...steps))
  const stopped: Step = [9, { kind: 'run-done', run: 'r1', cancelled: true }]
  expect(end(done(1, 'a'), done(2, 'b', true), done(3, 'c'), failed(4, 'd'))).toBe(
    '3 of 4 nodes collected, 1 of them partially, 1 not collected.',
  )
  expect(end(failed(1, 'a'), failed(2, 'b'), failed(3, 'c'), failed(4, 'd'), stopped)).toBe(
    '0 of 4 nodes collected, 4 not collected.',
  )
})

test('what is missing is what failed, answered in part or was never begun', () => {
  const progress = after(done(1, 'a'), done(2, 'b', true), failed(3, 'c'))
  expect(missingNodes(progress)).toEqual(['b', 'c', 'd'])
  expect(counts(progress)).toEqual({ total: 4, done: 2, failed: 1, partial: 1, finished: 3 })
})

test('a window that opens late sees the current run with its start time', () => {
  const events = [STARTED, done(0, 'a'), done(0, 'b')].map(([, event]) => event)
  const status = { run: 'r1', going: true, paused: true, startedAt: '2026-05-14T09:00:00Z', events }
  const progress = progressFrom(status, 5_000, Date.parse('2026-05-14T09:02:00Z'))
  expect([progress?.since, progress?.paused, progress?.ended]).toEqual([-115_000, true, 'no'])
  const over = progressFrom({ ...status, going: false, paused: false }, 0, 0)
  expect(over?.ended).toBe('done')
  expect(progressFrom({ ...status, events: [] }, 0, 0)).toBeNull()
})
