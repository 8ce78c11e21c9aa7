import { describe, expect, test, vi } from 'vitest'
import { kitsOfEachTest } from './support/engine-kit.ts'
import { createFakePorts } from './support/fake-ports.ts'

const { kitOver } = kitsOfEachTest()

describe('the first calls of a day, over a run that is shown', () => {
  const dayAfter = async () => {
    let now = '2026-11-20T09:15:00.000Z'
    const ports = createFakePorts({ now: () => now })
    let paused: (() => void)[] | null = null
    const kit = await kitOver({
      ...ports,
      pause: (milliseconds) =>
        paused === null ? ports.pause(milliseconds) : new Promise((resolve) => paused?.push(resolve)),
    })
    const { nodes } = await kit.get('demo.open', null)
    await kit.heard('run-done')
    const earlier = kit.events.length
    now = '2026-11-21T00:00:00.000Z'
    paused = []
    return {
      kit,
      nodes,
      now,
      letGo: () => {
        const held = paused ?? []
        paused = null
        for (const resume of held) resume()
      },
      evaluated: () =>
        kit.events.slice(earlier).flatMap((event) => (event.kind === 'run-evaluating' ? [event.done] : [])),
    }
  }

  test('evaluate it once, other calls are answered meanwhile, and no result of the day before is given', async () => {
    const { kit, nodes, now, letGo, evaluated } = await dayAfter()
    const results = Promise.all([
      kit.get('assessment.get', { of: 'run' }),
      kit.get('coverage.get', { of: 'run' }),
      kit.get('assessment.get', { of: 'run' }),
    ])
    await vi.waitFor(() => expect(evaluated()).toHaveLength(1))
    await kit.get('fleet.get', null)
    expect(evaluated()).toEqual([1])
    letGo()
    const [first, , last] = await results
    expect([first?.asOf, last?.asOf]).toEqual([now, now])
    expect(evaluated()).toEqual(nodes.map((_, at) => at + 1))
  })

  test.each([
    ['a node', 'node.get', { of: 'run', node: 'demo-guest-03' }],
    ['the pictures of a node', 'figures.get', { of: 'run', node: 'demo-guest-03', kinds: [] }],
  ] as const)('evaluate it for %s too', async (_, method, input) => {
    const { kit, nodes, letGo, evaluated } = await dayAfter()
    const answered = kit.get(method, input as never)
    await vi.waitFor(() => expect(evaluated()).toHaveLength(1))
    letGo()
    await answered
    expect(evaluated()).toHaveLength(nodes.length)
  })

  // Each alone: one that reads files first, under load, would begin another evaluation after the cancelled one.
  test.each([
    ['assessment.get', { of: 'run' }],
    ['home.get', null],
    ['coverage.get', { of: 'run' }],
    ['claims.get', { of: 'run' }],
    ['location.get', { of: 'run' }],
    ['search.index', { of: 'run' }],
    ['export.plan', null],
    ['findings.get', { of: 'run', node: null }],
    ['node.get', { of: 'run', node: 'demo-guest-03' }],
  ] as const)('%s fails once the evaluation is cancelled; the next call evaluates', async (method, input) => {
    const { kit, nodes, now, letGo, evaluated } = await dayAfter()
    const refused = kit.refusal(method, input as never)
    await vi.waitFor(() => expect(evaluated()).toHaveLength(1))
    await kit.get('runs.stop-evaluating', null)
    letGo()
    expect(await refused).toBe('run.not-evaluated')
    expect(evaluated()).toEqual([1])
    expect(kit.events.at(-1)).toMatchObject({ kind: 'run-evaluation-stopped' })
    expect((await kit.get('assessment.get', { of: 'run' }))?.asOf).toBe(now)
    expect(evaluated()).toEqual([1, ...nodes.map((_, at) => at + 1)])
  })

  test('of what a person changes, keep it though the evaluation is cancelled', async () => {
    const { kit, letGo, evaluated } = await dayAfter()
    const chosen = kit.refusal('provider.choose', { id: null })
    await vi.waitFor(() => expect(evaluated()).toHaveLength(1))
    await kit.get('runs.stop-evaluating', null)
    letGo()
    expect(await chosen).toBe('run.not-evaluated')
    expect((await kit.get('provider.list', null)).chosen).toBeNull()
  })

  test('are not affected by a cancellation when nothing is evaluated', async () => {
    const { kit, now, letGo } = await dayAfter()
    letGo()
    await kit.get('runs.stop-evaluating', null)
    expect((await kit.get('assessment.get', { of: 'run' }))?.asOf).toBe(now)
  })

  test('leave a run alone that was opened meanwhile', async () => {
    const { kit, letGo, evaluated } = await dayAfter()
    const results = kit.get('assessment.get', { of: 'run' })
    await vi.waitFor(() => expect(evaluated()).toHaveLength(1))
    const next = kit.get('demo.open', null)
    letGo()
    const { run } = await next
    await kit.heard('run-done')
    await results
    expect((await kit.get('assessment.get', { of: 'run' }))?.run).toBe(run)
  })
})
