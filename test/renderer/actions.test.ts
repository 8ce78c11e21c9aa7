import { afterEach, expect, test, vi } from 'vitest'
import { type Collect, collect } from '../../renderer/state/actions.ts'
import { change } from '../../renderer/state/store.ts'
import type { FleetView } from '../../schemas/ipc-views.ts'

afterEach(() => vi.unstubAllGlobals())

/** What a run is begun with while this page still shows the demo fleet, as it does until an import has ended. */
test.each<[Collect, string, unknown]>([
  ['all', 'run.start', { nodes: [], only: 'all' }],
  ['missing', 'run.start', { nodes: [], only: 'missing' }],
  ['demo', 'demo.open', null],
])('collecting %s leaves to the engine which fleet is the current one', async (what, method, input) => {
  const asked: unknown[] = []
  vi.stubGlobal('window', {
    barewitness: {
      call: async (name: string, given: unknown) => {
        asked.push([name, given])
        return name === 'fleet.get'
          ? { ok: true, value: null }
          : { ok: false, error: { code: 'input.refused', detail: 'not now' } }
      },
    },
  })
  change({ fleet: { name: 'Demo fleet', demo: true, nodes: [] } as unknown as FleetView })
  await collect(what)
  expect(asked).toEqual([[method, input]])
})
