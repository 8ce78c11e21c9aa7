import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPorts } from '../../main/adapters/ports.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { describeUnless } from '../support/needing.ts'
import { builtProduct, openWindow, type TestWindow, whyNoProduct } from '../support/open-window.ts'
import { must } from '../support/outcomes.ts'
import { addNodes, ask, listen, moment } from '../support/real-fleet.ts'
import { type Sshd, startSshd, whyNoSshd } from '../support/sshd.ts'

const missing = whyNoProduct()
const alone = missing ?? whyNoSshd

const workers = ({ app }: TestWindow): Promise<number[]> =>
  app.evaluate(({ app: own }) =>
    own.getAppMetrics().flatMap(({ pid, name }) => (name === 'Barewitness engine' ? [pid] : [])),
  )

/** Kills the engine right after its first node is done: others are half collected, or not begun. */
async function killAfterFirstNode(opened: TestWindow): Promise<void> {
  const [pid] = await workers(opened)
  await moment(opened.page, 'node-done')
  process.kill(pid ?? 0, 'SIGKILL')
  await moment(opened.page, 'run-done')
}

/** The recordings of a run that can be read. Loading reads every answer again and compares it with its digest. */
async function verified(profile: string, run: string) {
  const store = must(await createPorts(catalog).openStore(join(profile, 'evidence')))
  const recordings = must(await store.list(run))
  const loaded = await Promise.all(recordings.map(({ id }) => store.load(run, id)))
  expect(loaded.filter(({ ok }) => !ok)).toEqual([])
  return loaded.flatMap((one) => (one.ok ? [one.value] : []))
}

describeUnless(missing, 'a killed engine', () => {
  let opened: TestWindow
  beforeAll(async () => {
    opened = await openWindow({ folder: builtProduct() ?? '' })
  })
  afterAll(() => opened.close())

  test('21: what a run had captured is in the store and verifies, and the next call has a new engine', async () => {
    const { page, profile } = opened
    await listen(page)
    const { run } = await ask(page, 'demo.open', null)
    const before = await workers(opened)
    await killAfterFirstNode(opened)
    const captured = (await verified(profile, run)).reduce((sum, { captures }) => sum + captures.length, 0)
    expect(captured).toBeGreaterThan(0)
    await ask(page, 'runs.list', null)
    expect((await workers(opened))[0]).not.toBe(before[0])
  })
})

describeUnless(alone, 'a killed run of real nodes', () => {
  let opened: TestWindow
  let sshd: Sshd
  beforeAll(async () => {
    sshd = await startSshd({ config: ['ListenAddress 127.0.0.2', 'ListenAddress 127.0.0.3'] })
    opened = await openWindow({ folder: builtProduct() ?? '' })
  })
  afterAll(async () => {
    await opened?.close()
    await sshd?.stop()
  })

  test('21: resumes: only missing evidence is collected, and stored evidence is unchanged', async () => {
    const { page, profile } = opened
    const nodes = ['ward-1', 'ward-2', 'ward-3']
    await addNodes(page, sshd, nodes)
    await ask(page, 'settings.set', { concurrency: 1, authority: null, singleKeys: true, theme: 'system' })
    await listen(page)
    const { run } = await ask(page, 'run.start', { nodes: [], only: 'all' })
    await killAfterFirstNode(opened)

    const shown = await ask(page, 'assessment.get', { of: 'run' })
    expect(shown?.run).toBe(run)
    expect(shown?.rows.map(({ node }) => node).sort()).toEqual(nodes)
    const done = (shown?.rows ?? []).flatMap(({ node, status }) => (status === 'complete' ? [node] : []))
    expect(done.length).toBe(1)
    const kept = join(profile, 'evidence', run, done[0] ?? '', 'recording.json')
    const before = readFileSync(kept)

    await listen(page)
    const rest = nodes.filter((node) => !done.includes(node))
    const again = await ask(page, 'run.start', { nodes: [], only: 'missing' })
    expect([again.run, [...again.nodes].sort()]).toEqual([run, rest])
    await moment(page, 'run-done')
    expect(readFileSync(kept).equals(before)).toBe(true)
    expect((await verified(profile, run)).map(({ recording }) => recording.node.name).sort()).toEqual(nodes)
    const whole = await ask(page, 'assessment.get', { of: 'run' })
    expect(whole?.rows.map(({ status }) => status)).toEqual(['complete', 'complete', 'complete'])
  })
})
