import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createIntegrations, openOutbox, openTarget, readOutbox } from '../../main/adapters/outbox/index.ts'
import { type DeliverDeps, deliverWaiting, planItems, type TargetResult } from '../../main/app/outbox/deliver.ts'
import { targetPlans } from '../../main/app/outbox/targets.ts'
import type { Target } from '../../main/core/outbox/delivery.ts'
import { MOST_ATTEMPTS } from '../../main/core/outbox/delivery.ts'
import type { FindingItem, OutboxItem } from '../../main/core/outbox/item.ts'
import { outboxKey } from '../../main/core/outbox/item.ts'
import { type FakeName, type Fakes, type Fault, startFakes, TOKENS } from '../support/outbox-fakes.ts'
import { FINDING, PACK } from '../support/outbox-items.ts'
import { integrationsFile } from '../support/outbox-kit.ts'
import { must } from '../support/outcomes.ts'

const ALL = Object.keys(TOKENS) as readonly FakeName[]
const finding = (check: string): FindingItem => ({ ...FINDING, check, key: outboxKey('s', 'f', check) })
const ITEMS: readonly OutboxItem[] = [PACK, finding('a'), finding('b')]
/** What each kind of target takes of them. */
const TAKEN: Readonly<Record<FakeName, number>> = {
  jira: 2,
  serviceNow: 2,
  cisoAssistant: 1,
  vanta: 1,
  drata: 1,
  openTelemetry: 3,
  slack: 1,
  teams: 1,
  webhook: 3,
}

let [folder, fakes]: [string, Fakes] = ['', null as never]
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bw-outbox-'))
  fakes = await startFakes()
})
afterEach(async () => {
  await fakes.close()
  rmSync(folder, { recursive: true, force: true })
})

const time = { now: Date.parse('2026-11-28T06:00:00.000Z') }
const waits: number[] = []
beforeEach(() => {
  time.now = Date.parse('2026-11-28T06:00:00.000Z')
  waits.length = 0
})
const clock = { now: () => new Date(time.now).toISOString(), ticks: () => 0n }
const parts: Omit<DeliverDeps, 'outbox'> = {
  clock,
  entropy: { bytes: (count) => new Uint8Array(count) },
  wait: async (milliseconds) => {
    waits.push(milliseconds)
    time.now += milliseconds
  },
}

async function targetsFor(only: readonly FakeName[]): Promise<readonly Target[]> {
  const config = must(await createIntegrations(clock).read(integrationsFile(folder, fakes, { only })))
  return targetPlans(config).map((plan) => must(openTarget(plan, clock)))
}

/** One run of the program: plans the items, where there are any, and delivers. */
async function run(
  only: readonly FakeName[],
  items: readonly OutboxItem[] = [],
  { again = false, absent = [] }: { again?: boolean; absent?: readonly FindingItem[] } = {},
): Promise<readonly TargetResult[]> {
  const targets = await targetsFor(only)
  const outbox = must(await openOutbox(join(folder, 'outbox')))
  try {
    must(await planItems({ ...parts, outbox }, targets, { items, absent }, again))
    return must(await deliverWaiting({ ...parts, outbox }, targets))
  } finally {
    await outbox.close()
  }
}

const journal = (): string => readFileSync(join(folder, 'outbox', 'outbox.jsonl'), 'utf8')
const count = (fake: FakeName): number => {
  const kept = fakes.kept[fake]
  return 'size' in kept ? kept.size : kept.length
}
/** The n-th request of a fake, from 1, has this fault. */
const faultAt = (at: number, fault: Fault, wanted: (path: string) => boolean = () => true): void => {
  let seen = 0
  fakes.hooks.faults = (_, { path }) => (wanted(path) && ++seen === at ? fault : null)
}

