import { afterEach, describe, expect, test } from 'vitest'
import { sha256 } from '../../main/core/base/digest.ts'
import { ok } from '../../main/core/base/failure.ts'
import type { HeldJob, JobQueue, QueueParts } from '../../main/core/team/jobs.ts'
import { LEASE_SECONDS, MOST_LEASES } from '../../main/core/team/jobs.ts'
import type { CollectorJob, CollectorLease } from '../../schemas/types.ts'
import { must } from './outcomes.ts'

/** A queue under test. `reopen` opens what it stored again, as another process would after a kill. */
export interface QueueUnderTest {
  readonly queue: JobQueue
  readonly reopen: () => Promise<JobQueue>
  readonly dispose: () => Promise<void>
}

export const jobOf = (number: number, zone = 'frankfurt'): CollectorJob => ({
  id: number.toString(16).padStart(32, '0'),
  zone,
  run: '20261128t1200z-0001',
  node: { name: `node-${number}`, address: '192.0.2.1', port: 22, user: 'bwaudit', sudo: true },
  hostKey: null,
  metadata: false,
  spreadSeconds: null,
})

/** What every implementation of JobQueue must do. No rule depends on the time of this computer. */
export function queueContract(name: string, openQueue: (parts: QueueParts) => Promise<QueueUnderTest>): void {
  describe(`${name} keeps the contract of a job queue`, () => {
    const opened: QueueUnderTest[] = []
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.dispose()
    })
    const start = async () => {
      let [now, ids] = [1_000_000, 0]
      const tested = await openQueue({ now: () => now, newId: () => (++ids).toString(16).padStart(32, 'a') })
      opened.push(tested)
      const pass = (seconds: number): void => {
        now += seconds * 1000
      }
      return { ...tested, pass }
    }
    const leased = async (queue: JobQueue, holder = 'one', zone = 'frankfurt'): Promise<CollectorLease> => {
      const lease = must(await queue.lease({ zone, holder }))
      if (lease === null) throw new Error('no job was handed out')
      return lease
    }
    const heldBy = ({ job, lease }: CollectorLease, holder = 'one'): HeldJob => ({ id: job.id, lease, holder })
    const codeOf = (outcome: { readonly ok: boolean; readonly error?: { readonly code: string } }): string =>
      outcome.ok ? 'ok' : (outcome.error?.code ?? '')
    const stateOf = async (queue: JobQueue, id: string) => must(await queue.look(id))?.state.is

    test('hands out the jobs of a zone, oldest first, each to one holder', async () => {
      const { queue } = await start()
      for (const job of [jobOf(1), jobOf(2, 'tokyo'), jobOf(3)]) must(await queue.enqueue(job))
      expect((await leased(queue, 'one')).job).toEqual(jobOf(1))
      expect((await leased(queue, 'two')).job).toEqual(jobOf(3))
      expect(must(await queue.lease({ zone: 'frankfurt', holder: 'three' }))).toBeNull()
      expect((await leased(queue, 'three', 'tokyo')).job).toEqual(jobOf(2, 'tokyo'))
      expect(must(await queue.counts())).toEqual({ waiting: 0, leased: 3 })
    })
    test('adds a job once', async () => {
      const { queue } = await start()
      must(await queue.enqueue(jobOf(1)))
      must(await queue.enqueue(jobOf(1)))
      expect(must(await queue.counts())).toEqual({ waiting: 1, leased: 0 })
      const lease = await leased(queue)
      must(await queue.complete(heldBy(lease), sha256('a')))
      must(await queue.enqueue(jobOf(1)))
      expect(must(await queue.lease({ zone: 'frankfurt', holder: 'one' }))).toBeNull()
    })
    test('lists the jobs that have no end, oldest first, as another process finds them', async () => {
      const { queue, reopen } = await start()
      for (const job of [jobOf(1), jobOf(2), jobOf(3, 'tokyo'), jobOf(4)]) must(await queue.enqueue(job))
      must(await queue.complete(heldBy(await leased(queue)), sha256('a')))
      must(await queue.fail(jobOf(4).id, null, { code: 'job.not-delivered', detail: 'x' }))
      await leased(queue)
      expect(must(await queue.open())).toEqual([jobOf(2), jobOf(3, 'tokyo')])
      expect(must(await (await reopen()).open())).toEqual([jobOf(2), jobOf(3, 'tokyo')])
    })
    test('many at once get different jobs', async () => {
      const { queue } = await start()
      await Promise.all(Array.from({ length: 20 }, (_, n) => queue.enqueue(jobOf(n))))
      const leases = await Promise.all(
        Array.from({ length: 30 }, (_, n) => queue.lease({ zone: 'frankfurt', holder: `${n}` })),
      )
      const got = leases.flatMap((one) => must(one)?.job.id ?? [])
      expect([got.length, new Set(got).size]).toEqual([20, 20])
    })
    test('a lease lasts at most 30 seconds, and its renewals as long each', async () => {
      expect(LEASE_SECONDS).toBeLessThan(30)
      const { queue, pass } = await start()
      must(await queue.enqueue(jobOf(1)))
      const lease = await leased(queue)
      expect(lease.seconds).toBe(LEASE_SECONDS)
      for (let renewals = 0; renewals < 3; renewals += 1) {
        pass(LEASE_SECONDS - 1)
        must(await queue.heartbeat(heldBy(lease)))
      }
      pass(LEASE_SECONDS - 1)
      expect(must(await queue.lease({ zone: 'frankfurt', holder: 'two' }))).toBeNull()
      pass(1)
      expect((await leased(queue, 'two')).job).toEqual(jobOf(1))
    })
    test('a lease that ended is not renewed, whether or not another holder has the job', async () => {
      const { queue, pass } = await start()
      must(await queue.enqueue(jobOf(1)))
      const first = await leased(queue)
      pass(LEASE_SECONDS)
      expect(codeOf(await queue.heartbeat(heldBy(first)))).toBe('job.lease-ended')
      await leased(queue, 'two')
      expect(codeOf(await queue.heartbeat(heldBy(first)))).toBe('job.lease-ended')
    })
    test('the first completion decides, also with a lease that ended', async () => {
      const { queue, pass } = await start()
      must(await queue.enqueue(jobOf(1)))
      const first = await leased(queue, 'one')
      pass(LEASE_SECONDS)
      const second = await leased(queue, 'two')
      must(await queue.complete(heldBy(first, 'one'), sha256('a')))
      expect(codeOf(await queue.complete(heldBy(second, 'two'), sha256('b')))).toBe('job.completed')
      expect(codeOf(await queue.heartbeat(heldBy(second, 'two')))).toBe('job.completed')
      expect(must(await queue.look(jobOf(1).id))?.state).toEqual({ is: 'completed', recording: sha256('a') })
    })
    test('the same completion again has no effect', async () => {
      const { queue } = await start()
      must(await queue.enqueue(jobOf(1)))
      const lease = await leased(queue)
      for (let times = 0; times < 3; times += 1) must(await queue.complete(heldBy(lease), sha256('a')))
      expect(must(await queue.counts())).toEqual({ waiting: 0, leased: 0 })
    })
    test('of two completions at once, one counts', async () => {
      const { queue, pass } = await start()
      must(await queue.enqueue(jobOf(1)))
      const first = await leased(queue, 'one')
      pass(LEASE_SECONDS)
      const second = await leased(queue, 'two')
      const codes = await Promise.all([
        queue.complete(heldBy(first, 'one'), sha256('a')),
        queue.complete(heldBy(second, 'two'), sha256('b')),
      ])
      expect(codes.map(codeOf).sort()).toEqual(['job.completed', 'ok'])
    })
    test.each<[string, (lease: CollectorLease) => HeldJob]>([
      ['another lease', ({ job }) => ({ id: job.id, lease: 'f'.repeat(32), holder: 'one' })],
      ['the lease of another holder', (lease) => heldBy(lease, 'two')],
      ['another job', (lease) => ({ ...heldBy(lease), id: jobOf(2).id })],
      ['an unknown job', (lease) => ({ ...heldBy(lease), id: 'e'.repeat(32) })],
    ])('%s can neither renew, complete nor fail', async (_, wrong) => {
      const { queue } = await start()
      for (const job of [jobOf(1), jobOf(2)]) must(await queue.enqueue(job))
      const held = wrong(await leased(queue))
      expect(codeOf(await queue.heartbeat(held))).toBe('job.lease-ended')
      expect(codeOf(await queue.complete(held, sha256('a')))).toBe('job.lease-ended')
      await queue.fail(held.id, held, { code: 'input.refused', detail: 'no' })
      expect(must(await queue.counts())).toEqual({ waiting: 1, leased: 1 })
    })
    test('a failed job is not handed out again; a recording of it is still accepted once', async () => {
      const { queue } = await start()
      must(await queue.enqueue(jobOf(1)))
      const lease = await leased(queue)
      must(await queue.fail(lease.job.id, heldBy(lease), { code: 'input.refused', detail: 'no such node' }))
      expect(must(await queue.look(lease.job.id))?.state).toEqual({
        is: 'failed',
        failure: { code: 'input.refused', detail: 'no such node' },
      })
      expect(must(await queue.lease({ zone: 'frankfurt', holder: 'two' }))).toBeNull()
      must(await queue.complete(heldBy(lease), sha256('a')))
      expect(codeOf(await queue.complete(heldBy(lease), sha256('b')))).toBe('job.completed')
    })
    test('the server ends a job that waits', async () => {
      const { queue } = await start()
      must(await queue.enqueue(jobOf(1)))
      must(await queue.fail(jobOf(1).id, null, { code: 'run.cancelled', detail: 'stopped' }))
      expect(must(await queue.lease({ zone: 'frankfurt', holder: 'one' }))).toBeNull()
    })
    test('a failure after a completion has no effect', async () => {
      const { queue } = await start()
      must(await queue.enqueue(jobOf(1)))
      const lease = await leased(queue)
      must(await queue.complete(heldBy(lease), sha256('a')))
      must(await queue.fail(lease.job.id, null, { code: 'run.cancelled', detail: 'stopped' }))
      expect(await stateOf(queue, lease.job.id)).toBe('completed')
    })
    test('a job that was handed out too often ends', async () => {
      const { queue, pass } = await start()
      must(await queue.enqueue(jobOf(1)))
      for (let times = 0; times < MOST_LEASES; times += 1) {
        await leased(queue, `holder-${times}`)
        pass(LEASE_SECONDS)
      }
      expect(must(await queue.lease({ zone: 'frankfurt', holder: 'last' }))).toBeNull()
      expect(must(await queue.look(jobOf(1).id))?.state).toMatchObject({
        is: 'failed',
        failure: { code: 'job.not-delivered' },
      })
    })
    test('the states of many jobs are those of each, and a lease that ended counts as waiting', async () => {
      const { queue, pass } = await start()
      for (const number of [1, 2, 3, 4]) must(await queue.enqueue(jobOf(number)))
      const [done, failed, over] = [await leased(queue), await leased(queue), await leased(queue)]
      must(await queue.complete(heldBy(done), sha256('a')))
      must(await queue.fail(failed.job.id, heldBy(failed), { code: 'input.refused', detail: 'no' }))
      const ids = [done, failed, over].map(({ job }) => job.id)
      const states = async () => [...must(await queue.states(ids))].map(([id, { is }]) => [ids.indexOf(id), is]).sort()
      expect(await states()).toEqual([
        [0, 'completed'],
        [1, 'failed'],
        [2, 'leased'],
      ])
      pass(LEASE_SECONDS)
      expect((await states())[2]).toEqual([2, 'waiting'])
      expect(must(await queue.counts())).toEqual({ waiting: 2, leased: 0 })
    })
    test('work on one job is done one after the other', async () => {
      const { queue } = await start()
      let [going, most] = [0, 0]
      const work = async () => {
        going += 1
        most = Math.max(most, going)
        await new Promise((resolve) => setTimeout(resolve, 5))
        going -= 1
        return ok(going)
      }
      const done = await Promise.all(Array.from({ length: 5 }, () => queue.alone(jobOf(1).id, work)))
      expect([most, done.every((one) => one.ok)]).toEqual([1, true])
    })
    test('an unknown job is looked up as none', async () => {
      const { queue } = await start()
      expect(must(await queue.look('0'.repeat(32)))).toBeNull()
      expect(must(await queue.states(['0'.repeat(32)])).size).toBe(0)
    })
    test('what was confirmed is there after a kill, and a lease has its full term', async () => {
      const { queue, reopen, pass } = await start()
      for (const job of [jobOf(1), jobOf(2), jobOf(3), jobOf(4)]) must(await queue.enqueue(job))
      const [done, failed, going] = [await leased(queue), await leased(queue), await leased(queue)]
      must(await queue.complete(heldBy(done), sha256('a')))
      must(await queue.fail(failed.job.id, heldBy(failed), { code: 'input.refused', detail: 'no' }))
      pass(LEASE_SECONDS - 1)
      const again = await reopen()
      pass(2)
      expect(must(await again.counts())).toEqual({ waiting: 1, leased: 1 })
      must(await again.heartbeat(heldBy(going)))
      expect(codeOf(await again.complete(heldBy(done), sha256('b')))).toBe('job.completed')
      must(await again.complete(heldBy(done), sha256('a')))
      must(await again.complete(heldBy(going), sha256('c')))
      expect((await leased(again)).job).toEqual(jobOf(4))
      expect(must(await again.lease({ zone: 'frankfurt', holder: 'two' }))).toBeNull()
    })
  })
}
