import { describe, expect, test } from 'vitest'
import { type NodeOutcome, newRunId, outcomeOf, runFleet } from '../main/app/collect/run.ts'
import { EXIT, worst } from '../main/cli/parts/options.ts'
import type { RunEvent } from '../main/core/ports/ports.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import type { Register } from '../schemas/types.ts'
import { targetOf } from './support/deps.ts'
import { riskAcceptanceOf } from './support/register.ts'

const targets = (count: number) => Array.from({ length: count }, (_, at) => targetOf(`n${at}`))
const options = (concurrency: number, signal = new AbortController().signal) => {
  const events: RunEvent[] = []
  return { events, run: 'r', concurrency, signal, onEvent: (event: RunEvent) => void events.push(event) }
}

const fine: NodeOutcome = { recording: null, authRefused: false }

describe('running a fleet', () => {
  test('never more at a time than allowed, and every node once', async () => {
    let now = 0
    let most = 0
    const seen: string[] = []
    await runFleet(
      targets(20),
      async ({ node }) => {
        now += 1
        most = Math.max(most, now)
        seen.push(node.name)
        await new Promise((resolve) => setTimeout(resolve, 2))
        now -= 1
        return fine
      },
      options(3),
    )
    expect(most).toBe(3)
    expect(new Set(seen).size).toBe(20)
  })

  test('nodes that stand aside let others begin, up to four times as many; the others wait', async () => {
    let [working, open, mostWorking, mostOpen] = [0, 0, 0, 0]
    // Those that stand aside stay there until as many as may are open, and a moment longer, so that one too many would be seen.
    let letGo = (): void => undefined
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await runFleet(
      targets(40),
      async (_target, aside) => {
        working += 1
        open += 1
        mostWorking = Math.max(mostWorking, working)
        mostOpen = Math.max(mostOpen, open)
        if (open === 10) setTimeout(letGo, 100)
        await new Promise((resolve) => setTimeout(resolve, 2))
        working -= 1
        await aside(() => held)
        open -= 1
        return fine
      },
      options(2),
    )
    expect(mostWorking).toBe(2)
    expect(mostOpen).toBe(10)
  })

  test('a node that comes back waits for no other', async () => {
    const done: string[] = []
    let letGo = (): void => undefined
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await runFleet(
      targets(2),
      async ({ node }, aside) => {
        if (node.name === 'n0') await aside(async () => undefined)
        else await held
        done.push(node.name)
        letGo()
        return fine
      },
      options(1),
    )
    expect(done).toEqual(['n0', 'n1'])
  })

  test('three refused logins among the first twenty stop the rest, so that no account gets locked', async () => {
    const settings = options(1)
    let tried = 0
    await runFleet(
      targets(30),
      async () => {
        tried += 1
        return { recording: null, authRefused: true }
      },
      settings,
    )
    expect(tried).toBe(3)
    expect(settings.events.filter(({ kind }) => kind === 'node-failed')).toHaveLength(27)
  })

  test('a stop starts no more nodes', async () => {
    const stop = new AbortController()
    let tried = 0
    const result = await runFleet(
      targets(10),
      async () => {
        tried += 1
        stop.abort()
        return fine
      },
      options(1, stop.signal),
    )
    expect(tried).toBe(1)
    expect(result.cancelled).toBe(true)
  })
})

test('run names sort by time and fit a folder name', () => {
  const entropy = { bytes: () => new Uint8Array([0x1f, 0x3a]) }
  const at = (now: string) => newRunId({ now: () => now, ticks: () => 0n }, entropy)
  expect(at('2026-11-21T09:12:33.000Z')).toBe('20261121t0912z-1f3a')
  expect(at('2026-11-21T09:12:33.000Z') < at('2026-11-21T10:00:00.000Z')).toBe(true)
})

describe('exit codes', () => {
  test.each([
    [[EXIT.done], 0],
    [[EXIT.incomplete, EXIT.gaps], 3],
    [[EXIT.gaps, EXIT.notVerified], 5],
    [[EXIT.notVerified, EXIT.usage], 2],
    [[EXIT.usage, EXIT.bug], 1],
    [[], 0],
  ] as const)('the worst of %j is %i', (codes, expected) => expect(worst([...codes])).toBe(expected))
})

test('a declared node without evidence makes a run incomplete', () => {
  const base = {
    schema: 'barewitness.assessment/1',
    asOf: '',
    engine: '',
    catalog: { version: '', digest: '', module: '' },
    scope: { fleet: '', population: [], frameworks: [] },
    demo: false,
    controls: [],
  } as const
  expect(outcomeOf({ ...base, nodes: [] }, EMPTY_REGISTER)).toEqual({ gaps: false, incomplete: true })
})

describe('gaps', () => {
  const node = {
    node: 'a',
    recording: null,
    status: 'complete',
    failure: null,
    observedAt: null,
    ageDays: null,
    stale: false,
    privilege: null,
    synthetic: null,
    isolation: null,
    results: [{ check: 'c', property: 'access', verdict: 'not-satisfied', observations: [] }],
  } as const
  const assessment = {
    schema: 'barewitness.assessment/1',
    asOf: '2026-11-21T00:00:00.000Z',
    engine: '',
    catalog: { version: '', digest: '', module: '' },
    scope: { fleet: '', population: ['a'], frameworks: [] },
    demo: false,
    controls: [],
    nodes: [node],
  } as const
  const until = (expiresAt: string): Register => ({
    ...EMPTY_REGISTER,
    riskAcceptances: [riskAcceptanceOf({ check: 'c', nodes: ['a'], expiresAt })],
  })
  test.each([
    ['there is no acceptance', EMPTY_REGISTER, true],
    ['it is accepted until later', until('2026-12-01T23:59:59.999Z'), false],
    ['the acceptance has ended', until('2026-11-01T23:59:59.999Z'), true],
  ])('a contradiction is one when %s', (_, register, gaps) => {
    expect(outcomeOf(assessment, register)).toEqual({ gaps, incomplete: false })
  })
  test('a machine in the provider’s list without an explanation makes a run incomplete', () => {
    const reconciliation = {
      declared: 1,
      inFleet: 1,
      collected: 1,
      inventory: 2,
      nodes: [],
      inventoryOnly: [],
      conflicts: [],
      unreconciled: 1,
    }
    expect(outcomeOf({ ...assessment, reconciliation }, EMPTY_REGISTER).incomplete).toBe(true)
  })
})
