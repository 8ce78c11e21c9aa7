import { expect, test } from 'vitest'
import { patiently } from '../main/adapters/database/connection.ts'
import { fail, ok } from '../main/core/base/failure.ts'

const AWAY = fail('database.unreachable', 'the database cannot be used')

/** Time that passes only by waiting and by work that takes `workMs`. */
function clockOf(workMs: number) {
  let now = 0
  return {
    now: () => now,
    wait: async (milliseconds: number) => {
      now += milliseconds
    },
    work: async () => {
      now += workMs
      return AWAY
    },
  }
}

test.each([
  ['refuses connections at once', 0, 15_400],
  ['accepts them and is silent', 10_000, 20_100],
])('a database that %s is tried for some 15 seconds', async (_, workMs, ends) => {
  const { now, wait, work } = clockOf(workMs)
  expect(await patiently(work, { now, wait })).toBe(AWAY)
  expect(now()).toBe(ends)
})

test('other failures and successes end the tries', async () => {
  const { now, wait } = clockOf(0)
  const other = fail('store.failed', 'x')
  expect(await patiently(async () => other, { now, wait })).toBe(other)
  let tries = 0
  const later = async () => {
    tries += 1
    return tries < 3 ? AWAY : ok(tries)
  }
  expect(await patiently(later, { now, wait })).toEqual(ok(3))
})
