import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { bundled } from '../support/bundled.ts'

const ROUNDS = 40

/** What may be more at the end of the rounds than in their middle. */
const MORE = {
  /** Of all maps and sets of the process. The queue keeps the two jobs of a round with their holders, up to MOST_ENDED_JOBS. */
  entries: (ROUNDS / 2) * 6,
  /** Bytes after a collection. */
  heap: 1024 * 1024,
}

test(`${ROUNDS} rounds of people and collectors leave no connection, timer or entry behind`, async () => {
  const { program, folder } = await bundled('soak-team.ts')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, String(ROUNDS)])
  const [middle, end] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, number>>)
  const { half: _, entries = 0, heap = 0, ...resources } = middle ?? {}
  const { half: __, entries: entriesAtEnd = 0, heap: heapAtEnd = 0, ...resourcesAtEnd } = end ?? {}
  expect(entries).toBeGreaterThan(0)
  expect(resources).not.toEqual({})
  expect(resourcesAtEnd).toEqual(resources)
  expect(entriesAtEnd - entries).toBeLessThan(MORE.entries)
  expect(heapAtEnd - heap).toBeLessThan(MORE.heap)
})
