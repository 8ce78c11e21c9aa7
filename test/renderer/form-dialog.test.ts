import { afterEach, expect, test, vi } from 'vitest'
import { submitOnce } from '../../renderer/parts/FormDialog.tsx'

afterEach(() => vi.unstubAllGlobals())

test.each([
  ['a form that is not sent yet', false, 1],
  ['a form whose call is in progress', true, 0],
])('Enter in %s (busy: %s) submits %i times', (_, busy, calls) => {
  vi.stubGlobal('requestAnimationFrame', () => 0)
  const [onSubmit, preventDefault] = [vi.fn(), vi.fn()]
  submitOnce({ busy }, onSubmit)({ preventDefault, currentTarget: {} as HTMLFormElement })
  expect([onSubmit.mock.calls.length, preventDefault.mock.calls.length]).toEqual([calls, 1])
})
