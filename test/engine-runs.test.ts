import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EngineEvent } from '../schemas/ipc-views.ts'
import { type EngineKit, kitsOfEachTest, withNodes } from './support/engine-kit.ts'
import { FAKE_NODES } from './support/fake-nodes.ts'
import { createFakePorts } from './support/fake-ports.ts'

const { kitOver, keep } = kitsOfEachTest()
const ALL = { nodes: [], only: 'all' } as const
const MISSING = { nodes: [], only: 'missing' } as const
const nodesOf = (events: readonly EngineEvent[], kind: EngineEvent['kind']): readonly string[] =>
  events.flatMap((event) => (event.kind === kind && 'node' in event ? [event.node] : [])).sort()
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Ports through which nodes answer one after the other, each when the test says so. */
function stepwise() {
  const waiting: { readonly node: string; readonly go: () => void }[] = []
  const ports = createFakePorts({
    onConnect: (node) => new Promise<void>((resolve) => waiting.push({ node, go: resolve })),
  })
  const letGo = async (): Promise<string> => {
    await until(() => waiting.length > 0)
    const next = waiting.shift()
    next?.go()
    return next?.node ?? ''
  }
  return { ports, waiting, letGo }
}

const oneAtATime = (kit: EngineKit) =>
  kit.get('settings.set', { concurrency: 1, authority: null, singleKeys: true, theme: 'system' })

describe('the demo', () => {
  test('runs, and is assessed when it is done', async () => {
    const kit = await kitOver()
    const { run, nodes } = await kit.get('demo.open', null)
    expect(nodes).toEqual(FAKE_NODES.map(({ name }) => name))
    expect(await kit.refusal('demo.open', null)).toBe('input.refused')
    expect(await kit.heard('run-done')).toEqual({ kind: 'run-done', run, cancelled: false })
    const view = await kit.get('assessment.get', { of: 'run' })
    expect(view?.demo).toBe(true)
    expect(view?.rows.map(({ node, status }) => [node, status])).toEqual([
      ['demo-away-07', 'failed'],
      ['demo-changed-08', 'failed'],
      ['demo-gpu-01', 'complete'],
      ['demo-gpu-02', 'complete'],
      ['demo-guest-03', 'complete'],
      ['demo-metal-04', 'complete'],
      ['demo-nosudo-06', 'complete'],
      ['demo-shared-05', 'complete'],
    ])
    expect(view?.rows[0]?.failure).toEqual({ code: 'ssh.unreachable', detail: 'connection refused' })
  })

  test('answers calls while its results are evaluated, and reports how far they are', async () => {
    const kit = await kitOver()
    const { nodes } = await kit.get('demo.open', null)
    const evaluated = (): readonly number[] =>
      kit.events.flatMap((event) => (event.kind === 'run-evaluating' ? [event.done] : []))
    await until(() => evaluated().length > 0)
    await kit.get('fleet.get', null)
    expect(evaluated().length).toBeLessThan(nodes.length)
    await kit.heard('run-done')
    expect(evaluated()).toEqual(nodes.map((_, at) => at + 1))
  })

  test('is kept apart from the fleet of this computer', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4'])
    const own = await kit.get('run.start', ALL)
    await kit.heard('run-done')
    const demo = await kit.get('demo.open', null)
    await kit.heard('run-done')
    expect((await kit.get('runs.list', null)).map(({ run }) => run)).toEqual([demo.run])
    const again = await kit.reopened()
    keep(again)
    expect((await again.get('runs.list', null)).map(({ run }) => run)).toEqual([own.run])
    expect((await again.get('assessment.get', { of: 'run' }))?.run).toBe(own.run)
  })
})

