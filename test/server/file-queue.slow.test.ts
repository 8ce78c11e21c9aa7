import { appendFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFileQueue } from '../../main/adapters/jobs/file-queue.ts'
import { JOBS } from '../../main/core/base/layout.ts'
import { MOST_ENDED_JOBS, type QueueParts } from '../../main/core/team/jobs.ts'
import { folderOfTest } from '../support/folders.ts'
import { must } from '../support/outcomes.ts'
import { jobOf } from '../support/queue-contract.ts'

const PARTS: QueueParts = { now: () => 0, newId: () => 'b'.repeat(32) }

test('a journal is shortened while it is open, and loses no job that is still known', async () => {
  const folder = folderOfTest('jobs')
  const path = join(folder, JOBS.journal)
  const append = async (file: string, line: string): Promise<void> => appendFileSync(file, line)
  const queue = must(await openFileQueue(folder, PARTS, 0, { append, shortenedBytes: 1_000_000 }))
  must(await queue.enqueue(jobOf(0)))
  let largest = 0
  for (let at = 1; at <= MOST_ENDED_JOBS * 3; at += 1) {
    must(await queue.enqueue(jobOf(at)))
    must(await queue.fail(jobOf(at).id, null, { code: 'job.not-delivered', detail: '' }))
    largest = Math.max(largest, statSync(path).size)
  }
  const states = [jobOf(0), jobOf(MOST_ENDED_JOBS * 3)].map(({ id }) => id)
  const before = must(await queue.states(states))
  await queue.close()
  const again = must(await openFileQueue(folder, PARTS))
  expect(must(await again.states(states))).toEqual(before)
  expect(largest).toBeLessThan(statSync(path).size * 2 + 10_000)
  await again.close()
})
