import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { operator } from '../main/adapters/operator.ts'
import { openEvidenceStore } from '../main/adapters/store/evidence-store.ts'
import { collectNode } from '../main/app/collect/collect-node.ts'
import { importTranscript, printableCollector } from '../main/app/collect/import-transcript.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { fail, ok } from '../main/core/base/failure.ts'
import type { Masking } from '../main/core/collector/redact.ts'
import type { Connection, EvidenceStore, RunEvent, Transport } from '../main/core/ports/ports.ts'
import { glob, run, runAsRoot } from '../main/core/recording/probe.ts'
import type { LoadedRecording } from '../main/core/recording/recording.ts'
import type { EchoTiming, Operator, Recording } from '../schemas/types.ts'
import { catalogOf, probeOf, realClock, realEntropy, realPause, targetOf, validator } from './support/deps.ts'
import { folderOfTest } from './support/folders.ts'
import { loadedOf } from './support/loaded.ts'
import { localConnection, localTransport } from './support/local-transport.ts'
import { must } from './support/outcomes.ts'

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
  root = folderOfTest('collect')
  store = must(await openEvidenceStore(root, validator))
})

const events: RunEvent[] = []
async function collect(
  transport: Transport,
  changes: Parameters<typeof targetOf>[1] = {},
  options: {
    readonly signal?: AbortSignal
    readonly deadlineSeconds?: number
    readonly skip?: ReadonlySet<string>
    readonly earlier?: Recording
    readonly operator?: Operator
    readonly mask?: Masking
  } = {},
) {
  events.length = 0
  const collected = await collectNode(
    {
      transport,
      store,
      clock: realClock,
      entropy: realEntropy,
      ...(options.mask === undefined ? {} : { mask: options.mask }),
      pause: realPause,
      catalog: catalogOf(probes),
      ...(options.operator && { operator: options.operator }),
    },
    targetOf('node-1', changes),
    {
      run: 'r1',
      signal: options.signal ?? new AbortController().signal,
      deadlineSeconds: options.deadlineSeconds ?? 20,
      onEvent: (event) => events.push(event),
      marks: { demo: false, synthetic: null },
      skip: options.skip ?? new Set(),
      earlier: options.earlier ?? null,
      spreadSeconds: 0,
    },
  )
  return await loadedOf(collected)
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
        const begin = (): void =>
          play({ out: (bytes) => out(Buffer.from(bytes)), end: (lost) => settle({ exitCode: lost ? null : 0, lost }) })
        return ok({
          // The program reads its script first.
          write: () => void setImmediate(begin),
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

test('a recording states who collected, and nothing where that is not known', async () => {
  const stated = await operator()
  expect(stated).toMatchObject({ user: userInfo().username, host: hostname(), program: null })
  expect(stated.boot).toBe(sha256(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()))
  const { recording } = await collect(localTransport(['sh', '-s']), {}, { operator: stated })
  expect(recording.collector.operator).toEqual(stated)
  expect(validator.problems('recording', recording)).toEqual([])
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
    ) as EchoTiming & { path: null }
    expect(echo.bursts.flatMap(({ samples }) => samples)).toHaveLength(30)
    expect(echo).toMatchObject({ mismatches: 0, warmup: 3, path: null })
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

  test('a failed connection is a recording that states the failure', async () => {
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
    const { recording, captures } = await collect(
      localTransport(['sh', '-c', "sed '/^[cd] 1 /,$d' | sh -s; kill -9 $$"]),
    )
    expect(recording.outcome).toMatchObject({ status: 'partial', failure: { code: 'ssh.lost' } })
    expect(captures.map(({ meta }) => `${meta.command} ${meta.status}`)).toEqual([
      'version done',
      'absent lost',
      'many lost',
      'who lost',
      'session done',
    ])
  })

  test('a collector that ends before its last question', async () => {
    const { recording } = await collect(localTransport(['sh', '-c', "sed '/^[cd] 2 /,$d' | sh -s"]))
    expect(recording.outcome).toMatchObject({ status: 'partial', failure: { code: 'collector.truncated' } })
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

  test('a stop before it began', async () => {
    const { recording } = await collect(localTransport(['sh', '-s']), {}, { signal: AbortSignal.abort() })
    expect(recording.outcome).toMatchObject({ status: 'failed', failure: { code: 'run.cancelled' } })
  })

  test('a server that never answers the login, or the request to run, ends at the deadline', async () => {
    const never = new Promise<never>(() => undefined)
    const login = await collect({ connect: () => never }, {}, { deadlineSeconds: 0.4 })
    expect(login.recording.outcome.failure?.code).toBe('collector.timed-out')
    const transport: Transport = {
      connect: async () => ok({ ...localConnection(['true']), exec: () => never }),
    }
    const exec = await collect(transport, {}, { deadlineSeconds: 0.4 })
    expect(exec.recording.outcome.failure?.code).toBe('collector.timed-out')
    expect(exec.recording.hostKey).not.toBeNull()
  })

  test('a connection that comes after the deadline is closed', async () => {
    let closed = false
    const late: Transport = {
      connect: async () => {
        await realPause(700)
        const close = (): void => {
          closed = true
        }
        return ok({ ...localConnection(['true']), close })
      },
    }
    await collect(late, {}, { deadlineSeconds: 0.3 })
    await realPause(500)
    expect(closed).toBe(true)
  })

  test('an adapter that throws is our mistake, and named so', async () => {
    const { recording } = await collect({ connect: () => Promise.reject(new Error('oops')) })
    expect(recording.outcome.failure).toEqual({ code: 'bug', detail: 'Error: oops' })
  })

  test('a mistake while an answer is read ends the collection, and is named so', async () => {
    const mask = (): never => {
      throw new Error('oops')
    }
    const { recording } = await collect(localTransport(['sh', '-s']), {}, { mask })
    expect(recording.outcome.failure).toEqual({ code: 'bug', detail: 'Error: oops' })
  })

  test('an echo that answers slowly or wrongly ends, and is recorded as it was', async () => {
    const lies = localTransport(['sh', '-c', 'sh -s | sed -u "s/^[0-9a-f]\\{32\\}$/lie/"'])
    const { recording, captures } = await collect(lies, { location: place, vantage: place })
    expect(recording.outcome.status).toBe('complete')
    const echo = captures.find(({ meta }) => meta.command === 'echo')
    expect(JSON.parse(Buffer.from(echo?.stdout ?? []).toString())).toEqual({
      bursts: [],
      warmup: 3,
      mismatches: 8,
      path: null,
    })
  })

  test('hostile times and statuses still give a recording that fits its schema', async () => {
    const { recording, captures } = await collect(localTransport(['sh', '-c', HOSTILE]))
    expect(validator.problems('recording', recording)).toEqual([])
    expect(captures.find(({ meta }) => meta.command === 'version')?.meta).toMatchObject({
      exitCode: null,
      status: 'done',
    })
  })

  test('a secret in an answer never reaches the disk', async () => {
    const secret = `PrivateKey = ${'Q'.repeat(43)}=`
    const { captures } = await collect(localTransport(['sh', '-c', `sh -s | sed -u "s|^Linux version.*|${secret}|"`]))
    const version = captures.find(({ meta }) => meta.command === 'version')
    expect(version?.meta).toMatchObject({ maskedCount: 1, masked: { 'wireguard-key': 1 } })
    expect(Buffer.from(version?.stdout ?? []).toString()).toBe('PrivateKey = [redacted:wireguard-key]\n')
    expect(spawnSync('grep', ['-r', 'QQQQ', root]).status).toBe(1)
  })
})

// Frames as a dishonest node would write them: times far outside, an exit status that is none, a header with a huge clock.
const HOSTILE = `
while read -r line; do case $line in
  N=*) n=\${line#N=} ;;
  'exit 0') break ;;
esac; done
printf '%s H 1 99999999999 999999999999999 t h\n' "$n"
for i in 0 1 2 3; do
  printf '%s B %s 1\nx\n%s E %s 300 999999999999\n' "$n" "$i" "$n" "$i"
  printf '%s B %s 1\n\n%s E %s - 1\n' "$n" "$i" "$n" "$i" >&2
done
printf '%s Z 1\n' "$n"`

describe('resuming', () => {
  const keyed = (captures: LoadedRecording['captures']) =>
    captures.filter(({ meta }) => meta.status === 'done').map(({ meta }) => `${meta.probe}/${meta.command}`)

  test('asks for exactly what is missing, and keeps the rest', async () => {
    const first = await collect(localTransport(['sh', '-c', "sed '/^[cd] 2 /,$d' | sh -s"]))
    expect(keyed(first.captures)).toEqual(['test.user/version', 'test.user/absent', 'test.session/session'])
    const asked: string[] = []
    const listening: Transport = {
      connect: async () => {
        const inner = localConnection(['sh', '-s'])
        return ok({
          ...inner,
          exec: async (command) => {
            const process = await inner.exec(command)
            if (!process.ok) return process
            const write = (data: Uint8Array): void => {
              asked.push(
                ...(Buffer.from(data)
                  .toString()
                  .match(/(?<=# )test\.\S+/g) ?? []),
              )
              process.value.write(data)
            }
            return ok({ ...process.value, write })
          },
        })
      },
    }
    const second = await collect(listening, {}, { skip: new Set(keyed(first.captures)), earlier: first.recording })
    expect(asked).toEqual(['test.user/many', 'test.root/who'])
    expect(second.recording.outcome.status).toBe('complete')
    expect(second.recording.startedAt).toBe(first.recording.startedAt)
    expect(new Set(keyed(second.captures)).size).toBe(5)
  })

  test('another host key is another machine: its answers are not mixed in', async () => {
    const first = await collect(localTransport(['sh', '-c', "sed '/^[cd] 2 /,$d' | sh -s"]))
    const other: Transport = {
      connect: async () => {
        const inner = localConnection(['sh', '-s'])
        return ok({ ...inner, hostKey: { ...inner.hostKey, fingerprint: `SHA256:${'B'.repeat(43)}` } })
      },
    }
    const second = await collect(other, {}, { skip: new Set(keyed(first.captures)), earlier: first.recording })
    expect(second.recording.outcome).toMatchObject({ status: 'partial', failure: { code: 'ssh.host-key-changed' } })
    expect(second.recording.hostKey).toEqual(first.recording.hostKey)
    expect(second.captures).toEqual(first.captures)
  })

  test('a node that is gone meanwhile keeps its answers', async () => {
    const first = await collect(localTransport(['sh', '-c', "sed '/^[cd] 2 /,$d' | sh -s"]))
    const gone: Transport = { connect: async () => fail('ssh.unreachable', 'no route') }
    const second = await collect(gone, {}, { skip: new Set(keyed(first.captures)), earlier: first.recording })
    expect(second.recording.outcome).toMatchObject({ status: 'partial', failure: { code: 'ssh.unreachable' } })
    expect(second.recording.session).toEqual(first.recording.session)
  })
})

describe('without SSH', () => {
  const catalog = catalogOf(probes)
  const node = targetOf('island').node
  const importedAt = new Date(Date.now() + 3_600_000).toISOString()
  const script = printableCollector(probes, realEntropy, { sudo: false })
  const carried = spawnSync('sh', ['-s'], { input: script })
  const imported = (stdout: Uint8Array, stderr: Uint8Array, of = catalog) =>
    importTranscript({ stdout, stderr, node, run: 'r1', importedAt }, of)

  test('the printed collector states what it does, and its transcript becomes a recording', () => {
    expect(script).toContain('never does')
    const loaded = must(imported(carried.stdout, carried.stderr))
    const { recording, captures } = loaded
    expect(recording).toMatchObject({
      hostKey: null,
      session: { transport: 'script', authMethod: 'none' },
      outcome: { status: 'complete', failure: null },
    })
    expect(validator.problems('recording', recording)).toEqual([])
    expect(Date.parse(recording.endedAt)).toBeLessThan(Date.parse(importedAt) - 3_500_000)
    expect(captures.map(({ meta }) => `${meta.command} ${meta.status}`)).toEqual([
      'version done',
      'absent done',
      'many done',
      'who done',
    ])
    for (const { meta } of captures) expect(validator.problems('capture', meta)).toEqual([])
  })

  test('lines of a terminal around it do no harm', () => {
    const noisy = Buffer.concat([Buffer.from('Last login: today\r\n$ '), carried.stdout])
    expect(imported(noisy, carried.stderr)).toMatchObject({
      ok: true,
      value: { recording: { outcome: { status: 'complete' } } },
    })
  })

  test('without its errors, or cut short, it supports only what is whole', () => {
    const noErrors = imported(carried.stdout, new Uint8Array())
    expect(noErrors).toMatchObject({
      value: { recording: { outcome: { status: 'failed', failure: { code: 'collector.truncated' } } } },
    })
    const cut = imported(carried.stdout.subarray(0, carried.stdout.length / 2), carried.stderr)
    expect(cut).toMatchObject({ value: { recording: { outcome: { status: 'partial' } } } })
  })

  test('a transcript of other questions is refused', () => {
    const other = catalogOf([probeOf('test.user', { version: run(['cat', '/proc/cmdline']) })])
    expect(imported(carried.stdout, carried.stderr, other)).toMatchObject({
      ok: false,
      error: { code: 'input.refused' },
    })
    expect(imported(Buffer.from('hello'), new Uint8Array())).toMatchObject({ error: { code: 'collector.no-answer' } })
  })

  test('any bytes give a recording or a named failure', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }), fc.uint8Array(), (edits, tail) => {
        const bytes = Buffer.concat([carried.stdout, tail])
        for (const [at, value] of edits) bytes[at % bytes.length] = value
        const loaded = imported(bytes, carried.stderr)
        if (loaded.ok) expect(validator.problems('recording', loaded.value.recording)).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})
