import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTransport } from '../../main/adapters/ssh/transport.ts'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { collectNode } from '../../main/app/collect/collect-node.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { assessNode } from '../../main/core/conclusion/assess.ts'
import { driftOf } from '../../main/core/drift/compare.ts'
import { traceNode, traceOf } from '../../main/core/history/trace.ts'
import type { RunTrace } from '../../schemas/types.ts'
import { realClock, realEntropy, realPause, targetOf, validator } from '../support/deps.ts'
import { loadedOf } from '../support/loaded.ts'
import { type Sshd, startSshd, whyNoUsers } from '../support/sshd.ts'

// This host through its own sshd, in a project that runs alone: other tests add accounts, servers and mounts to this host.
let folder = ''
let sshd: Sshd
const children: ChildProcess[] = []

beforeAll(async () => {
  if (whyNoUsers !== null) return
  folder = mkdtempSync(join(tmpdir(), 'bw-drift-'))
  sshd = await startSshd()
})
afterAll(async () => {
  for (const child of children) child.kill()
  if (whyNoUsers !== null) return
  await sshd.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function traced(run: string): Promise<RunTrace> {
  const store = await openEvidenceStore(folder, validator)
  if (!store.ok) throw new Error(store.error.detail)
  const collected = await collectNode(
    {
      transport: createTransport(),
      store: store.value,
      clock: realClock,
      entropy: realEntropy,
      pause: realPause,
      catalog,
    },
    {
      ...targetOf('host', { port: sshd.port, user: 'root' }),
      trust: { fingerprint: sshd.hostKey.fingerprint, knownHostsFiles: [] },
      credentials: { identityFile: sshd.clientKey, agent: false },
      transport: 'ssh2',
    },
    {
      run,
      signal: new AbortController().signal,
      deadlineSeconds: 90,
      onEvent: () => undefined,
      marks: { demo: false, synthetic: null },
      skip: new Set(),
      spreadSeconds: 0,
    },
  )
  const loaded = await loadedOf(collected)
  const asOf = loaded.recording.endedAt
  const scope = { fleet: 'f', population: ['host'], frameworks: [] }
  const assessed = assessNode(catalog, 'host', loaded, { asOf, profile: undefined })
  const nodes = [traceNode(catalog, loaded, assessed)]
  return traceOf(catalog, { run, planned: null, assessment: { asOf, scope, demo: false }, nodes })
}

const changed = (before: RunTrace, after: RunTrace): readonly string[] =>
  driftOf(before, after).evidence.map(({ what }) => (what.kind === 'reading' ? what.probe : what.kind))

/** The same host asked twice, with activity between. */
async function twice(): Promise<readonly [RunTrace, RunTrace]> {
  const first = await traced('first')
  writeFileSync(join(folder, 'activity'), 'x'.repeat(1_000_000))
  await realPause(2000)
  return [first, await traced('second')]
}

test.skipIf(whyNoUsers !== null)(
  'an unchanged host has no drift, and a new listener is exactly what changed',
  async () => {
    const [first, second] = await twice()
    expect(changed(first, second)).toEqual([])
    const port = 20_000 + (process.pid % 10_000)
    const child = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${port}, '0.0.0.0', () => console.log('up'))`,
    ])
    children.push(child)
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    const socket = ['network.listener-processes', 'network.listeners', 'tls.listeners']
    expect(changed(second, await traced('listening'))).toEqual(socket)
  },
)
