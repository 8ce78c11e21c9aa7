import { expect } from 'vitest'

/** Eight times the work: what grows with the square takes sixty-four times as long, what grows with it eight times. */
const MORE = 8
const LIMIT = 40
const ATTEMPTS = 5

/**
 * Fails when the processor time of `work(size)` grows far faster than its size. The two are compared with each other, so it holds on a slow
 * machine; and of several attempts the best counts, so it holds on a busy one.
 */
export function expectLinear(work: (size: number) => unknown, size: number): void {
  const cost = (of: number): number => {
    const before = process.cpuUsage()
    work(of)
    const { user } = process.cpuUsage(before)
    return user
  }
  cost(size)
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && best >= LIMIT; attempt += 1)
    // Below two milliseconds the clock of the processor shows little.
    best = Math.min(best, cost(size * MORE) / Math.max(cost(size), 2000))
  expect(best, `${MORE} times the size took ${best} times as long`).toBeLessThan(LIMIT)
}
