import { beforeAll, describe, expect, test } from 'vitest'
import { assessmentView } from '../../main/app/views.ts'
import { assess } from '../../main/core/assess.ts'
import { reached, summarize, tally } from '../../main/core/report/tally.ts'
import { cellOf, type Matrix, matrixOf, supportedNodes, wasReached, whatWouldChange } from '../../renderer/model.ts'
import { applyEvent, type RunProgress, summaryOf } from '../../renderer/run-progress.ts'
import type { EngineEvent } from '../../schemas/ipc.ts'
import type { AssessmentView } from '../../schemas/ipc-views.ts'
import { fakeCatalog } from '../support/fake-catalog.ts'
import { FAKE_NODES, FAKE_TIME, fakeRecording } from '../support/fake-nodes.ts'

let view: AssessmentView
let matrix: Matrix
beforeAll(() => {
  const scope = {
    fleet: 'demo',
    population: [...FAKE_NODES.map(({ name }) => name), 'never-seen'],
    frameworks: ['hipaa'] as const,
  }
  const recordings = FAKE_NODES.map((node) => fakeRecording(node, 'run'))
  view = assessmentView('run', 'run', assess({ catalog: fakeCatalog, scope, recordings, asOf: FAKE_TIME }), fakeCatalog)
  matrix = matrixOf(view)
})

describe('the matrix', () => {
  test('puts contradictions first, then what was not collected, then the rest', () => {
    expect(matrix.rows.map(({ node }) => node.node)).toEqual([
      'demo-guest-03',
      'demo-shared-05',
      'demo-metal-04',
      'demo-gpu-02',
      'demo-away-07',
      'demo-changed-08',
      'never-seen',
      'demo-nosudo-06',
      'demo-gpu-01',
    ])
  })
  test('keeps what was not collected in the denominator', () => {
    expect(matrix.rows.length).toBe(9)
    expect(supportedNodes(matrix, 'isolation')).toBe(2)
    expect(matrix.rows.filter(({ cells }) => cells === null).length).toBe(3)
  })
  test('says of every cell what the report says', () => {
    const report = tally(view.assessment, fakeCatalog.checks)
    for (const { node, cells } of matrix.rows) {
      expect(wasReached(node)).toBe(reached(node))
      for (const cell of cells ?? []) {
        const same = report.cell(node.node, cell.property)
        expect([cell.verdict, cell.met, cell.total]).toEqual([same.worst, same.counts.met, same.total])
        expect(summarize(cell.checks.map(({ verdict }) => verdict))).toEqual(same)
      }
    }
  })
  test('every verdict says what would change it', () => {
    for (const { node } of matrix.rows)
      for (const property of matrix.properties)
        for (const one of cellOf(view, node, property).checks) expect(whatWouldChange(one)).toMatch(/\.$/)
  })
})

test('a run is told by its events', () => {
  const events: readonly EngineEvent[] = [
    { kind: 'run-started', run: 'r', nodes: ['a', 'b'] },
    { kind: 'node-connecting', node: 'a' },
    { kind: 'node-collecting', node: 'a', done: 1, total: 3 },
    { kind: 'node-done', node: 'a', captures: 3, partial: false },
    { kind: 'node-failed', node: 'b', code: 'ssh.unreachable', detail: 'connection refused' },
    { kind: 'run-done', run: 'r', cancelled: false },
  ]
  const after = events.reduce<RunProgress | null>(applyEvent, null)
  expect(after === null ? '' : summaryOf(after)).toBe('Collection finished: 2 of 2 nodes finished, 1 not collected.')
  expect(applyEvent(null, { kind: 'node-connecting', node: 'a' })).toBeNull()
})