describe.each(ALL)('%s, as its fake was written from the documentation', (fake) => {
  test('takes what it is sent, once; the same again sends nothing', async () => {
    const [result] = await run([fake], ITEMS)
    expect(result).toMatchObject({ delivered: TAKEN[fake], waiting: 0, givenUp: [], why: null })
    expect(fakes.received.filter(({ status }) => status >= 400)).toEqual([])
    expect(count(fake)).toBe(TAKEN[fake])
    const sent = fakes.received.length
    expect((await run([fake], ITEMS))[0]).toMatchObject({ delivered: 0, waiting: 0 })
    expect(fakes.received).toHaveLength(sent)
  })

  test('every request has the dates of the evidence and the digest of the pack, where it creates something', async () => {
    await run([fake], ITEMS)
    const creating = fakes.received.filter(
      ({ method, path }) => method !== 'GET' && !/search\/jql$|evidence-files$/.test(path),
    )
    expect(creating).toHaveLength(TAKEN[fake])
    for (const { body } of creating) {
      expect(body).toContain(PACK.pack.sha256)
      expect(body).toContain('2026-11-28T05:26:10.000Z')
    }
  })

  test('a wrong token: nothing is given up, and everything is delivered once it is right', async () => {
    fakes.hooks.faults = () => ({ status: 401, body: 'no' })
    const [refused] = await run([fake], ITEMS)
    expect(refused).toMatchObject({ delivered: 0, waiting: TAKEN[fake], givenUp: [] })
    expect(refused?.why).toContain('HTTP status 401')
    expect(fakes.received).toHaveLength(1)
    fakes.hooks.faults = () => null
    time.now += 24 * 3_600_000
    expect((await run([fake]))[0]).toMatchObject({ delivered: TAKEN[fake], waiting: 0 })
  })

  test('a token is in no body, no path and not in the journal', async () => {
    fakes.hooks.faults = (_, { method }) => (method === 'POST' && fakes.received.length === 0 ? { status: 503 } : null)
    const results = await run([fake], ITEMS)
    for (const { body, path } of fakes.received) {
      expect(body.includes(TOKENS[fake])).toBe(false)
      // The address of a message is the secret itself.
      if (fake !== 'slack' && fake !== 'teams') expect(path.includes(TOKENS[fake])).toBe(false)
    }
    expect(journal().includes(TOKENS[fake])).toBe(false)
    expect(JSON.stringify(results).includes(TOKENS[fake])).toBe(false)
  })
})

describe('an answer that is lost', () => {
  test.each(ALL.filter((fake) => !['slack', 'teams', 'openTelemetry'].includes(fake)))(
    '%s: what was made is found by its key and not made again',
    async (fake) => {
      let lost = 0
      fakes.hooks.faults = (_, { method, path }) =>
        method === 'POST' && !/search\/jql$/.test(path) && lost++ === (fake === 'drata' ? 1 : 0) ? 'lost' : null
      expect((await run([fake], ITEMS))[0]).toMatchObject({ delivered: TAKEN[fake], waiting: 0 })
      expect(count(fake)).toBe(TAKEN[fake])
      expect(waits).toEqual([1000])
    },
  )

  test('Jira, where the search does not show the new issue yet: a second one is possible, which the documentation names', async () => {
    let lost = false
    fakes.hooks.faults = (_, { path }) => {
      for (const issue of fakes.kept.jira) issue.isVisible = false
      if (!path.endsWith('/issue') || lost) return null
      lost = true
      return 'lost'
    }
    await run(['jira'], [finding('a')])
    expect(count('jira')).toBe(2)
  })
})

describe('changes', () => {
  test.each(['jira', 'serviceNow'] as const)('%s: a finding of a later pack updates what is there', async (fake) => {
    await run([fake], ITEMS)
    const later = { ...finding('a'), status: 'In progress', pack: { name: 'later', sha256: 'cd'.repeat(32) } }
    expect((await run([fake], [later]))[0]).toMatchObject({ delivered: 1 })
    expect(count(fake)).toBe(2)
    expect(JSON.stringify(fakes.kept[fake])).toContain('cd'.repeat(32))
  })

  test('a finding that a later pack does not have is updated where it was sent, and nowhere made', async () => {
    await run(['jira', 'slack'], [finding('a')])
    const gone = (check: string, outcome: FindingItem['outcome']): FindingItem => ({
      ...finding(check),
      outcome,
      nodes: [],
    })
    const absent = [gone('a', 'undetermined'), gone('never-found', 'none')]
    expect(await run(['jira', 'slack'], [], { absent })).toMatchObject([{ delivered: 0 }, { delivered: 1 }])
    expect(fakes.kept.jira.map(({ summary }) => summary)).toEqual([expect.stringMatching(/^F-20BF8C Undetermined: /)])
    await run(['jira'], [finding('a')])
    expect(fakes.kept.jira.map(({ summary }) => summary)).toEqual([expect.stringMatching(/^F-20BF8C Critical: /)])
  })

  test('an earlier pack replaces nothing of a later one', async () => {
    const later = { ...finding('a'), status: 'In progress', asOf: '2026-12-01T06:00:00.000Z' }
    await run(['jira'], [later])
    expect((await run(['jira'], [finding('a')]))[0]).toMatchObject({ delivered: 0, waiting: 0 })
    expect(JSON.stringify(fakes.kept.jira)).toContain('In progress')
    expect((await run(['jira'], [finding('a'), finding('b')]))[0]).toMatchObject({ delivered: 1 })
  })

  test('an issue that was deleted is made again', async () => {
    await run(['jira'], [finding('a')])
    for (const issue of fakes.kept.jira) issue.isVisible = false
    expect((await run(['jira'], [{ ...finding('a'), status: 'In progress' }]))[0]).toMatchObject({ delivered: 1 })
    expect(fakes.kept.jira.filter(({ isVisible }) => isVisible)).toHaveLength(1)
  })

  test('what waits is replaced by later content of the same key', async () => {
    fakes.hooks.faults = () => 'dropped'
    await run(['webhook'], [finding('a')])
    fakes.hooks.faults = () => null
    await run(['webhook'], [{ ...finding('a'), status: 'In progress' }])
    expect([...fakes.kept.webhook.values()]).toMatchObject([{ status: 'In progress' }])
  })
})

