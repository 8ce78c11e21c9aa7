import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTransport } from '../../main/adapters/ssh/transport.ts'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { collectNode } from '../../main/app/collect-node.ts'
import { catalog } from '../../main/catalog/index.ts'
import { assessNode } from '../../main/core/assess.ts'
import { driftOf } from '../../main/core/drift/compare.ts'
import { traceNode, traceOf } from '../../main/core/trace.ts'
import type { RunTrace } from '../../schemas/types.ts'
import { realClock, realEntropy, realPause, targetOf, validator } from '../support/deps.ts'
import { loadedOf } from '../support/loaded.ts'
import { type Sshd, startSshd, whyNoUsers } from '../support/sshd.ts'

// This host through its own sshd. Other tests open and close ports of its own all the time, which is no drift: they are drawn by chance.
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

interface Asked {
  readonly trace: RunTrace
  /** What was mounted before and after, as the kernel says. */
  readonly mounts: string
}

/** The same host asked twice, with activity between. */
async function twice(round: number): Promise<readonly [Asked, Asked]> {
  const asked = async (run: string): Promise<Asked> => {
    const before = readFileSync('/proc/self/mountinfo', 'utf8')
    const trace = await traced(run)
    return { trace, mounts: [...new Set([before, readFileSync('/proc/self/mountinfo', 'utf8')])].join('\n') }
  }
  const first = await asked(`first-${round}`)
  writeFileSync(join(folder, 'activity'), 'x'.repeat(1_000_000))
  await realPause(2000)
  return [first, await asked(`second-${round}`)]
}

test.skipIf(whyNoUsers !== null)(
  'an unchanged host has no drift, and a new listener is exactly what changed',
  async () => {
    let [first, second] = await twice(1)
    // Other tests mount and unmount: where this host was changed meanwhile, it is no unchanged host, and is asked again.
    for (let again = 2; first.mounts !== second.mounts && again <= 5; again += 1) [first, second] = await twice(again)
    expect(first.mounts).toBe(second.mounts)
    expect(changed(first.trace, second.trace)).toEqual([])
    const port = 20_000 + (process.pid % 10_000)
    const child = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${port}, '0.0.0.0', () => console.log('up'))`,
    ])
    children.push(child)
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    const socket = ['network.listener-processes', 'network.listeners', 'tls.listeners']
    expect(changed(second.trace, await traced('listening')).filter((what) => what !== 'storage.mounts')).toEqual(socket)
  },
)