describe('while a run goes on', () => {
  test('what is done is shown, the rest counts as missing, and nothing is exported before the end', async () => {
    const { ports, letGo } = stepwise()
    const kit = await kitOver(ports)
    await withNodes(kit, ['db-4', 'db-5'])
    await oneAtATime(kit)
    const { run } = await kit.get('run.start', ALL)
    expect(await kit.get('assessment.get', { of: 'run' })).toBeNull()
    await letGo()
    await until(() => kit.events.some(({ kind }) => kind === 'node-done'))
    const shown = async () => {
      for (;;) {
        const view = await kit.get('assessment.get', { of: 'run' })
        if (view?.rows[0]?.status === 'complete') return view
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const soFar = await shown()
    expect([soFar.run, soFar.rows.map(({ node, status }) => [node, status])]).toEqual([
      run,
      [
        ['db-4', 'complete'],
        ['db-5', 'missing'],
      ],
    ])
    expect(soFar.rows[1]?.verdicts).toMatch(/^t+$/)
    expect((await kit.get('node.get', { of: 'run', node: 'db-4' }))?.assessment.status).toBe('complete')
    expect(await kit.refusal('export.plan', null)).toBe('input.refused')
    await letGo()
    await kit.heard('run-done')
    const whole = await kit.get('assessment.get', { of: 'run' })
    expect(whole?.rows.map(({ status }) => status)).toEqual(['complete', 'complete'])
    expect(whole?.rows[0]?.verdicts).toEqual(soFar.rows[0]?.verdicts)
    expect(await kit.refusal('export.plan', null)).toBe('it was answered')
  })
})

describe('holding a run back', () => {
  test('while paused no node begins, those being asked finish, and it continues when resumed', async () => {
    const { ports, waiting, letGo } = stepwise()
    const kit = await kitOver(ports)
    await withNodes(kit, ['db-4', 'db-5', 'db-6'])
    await oneAtATime(kit)
    const { run } = await kit.get('run.start', ALL)
    expect(await kit.refusal('run.resume', null)).toBe('it was answered')
    await until(() => waiting.length === 1)
    await kit.get('run.pause', null)
    expect(await kit.heard('run-paused')).toEqual({ kind: 'run-paused', run })
    await letGo()
    await kit.heard('node-done')
    await new Promise((resolve) => setTimeout(resolve, 80))
    expect(waiting).toEqual([])
    expect(nodesOf(kit.events, 'node-connecting')).toEqual(['db-4'])
    expect(await kit.get('run.status', null)).toMatchObject({ run, going: true, paused: true })
    await kit.get('run.resume', null)
    expect(await letGo()).toBe('db-5')
    expect(await letGo()).toBe('db-6')
    expect(await kit.heard('run-done')).toMatchObject({ cancelled: false })
    expect(await kit.get('run.status', null)).toMatchObject({ run, going: false, paused: false })
    expect(await kit.refusal('run.pause', null)).toBe('input.refused')
  })

  test('a paused run can be stopped, and what it has is kept', async () => {
    const { ports, letGo } = stepwise()
    const kit = await kitOver(ports)
    await withNodes(kit, ['db-4', 'db-5'])
    await oneAtATime(kit)
    await kit.get('run.start', ALL)
    await letGo()
    await kit.get('run.pause', null)
    await kit.heard('node-done')
    await kit.get('run.cancel', null)
    expect(await kit.heard('run-done')).toMatchObject({ cancelled: true })
    const rows = (await kit.get('assessment.get', { of: 'run' }))?.rows.map(({ node, status }) => [node, status])
    expect(rows).toEqual([
      ['db-4', 'complete'],
      ['db-5', 'missing'],
    ])
  })

  test('the status is small, whatever the number of questions', async () => {
    const kit = await kitOver()
    await kit.get('demo.open', null)
    await kit.heard('run-done')
    const { events } = (await kit.get('run.status', null)) ?? { events: [] }
    expect(events.length).toBe(FAKE_NODES.length + 3)
    expect(events[0]?.kind).toBe('run-started')
    expect(events.at(-1)?.kind).toBe('run-done')
    expect(nodesOf(events, 'node-failed')).toEqual(['demo-away-07', 'demo-changed-08'])
  })
})

describe('going on with a run', () => {
  test('only nodes without an answer are asked, and the answers of the others stay', async () => {
    let away = true
    const kit = await kitOver(
      createFakePorts({
        onConnect: (node) => {
          if (away && node === 'db-5') throw new Error('connection refused')
        },
      }),
    )
    await withNodes(kit, ['db-4', 'db-5'])
    const first = await kit.get('run.start', ALL)
    await kit.heard('run-done')
    const before = await kit.get('assessment.get', { of: 'run' })
    expect(before?.rows.map(({ status }) => status)).toEqual(['complete', 'failed'])
    away = false
    const told = kit.events.length
    const second = await kit.get('run.start', MISSING)
    expect(second).toEqual({ run: first.run, nodes: ['db-5'] })
    await kit.heard('run-done')
    expect(nodesOf(kit.events.slice(told), 'node-connecting')).toEqual(['db-5'])
    const after = await kit.get('assessment.get', { of: 'run' })
    expect(after?.rows.map(({ node, status }) => [node, status])).toEqual([
      ['db-4', 'complete'],
      ['db-5', 'complete'],
    ])
    expect(after?.rows[0]?.verdicts).toEqual(before?.rows[0]?.verdicts)
    expect(await kit.refusal('run.start', MISSING)).toBe('input.refused')
  })

  test('only questions without an answer are asked of a node that was lost half way', async () => {
    const ports = createFakePorts()
    // So slow that most is unanswered when the stop is heard, however busy this machine; and at once the second time.
    let { transport } = createFakePorts({ pace: 1000 })
    const kit = await kitOver({
      ...ports,
      transport: { connect: (target, signal) => transport.connect(target, signal) },
    })
    await withNodes(kit, ['db-4'])
    const { run } = await kit.get('run.start', ALL)
    await kit.heard('node-collecting')
    await kit.get('run.cancel', null)
    const lines = (): number =>
      readFileSync(join(kit.folder, 'evidence', run, 'db-4', 'captures.jsonl'), 'utf8').split('"status":"done"')
        .length - 1
    const had = lines()
    expect(had).toBeGreaterThan(0)
    expect(had).toBeLessThan(12)
    const told = kit.events.length
    transport = ports.transport
    await kit.get('run.start', MISSING)
    await kit.heard('run-done')
    await kit.heard('run-done')
    const totals = kit.events.slice(told).flatMap((event) => (event.kind === 'node-collecting' ? [event.total] : []))
    expect(new Set(totals)).toEqual(new Set([12 - had]))
    // Three of the twelve need rights that this node was not given.
    expect(lines()).toBe(9)
  })

  test('a node of no fleet is refused by name', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4'])
    const reply = await kit.engine.call('run.start', { nodes: ['nobody'], only: 'all' })
    expect(reply).toMatchObject({ ok: false, error: { code: 'input.refused', node: 'nobody' } })
  })

  test('nodes that were not asked count as not collected', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4', 'db-5'])
    await kit.get('run.start', { nodes: ['db-4'], only: 'all' })
    await kit.heard('run-done')
    const rows = (await kit.get('assessment.get', { of: 'run' }))?.rows
    expect(rows?.map(({ status }) => status)).toEqual(['complete', 'missing'])
  })
})