describe('attempts', () => {
  test.each<[string, Fault]>([
    ['a connection that ends', 'dropped'],
    ['HTTP status 500', { status: 500 }],
    ['HTTP status 429', { status: 429 }],
    ['an answer that is not JSON', { status: 200, body: '<html>' }],
    ['an answer in another form', { status: 200, body: '{"issues":{}}' }],
  ])('%s: again after growing waits', async (_, fault) => {
    let seen = 0
    fakes.hooks.faults = () => (++seen <= 2 ? fault : null)
    expect((await run(['jira'], [finding('a')]))[0]).toMatchObject({ delivered: 1 })
    expect(waits).toEqual([1000, 4000])
  })

  test('Retry-After is a minimum, within a run and between runs', async () => {
    faultAt(1, { status: 429, headers: { 'retry-after': '30' } })
    await run(['webhook'], [PACK])
    expect(waits).toEqual([30_000])
    faultAt(1, { status: 503, headers: { 'retry-after': '3600' } })
    const [result] = await run(['webhook'], [finding('a'), finding('b')])
    expect(result).toMatchObject({ delivered: 0, waiting: 2 })
    const sent = fakes.received.length
    time.now += 3_500_000
    expect((await run(['webhook']))[0]).toMatchObject({ delivered: 0, waiting: 2 })
    expect(fakes.received).toHaveLength(sent)
    time.now += 200_000
    expect((await run(['webhook']))[0]).toMatchObject({ delivered: 2, waiting: 0 })
  })

  test('a target that is down keeps no other from its items', async () => {
    fakes.hooks.faults = (fake) => (fake === 'jira' ? 'dropped' : null)
    const results = await run(['jira', 'serviceNow'], ITEMS)
    expect(results).toMatchObject([
      { target: 'tickets', delivered: 0, waiting: 2 },
      { target: 'incidents', delivered: 2, waiting: 0 },
    ])
  })

  test('an item that is refused is given up with the reason, others are delivered', async () => {
    faultAt(1, { status: 422 }, (path) => path.endsWith('/issue'))
    const [result] = await run(['jira'], ITEMS)
    expect(result).toMatchObject({ delivered: 1, waiting: 0, givenUp: [{ why: expect.stringContaining('422') }] })
    expect((await run(['jira'], ITEMS))[0]).toMatchObject({ delivered: 0, givenUp: [{}] })
    expect((await run(['jira'], ITEMS, { again: true }))[0]).toMatchObject({ delivered: 1, givenUp: [] })
  })

  test('a receiver that stays down is given up after a limit', async () => {
    fakes.hooks.faults = () => 'dropped'
    let runs = 0
    for (let result = (await run(['webhook'], [PACK]))[0]; result?.waiting === 1; runs += 1) {
      time.now += 24 * 3_600_000
      ;[result] = await run(['webhook'])
      if (runs > MOST_ATTEMPTS) break
    }
    const [last] = await run(['webhook'])
    expect(last?.givenUp).toMatchObject([{ why: expect.stringContaining(`${MOST_ATTEMPTS} attempts`) }])
  })

  test('a redirect is not followed, and gets no token', async () => {
    fakes.hooks.faults = (fake) =>
      fake === 'jira' ? { status: 307, headers: { location: fakes.url('webhook') } } : null
    expect((await run(['jira'], ITEMS))[0]).toMatchObject({ delivered: 0, waiting: 2 })
    expect(fakes.received.map(({ fake }) => fake)).toEqual(['jira'])
  })

  test('an endless answer is cut', async () => {
    faultAt(1, { status: 200, body: 'x'.repeat(5 * 1024 * 1024) })
    expect((await run(['jira'], [finding('a')]))[0]).toMatchObject({ delivered: 1 })
    expect(waits).toEqual([1000])
  })

  test('the text of an answer is not repeated', async () => {
    fakes.hooks.faults = () => ({ status: 400, body: 'hostile \u001b[31m text with a token' })
    const [result] = await run(['webhook'], [PACK])
    expect(result?.givenUp).toHaveLength(1)
    expect(JSON.stringify(result) + journal()).not.toContain('hostile')
  })
})

