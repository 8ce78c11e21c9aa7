import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Engine } from '../schemas/ipc.ts'
import type { EngineEvent } from '../schemas/ipc-views.ts'
import { valueIn } from './support/engine-kit.ts'
import { createFakeEngine } from './support/fake-engine.ts'

// What the tests of the window stand on: the made-up engine goes the whole way from nodes to a sealed pack that verifies.
let engine: Engine
const events: EngineEvent[] = []
const out = mkdtempSync(join(tmpdir(), 'barewitness-fake-out-'))
beforeAll(async () => {
  engine = await createFakeEngine({ pace: 1 })
  engine.onEvent((event) => events.push(event))
})
afterAll(async () => {
  await engine.close()
  rmSync(out, { recursive: true, force: true })
})

test('the demo is collected, the same on every day', async () => {
  const { run } = valueIn(await engine.call('demo.open', null))
  expect(run).toBe('20261120t0915z-0001')
  while (!events.some(({ kind }) => kind === 'run-done')) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(events.some((event) => event.kind === 'node-collecting' && event.done === 7 && event.total === 12)).toBe(true)
  expect(valueIn(await engine.call('assessment.get', { of: 'run' }))?.asOf).toBe('2026-11-20T09:15:00.000Z')
})

test('it is exported, and the pack verifies as demo data', async () => {
  const frameworks = ['hipaa', 'soc2'] as const
  const draft = valueIn(
    await engine.call('export.build', { frameworks, identity: null, timestamp: false, also: [], redact: null }),
  )
  valueIn(await engine.call('export.save', { handle: draft.handle }, { path: out }))
  const pack = readdirSync(out, { recursive: true })
    .map(String)
    .find((name) => name.endsWith('.zip'))
  const review = valueIn(await engine.call('pack.choose-and-verify', null, { path: join(out, pack ?? '') }))
  expect(review?.report.demo).toBe(true)
  expect(review?.report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect([review?.verdicts.stated, review?.verdicts.identical]).toEqual([96, 96])
  expect(valueIn(await engine.call('assessment.get', { of: 'pack' }))?.rows).toHaveLength(8)
})