describe('runs that are stored', () => {
  test('the latest is there when the window is opened again, with its declared nodes and as of that day', async () => {
    let now = '2026-11-20T09:15:00.000Z'
    const kit = await kitOver(createFakePorts({ now: () => now }))
    await withNodes(kit, ['db-4', 'db-5'])
    const { run } = await kit.get('run.start', { nodes: ['db-4'], only: 'all' })
    await kit.heard('run-done')
    const view = await kit.get('assessment.get', { of: 'run' })
    now = '2026-12-25T09:15:00.000Z'
    const again = await kit.reopened()
    keep(again)
    const stored = await again.get('assessment.get', { of: 'run' })
    expect(stored?.run).toBe(run)
    expect(stored?.rows.map(({ node, status, stale, ageDays }) => [node, status, stale, ageDays])).toEqual([
      ['db-4', 'complete', true, 35],
      ['db-5', 'missing', false, null],
    ])
    expect(view?.rows[0]?.stale).toBe(false)
    expect(await again.get('run.status', null)).toBeNull()
  })

  test('while the latest is opened, the fleet is shown and the progress reported; results wait for it', async () => {
    const ports = createFakePorts()
    const kit = await kitOver(ports)
    await withNodes(kit, ['db-1', 'db-2'])
    await kit.get('run.start', ALL)
    await kit.heard('run-done')
    let resume = (): void => undefined
    const isHeld = new Promise<void>((resolve) => {
      resume = resolve
    })
    const again = await kit.reopened({ ...ports, pause: () => isHeld })
    keep(again)
    const results = again.get('assessment.get', { of: 'run' })
    expect((await again.get('fleet.get', null))?.nodes.map(({ name }) => name)).toEqual(['db-1', 'db-2'])
    expect((await again.get('settings.get', null)).theme).toBe('system')
    await until(() => again.events.some((event) => event.kind === 'run-opening' && event.step === 'evaluating'))
    const isAnswered = await Promise.race([results.then(() => true), new Promise((resolve) => setTimeout(resolve, 20))])
    expect(isAnswered).toBeUndefined()
    resume()
    expect((await results)?.rows.map(({ node }) => node)).toEqual(['db-1', 'db-2'])
    const progress = again.events.flatMap((event) =>
      event.kind === 'run-opening' ? [[event.step, event.done, event.total]] : [],
    )
    expect(progress).toEqual([
      ['reading', 1, 2],
      ['reading', 2, 2],
      ['evaluating', 1, 2],
      ['evaluating', 2, 2],
    ])
  })

  test('are listed newest first, opened again, and a made-up name leads nowhere', async () => {
    let now = '2026-11-20T09:15:00.000Z'
    const kit = await kitOver(createFakePorts({ now: () => now }))
    await withNodes(kit, ['db-4', 'db-5'])
    const first = await kit.get('run.start', { nodes: ['db-4'], only: 'all' })
    await kit.heard('run-done')
    now = '2026-11-21T09:15:00.000Z'
    const second = await kit.get('run.start', ALL)
    await kit.heard('run-done')
    expect(await kit.get('runs.list', null)).toEqual([
      { run: second.run, at: '2026-11-21T09:15:00.000Z', nodes: 2, complete: 2, open: true },
      { run: first.run, at: '2026-11-20T09:15:00.000Z', nodes: 2, complete: 1, open: false },
    ])
    const opened = await kit.get('runs.open', { run: first.run })
    expect([opened.run, opened.asOf]).toEqual([first.run, now])
    expect((await kit.get('runs.list', null)).map((item) => item.open)).toEqual([false, true])
    for (const run of ['../..', 'no-such-run', '..', 'a/b'])
      expect(await kit.refusal('runs.open', { run })).toMatch(/^input\./)
  })

  describe.each(['reading', 'evaluating'] as const)('while an earlier one is opened (%s)', (step) => {
    /** Two runs, of which the later one is shown, and the opening of the first, held up before its second node. */
    const opening = async () => {
      let now = '2026-11-20T09:15:00.000Z'
      let isHeld = false
      let resume = (): void => undefined
      const held = new Promise<void>((resolve) => {
        resume = resolve
      })
      const ports = createFakePorts({ now: () => now })
      const pass = async (): Promise<void> => (isHeld ? await held : undefined)
      const kit = await kitOver({
        ...ports,
        pause: async (milliseconds) => {
          if (step === 'evaluating') await pass()
          await ports.pause(milliseconds)
        },
        openStore: async (folder) => {
          const store = await ports.openStore(folder)
          if (!store.ok) return store
          const load: typeof store.value.load = async (...asked) => {
            const loaded = await store.value.load(...asked)
            if (step === 'reading' && asked[1] !== 'db-4') await pass()
            return loaded
          }
          return { ...store, value: { ...store.value, load } }
        },
      })
      await withNodes(kit, ['db-4', 'db-5'])
      const first = await kit.get('run.start', ALL)
      await kit.heard('run-done')
      now = '2026-11-21T09:15:00.000Z'
      const second = await kit.get('run.start', ALL)
      await kit.heard('run-done')
      isHeld = true
      const asked = kit.engine.call('runs.open', { run: first.run })
      const progress = () =>
        kit.events.flatMap((event) => (event.kind === 'run-loading' && event.step === step ? [event] : []))
      await until(() => progress().length > 0)
      return { kit, first, second, asked, progress, resume }
    }
    const shown = async (kit: EngineKit): Promise<string | undefined> =>
      (await kit.get('assessment.get', { of: 'run' }))?.run

    test('its progress is reported, and the other one is shown until it is there', async () => {
      const { kit, first, second, asked, progress, resume } = await opening()
      expect(progress()[0]).toMatchObject({ run: first.run, done: 1, total: 2 })
      expect(await shown(kit)).toBe(second.run)
      resume()
      expect((await asked).ok).toBe(true)
      expect(await shown(kit)).toBe(first.run)
      expect(progress().map(({ done }) => done)).toEqual([1, 2])
    })

    test('it is cancelled, and the other one stays', async () => {
      const { kit, first, second, asked, resume } = await opening()
      await kit.get('runs.stop-opening', null)
      resume()
      expect(await asked).toMatchObject({ ok: false, error: { code: 'run.not-opened' } })
      expect(await shown(kit)).toBe(second.run)
      expect((await kit.get('runs.list', null)).map(({ open }) => open)).toEqual([true, false])
      // Nothing is left of the cancellation.
      expect((await kit.get('runs.open', { run: first.run })).run).toBe(first.run)
    })
  })

  test('cancelling without an opening in progress changes nothing', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4'])
    const { run } = await kit.get('run.start', ALL)
    await kit.heard('run-done')
    await kit.get('runs.stop-opening', null)
    expect((await kit.get('runs.open', { run })).run).toBe(run)
  })

  test('a run that was killed is found, though nothing noted its end', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4', 'db-5'])
    const { run } = await kit.get('run.start', ALL)
    await kit.heard('run-done')
    writeFileSync(join(kit.folder, 'runs', `${run}.json`), 'half a no')
    const again = await kit.reopened()
    keep(again)
    expect((await again.get('assessment.get', { of: 'run' }))?.rows.map(({ status }) => status)).toEqual([
      'complete',
      'complete',
    ])
    expect((await again.get('runs.list', null))[0]).toMatchObject({ run, nodes: 2, complete: 2, open: true })
  })

  test('evidence that was altered counts as missing, and is reported as altered', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4', 'db-5'])
    const { run } = await kit.get('run.start', ALL)
    await kit.heard('run-done')
    const blobs = join(kit.folder, 'evidence', run, 'db-4', 'sha256')
    // In its place, since nodes that answered the same may share one file.
    const altered = join(blobs, readdirSync(blobs)[0] ?? '')
    const bytes = readFileSync(altered)
    rmSync(altered)
    writeFileSync(altered, Buffer.concat([bytes, Buffer.from('x')]))
    const again = await kit.reopened()
    keep(again)
    const rows = (await again.get('assessment.get', { of: 'run' }))?.rows
    expect(rows?.[0]).toMatchObject({ node: 'db-4', status: 'missing', failure: { code: 'recording.altered' } })
    expect(rows?.[1]).toMatchObject({ node: 'db-5', status: 'complete', failure: null })
    const node = await again.get('node.get', { of: 'run', node: 'db-4' })
    expect(node?.assessment.failure?.code).toBe('recording.altered')
  })

  test('a store that cannot be written is reported for every node', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4'])
    writeFileSync(join(kit.folder, 'evidence'), 'in the way')
    await kit.get('run.start', ALL)
    await kit.heard('run-done')
    expect(kit.events.find(({ kind }) => kind === 'node-failed')).toMatchObject({ node: 'db-4', code: 'store.failed' })
    expect(await kit.get('assessment.get', { of: 'run' })).toBeNull()
  })
})

