import { describe, expect, test } from 'vitest'
import type { ExportPlan } from '../schemas/ipc-packs.ts'
import { type EngineKit, kitsOfEachTest, withNodes } from './support/engine-kit.ts'
import { createFakePorts } from './support/fake-ports.ts'

const { kitOver } = kitsOfEachTest()

const collected = async (kit: EngineKit, nodes: readonly string[]): Promise<string> => {
  const { run } = await kit.get('run.start', { nodes, only: 'all' })
  await kit.heard('run-done')
  return run
}

/** What the window states of the run that is shown, as far as a plan states it. */
async function shownResults(kit: EngineKit): Promise<ExportPlan['results']> {
  const [view, home] = [await kit.get('findings.get', { of: 'run', node: null }), await kit.get('home.get', null)]
  if (view === null || home.results === null) throw new Error('no run is shown')
  const { asOf, counts, deviations, deviatingNodes, rows } = view
  return {
    ...{ asOf, counts, deviations, deviatingNodes },
    findings: rows.map(({ reference, severity, condition, deviations: on, tested }) => ({
      ...{ reference, severity, condition, tested },
      deviations: on,
    })),
    frameworks: home.results.frameworks,
  }
}

describe('the results that a plan of an export states', () => {
  test('of the run that is shown are those of its screens', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4', 'db-5'])
    await collected(kit, [])
    const { results } = await kit.get('export.plan', null)
    expect(results.findings.length).toBeGreaterThan(0)
    expect(results).toEqual(await shownResults(kit))
  })

  test('of an earlier run, by name, are those that its screens show once it is opened', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4', 'db-5'])
    const first = await collected(kit, ['db-4'])
    await collected(kit, [])
    const [plan, latest] = [await kit.get('export.plan', { run: first }), await shownResults(kit)]
    expect(plan).toMatchObject({ run: first, isShown: false })
    expect(plan.results).not.toEqual(latest)
    await kit.get('runs.open', { run: first })
    expect(plan.results).toEqual(await shownResults(kit))
  })

  test('of an earlier run stay its own while another run is in progress', async () => {
    let go: () => void = () => undefined
    let isHeld = false
    const ports = createFakePorts({
      onConnect: (node) =>
        isHeld && node === 'db-5' ? new Promise<void>((resolve) => (go = resolve)) : Promise.resolve(),
    })
    const kit = await kitOver(ports)
    await withNodes(kit, ['db-4', 'db-5'])
    const first = await collected(kit, [])
    const before = [await kit.get('export.plan', null), await kit.get('export.preflight', { run: first })] as const
    isHeld = true
    const { run } = await kit.get('run.start', { nodes: [], only: 'all' })
    while ((await kit.get('home.get', null)).run !== run) await new Promise((resolve) => setTimeout(resolve, 5))
    const plan = await kit.get('export.plan', { run: first })
    expect(plan).toEqual({ ...before[0], isShown: false })
    expect(await kit.get('export.preflight', { run: first })).toEqual(before[1])
    expect(await kit.refusal('export.plan', { run })).toBe('input.refused')
    expect(await kit.refusal('export.preflight', { run })).toBe('input.refused')
    go()
    await kit.heard('run-done')
  })
})
