import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWorld } from '../../main/adapters/world.ts'
import { catalog } from '../../main/catalog/index.ts'
import { builtProduct, openWindow, type TestWindow, whyNoWindow } from '../support/open-window.ts'

const missing = whyNoWindow() ?? (builtProduct() === null ? 'the product is not built: npm run build' : null)

describe.skipIf(missing !== null)(`a killed engine${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let opened: TestWindow
  beforeAll(async () => {
    opened = await openWindow({ folder: builtProduct() ?? '' })
  })
  afterAll(() => opened.close())

  test('21: what a run had captured is in the store and verifies, and the next call has a new engine', async () => {
    const { app, page, profile } = opened
    const workers = () =>
      app.evaluate(({ app: own }) =>
        own.getAppMetrics().flatMap(({ pid, name }) => (name === 'Barewitness engine' ? [pid] : [])),
      )
    // The worker is killed right after the first node is done: others are half collected.
    await page.evaluate(() => {
      const seen = window as unknown as { moments: string[] }
      seen.moments = []
      window.barewitness.onEvent((event) => seen.moments.push(event.kind))
    })
    const [begun, pid] = [
      await page.evaluate(() => window.barewitness.call('demo.open', null)),
      (await workers())[0] ?? 0,
    ]
    if (!begun.ok) throw new Error(begun.error.detail)
    const moment = (kind: string) =>
      page.waitForFunction((name) => (window as unknown as { moments: string[] }).moments.includes(name), kind, {
        timeout: 60_000,
        polling: 10,
      })
    await moment('node-done')
    process.kill(pid, 'SIGKILL')
    await moment('run-done')

    const store = await createWorld(catalog.probes).openStore(join(profile, 'evidence'))
    if (!store.ok) throw new Error(store.error.detail)
    const recordings = await store.value.list(begun.value.run)
    if (!recordings.ok) throw new Error(recordings.error.detail)
    const loaded = await Promise.all(recordings.value.map(({ id }) => store.value.load(begun.value.run, id)))
    store.value.close()
    // Loading reads every answer again and compares it with its digest.
    expect(loaded.filter(({ ok }) => !ok)).toEqual([])
    const captured = loaded.reduce((sum, one) => sum + (one.ok ? one.value.captures.length : 0), 0)
    expect(captured).toBeGreaterThan(0)

    const answer = await page.evaluate(() => window.barewitness.call('runs.list', null))
    expect(answer.ok).toBe(true)
    expect((await workers())[0]).not.toBe(pid)
  })
})