test('what would be asked is saved as a table', async () => {
  const kit = await kitOver()
  const path = join(kit.folder, 'commands.csv')
  const reply = await kit.engine.call('run.preview-save', { nodes: [] }, { path })
  expect(reply).toEqual({ ok: true, value: { file: 'commands.csv' } })
  const [head, first, , third] = readFileSync(path, 'utf8').split('\r\n')
  expect(head).toBe('\ufeffprobe,title,reason,command line,rights,timeout (seconds)')
  expect(first).toContain('cpu.flags,Processor flags,')
  expect(first).toContain(',grep -m1 flags /proc/cpuinfo,user,20')
  expect(third).toContain(',ipmitool mc info,root,20')
  expect(await kit.get('run.preview-save', { nodes: [] })).toBeNull()
})

test('the sudoers file of a node names its account and the privileged commands alone', async () => {
  const kit = await kitOver()
  await withNodes(kit, ['db-4'])
  const path = join(kit.folder, 'db-4.sudoers')
  const save = (node: string) => kit.engine.call('run.sudoers-save', { node }, { path })
  expect(await save('db-4')).toEqual({ ok: true, value: { file: 'db-4.sudoers' } })
  const text = readFileSync(path, 'utf8')
  expect(text).toMatch(/^bwaudit /m)
  expect(text).toContain('/usr/bin/ipmitool mc info')
  expect(text).not.toContain('grep')
  expect(await save('db-9')).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  await kit.get('fleet.edit-node', { node: 'db-4', address: '192.0.2.4', port: 22, user: 'audit@corp', sudo: true })
  expect(await save('db-4')).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  expect(await kit.get('run.sudoers-save', { node: 'db-4' })).toBeNull()
})
