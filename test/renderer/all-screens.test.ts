import { expect, test, vi } from 'vitest'
import { loader } from '../../renderer/all-screens.ts'

type Screens = Parameters<typeof loader>[0] extends () => Promise<infer S> ? S : never
const SCREENS = { Screen: () => null } as unknown as Screens
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

test('screens are loaded once, and listeners are notified', async () => {
  const load = vi.fn(() => Promise.resolve(SCREENS))
  const all = loader(load)
  const told = vi.fn()
  const end = all.listen(told)
  expect(all.get().state).toBe('waiting')
  all.load()
  all.load()
  expect(all.get().state).toBe('loading')
  await settled()
  all.load()
  expect(all.get()).toEqual({ state: 'loaded', screens: SCREENS })
  expect([load.mock.calls.length, told.mock.calls.length]).toEqual([1, 2])
  end()
})

test('a failure is a state, and loading can be tried again', async () => {
  const load = vi.fn(() => Promise.resolve(SCREENS)).mockRejectedValueOnce(new Error('no such file'))
  const all = loader(load)
  all.load()
  await settled()
  expect(all.get()).toEqual({ state: 'failed' })
  all.load()
  await settled()
  expect(all.get().state).toBe('loaded')
})
