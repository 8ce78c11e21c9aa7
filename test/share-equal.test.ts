import { expect, test } from 'vitest'
import { compression } from '../main/adapters/compression.ts'
import { sharing } from '../main/app/engine/context/share-equal.ts'
import { assessedNow } from '../main/app/engine/runs/stored-runs.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import type { LoadedRecording } from '../main/core/recording/recording.ts'
import type { Scope } from '../schemas/types.ts'
import { createFakePorts } from './support/fake-ports.ts'
import { fixtureRecording } from './support/fixtures.ts'

const AS_OF = '2026-11-28T00:00:00.000Z'
const collected = (): LoadedRecording => fixtureRecording('demo-gpu-01', catalog.probes)

test('equal answers of two nodes are one in memory, and nothing that is stated of them differs', () => {
  const [one, other] = [collected(), collected()]
  const share = sharing(compression)
  const [first, second] = [share.recording(one), share.recording(other)]
  expect(JSON.stringify(first.recording)).toBe(JSON.stringify(one.recording))
  for (const [at, capture] of one.captures.entries()) {
    expect(JSON.stringify(first.captures[at])).toBe(JSON.stringify(capture))
    expect(second.captures[at]?.stdout).toBe(first.captures[at]?.stdout)
    expect(second.captures[at]?.meta.argv).toBe(first.captures[at]?.meta.argv)
  }
})

test('when and for how long each answer was taken stays with its node', () => {
  const one = collected()
  const share = sharing(compression)
  const later = {
    ...one,
    captures: one.captures.map(({ meta, stdout, stderr }, at) => ({
      meta: { ...meta, startedAt: `2026-11-28T00:00:00.${String(at).padStart(3, '0')}Z`, durationMs: at },
      stdout,
      stderr,
    })),
  }
  const nodes = [one, later, one].map(share.recording)
  for (const [at, given] of [one, later, one].entries())
    expect(JSON.stringify(nodes[at]?.captures.map(({ meta }) => meta))).toBe(
      JSON.stringify(given.captures.map(({ meta }) => meta)),
    )
  expect(nodes[0]?.captures).toBe(nodes[0]?.captures)
})

test('answers of the same digest and other bytes stay apart', () => {
  const { recording, captures } = collected()
  const shorter = captures.map((answer) => ({ ...answer, stdout: answer.stdout.slice(1) }))
  const share = sharing(compression)
  const [first, second] = [
    { recording, captures },
    { recording, captures: shorter },
  ].map(share.recording)
  const lengths = (of: LoadedRecording['captures'] = []) => of.map(({ stdout }) => stdout.length)
  expect(lengths(first?.captures)).toEqual(lengths(captures))
  expect(lengths(second?.captures)).toEqual(lengths(shorter))
})

test('a run is evaluated as assess() evaluates it, and equal results of two nodes are one in memory', () => {
  const { recording, captures } = collected()
  const named = (name: string): LoadedRecording => ({
    recording: { ...recording, node: { ...recording.node, name } },
    captures,
  })
  const recordings = [named('gpu-1'), named('gpu-2')]
  const scope: Scope = { fleet: 'Two', population: ['gpu-2', 'gpu-1', 'gpu-3'], frameworks: ['hipaa', 'soc2'] }
  const ports = createFakePorts({ now: () => AS_OF })
  const { assessment } = assessedNow(ports, catalog, { run: 'r', scope, recordings, unreadable: [] })
  expect(JSON.stringify(assessment)).toBe(JSON.stringify(assess({ catalog, scope, recordings, asOf: AS_OF })))
  const [one, other] = assessment.nodes
  expect(one?.results.length).toBeGreaterThan(50)
  const same = one?.results.filter((result, at) => result === other?.results[at]).length ?? 0
  expect(same).toBeGreaterThan(50)
})

test('values that differ in a type, in an order or in an absent key stay apart', () => {
  const share = sharing(compression)
  const values = [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
    { a: '1', b: 2 },
    { a: 1, b: null },
    { a: 1 },
    { a: 1, b: undefined },
    { a: 0 },
    { a: -0 },
    { a: 'null' },
    { a: true },
    { a: 'true' },
    { a: [] },
    { a: {} },
    { a: ['1,2'] },
    { a: ['1', '2'] },
    { a: '\ud800 a lone surrogate' },
  ]
  const all = values.map((value) => share.node(value as never) as unknown)
  expect(new Set(all).size).toBe(values.length)
  expect(all).toEqual(values)
  expect(all.map((value) => JSON.stringify(value))).toEqual(values.map((value) => JSON.stringify(value)))
})
