import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ExportedPeriod } from '../../main/app/export/period.ts'
import { engagementOf } from '../support/engagement.ts'
import { must } from '../support/outcomes.ts'
import { type Files, filesIn, type PeriodKit, periodKit, reviewedWith, textIn } from '../support/period-kit.ts'

let kit: PeriodKit
let made: ExportedPeriod
let files: Files
let pack: string

// One collection that a signer seals again on each of the following nights, under the name of a run of that night.
beforeAll(async () => {
  kit = await periodKit()
  await kit.plan()
  await kit.run(23)
  await kit.run(24, '', ['node-a', 'node-b'], false, 23)
  await kit.run(25, '', ['node-a', 'node-b'], false, 23)
  kit.at('2026-11-28T09:00:00.000Z')
  const nodes = ['node-a', 'node-b']
  const samples = [{ population: 'node-runs', size: 6, seed: 'all' }] as const
  made = must(await kit.account('2026-11-23', '2026-11-25', samples, engagementOf({ nodes })))
  pack = join(kit.folder, 'out', 'period-2026-11-23-2026-11-25.barewitness.zip')
  files = await filesIn(kit.ports, pack)
})
afterAll(() => rmSync(kit.folder, { recursive: true, force: true }))

test('counts a collection once, however many runs seal it', () => {
  const [one] = made.period.conclusions?.controls ?? []
  expect(one?.conclusion.server).toMatchObject({ state: 'scope-limitation', population: 6, tested: 2 })
  expect(one?.conclusion.state).toBe('unable-to-conclude')
})

test('states no evidence on the days of the other runs', () => {
  const { counts, without } = made.period.calendar
  expect([counts.completed, counts.daysWith]).toEqual([3, 1])
  expect(without).toEqual([{ from: '2026-11-24', to: '2026-11-25', days: 2 }])
  expect(textIn(files, 'data/populations/node-runs.csv').match(/,missing,/g)).toHaveLength(4)
})

test('names the runs', () => {
  expect((made.period.notes ?? []).filter((note) => note.includes('earlier run'))).toEqual(
    ['run-24', 'run-25'].map((run) =>
      expect.stringMatching(`^Run “${run}” has the recordings of an earlier run for 2 nodes`),
    ),
  )
})

test('names an entity on the cover that no run declares', () => {
  const named = made.period.engagement?.entity ?? ''
  expect(made.period.notes ?? []).toContainEqual(
    expect.stringMatching(`^The cover names the entity “${named}”.*the last run declares no engagement`),
  )
})

test('verifies as it is stated', async () => {
  const report = await reviewedWith(kit, pack)
  expect(report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect(report.checks.find(({ check }) => check === 'reproducibility')?.outcome).toBe('passed')
})
