import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Entered, waitingLine } from '../../main/server/limits.ts'

const placeOf = async (entered: Entered): Promise<() => void> => {
  const leave = typeof entered === 'string' ? null : await entered
  if (leave === null) throw new Error('no place')
  return leave
}

describe('a waiting line', () => {
  test('lets so many in, the others in the order in which they came, and refuses when it is full', async () => {
    const line = waitingLine(1, 2)
    const order: string[] = []
    const leaveA = await placeOf(line.enter('a'))
    const [b, c] = [line.enter('b'), line.enter('c')]
    expect(line.enter('d')).toBe('full')
    expect(line.counts()).toEqual({ going: 1, waiting: 2 })
    void placeOf(b).then((leave) => {
      order.push('b')
      leave()
    })
    const last = placeOf(c).then((leave) => {
      order.push('c')
      leave()
    })
    leaveA()
    leaveA()
    await last
    expect([order, line.counts()]).toEqual([['b', 'c'], { going: 0, waiting: 0 }])
  })
  test('has one place for each key, while it waits and while it is inside', async () => {
    const line = waitingLine(1, 4)
    const leave = await placeOf(line.enter('a'))
    const waits = line.enter('b')
    expect([line.enter('a'), line.enter('b')]).toEqual(['own', 'own'])
    line.giveUp('b')
    expect(typeof waits === 'string' ? waits : await waits).toBeNull()
    line.giveUp('a')
    expect(line.counts()).toEqual({ going: 1, waiting: 0 })
    leave()
    ;(await placeOf(line.enter('a')))()
  })
  test('whatever comes, never more are inside than it has places, and everyone who stays gets in', async () => {
    const steps = fc.array(
      fc.record({ key: fc.integer({ min: 0, max: 6 }), what: fc.constantFrom('enter', 'leave', 'give-up') }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 0, max: 3 }),
        steps,
        async (most, mostWaiting, all) => {
          const line = waitingLine(most, mostWaiting)
          const inside = new Map<string, () => void>()
          const waiting = new Set<string>()
          for (const { key: number, what } of all) {
            const key = String(number)
            if (what === 'leave') {
              inside.get(key)?.()
              inside.delete(key)
            } else if (what === 'give-up') line.giveUp(key)
            else {
              const entered = line.enter(key)
              if (typeof entered === 'string') expect(entered === 'own').toBe(inside.has(key) || waiting.has(key))
              else {
                waiting.add(key)
                void entered.then((leave) => {
                  waiting.delete(key)
                  if (leave !== null) inside.set(key, leave)
                })
              }
            }
            await new Promise((resolve) => setImmediate(resolve))
            expect(inside.size).toBeLessThanOrEqual(most)
            expect(waiting.size).toBeLessThanOrEqual(mostWaiting)
            expect(line.counts()).toEqual({ going: inside.size, waiting: waiting.size })
            if (inside.size < most) expect(waiting.size).toBe(0)
          }
        },
      ),
    )
  })
})
