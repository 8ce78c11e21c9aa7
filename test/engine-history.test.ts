import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chainFolderOf } from '../main/core/base/layout.ts'
import { type EngineKit, kitsOfEachTest, withNodes } from './support/engine-kit.ts'
import { MOVED } from './support/fake-ports.ts'

const { clocked, keep, kitOver } = kitsOfEachTest()
const ALL = { nodes: [], only: 'all' } as const

async function collected(kit: EngineKit): Promise<string> {
  const { run } = await kit.get('run.start', ALL)
  await kit.heard('run-done')
  return run
}

const sealed = async (kit: EngineKit): Promise<void> => {
  if ((await kit.get('identities.list', null)).length === 0)
    await kit.get('identities.create', { name: 'default', subject: 'Clinic (M. Ortiz)' })
  await kit.get('export.build', {
    frameworks: ['hipaa'],
    identity: null,
    timestamp: false,
    also: [],
    redact: null,
  })
}

const history = async (kit: EngineKit) => {
  const view = await kit.get('history.get', { window: { from: '2026-11-16', to: '2026-11-22' } })
  if (view === null) throw new Error('there is no history')
  return view
}

describe('days and runs', () => {
  test('without a fleet there is none; with one, the last weeks', async () => {
    const kit = await kitOver()
    expect(await kit.get('history.get', { window: null })).toBeNull()
    // Nothing is sent from a computer of one person by its engine.
    expect(await kit.get('history.sending', null)).toBeNull()
    await withNodes(kit, ['db-4'])
    const view = await kit.get('history.get', { window: null })
    expect([view?.from, view?.to, view?.days.length, view?.entries]).toEqual(['2026-08-22', '2026-11-20', 91, null])
    expect(view?.without).toEqual([{ from: '2026-08-22', to: '2026-11-20', days: 91 }])
  })

  test('a window that is none, or too long, is refused', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4'])
    const asked = (from: string, to: string) => kit.refusal('history.get', { window: { from, to } })
    expect(await asked('2026-02-30', '2026-03-01')).toBe('input.refused')
    expect(await asked('2026-03-02', '2026-03-01')).toBe('input.refused')
    expect(await asked('2025-01-01', '2026-02-05')).toBe('input.refused')
    expect(await asked('2025-01-01', '2026-02-04')).toBe('it was answered')
  })

  test('what was collected counts as a day with evidence, and never as sealed', async () => {
    const { kit } = await clocked()
    await withNodes(kit, ['db-4', 'db-5'])
    const run = await collected(kit)
    const view = await history(kit)
    expect(view.runs).toMatchObject([{ run, seal: 'none', declared: 2, answered: 2, comparable: true, schedule: null }])
    expect(view.days.find(({ day }) => day === '2026-11-18')).toMatchObject({
      sealed: 0,
      collected: 1,
      unplanned: 0,
      declared: 2,
      answered: 2,
    })
    expect(view.counts).toMatchObject({ days: 3, daysWith: 1, completed: 0, unplanned: 0 })
    expect(view.without).toEqual([{ from: '2026-11-16', to: '2026-11-17', days: 2 }])
  })

  test('a pack makes it sealed, once, and the chain states it', async () => {
    const { kit } = await clocked()
    await withNodes(kit, ['db-4', 'db-5'])
    const run = await collected(kit)
    await sealed(kit)
    const view = await history(kit)
    expect(view.entries).toBe(1)
    expect(view.runs).toMatchObject([{ run, seal: 'sealed', declared: 2, answered: 2, comparable: true }])
    expect(view.days.find(({ day }) => day === '2026-11-18')).toMatchObject({ sealed: 1, collected: 0, unplanned: 1 })
    const again = await kit.reopened()
    keep(again)
    expect((await history(again)).runs).toEqual(view.runs)
  })

  test('a run whose trace is gone is shown from its evidence, and cannot be compared', async () => {
    const { kit } = await clocked()
    await withNodes(kit, ['db-4'])
    const run = await collected(kit)
    rmSync(join(kit.folder, 'history'), { recursive: true })
    expect((await history(kit)).runs).toMatchObject([{ run, seal: 'none', comparable: false }])
    expect(await kit.refusal('history.compare', { before: run, after: run })).toBe('input.not-found')
  })

  test('a chain that is broken is named, and the rest is shown', async () => {
    const { kit } = await clocked()
    await withNodes(kit, ['db-4'])
    const run = await collected(kit)
    await sealed(kit)
    const view = await history(kit)
    const path = join(chainFolderOf(kit.folder, view.fleet), 'entries.jsonl')
    expect(existsSync(path)).toBe(true)
    writeFileSync(path, readFileSync(path, 'utf8').replace(run, 'another'))
    const broken = await history(kit)
    expect(broken.shortfalls.map(({ code }) => code)).toEqual(['chain.broken'])
    // Nothing that the chain cannot vouch for is shown as sealed.
    expect(broken.runs).toMatchObject([{ run, seal: 'none' }])
  })

  test('the demo shows its own runs, apart from the fleet of this computer', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4'])
    await collected(kit)
    const { run } = await kit.get('demo.open', null)
    await kit.heard('run-done')
    const view = await history(kit)
    expect([view.demo, view.entries]).toEqual([true, null])
    expect(view.runs).toMatchObject([{ run, seal: 'none', declared: 8, answered: 6 }])
    await sealed(kit)
    expect((await history(kit)).runs).toMatchObject([{ run, seal: 'demo' }])
    const found = await kit.get('history.deviations', { from: '2026-11-16', to: '2026-11-22' })
    expect(found.total).toBeGreaterThan(0)
    expect(found.rows[0]).toMatchObject({ open: true, fixed: null, runs: 1 })
  })
})

