import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chainFolderOf } from '../main/core/base/layout.ts'
import type { Input } from '../schemas/ipc.ts'
import { type EngineKit, kitsOfEachTest, valueIn, withNodes } from './support/engine-kit.ts'
import { createFakePorts } from './support/fake-ports.ts'
import { fakeEngagement } from './support/fake-provider.ts'

const { schema: _, inventory: __, ...FORM } = fakeEngagement
const { kitOver } = kitsOfEachTest()

const DAYS = { from: '2026-11-18', to: '2026-11-19' }
const WANTED: Input<'period.build'> = { ...DAYS, samples: [], identity: null, timestamp: false }

/** An engine whose clock the test sets. */
async function clocked() {
  const time = { now: '2026-11-18T09:15:00.000Z' }
  return { time, kit: await kitOver(createFakePorts({ now: () => time.now })) }
}

async function sealedRun(kit: EngineKit): Promise<void> {
  await kit.get('run.start', { nodes: [], only: 'all' })
  await kit.heard('run-done')
  const wanted = { frameworks: ['hipaa'], identity: null, timestamp: false, also: [], redact: null }
  await kit.get('export.build', wanted)
}

/** One sealed run of the first of the days. */
async function withRun() {
  const { kit, time } = await clocked()
  await withNodes(kit, ['db-4'])
  await kit.get('identities.create', { name: 'default', subject: 'Clinic (M. Ortiz)' })
  await sealedRun(kit)
  time.now = '2026-11-20T10:00:00.000Z'
  return { kit, time }
}

test('without a fleet there is no plan; with one and no sealed run, nothing to report on', async () => {
  const { kit } = await clocked()
  expect(await kit.get('period.plan', null)).toBeNull()
  expect(await kit.refusal('period.build', WANTED)).toBe('input.not-found')
  await withNodes(kit, ['db-4'])
  expect(await kit.get('period.plan', null)).toMatchObject({
    runs: 0,
    proposed: null,
    latest: '2026-11-17',
    identities: [],
  })
  expect(await kit.refusal('period.build', { ...WANTED, from: '2026-11-16', to: '2026-11-17' })).toBe('input.refused')
})

test('demo data has no period report', async () => {
  const { kit, time } = await clocked()
  await kit.get('demo.open', null)
  await kit.heard('run-done')
  time.now = '2026-11-20T10:00:00.000Z'
  expect(await kit.get('period.plan', null)).toMatchObject({ demo: true, runs: 0, proposed: null })
  expect(await kit.refusal('period.build', WANTED)).toBe('input.refused')
})

test('is sealed into the chain, opened as its reader will, and saved', async () => {
  const { kit, time } = await withRun()
  expect(await kit.get('period.plan', null)).toMatchObject({ runs: 1, proposed: DAYS, latest: DAYS.to })
  const draft = await kit.get('period.build', WANTED)
  const review = await kit.get('export.review', { handle: draft.handle })
  expect(review.report.kind).toBe('period')
  expect(review.report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  const path = join(kit.folder, 'usb')
  const saved = valueIn(await kit.engine.call('export.save', { handle: draft.handle }, { path }))
  expect(saved?.files).toEqual(draft.files)
  expect(readdirSync(path)).toContain('period-2026-11-18-2026-11-19.barewitness.zip')
  expect((await kit.get('history.get', { window: DAYS }))?.entries).toBe(2)
  // A later report of the same days is another entry.
  time.now = '2026-11-21T10:00:00.000Z'
  const again = await kit.get('period.build', WANTED)
  await kit.get('export.discard', { handle: again.handle })
  await kit.get('export.discard', { handle: draft.handle })
  // One was saved elsewhere; the other is named by the chain alone.
  expect(readdirSync(join(kit.folder, 'periods'))).toEqual([again.handle])
})

test('proposes the declared period as far as it is over', async () => {
  const { kit } = await withRun()
  const declared = async (from: string, to: string) => {
    await kit.get('engagement.set', { ...FORM, reportingBasis: { kind: 'period', from, to } })
    return (await kit.get('period.plan', null))?.proposed
  }
  expect(await declared('2026-10-01', '2026-12-31')).toEqual({ from: '2026-10-01', to: '2026-11-19' })
  expect(await declared('2026-10-01', '2026-10-31')).toEqual({ from: '2026-10-01', to: '2026-10-31' })
  expect(await declared('2026-12-01', '2026-12-31')).toBeNull()
})

test('without a time-stamp authority none is requested, and without a chain nothing is sealed', async () => {
  const { kit } = await withRun()
  expect(await kit.refusal('period.build', { ...WANTED, timestamp: true })).toBe('input.refused')
  const fleet = (await kit.get('fleet.get', null))?.name ?? ''
  rmSync(chainFolderOf(kit.folder, fleet), { recursive: true })
  expect(await kit.refusal('period.build', WANTED)).toBe('input.refused')
  expect(readdirSync(kit.folder)).not.toContain('periods')
})
