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
    findings: rows.map(({ reference, severity, condition, deviations: on, tested, refused }) => ({
      ...{ reference, severity, condition, tested, refused },
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

describe('an export of an earlier run, by name', () => {
  /** Two runs of two nodes, and how often an evaluation of a stored run has paused: once for each node. */
  const twoRuns = async () => {
    let pauses = 0
    const ports = createFakePorts()
    const kit = await kitOver({
      ...ports,
      pause: async (milliseconds) => {
        pauses += 1
        await ports.pause(milliseconds)
      },
    })
    await withNodes(kit, ['db-4', 'db-5'])
    const [first, second] = [await collected(kit, []), await collected(kit, [])]
    const counted = async (work: () => Promise<unknown>): Promise<number> => {
      const before = pauses
      await work()
      return pauses - before
    }
    return { kit, first, second, counted }
  }

  test('evaluates it once for its plan and what is open before it, whichever is asked first', async () => {
    const { kit, first, counted } = await twoRuns()
    const [plan, preflight] = [
      () => kit.get('export.plan', { run: first }),
      () => kit.get('export.preflight', { run: first }),
    ]
    expect(await counted(() => Promise.all([plan(), preflight()]))).toBe(2)
    expect(await counted(() => Promise.all([preflight(), plan()]))).toBe(2)
  })

  test('evaluates it again when it is planned again', async () => {
    const { kit, first, second, counted } = await twoRuns()
    const plan = (run: string) => () => kit.get('export.plan', { run })
    expect(await counted(plan(first))).toBe(2)
    expect(await counted(plan(first))).toBe(2)
    expect(await counted(plan(second))).toBe(0)
    expect(await counted(() => kit.get('export.preflight', { run: first }))).toBe(2)
  })

  test('seals it without an evaluation of its own', async () => {
    const { kit, first, second, counted } = await twoRuns()
    await kit.get('identities.create', { name: 'ward', subject: 'Ward Health' })
    const wanted = { frameworks: ['hipaa', 'soc2'], identity: null, timestamp: false, also: [], redact: null } as const
    const shown = await counted(() => kit.get('export.build', { ...wanted, run: second }))
    expect(await counted(() => kit.get('export.build', { ...wanted, run: first }))).toBe(shown)
  })

  test('states what is missing in it as of its own evaluation', async () => {
    const { kit } = await twoRuns()
    const partial = await collected(kit, ['db-4'])
    await collected(kit, [])
    await kit.get('identities.create', { name: 'ward', subject: 'Ward Health' })
    const { notes } = await kit.get('export.build', {
      ...{ run: partial, frameworks: ['hipaa'], identity: null, timestamp: false, also: [], redact: null },
    })
    expect(notes[0]).toBe('1 of 2 nodes in the population have no evidence in this run.')
  })
})
