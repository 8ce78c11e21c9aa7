import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from '../../main/adapters/ssh/transport.ts'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { collectNode } from '../../main/app/collect/collect-node.ts'
import { run } from '../../main/core/recording/probe.ts'
import { catalogOf, probeOf, realClock, realEntropy, realPause, targetOf, validator } from '../support/deps.ts'

// Run inside the client's namespace: collects one cheap answer several times over and prints the milliseconds of each, so that what is left
// is connecting, logging in and one program. Arguments: address, port, fingerprint, identity file, repetitions.
const [address = '', port = '', fingerprint = '', identityFile = '', repetitions = '5'] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'bwbench-light-'))
const store = await openEvidenceStore(folder, validator)
if (!store.ok) throw new Error(store.error.detail)
const target = {
  ...targetOf('bench', { address, port: Number(port), user: 'root' }),
  trust: { fingerprint, knownHostsFiles: [] },
  credentials: { identityFile, agent: false },
  transport: 'ssh2' as const,
}

const catalog = catalogOf([probeOf('bench.version', { version: run(['cat', '/proc/version']) })])
const times: number[] = []
for (let turn = 0; turn <= Number(repetitions); turn += 1) {
  const began = process.hrtime.bigint()
  const collected = await collectNode(
    {
      transport: createTransport({ perSecond: 1000 }),
      store: store.value,
      clock: realClock,
      entropy: realEntropy,
      pause: realPause,
      catalog,
    },
    target,
    {
      run: `t${turn}`,
      signal: new AbortController().signal,
      deadlineSeconds: 60,
      onEvent: () => undefined,
      marks: { demo: false, synthetic: null },
      skip: new Set(),
    },
  )
  if (!collected.ok || collected.value.recording.outcome.status !== 'complete')
    throw new Error(JSON.stringify(collected))
  // The first one warms up.
  if (turn > 0) times.push(Number(process.hrtime.bigint() - began) / 1e6)
}
process.stdout.write(`${JSON.stringify(times)}\n`)
rmSync(folder, { recursive: true, force: true })
process.exit(0)
