import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openFileQueue } from '../../main/adapters/jobs/file-queue.ts'
import { openIncoming } from '../../main/adapters/jobs/incoming.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { ok } from '../../main/core/base/failure.ts'
import type { Incoming } from '../../main/core/team/jobs.ts'
import { engagementJobs } from '../../main/server/edge/services/jobs.ts'
import type { CollectorJob } from '../../schemas/types.ts'
import { validator } from '../support/deps.ts'
import { folderOfTest } from '../support/folders.ts'
import { codeOf, must } from '../support/outcomes.ts'
import { jobOf } from '../support/queue-contract.ts'

// A node of a run that is collected again while an earlier job of it is in the queue: after a restart, and after the run waited too long.

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const { id: _, ...ASKED } = jobOf(1)
const COLLECTOR = {
  ...{ name: 'frankfurt-1', zone: ASKED.zone, engagement: 'alpha', tokenDigest: sha256('token') },
}
/** Long enough for every test. */
const PATIENT = 600_000

/** The jobs of a folder, as a process has them that starts over it. */
async function process(
  folder: string,
  { patienceMs = PATIENT, incoming = {} }: { readonly patienceMs?: number; readonly incoming?: Partial<Incoming> } = {},
) {
  const own = join(folder, 'jobs')
  const newId = (): string => randomBytes(16).toString('hex')
  const queue = must(await openFileQueue(own, { now: () => Date.now(), newId }))
  const jobs = engagementJobs({
    ...{ queue, zones: new Set([ASKED.zone]), patienceMs },
    incoming: { ...openIncoming(own, join(folder, 'evidence'), validator), ...incoming },
  })
  must(await jobs.recover())
  open.push(jobs.close)
  const stop = new AbortController()
  open.push(async () => stop.abort())
  return {
    jobs,
    collect: (asked: Omit<CollectorJob, 'id'> = ASKED) =>
      jobs.remote.collect(asked, { signal: stop.signal, onEvent: () => undefined }),
    lease: async () => must(await jobs.ask(COLLECTOR, 0, () => false)),
    counts: async () => must(await queue.counts()),
    added: async (count: number) => {
      for (;;) {
        const { waiting, leased } = must(await queue.counts())
        if (waiting + leased === count) return
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
  }
}

test('after a restart, the job that is in the queue is waited for, and no other is added', async () => {
  const folder = folderOfTest('continued-jobs')
  const first = await process(folder)
  void first.collect()
  await first.added(1)
  const held = await first.lease()
  await first.jobs.close()
  const next = await process(folder)
  const done = next.collect()
  expect(await next.counts()).toEqual({ waiting: 0, leased: 1 })
  expect(await next.lease()).toBeNull()
  if (held === null) throw new Error('no job was handed out')
  must(await next.jobs.refuse({ id: held.job.id, lease: held.lease, holder: COLLECTOR.name }, 'no such node'))
  expect(codeOf(await done)).toBe('job.not-delivered')
})

test('of a node with another address, the earlier job is ended and a new one added', async () => {
  const folder = folderOfTest('continued-jobs')
  const first = await process(folder)
  void first.collect()
  await first.added(1)
  await first.jobs.close()
  const next = await process(folder)
  const moved = { ...ASKED, node: { ...ASKED.node, address: '192.0.2.2' } }
  void next.collect(moved)
  while ((await next.lease())?.job.node.address !== '192.0.2.2');
  expect(await next.counts()).toEqual({ waiting: 0, leased: 1 })
})

test('a run that waited too long waits for the same job when the node is collected again', async () => {
  const { collect, counts, added } = await process(folderOfTest('continued-jobs'), { patienceMs: 1 })
  expect(codeOf(await collect())).toBe('job.not-delivered')
  await added(1)
  expect(codeOf(await collect())).toBe('job.not-delivered')
  expect(await counts()).toEqual({ waiting: 1, leased: 0 })
})

test('a node whose recording arrived meanwhile is not collected again', async () => {
  const folder = folderOfTest('continued-jobs')
  const first = await process(folder)
  void first.collect()
  await first.added(1)
  await first.jobs.close()
  const recording = sha256('recording')
  const next = await process(folder, { incoming: { stored: async () => ok(recording) } })
  const held = await next.lease()
  if (held === null) throw new Error('no job was handed out')
  must(await next.jobs.queue.complete({ id: held.job.id, lease: held.lease, holder: COLLECTOR.name }, recording))
  must(await next.collect())
  expect(await next.counts()).toEqual({ waiting: 0, leased: 0 })
})
