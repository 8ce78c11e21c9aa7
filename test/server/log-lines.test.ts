import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { completeLines, linesInOrder } from '../../main/server/edge/log-lines.ts'
import { folderOfTest } from '../support/folders.ts'

const text = fc
  .array(fc.string({ unit: 'binary', maxLength: 12 }).map((line) => line.replaceAll('\n', '')))
  .map((lines) => lines.join('\n'))
const completeIn = (whole: string): readonly string[] => whole.split('\n').slice(0, -1)

test('the complete lines of a file are the same for any size of a batch', async () => {
  const path = join(folderOfTest('lines'), 'log.jsonl')
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 40 }), async (whole, bytes) => {
      writeFileSync(path, whole)
      const lines: string[] = []
      for await (const batch of completeLines(path, bytes)) lines.push(...batch)
      expect(lines).toEqual(completeIn(whole))
    }),
    { numRuns: 60 },
  )
})

test('lines that are read in order are those between two numbers, and their count is that of the file', async () => {
  const ranges = fc.array(fc.tuple(fc.nat(6), fc.nat(4)), { maxLength: 5 })
  const batched = fc.array(
    fc.array(
      fc.string({ maxLength: 3 }).map((line) => line.replaceAll('\n', '')),
      { minLength: 1 },
    ),
  )
  await fc.assert(
    fc.asyncProperty(batched, ranges, async (batches, steps) => {
      const all = batches.flat().map((line) => `${line}\n`)
      const lines = linesInOrder(
        (async function* () {
          yield* batches
        })(),
      )
      let first = 1
      for (const [ahead, more] of steps) {
        first += ahead
        expect(await lines.between(first, first + more)).toEqual(all.slice(first - 1, first + more))
      }
      expect(await lines.count()).toBe(all.length)
      await lines.close()
    }),
    { numRuns: 60 },
  )
})
