import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openEvidenceStore } from '../main/adapters/store/evidence-store.ts'
import { collectNode } from '../main/app/collect-node.ts'
import { fail } from '../main/core/failure.ts'
import type { Connection, EvidenceStore, RunEvent, Transport } from '../main/core/ports.ts'
import { glob, run, runAsRoot } from '../main/core/probe.ts'
import { ok } from '../main/core/result.ts'
import { catalogOf, probeOf, realClock, realEntropy, realPause, targetOf, validator } from './support/deps.ts'
import { localTransport } from './support/local-transport.ts'

const probes = [
  probeOf('test.user', {
    version: run(['cat', '/proc/version']),
    absent: run(['no-such-tool']),
    many: run(['ls', '-d', glob('/proc/self/ns/*')]),
  }),
  probeOf('test.root', { who: runAsRoot(['id', '-u']) }),
  { ...probeOf('test.session', {}), commands: { session: { kind: 'measure', measure: 'ssh-session' } as const } },
  { ...probeOf('test.echo', {}), commands: { echo: { kind: 'measure', measure: 'nonce-echo' } as const } },
]
const place = { name: 'here', latitude: 0, longitude: 0, radiusKm: 10, declaredBy: 'test' }

let root = ''
let store: EvidenceStore
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'bw-collect-'))
  const opened = await openEvidenceStore(root, validator)
  if (!opened.ok) throw new Error(opened.error.detail)
  store = opened.value
})
afterEach(() => {
  store.close()
  rmSync(root, { recursive: true, force: true })
})

const events: RunEvent[] = []
async function collect(
  transport: Transport,
  changes: Parameters<typeof targetOf>[1] = {},
  options: {
    readonly signal?: AbortSignal
    readonly deadlineSeconds?: number
    readonly skip?: ReadonlySet<string>
  } = {},
) {
  events.length = 0
  const collected = await collectNode(
    { transport, store, clock: realClock, entropy: realEntropy, pause: realPause, catalog: catalogOf(probes) },
    targetOf('node-1', changes),
    {
      run: 'r1',
      signal: options.signal ?? new AbortController().signal,
      deadlineSeconds: options.deadlineSeconds ?? 20,
      onEvent: (event) => events.push(event),
      marks: { demo: false, synthetic: null },
      skip: options.skip ?? new Set(),
    },
  )
  if (!collected.ok) throw new Error(collected.error.detail)
  return collected.value
}

/** A connection whose remote program is played by the given lines of JavaScript-made bytes. */
const playing = (
  play: (tell: { readonly out: (bytes: string | Uint8Array) => void; readonly end: (lost: boolean) => void }) => void,
): Transport => ({
  connect: async () => {
    let out = (_chunk: Uint8Array): void => undefined
    let settle = (_end: { readonly exitCode: number | null; readonly lost: boolean }): void => undefined
    const closed = new Promise<{ readonly exitCode: number | null; readonly lost: boolean }>((resolve) => {
      settle = resolve
    })
    const connection: Connection = {
      hostKey: {
        type: 'ssh-ed25519',
        fingerprint: `SHA256:${'A'.repeat(43)}`,
        trust: { how: 'fingerprint', detail: 'test' },
      },
      session: { transport: 'replay', authMethod: 'none' },
      exec: async () => {
        setImmediate(() =>
          play({ out: (bytes) => out(Buffer.from(bytes)), end: (lost) => settle({ exitCode: lost ? null : 0, lost }) }),
        )
        return ok({
          write: () => undefined,
          end: () => undefined,
          onStdout: (listener) => {
            out = listener
          },
          onStderr: () => undefined,
          closed,
          kill: () => settle({ exitCode: null, lost: false }),
        })
      },
      close: () => undefined,
    }
    return ok(connection)
  },
})

describe('collecting a node', () => {
  test('every answer is stored and the recording is complete', async () => {
    const { recording, captures } = await collect(localTransport(['sh', '-s']), { location: place, vantage: place })
    expect(recording.outcome).toEqual({ status: 'complete', failure: null })
    expect(captures.map(({ meta }) => `${meta.probe}/${meta.command} ${meta.status}`).sort()).toEqual([
      'test.echo/echo done',
      'test.root/who done',
      'test.session/session done',
      'test.user/absent done',
      'test.user/many done',
      'test.user/version done',
    ])
    expect(Math.abs(recording.clock?.offsetSeconds ?? 99)).toBeLessThan(1.5)
    const echo = JSON.parse(
      Buffer.from(captures.find(({ meta }) => meta.command === 'echo')?.stdout ?? []).toString(),
    ) as { samples: number[]; mismatches: number }
    expect(echo.samples.length).toBeGreaterThan(10)
    expect(echo.mismatches).toBe(0)
    expect(events.at(-1)).toMatchObject({ kind: 'node-done', partial: false })
    expect(validator.problems('recording', recording)).toEqual([])
  })

  test('without a declared place no echo is measured, and it is not recorded as if it were', async () => {
    const { captures } = await collect(localTransport(['sh', '-s']))
    expect(captures.some(({ meta }) => meta.command === 'echo')).toBe(false)
  })

  test('what was stored before is not asked again', async () => {
    const skip = new Set(['test.user/version', 'test.user/absent', 'test.root/who', 'test.session/session'])
    const { captures } = await collect(localTransport(['sh', '-s']), {}, { skip })
    expect(captures.map(({ meta }) => meta.command)).toEqual(['many'])
  })

  test('a connection that fails is a recording that says so', async () => {
    const { recording, captures } = await collect({
      connect: async () => fail('ssh.unreachable', 'connection refused'),
    })
    expect(recording.outcome).toEqual({
      status: 'failed',
      failure: { code: 'ssh.unreachable', detail: 'connection refused' },
    })
    expect(captures).toEqual([])
    expect(events.at(-1)).toMatchObject({ kind: 'node-failed', code: 'ssh.unreachable' })
  })

  test('a forced command that answers something else', async () => {
    const { recording } = await collect(localTransport(['sh', '-c', 'echo This account is restricted']))
    expect(recording.outcome.failure?.code).toBe('collector.no-answer')
  })

  test('a connection that ends half way keeps what was answered', async () => {
    const { recording, captures } = await collect(localTransport(['sh', '-c', 'head -c 3000 | sh -s; kill -9 $$']))
    expect(recording.outcome.status).not.toBe('complete')
    for (const { meta } of captures) expect(['done', 'lost']).toContain(meta.status)
  })

  test('output without end before our header', async () => {
    const { recording } = await collect(localTransport(['sh', '-c', 'exec yes']))
    expect(recording.outcome.failure?.code).toBe('collector.no-answer')
  })

  test('a slow drip ends at the deadline', async () => {
    const drip = playing(({ out }) => {
      let ticks = 0
      const timer = setInterval(() => (ticks++ < 40 ? out('x') : clearInterval(timer)), 100)
    })
    const { recording } = await collect(drip, {}, { deadlineSeconds: 1 })
    expect(recording.outcome.failure?.code).toBe('collector.timed-out')
  })

  test('a lost connection', async () => {
    const { recording } = await collect(playing(({ end }) => end(true)))
    expect(recording.outcome.failure?.code).toBe('ssh.lost')
  })

  test('a stop keeps what was collected', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 300)
    const { recording } = await collect(localTransport(['sh', '-c', 'exec sleep 30']), {}, { signal: stop.signal })
    expect(recording.outcome.failure?.code).toBe('run.cancelled')
  })
})