describe('two runs', () => {
  test('of an unchanged fleet nothing differs', async () => {
    const { kit, until } = await clocked()
    await withNodes(kit, ['db-4', 'db-5'])
    const before = await collected(kit)
    until('2026-11-19T09:15:00.000Z')
    const after = await collected(kit)
    const drift = await kit.get('history.compare', { before, after })
    expect([drift.compared, drift.unchanged]).toEqual([2, 2])
    for (const list of [drift.evidence, drift.rules, drift.scope, drift.moves, drift.twice])
      expect(list).toEqual({ rows: [], total: 0 })
    expect(drift.flips).toEqual({ rows: [], total: 0, results: 0 })
    expect(await kit.refusal('history.flip', { before, after, node: 'db-4', check: 'none' })).toBe('input.not-found')
  })

  test('a node that answers as another machine: what changed, which verdicts, and by which lines', async () => {
    const { kit, until } = await clocked()
    await withNodes(kit, ['db-4', 'db-5'])
    const before = await collected(kit)
    until('2026-11-19T09:15:00.000Z')
    await kit.get('fleet.edit-node', { node: 'db-4', address: MOVED, port: 22, user: '', sudo: false })
    await kit.get('hostkeys.scan', { nodes: ['db-4'] })
    const [shown] = (await kit.get('hostkeys.list', null)).filter(({ node }) => node === 'db-4')
    await kit.get('hostkeys.confirm', {
      node: 'db-4',
      fingerprint: shown?.fingerprint ?? '',
      howVerified: 'read on the console',
    })
    await withNodes(kit, ['db-6'])
    const after = await collected(kit)
    const drift = await kit.get('history.compare', { before, after })
    expect([drift.compared, drift.unchanged]).toEqual([2, 1])
    expect(drift.scope.rows).toMatchObject([
      { title: 'Node added to the declared population', node: 'db-6' },
      { title: 'Declaration of this node changed', node: 'db-4' },
    ])
    expect(drift.rules.total).toBe(0)
    expect(drift.evidence.rows.map(({ id }) => id)).toContain('address')
    expect(drift.flips.total).toBeGreaterThan(0)
    const flip = drift.flips.rows.find(({ before: was, after: is }) => was === 'satisfied' && is === 'not-satisfied')
    expect(flip?.nodes).toEqual({ rows: ['db-4'], total: 1 })
    const detail = await kit.get('history.flip', { before, after, node: 'db-4', check: flip?.check ?? '' })
    expect(detail.flip).toMatchObject({ because: 'evidence', before: 'satisfied', after: 'not-satisfied' })
    expect(detail.steps).toMatchObject({ stated: 'satisfied', rules: 'satisfied', evidence: 'not-satisfied' })
    const lines = detail.captures.flatMap(({ removed, added }) => [...removed, ...added])
    expect(lines.length).toBeGreaterThan(0)
    // The other way round it is the mirror of it.
    const back = await kit.get('history.compare', { before: after, after: before })
    expect(back.flips.results).toBe(drift.flips.results)
  })

  test('results that changed for one cause are one row, however many nodes have it', async () => {
    const { kit, until } = await clocked()
    await withNodes(kit, ['db-4', 'db-5', 'db-6'])
    const before = await collected(kit)
    until('2026-11-19T09:15:00.000Z')
    for (const node of ['db-4', 'db-5']) {
      await kit.get('fleet.edit-node', { node, address: MOVED, port: 22, user: '', sudo: false })
      await kit.get('hostkeys.scan', { nodes: [node] })
      const [shown] = (await kit.get('hostkeys.list', null)).filter((one) => one.node === node)
      await kit.get('hostkeys.confirm', { node, fingerprint: shown?.fingerprint ?? '', howVerified: 'console' })
    }
    const after = await collected(kit)
    const { flips } = await kit.get('history.compare', { before, after })
    const changed = flips.rows.filter(({ after: is }) => is === 'not-satisfied')
    expect(changed.map(({ nodes }) => nodes)).toContainEqual({ rows: ['db-4', 'db-5'], total: 2 })
    expect(new Set(changed.map(({ check }) => check)).size).toBe(changed.length)
    expect(flips.rows.reduce((sum, { nodes }) => sum + nodes.total, 0)).toBe(flips.results)
  })
})

