import { beforeEach, expect, test } from 'vitest'
import { openEvidenceStore } from '../main/adapters/store/evidence-store.ts'
import { type CollectOptions, collectNode } from '../main/app/collect/collect-node.ts'
import { nonceEcho } from '../main/catalog/operations/evidence/probes.ts'
import { ok } from '../main/core/base/failure.ts'
import type { Connection, EvidenceStore, RunEvent, Transport } from '../main/core/ports/ports.ts'
import { readProbe, run } from '../main/core/recording/probe.ts'
import type { DeclaredNode } from '../schemas/types.ts'
import { catalogOf, probeOf, realClock, realEntropy, realPause, targetOf, validator } from './support/deps.ts'
import { folderOfTest } from './support/folders.ts'
import { loadedOf } from './support/loaded.ts'
import { localConnection } from './support/local-transport.ts'
import { must } from './support/outcomes.ts'

const place = { name: 'here', latitude: 0, longitude: 0, radiusKm: 10, declaredBy: 'test' }
const PATH = { tcpMs: 0.2, keepaliveMs: [0.3], jumps: 0, remoteAddress: '192.0.2.1' }
const probes = [nonceEcho, probeOf('test.version', { version: run(['cat', '/proc/version']) })]

let root = ''
let store: EvidenceStore
beforeEach(async () => {
  root = folderOfTest('echo')
  store = must(await openEvidenceStore(root, validator))
})

/** Waits of over a minute pass at once, and count in full: how fast this machine is decides nothing. */
function leaping() {
  let ahead = 0n
  const leap = (milliseconds: number): void => {
    ahead += BigInt(Math.round(milliseconds * 1e6))
  }
  return {
    leap,
    clock: {
      now: () => new Date(Date.parse(realClock.now()) + Number(ahead / 1_000_000n)).toISOString(),
      ticks: () => realClock.ticks() + ahead,
    },
    pause: async (milliseconds: number): Promise<void> => {
      if (milliseconds <= 60_000) return await realPause(milliseconds)
      // Time passes while someone waits, not before they begin to; and long enough for the deadline to be looked at.
      await realPause(1)
      leap(milliseconds)
      await realPause(300)
    },
  }
}

async function collect(
  changes: Partial<CollectOptions>,
  connection: Partial<Connection> = {},
  places: Pick<DeclaredNode, 'location' | 'vantage'> = { location: place, vantage: place },
  time: Pick<ReturnType<typeof leaping>, 'clock' | 'pause'> = leaping(),
) {
  const events: RunEvent[] = []
  const transport: Transport = { connect: async () => ok({ ...localConnection(['sh', '-s']), ...connection }) }
  const collected = await collectNode(
    { transport, store, ...time, entropy: realEntropy, catalog: catalogOf(probes) },
    targetOf('node-1', places),
    {
      run: 'r1',
      signal: new AbortController().signal,
      deadlineSeconds: 300,
      onEvent: (event) => events.push(event),
      marks: { demo: false, synthetic: null },
      skip: new Set(),
      ...changes,
    },
  )
  const { recording, captures } = await loadedOf(collected)
  const read = readProbe(nonceEcho, new Map(captures.map((one) => [`${one.meta.probe}/${one.meta.command}`, one])))
  return { events, recording, captures, echo: read.ok ? read.fact : null }
}

test('the timing is stored with what the transport measures beside it, as the probe reads it', async () => {
  const { echo } = await collect({ spreadSeconds: 0 }, { timePath: async () => PATH })
  expect(echo).toMatchObject({ path: PATH, warmup: 3, mismatches: 0 })
  expect(echo?.bursts.map(({ samples }) => samples.length)).toEqual([5, 5, 5, 5, 5, 5])
  expect(echo?.bursts.every(({ at, nonces }) => at !== null && /^[0-9a-f]{64}$/.test(nonces ?? ''))).toBe(true)
})

test('a node is timed wherever our place is declared: policies and promises ask where nodes are without a place of their own', async () => {
  const timed = async (run: string, places: Pick<DeclaredNode, 'location' | 'vantage'>) =>
    (await collect({ run, spreadSeconds: 0 }, {}, places)).echo !== null
  expect(await timed('ours', { vantage: place })).toBe(true)
  expect(await timed('theirs', { location: place })).toBe(false)
})

test('a transport that cannot time the way, or fails at it, or never comes back to us, costs nothing else', async () => {
  const failing = await collect({ spreadSeconds: 0 }, { timePath: () => Promise.reject(new Error('oops')) })
  expect(failing.recording.outcome.status).toBe('complete')
  expect(failing.echo).toMatchObject({ path: null, mismatches: 0 })
  const time = leaping()
  const timePath = (): Promise<never> => {
    time.leap(301_000)
    return new Promise<never>(() => undefined)
  }
  const hanging = await collect({ run: 'r2', spreadSeconds: 0 }, { timePath }, undefined, time)
  expect(hanging.recording.outcome).toMatchObject({ status: 'partial', failure: { code: 'collector.timed-out' } })
})

test('the observer learns that the node is being timed, and for how long', async () => {
  const { events, echo } = await collect({ spreadSeconds: 3600 })
  expect(echo?.bursts).toHaveLength(6)
  const told = events.flatMap((event) => (event.kind === 'node-timing' ? [event.secondsLeft] : []))
  expect(told.map((seconds) => Math.round(seconds / 720))).toEqual([5, 4, 3, 2, 1])
  expect(events.at(-1)?.kind).toBe('node-done')
})

test('a spread longer than the deadline ends with the last burst', async () => {
  const { recording, echo } = await collect({ spreadSeconds: 3600 })
  expect(recording.outcome.status).toBe('complete')
  expect(echo?.bursts).toHaveLength(6)
})

test('a stop while it is timed ends at once, and keeps the round trips so far', async () => {
  const stop = new AbortController()
  const { recording, echo, captures } = await collect({
    spreadSeconds: 600,
    signal: stop.signal,
    onEvent: (event) => event.kind === 'node-timing' && stop.abort(),
  })
  expect(recording.outcome).toMatchObject({ status: 'partial', failure: { code: 'run.cancelled' } })
  expect(echo?.bursts).toHaveLength(1)
  expect(captures.map(({ meta }) => meta.status)).toEqual(['done', 'done'])
})

test('round trips that were stored are not timed again', async () => {
  const skip = new Set(['location.nonce-echo/nonce-echo'])
  let asked = 0
  const timePath = async () => {
    asked += 1
    return PATH
  }
  const { captures, events } = await collect({ skip, spreadSeconds: 600 }, { timePath })
  expect(captures.map(({ meta }) => meta.probe)).toEqual(['test.version'])
  expect(events.some(({ kind }) => kind === 'node-timing')).toBe(false)
  expect(asked).toBe(0)
})
