import { expect, test } from 'vitest'
import { openEvidenceStore } from '../main/adapters/store/evidence-store.ts'
import { collectNode, isEarly } from '../main/app/collect/collect-node.ts'
import { listenerProcesses, networkListeners } from '../main/catalog/data-protection/listeners/probes.ts'
import { tlsListeners } from '../main/catalog/data-protection/tls/probes.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { fail, ok } from '../main/core/base/failure.ts'
import { framesOf } from '../main/core/collector/frames.ts'
import { planOf } from '../main/core/collector/plan.ts'
import type { Connection, EvidenceStore } from '../main/core/ports/ports.ts'
import { run, runAsRoot } from '../main/core/recording/probe.ts'
import { catalogOf, probeOf, realClock, realEntropy, realPause, targetOf, validator } from './support/deps.ts'
import { folderOfTest } from './support/folders.ts'

const LISTENS = 'tcp LISTEN 0 128 0.0.0.0:8443 0.0.0.0:*\n'

/** A node that answers one question at a time, and notes in `log` what is asked of it besides. */
function nodeThatNotes(log: string[]): Connection {
  let [out, err] = [(_: Uint8Array): void => undefined, (_: Uint8Array): void => undefined]
  let settle = (_: { readonly exitCode: number; readonly lost: boolean }): void => undefined
  const closed = new Promise<{ readonly exitCode: number; readonly lost: boolean }>((resolve) => {
    settle = resolve
  })
  let dialled = (): void => undefined
  const port = new Promise<void>((resolve) => {
    dialled = resolve
  })
  const answer = async (script: string): Promise<void> => {
    const nonce = /^N=([0-9a-f]{24})$/m.exec(script)?.[1] ?? ''
    out(Buffer.from(`${nonce} H 1 0 1763630000 t h\n`))
    for (const [, index, key = ''] of script.matchAll(/^(?:x .* \|\| )?[cdpq] (\d+) \d+ \d+ .* # (\S+\/\S+)$/gm)) {
      // Queries of ports go beside the commands: where they wait for the end of all of them, this node does not end.
      if (key === 'c.last/three') await port
      const stdout = Buffer.from(key.startsWith('network.listener') ? LISTENS : '')
      log.push(key)
      const frames = framesOf(nonce, { index: Number(index), exit: '0', stdout, stderr: new Uint8Array() })
      out(frames.stdout)
      err(frames.stderr)
      await realPause(5)
    }
    out(Buffer.from(`${nonce} Z 1763630001\n`))
    err(Buffer.from(`${nonce} Z 0\n`))
    settle({ exitCode: 0, lost: false })
  }
  return {
    hostKey: {
      type: 'ssh-ed25519',
      fingerprint: `SHA256:${'A'.repeat(43)}`,
      trust: { how: 'fingerprint', detail: 'test' },
    },
    session: { transport: 'replay', authMethod: 'none' },
    exec: async () => {
      log.push('shell')
      return ok({
        write: (data) => void answer(Buffer.from(data).toString()),
        end: () => undefined,
        onStdout: (listener) => {
          out = listener
        },
        onStderr: (listener) => {
          err = listener
        },
        closed,
        kill: () => undefined,
      })
    },
    dial: async () => {
      log.push('port')
      dialled()
      return { ok: false, why: 'failed' }
    },
    close: () => void log.push('closed'),
  }
}

const CATALOG = catalogOf([
  probeOf('a.first', { one: run(['cat', '/proc/version']) }),
  networkListeners,
  probeOf('b.processes', { list: run(['ps', '-e']) }),
  listenerProcesses,
  probeOf('c.last', { one: runAsRoot(['uname']), two: runAsRoot(['uname', '-r']), three: runAsRoot(['uname', '-s']) }),
  tlsListeners,
])

async function collect(log: string[], given: Partial<EvidenceStore> = {}) {
  const store = await openEvidenceStore(folderOfTest('order'), validator)
  if (!store.ok) throw new Error(store.error.detail)
  return await collectNode(
    {
      transport: { connect: async () => ok(nodeThatNotes(log)) },
      store: { ...store.value, ...given },
      clock: realClock,
      entropy: realEntropy,
      pause: realPause,
      catalog: CATALOG,
    },
    targetOf('node-1', { sudo: true }),
    {
      run: 'r1',
      signal: new AbortController().signal,
      deadlineSeconds: 20,
      onEvent: () => undefined,
      marks: { demo: false, synthetic: null },
      skip: new Set(),
    },
  )
}

test('ports are queried once no question that could see it is left, and once each', async () => {
  const log: string[] = []
  const collected = await collect(log)
  expect(collected).toMatchObject({ ok: true, value: { recording: { outcome: { status: 'complete' } } } })
  const [listing, port] = [log.indexOf('network.listener-processes/sockets'), log.indexOf('port')]
  expect(listing).toBeGreaterThan(log.indexOf('b.processes/list'))
  expect(port).toBeGreaterThan(listing)
  expect(port).toBeLessThan(log.indexOf('c.last/three'))
  expect(log.filter((one) => one === 'port')).toHaveLength(1)
})

test('what shows queries of ports is asked first within its group, and the rest in the order of the catalog', async () => {
  const log: string[] = []
  await collect(log)
  expect(log.filter((one) => one.includes('/'))).toEqual([
    ...['network.listeners/sockets', 'b.processes/list', 'a.first/one'],
    ...['network.listener-processes/sockets', 'c.last/one', 'c.last/two', 'c.last/three'],
  ])
})

test('sudo’s own log keeps its place: it is compared with the commands before it', () => {
  const keys = planOf(catalog.probes, { sudo: true, echo: false, early: isEarly }).commands.map(
    ({ probe, command }) => `${probe}/${command}`,
  )
  const inOrder = planOf(catalog.probes, { sudo: true, echo: false }).commands.map(
    ({ probe, command }) => `${probe}/${command}`,
  )
  expect(keys.indexOf('sudo.log/entries')).toBeGreaterThanOrEqual(inOrder.indexOf('sudo.log/entries'))
  expect(keys.toSorted()).toEqual(inOrder.toSorted())
})

test('a node is asked nothing where its answers cannot be stored', async () => {
  const log: string[] = []
  const collected = await collect(log, { begin: async () => fail('store.failed', 'the disk is full') })
  expect(collected).toMatchObject({ ok: false, error: { code: 'store.failed' } })
  expect(log).toEqual(['shell', 'closed'])
})

test('which boot it is comes first, so that an attempt that is killed at once keeps its answers', () => {
  for (const sudo of [true, false]) {
    const [first] = planOf(catalog.probes, { sudo, echo: false, early: isEarly }).commands
    expect(`${first?.probe}/${first?.command}`).toBe('host.identity/ids')
  }
})
