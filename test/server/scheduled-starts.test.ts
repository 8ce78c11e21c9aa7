import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { DueStart } from '../../main/app/engine/schedules/scheduled-starts.ts'
import { createEngine, type StartingEngine } from '../../main/app/engine.ts'
import { writeAttempt } from '../../main/app/scheduled/plan-run.ts'
import { ok } from '../../main/core/base/failure.ts'
import type { Schedule } from '../../schemas/types.ts'
import { ZONED } from '../support/collector-kit.ts'
import { fakeCatalog } from '../support/fake-catalog.ts'
import { FAKE_NODES, type FakeNode } from '../support/fake-nodes.ts'
import { createFakePorts, type FakePortsOptions } from '../support/fake-ports.ts'
import { folderOfTests } from '../support/folders.ts'
import { codeOf, must } from '../support/outcomes.ts'
import { enterServed } from '../support/schedule-kit.ts'
import { writeFleet } from '../support/sealer-kit.ts'

const DUE = '2026-11-19T02:00:00.000Z'
const LATER = '2026-11-20T02:00:00.000Z'
const root = folderOfTests('scheduled-starts')
let [folders, now] = [0, DUE]
const open: StartingEngine[] = []
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close()
})

/** A folder with a schedule whose run is due now; each engine over it is that of one process. */
async function scheduled(changes: Partial<Schedule> = {}) {
  folders += 1
  now = DUE
  const folder = join(root, String(folders))
  writeFleet(folder)
  const ports = createFakePorts({ now: () => now })
  const { schedule, file } = await enterServed(ports, folder, 'sealed', {
    createdAt: '2026-11-18T09:15:00.000Z',
    ...changes,
  })
  const waits: number[] = []
  const engine = async (how: FakePortsOptions = {}, duringWait = async (): Promise<void> => undefined) => {
    const made = await createEngine(createFakePorts({ now: () => now, ...how }), fakeCatalog, {
      folder,
      desktop: { ask: async () => null, show: async () => ({ ok: true, value: null }), vault: null },
      scheduling: {
        file,
        server: {
          wait: async (milliseconds) => {
            waits.push(milliseconds)
            await duringWait()
          },
        },
      },
    })
    open.push(made)
    return made
  }
  const attempts = () =>
    readFileSync(join(folder, 'schedules', 'nightly', 'attempts.jsonl'), 'utf8')
      .split('\n')
      // A line counts with its end: the last one may just be written.
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { code: string; due: string; run: string | null; detail: string })
  const ended = async (count: number) => {
    while (attempts().length < count) await sleep(10)
    return attempts()
  }
  return { schedule, ports, engine, waits, attempts, ended }
}

const runsOf = async (engine: StartingEngine): Promise<readonly string[]> => {
  const listed = await engine.call('runs.list', null)
  return listed.ok ? listed.value.map(({ run }) => run) : []
}
const noted: DueStart[] = []
const note = async (start: DueStart): Promise<void> => void noted.push(start)

test('a run that is due is started once, also when it is looked for again and by a process that starts later', async () => {
  const { engine, ended } = await scheduled()
  const first = await engine()
  const start = must(await first.startDue(note))
  expect(noted.at(-1)).toEqual(start)
  expect(start).toMatchObject({ schedule: 'nightly', due: DUE, isContinued: false })
  expect(must(await first.startDue(note))).toBeNull()
  expect(await ended(2)).toMatchObject([
    { code: 'going', due: DUE, run: start?.run },
    { code: 'ran', due: DUE, run: start?.run, detail: '2 of 2 nodes collected completely.' },
  ])
  expect(must(await first.startDue(note))).toBeNull()
  const second = await engine()
  expect(must(await second.startDue(note))).toBeNull()
  expect(await runsOf(second)).toEqual([start?.run])
  now = LATER
  expect(must(await second.startDue(note))).toMatchObject({ due: LATER })
})

test('of two processes that look at once, one starts it', async () => {
  const { engine, ended } = await scheduled()
  const both = [await engine(), await engine()]
  const looks = await Promise.all(both.map((one) => one.startDue(note)))
  const started = looks.flatMap((look) => (look.ok && look.value !== null ? [look.value] : []))
  expect(started).toHaveLength(1)
  for (const look of looks) expect(codeOf(look)).toBeOneOf(['ok', 'store.failed'])
  expect((await ended(2)).map(({ run }) => run)).toEqual([started[0]?.run, started[0]?.run])
  for (const one of both) expect(must(await one.startDue(note))).toBeNull()
})

test('a process that looks while another one starts it starts nothing', async () => {
  const { engine, ended } = await scheduled()
  const [one, other] = [await engine(), await engine()]
  let release: () => void = () => undefined
  const isHeld = new Promise<void>((resolve) => {
    release = resolve
  })
  let first: ReturnType<typeof one.startDue> = Promise.resolve(ok(null))
  await new Promise<void>((isNoted) => {
    first = one.startDue(async () => {
      isNoted()
      await isHeld
    })
  })
  expect(codeOf(await other.startDue(note))).toBe('store.failed')
  release()
  const start = must(await first)
  expect((await ended(2)).map(({ run }) => run)).toEqual([start?.run, start?.run])
  expect(must(await other.startDue(note))).toBeNull()
  expect(await runsOf(other)).toEqual([start?.run])
})

