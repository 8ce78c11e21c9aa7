import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TargetResult } from '../../main/app/outbox/deliver.ts'
import type { SendReport } from '../../main/app/outbox/send.ts'
import { type Attempt, readAttempts, writeAttempt } from '../../main/app/scheduled/plan-run.ts'
import { sendingText } from '../../main/app/scheduled/send-packs.ts'
import { fail, type Outcome, ok } from '../../main/core/base/failure.ts'
import { packOfRun, scheduleAttempts } from '../../main/core/base/layout.ts'
import { must } from '../support/outcomes.ts'
import { type Kit, ranAt, scheduleKit } from '../support/schedule-kit.ts'

let kit: Kit
beforeEach(() => {
  kit = scheduleKit({ integrations: '/etc/barewitness/integrations.yaml' })
})
afterEach(() => kit.remove())

const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'].map((day) => `${day}T02:00:00.000Z`)
const [FIRST = '', SECOND = '', THIRD = ''] = DAYS

const writePack = (run: string): void => {
  const path = packOfRun(kit.schedule.out, run)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'a pack')
}
/** A start whose run has a pack. */
const startAt = async (at: string, options: Parameters<Kit['start']>[0] = {}) => {
  kit.setClock(at)
  return must(await kit.start({ ...options, during: async () => writePack(`run-${kit.runs()}`) }))
}
const attempts = async (): Promise<readonly Attempt[]> =>
  must(await readAttempts(kit.ports, kit.schedule.out, kit.schedule.name))
const states = async () => (await attempts()).map(({ sending }) => sending?.state ?? null)

const target = (changes: Partial<TargetResult>): Outcome<SendReport> =>
  ok({
    planned: 1,
    files: [],
    targets: [{ target: 'tickets', delivered: 0, waiting: 0, givenUp: [], why: null, ...changes }],
  })

test('the pack of a run is sent after it, and what became of it is recorded with the start', async () => {
  expect(await startAt(FIRST)).toMatchObject({ code: 'ran', failures: [] })
  expect(kit.sent).toEqual(['run-1'])
  expect(await attempts()).toMatchObject([
    { code: 'ran', exit: 0, run: 'run-1', sending: { state: 'delivered', code: null, detail: '' } },
  ])
})

test('a schedule that names no integrations sends nothing and records nothing of it', async () => {
  kit.remove()
  kit = scheduleKit()
  await startAt(FIRST)
  expect(kit.sent).toEqual([])
  expect('sending' in ((await attempts())[0] ?? {})).toBe(false)
})

describe('a sending that fails changes neither run nor exit code', () => {
  test.each<[string, Outcome<SendReport>, object]>([
    [
      'a pack that is refused',
      fail('pack.unverified', 'no'),
      { state: 'failed', code: 'pack.unverified', detail: 'no' },
    ],
    ['a secret that cannot be read', fail('input.refused', 'x'), { state: 'failed', code: 'input.refused' }],
    [
      'a file that cannot be written',
      ok({ planned: 0, files: [{ target: 'lake', written: fail('store.failed', 'full') }], targets: [] }),
      { state: 'failed', code: 'store.failed', detail: 'full' },
    ],
    [
      'a receiver that is down',
      target({ waiting: 2, why: 'jira.example.com: HTTP status 503' }),
      { state: 'waiting', code: 'delivery.failed', detail: expect.stringContaining('HTTP status 503') },
    ],
    [
      'an item that is given up',
      target({ givenUp: [{ key: 'k', why: 'jira.example.com: HTTP status 400' }] }),
      { state: 'given-up', code: 'delivery.failed', detail: expect.stringContaining('HTTP status 400') },
    ],
  ])('%s', async (_, sending, recorded) => {
    kit.setSending(async () => sending)
    const outcome = await startAt(FIRST)
    expect(outcome).toMatchObject({ code: 'ran', failures: [], ran: { run: 'run-1' } })
    expect(await attempts()).toMatchObject([{ code: 'ran', exit: 0, detail: '', sending: recorded }])
    expect(kit.said.at(-1)).toBe(sendingText((await attempts())[0]?.sending as never))
    expect(await kit.dueTimes()).toEqual([`run ${FIRST}`])
  })

  test('what failed as a whole is sent again with the next run, oldest first; what waits is left to the outbox', async () => {
    kit.setSending(async () => fail('pack.unverified', 'no'))
    await startAt(FIRST)
    kit.setSending(async () => target({ waiting: 1, why: 'away' }))
    await startAt(SECOND)
    expect(kit.sent.splice(0)).toEqual(['run-1', 'run-1', 'run-2'])
    expect(await states()).toEqual(['waiting', 'waiting'])
    await startAt(THIRD)
    expect(kit.sent).toEqual(['run-3'])
  })
})

