import { expect, test } from 'vitest'
import { isEarlierShown, onEarlierShown, showsEarlier } from '../../renderer/state/refreshing.ts'

test('an earlier result is marked until the last part that shows one has its repetition', () => {
  const seen: boolean[] = []
  const end = onEarlierShown(() => seen.push(isEarlierShown()))
  expect(isEarlierShown()).toBe(false)
  const [one, other] = [showsEarlier(), showsEarlier()]
  one()
  // A part that is removed while it waits ends twice.
  one()
  expect(isEarlierShown()).toBe(true)
  other()
  expect(isEarlierShown()).toBe(false)
  end()
  showsEarlier()()
  expect(seen).toEqual([true, true, true, true, false])
})