test('a start that is stored and was not begun is begun by the next process, under its name', async () => {
  const { engine, ports, schedule, ended } = await scheduled()
  must(
    await writeAttempt(ports, schedule, {
      ...{ id: 'a'.repeat(16), schedule: 'nightly', due: DUE, startedAt: DUE, endedAt: null },
      ...{ run: '20261119t0200z-aaaa', exit: null, code: 'going', detail: '' },
    }),
  )
  const next = await engine()
  expect(must(await next.startDue(note))).toEqual({
    ...{ schedule: 'nightly', due: DUE, run: '20261119t0200z-aaaa', isContinued: false },
  })
  expect((await ended(2)).map(({ code }) => code)).toEqual(['going', 'ran'])
  expect(await runsOf(next)).toEqual(['20261119t0200z-aaaa'])
})

test('a run that a process left is continued by the next one, and what was collected is kept', async () => {
  const { engine, ended, attempts } = await scheduled()
  const asked: string[] = []
  let reached: () => void = () => undefined
  const isReached = new Promise<void>((resolve) => {
    reached = resolve
  })
  const first = await engine({
    onConnect: async (node) => {
      asked.push(node)
      if (asked.length < 2) return
      reached()
      await sleep(150)
    },
  })
  const start = must(await first.startDue(note))
  await isReached
  await first.close()
  expect(attempts().map(({ code }) => code)).toEqual(['going'])
  const next = await engine({ onConnect: (node) => void asked.push(`again ${node}`) })
  expect(must(await next.startDue(note))).toEqual({ ...start, isContinued: true })
  expect((await ended(2)).at(-1)).toMatchObject({ code: 'ran', detail: '2 of 2 nodes collected completely.' })
  expect(await runsOf(next)).toEqual([start?.run])
  expect(must(await next.startDue(note))).toBeNull()
})

test('a run that was left is not continued once another is due', async () => {
  const { engine, ports, schedule, ended } = await scheduled()
  must(
    await writeAttempt(ports, schedule, {
      ...{ id: 'a'.repeat(16), schedule: 'nightly', due: DUE, startedAt: DUE, endedAt: null },
      ...{ run: '20261119t0200z-aaaa', exit: null, code: 'going', detail: '' },
    }),
  )
  now = LATER
  const next = await engine()
  // First the end of the earlier one is stored, then the next is started.
  expect(must(await next.startDue(note))).toBeNull()
  expect(must(await next.startDue(note))).toMatchObject({ due: LATER })
  expect(await ended(4)).toMatchObject([
    ...[{ code: 'going' }, { code: 'stopped', due: DUE, run: null }],
    ...[{ code: 'going' }, { code: 'ran', due: LATER }],
  ])
})

test('where the audit log cannot be written, no node is reached, and it is started later', async () => {
  const { engine, ended } = await scheduled()
  const asked: string[] = []
  const one = await engine({ onConnect: (node) => void asked.push(node) })
  await expect(one.startDue(() => Promise.reject(new Error('full')))).rejects.toThrow('full')
  expect(asked).toEqual([])
  expect(must(await one.startDue(note))).toMatchObject({ due: DUE })
  expect((await ended(2)).map(({ code }) => code)).toEqual(['going', 'ran'])
})

/** The fake reads a failure once for its check, and once for each of code and detail. */
const READS_OF_A_FAILURE = 3

/** A node that is reached from a number of tries on. */
const reachedAfter = (tries: number): FakeNode => {
  let left = tries
  const [node] = FAKE_NODES
  return {
    ...{ answers: null, privilege: 'sudo' as const, ...node },
    name: ZONED.first,
    get fails() {
      left -= 1
      return left >= 0 ? { code: 'ssh.unreachable' as const, detail: 'no route' } : undefined
    },
  } as FakeNode
}

test.each<[string, number, number, string]>([
  ['reached at the first retry', 1, 1, '2 of 2 nodes collected completely.'],
  ['reached at no retry', 99, 2, '1 of 2 nodes collected completely.'],
])('a node that is %s', async (_, misses, retries, detail) => {
  const { engine, waits, ended } = await scheduled({ retries: { times: 2, waitMinutes: 15 } })
  // Each try reads the failure as often as the fake does.
  const one = await engine({ nodes: [reachedAfter(misses === 1 ? READS_OF_A_FAILURE : misses)] })
  const start = must(await one.startDue(note))
  expect((await ended(2)).at(-1)).toMatchObject({ code: 'ran', run: start?.run, detail })
  expect(waits).toEqual(Array.from({ length: retries }, () => 15 * 60_000))
  expect(await runsOf(one)).toEqual([start?.run])
})

test('a run is not continued once a person started another', async () => {
  const { engine, waits, ended } = await scheduled({ retries: { times: 2, waitMinutes: 15 } })
  const duringWait = async (): Promise<void> => {
    if (waits.length > 1) return
    now = '2026-11-19T03:00:00.000Z'
    await ended(1)
    const isDone = new Promise<void>((resolve) =>
      one.onEvent(({ kind }) => (kind === 'run-done' ? resolve() : undefined)),
    )
    await one.call('run.start', { nodes: [], only: 'all' })
    // While it is in progress, the scheduled run waits for its end once more.
    await isDone
    expect(await runsOf(one)).toHaveLength(2)
  }
  const one = await engine({ nodes: [reachedAfter(99)] }, duringWait)
  const start = must(await one.startDue(note))
  expect((await ended(2)).at(-1)).toMatchObject({ run: start?.run, detail: '1 of 2 nodes collected completely.' })
  expect(waits).toHaveLength(1)
})