describe('killed before the pack was in the outbox', () => {
  const killed = async (due: string | null, changes: Partial<Attempt> = {}): Promise<void> => {
    const { name, out } = kit.schedule
    const at = due ?? FIRST
    const attempt = { id: '0123456789abcdef', schedule: name, due, startedAt: at, endedAt: null, run: null, exit: null }
    const sending = { state: 'pending', code: null, detail: '' } as const
    const line: Attempt = { ...attempt, code: 'going', detail: '', sending, ...changes }
    must(await writeAttempt(kit.ports, { name, out }, line))
  }

  test('after the run was sealed: the next start sends its pack first', async () => {
    await kit.enter(ranAt(FIRST, '2026-03-01T02:05:00.000Z'))
    writePack(`run-${FIRST}`)
    await killed(FIRST)
    await startAt(SECOND)
    expect(kit.sent).toEqual([`run-${FIRST}`, 'run-1'])
    expect(await states()).toEqual(['delivered', 'delivered'])
    // A start at which nothing is due sends as well, and finds nothing left.
    kit.setClock('2026-03-02T02:30:00.000Z')
    expect(must(await kit.start())).toMatchObject({ code: 'nothing-due' })
    expect(kit.sent.slice(2)).toEqual([null])
  })

  test('a start at which nothing is due sends it, too', async () => {
    await kit.enter(ranAt(FIRST, '2026-03-01T02:05:00.000Z'))
    writePack(`run-${FIRST}`)
    await killed(FIRST)
    kit.setClock('2026-03-01T02:30:00.000Z')
    expect(must(await kit.start())).toMatchObject({ code: 'nothing-due' })
    expect(kit.sent).toEqual([`run-${FIRST}`])
    expect(await states()).toEqual(['delivered', 'delivered'])
  })

  test('while it was sent: it is sent again', async () => {
    writePack('run-7')
    await killed(FIRST, { code: 'ran', run: 'run-7', exit: 0, endedAt: '2026-03-01T02:06:00.000Z' })
    kit.setClock('2026-03-02T02:00:00.000Z')
    must(await kit.start())
    expect(kit.sent[0]).toBe('run-7')
  })

  test('before anything was sealed: there is no pack to send', async () => {
    await killed(FIRST)
    await startAt(SECOND)
    expect(kit.sent).toEqual(['run-1'])
  })

  test('packs of older starts than the last twenty are left alone', async () => {
    writePack('old')
    await killed(FIRST, { code: 'ran', run: 'old', exit: 0 })
    for (let at = 0; at < 20; at += 1)
      await killed(FIRST, {
        id: `${at}`.padStart(16, '0'),
        code: 'nothing-due',
        sending: { state: 'delivered', code: null, detail: '' },
      })
    await startAt(SECOND)
    expect(kit.sent).toEqual(['run-1'])
  })
})

test('a start that is to stop leaves its pack to the next one', async () => {
  const stop = new AbortController()
  kit.setClock(FIRST)
  const during = async (): Promise<void> => {
    writePack('run-1')
    stop.abort()
  }
  must(await kit.start({ signal: stop.signal, during }))
  expect([kit.sent, await states()]).toEqual([[], ['pending']])
  await startAt(SECOND)
  expect(kit.sent).toEqual(['run-1', 'run-2'])
})

test('a run that could not be exported: what waits is sent', async () => {
  kit.setNodes('store.failed')
  expect(await startAt(FIRST)).toMatchObject({ code: 'failed' })
  expect(kit.sent).toEqual([null])
})

test('the schedule is not locked meanwhile: another start finds its own due time', async () => {
  let inner: unknown = null
  kit.setSending(async () => {
    if (inner === null) {
      inner = {}
      kit.setClock(SECOND)
      inner = must(await kit.start({ during: async () => writePack('run-2') }))
    }
    return target({})
  })
  await startAt(FIRST)
  expect(inner).toMatchObject({ code: 'ran', due: SECOND })
})

test('a list of starts that cannot be read keeps no pack from being sent', async () => {
  await startAt(FIRST)
  appendFileSync(scheduleAttempts(kit.schedule), '{"id":"0123"}\n')
  await startAt(SECOND)
  expect(kit.sent).toEqual(['run-1', 'run-2'])
})

test.each([
  { state: 'sent', code: null, detail: '' },
  { state: 'failed', code: 'no.such-code', detail: '' },
  { state: 'failed', code: null },
  { state: 'failed', code: null, detail: '', more: 1 },
  null,
])('%j is refused as what became of a pack', async (sending) => {
  const { name, out } = kit.schedule
  const line = {
    id: '0123456789abcdef',
    schedule: name,
    due: null,
    startedAt: FIRST,
    endedAt: null,
    run: null,
    exit: null,
  }
  must(await writeAttempt(kit.ports, { name, out }, { ...line, code: 'ran', detail: '', sending: sending as never }))
  expect((await readAttempts(kit.ports, out, name)).ok).toBe(false)
})