describe('the first screen', () => {
  test('states nothing about one run, and what changed since the run before of two', async () => {
    const { kit, until } = await clocked()
    await withNodes(kit, ['db-4', 'db-5'])
    expect(await kit.get('home.changes', null)).toEqual([])
    const before = await collected(kit)
    expect(await kit.get('home.changes', null)).toEqual([])
    until('2026-11-19T09:15:00.000Z')
    const after = await collected(kit)
    const notices = await kit.get('home.changes', null)
    expect(notices).toMatchObject([{ is: 'unchanged', action: { opens: { rows: 'changes', before, after } } }])
    // An earlier run that is shown is compared with the one before it, of which there is none.
    await kit.get('runs.open', { run: before })
    expect(await kit.get('home.changes', null)).toEqual([])
  })

  test('counts changed results as the comparison of both runs does', async () => {
    const { kit, until } = await clocked()
    await withNodes(kit, ['db-4', 'db-5'])
    const before = await collected(kit)
    until('2026-11-19T09:15:00.000Z')
    await kit.get('fleet.edit-node', { node: 'db-4', address: MOVED, port: 22, user: '', sudo: false })
    await kit.get('hostkeys.scan', { nodes: ['db-4'] })
    const [shown] = (await kit.get('hostkeys.list', null)).filter(({ node }) => node === 'db-4')
    await kit.get('hostkeys.confirm', { node: 'db-4', fingerprint: shown?.fingerprint ?? '', howVerified: 'console' })
    const after = await collected(kit)
    const { flips } = await kit.get('history.compare', { before, after })
    const [notice] = await kit.get('home.changes', null)
    expect(notice?.is).toBe('changed')
    expect(notice?.phrases[0]?.text).toBe(`${flips.results} results`)
  })
})

describe('what a person records about runs', () => {
  test('a missed run is recorded, signed, and shown with its words', async () => {
    const { kit, until } = await clocked()
    await withNodes(kit, ['db-4'])
    await collected(kit)
    const gap = {
      schedule: null,
      due: '2026-11-19T02:00:00.000Z',
      why: 'The rack was without power.',
      identity: null,
    }
    expect(await kit.refusal('history.record-gap', gap)).toBe('input.refused')
    await sealed(kit)
    expect(await kit.refusal('history.record-gap', gap)).toBe('input.refused')
    until('2026-11-20T09:15:00.000Z')
    expect(await kit.get('history.record-gap', gap)).toEqual({ entries: 2 })
    expect((await history(kit)).recordedMisses).toMatchObject([
      { due: gap.due, why: gap.why, schedule: null, signed: true },
    ])
  })

  test('only a sealed run becomes the baseline', async () => {
    const { kit } = await clocked()
    await withNodes(kit, ['db-4'])
    const run = await collected(kit)
    const said = { run, why: 'Checked rack by rack.', identity: null }
    expect(await kit.refusal('history.set-baseline', said)).toBe('input.refused')
    await sealed(kit)
    expect(await kit.refusal('history.set-baseline', { ...said, run: 'another' })).toBe('input.refused')
    expect(await kit.get('history.set-baseline', said)).toEqual({ entries: 2 })
    const view = await history(kit)
    expect(view.baseline).toMatchObject({ run, why: said.why })
    expect(view.runs).toMatchObject([{ run, baseline: true }])
  })

  test('nothing is recorded about demo data', async () => {
    const kit = await kitOver()
    const { run } = await kit.get('demo.open', null)
    await kit.heard('run-done')
    expect(await kit.refusal('history.set-baseline', { run, why: 'none', identity: null })).toBe('input.refused')
  })
})
