import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openFileQueue } from '../../main/adapters/jobs/file-queue.ts'
import { JOBS } from '../../main/core/base/layout.ts'
import type { QueueParts } from '../../main/core/team/jobs.ts'
import { must } from '../support/outcomes.ts'
import { jobOf, queueContract } from '../support/queue-contract.ts'

const root = mkdtempSync(join(tmpdir(), 'barewitness-queue-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const newFolder = (): string => mkdtempSync(join(root, 'q-'))
const PARTS: QueueParts = { now: () => 0, newId: () => 'b'.repeat(32) }

queueContract('the queue in files', async (parts) => {
  const folder = newFolder()
  let queue = must(await openFileQueue(folder, parts))
  return {
    queue,
    reopen: async () => {
      await queue.close()
      queue = must(await openFileQueue(folder, parts))
      return queue
    },
    dispose: async () => await queue.close(),
  }
})

test('a second process does not open the same jobs', async () => {
  const folder = newFolder()
  const queue = must(await openFileQueue(folder, PARTS))
  const second = await openFileQueue(folder, PARTS, 200)
  expect(second.ok ? null : second.error.code).toBe('store.failed')
  await queue.close()
})

test.each<[string, string]>([
  ['no JSON', 'x\n'],
  ['another kind', '{"kind":"other"}\n'],
  ['a job that was not added', `{"holder":"a","id":"${'0'.repeat(32)}","kind":"leased","lease":"${'0'.repeat(32)}"}\n`],
  ['a job with a command', `${JSON.stringify({ kind: 'added', job: { ...jobOf(9), command: 'id' } })}\n`],
])('a journal with %s is refused and left as it is', async (_, line) => {
  const folder = newFolder()
  const queue = must(await openFileQueue(folder, PARTS))
  must(await queue.enqueue(jobOf(1)))
  await queue.close()
  appendFileSync(join(folder, JOBS.journal), line)
  const before = readFileSync(join(folder, JOBS.journal), 'utf8')
  const opened = await openFileQueue(folder, PARTS)
  expect(opened.ok ? null : opened.error.code).toBe('store.failed')
  expect(readFileSync(join(folder, JOBS.journal), 'utf8')).toBe(before)
})

test('a line that was being written when the process was killed is removed, wherever it was cut', async () => {
  const folder = newFolder()
  const path = join(folder, JOBS.journal)
  const queue = must(await openFileQueue(folder, PARTS))
  must(await queue.enqueue(jobOf(1)))
  must(await queue.enqueue(jobOf(2)))
  await queue.close()
  const whole = readFileSync(path)
  const first = whole.indexOf(0x0a) + 1
  for (let size = first; size < whole.length; size += 7) {
    writeFileSync(path, whole)
    truncateSync(path, size)
    const opened = must(await openFileQueue(folder, PARTS))
    expect(must(await opened.counts())).toEqual({ waiting: 1, leased: 0 })
    await opened.close()
  }
})

test('after a line that could not be stored, nothing is confirmed until the journal is opened again', async () => {
  const folder = newFolder()
  const path = join(folder, JOBS.journal)
  const queue = must(await openFileQueue(folder, PARTS))
  must(await queue.enqueue(jobOf(1)))
  renameSync(path, `${path}.moved`)
  mkdirSync(path)
  expect((await queue.enqueue(jobOf(2))).ok).toBe(false)
  rmdirSync(path)
  renameSync(`${path}.moved`, path)
  const again = await queue.enqueue(jobOf(3))
  expect(again.ok ? null : again.error.code).toBe('store.failed')
  expect((await queue.lease({ zone: 'frankfurt', holder: 'one' })).ok).toBe(false)
  await queue.close()
  const opened = must(await openFileQueue(folder, PARTS))
  expect(must(await opened.counts())).toEqual({ waiting: 1, leased: 0 })
  await opened.close()
})

test('a journal continues once a disk that was full has room again', async () => {
  const folder = newFolder()
  let isFull = false
  const append = async (path: string, line: string): Promise<void> => {
    appendFileSync(path, isFull ? line.slice(0, line.length / 2) : line)
    if (isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
  }
  const queue = must(await openFileQueue(folder, PARTS, 0, { append, shortenedBytes: 1_000_000 }))
  must(await queue.enqueue(jobOf(1)))
  isFull = true
  const refused = await queue.enqueue(jobOf(2))
  expect(refused.ok ? null : refused.error.code).toBe('store.failed')
  isFull = false
  must(await queue.enqueue(jobOf(3)))
  expect(must(await queue.lease({ zone: 'frankfurt', holder: 'one' }))?.job).toEqual(jobOf(1))
  await queue.close()
  const again = must(await openFileQueue(folder, PARTS))
  expect(must(await again.open())).toEqual([jobOf(1), jobOf(3)])
  await again.close()
})