describe('the journal', () => {
  test('plans everything before anything is sent', async () => {
    let planned = -1
    fakes.hooks.faults = () => {
      if (planned === -1) planned = journal().split('"kind":"planned"').length - 1
      return null
    }
    await run(['jira', 'webhook'], ITEMS)
    expect(planned).toBe(TAKEN.jira + TAKEN.webhook)
  })

  test('records an attempt before it begins, and its outcome after the answer', async () => {
    const kinds = (): string[] =>
      journal()
        .split('\n')
        .slice(0, -1)
        .map((line) => (JSON.parse(line) as { kind: string }).kind)
    let during: string[] = []
    fakes.hooks.faults = () => {
      during = kinds()
      return null
    }
    await run(['webhook'], [PACK])
    expect(during).toEqual(['planned', 'attempted'])
    expect(kinds()).toEqual(['planned', 'attempted', 'delivered'])
  })

  test('is shortened when it is opened, and forgets nothing', async () => {
    await run(['jira'], ITEMS)
    const before = must(await readOutbox(join(folder, 'outbox')))
    await run(['jira'])
    expect(journal().split('\n').slice(0, -1)).toHaveLength(2)
    expect(must(await readOutbox(join(folder, 'outbox')))).toEqual(before)
  })

  test('a line without its end is cut; one that is no entry is reported', async () => {
    await run(['webhook'], [PACK])
    const path = join(folder, 'outbox', 'outbox.jsonl')
    appendFileSync(path, '{"kind":"att')
    expect((await run(['webhook'], [PACK]))[0]).toMatchObject({ delivered: 0 })
    writeFileSync(path, '{"kind":"sent"}\n')
    expect(await openOutbox(join(folder, 'outbox'))).toMatchObject({ error: { code: 'store.failed' } })
    expect(await readOutbox(join(folder, 'outbox'))).toMatchObject({ error: { code: 'store.failed' } })
  })
})

describe('asked to end', () => {
  const delivered = async (signal: AbortSignal, only: readonly FakeName[]) => {
    const targets = await targetsFor(only)
    const outbox = must(await openOutbox(join(folder, 'outbox')))
    try {
      must(await planItems({ ...parts, outbox }, targets, { items: ITEMS, absent: [] }, false))
      return must(await deliverWaiting({ ...parts, outbox, signal }, targets))
    } finally {
      await outbox.close()
    }
  }
  test('in a request: its answer is used, nothing else is begun, and the rest waits', async () => {
    const stop = new AbortController()
    fakes.hooks.faults = () => {
      stop.abort()
      return null
    }
    expect(await delivered(stop.signal, ['webhook', 'openTelemetry'])).toMatchObject([
      { delivered: 1, waiting: 2, givenUp: [] },
      { delivered: 0, waiting: 3, givenUp: [] },
    ])
    expect(fakes.received).toHaveLength(1)
    fakes.hooks.faults = () => null
    expect(await run(['webhook', 'openTelemetry'])).toMatchObject([{ delivered: 2 }, { delivered: 3 }])
    expect(fakes.received).toHaveLength(6)
  })
  test('before a pause: the item waits until then, and is not tried now', async () => {
    const stop = new AbortController()
    fakes.hooks.faults = () => {
      stop.abort()
      return { status: 503 }
    }
    expect(await delivered(stop.signal, ['webhook'])).toMatchObject([{ delivered: 0, waiting: 3 }])
    expect([waits, fakes.received.length]).toEqual([[], 1])
  })
  test('between two requests of one item: as if the program had been killed there', async () => {
    const stop = new AbortController()
    fakes.hooks.faults = () => {
      stop.abort()
      return null
    }
    expect(await delivered(stop.signal, ['jira'])).toMatchObject([{ delivered: 0, waiting: 2 }])
    fakes.hooks.faults = () => null
    expect([fakes.received.length, await run(['jira'])]).toMatchObject([1, [{ delivered: 2 }]])
    expect(fakes.kept.jira).toHaveLength(2)
  })
})
