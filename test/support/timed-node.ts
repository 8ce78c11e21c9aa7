import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from '../../main/adapters/ssh/transport.ts'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { collectNode } from '../../main/app/collect/collect-node.ts'
import { type NonceEcho, nonceEcho } from '../../main/catalog/operations/evidence/probes.ts'
import type { ConnectTarget } from '../../main/core/ports/ports.ts'
import { readProbe } from '../../main/core/recording/probe.ts'
import { catalogOf, realClock, realEntropy, realPause, targetOf, validator } from './deps.ts'
import { loadedOf } from './loaded.ts'

/** What it takes to reach a server of the tests. */
export interface Reach {
  readonly address: string
  readonly port: number
  readonly fingerprint: string
  readonly identityFile: string
}

const PLACE = { name: 'declared', latitude: 0, longitude: 0, radiusKm: 1, declaredBy: 'test' }

/** A node collected over real SSH with nothing asked but the round trips, and the timing as it is read back from its recording. */
export async function timeNode(
  { address, port, fingerprint, identityFile }: Reach,
  options: { readonly jumps?: ConnectTarget['jumps']; readonly transport?: 'ssh2' | 'openssh' } = {},
): Promise<NonceEcho> {
  const folder = mkdtempSync(join(tmpdir(), 'bw-timed-'))
  const store = await openEvidenceStore(folder, validator)
  if (!store.ok) throw new Error(store.error.detail)
  try {
    const collected = await collectNode(
      {
        transport: createTransport({ perSecond: 1000, perNetwork: 1000 }),
        store: store.value,
        clock: realClock,
        entropy: realEntropy,
        pause: realPause,
        catalog: catalogOf([nonceEcho]),
      },
      {
        ...targetOf('node', { address, port, user: 'root', location: PLACE, vantage: PLACE }),
        trust: { fingerprint, knownHostsFiles: [] },
        credentials: { identityFile, agent: false },
        transport: options.transport ?? 'ssh2',
        jumps: options.jumps ?? [],
      },
      {
        run: 'timed',
        signal: new AbortController().signal,
        deadlineSeconds: 60,
        onEvent: () => undefined,
        marks: { demo: false, synthetic: null },
        skip: new Set(),
        spreadSeconds: 0,
      },
    )
    const { recording, captures } = await loadedOf(collected)
    if (recording.outcome.failure !== null) throw new Error(JSON.stringify(recording.outcome.failure))
    const read = readProbe(nonceEcho, new Map(captures.map((one) => [`${one.meta.probe}/${one.meta.command}`, one])))
    if (!read.ok) throw new Error(JSON.stringify(read))
    return read.fact
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
