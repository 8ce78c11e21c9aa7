import { createPorts } from '../../main/adapters/ports.ts'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { type CollectRunInput, collectRun } from '../../main/app/collect/collect-run.ts'
import type { RunResult } from '../../main/app/collect/run.ts'
import type { Ports } from '../../main/core/all-ports.ts'
import { type Outcome, ok } from '../../main/core/base/failure.ts'
import { run } from '../../main/core/recording/probe.ts'
import type { Catalog } from '../../main/core/rules/catalog.ts'
import { probeOf, targetOf } from './deps.ts'
import { sampleCatalog } from './sample-pack.ts'
import { scriptedTransport } from './scripted-fleet.ts'

const QUESTIONS = 24

/** The sample catalog and some questions more, so that collecting takes a while. */
export const smallCatalog: Catalog = {
  ...sampleCatalog,
  probes: [
    ...sampleCatalog.probes,
    probeOf(
      'test.numbers',
      Object.fromEntries(Array.from({ length: QUESTIONS }, (_, n) => [`q${n}`, run(['seq', String(n)])])),
    ),
  ],
}

export const SMALL_NODES: readonly string[] = ['node-a', 'node-b', 'node-c']
/** Answers that one run of it has. */
export const SMALL_ANSWERS = SMALL_NODES.length * (QUESTIONS + 1)

/** What is told of each answer once it is stored. */
export type Stored = (run: string, node: string, key: string, sha256: string) => void

/** The real ports over three nodes without SSH; their answers are stored one after the other. */
export function smallPorts(stored: Stored = () => undefined): Ports {
  const ports = createPorts(smallCatalog)
  const openStore: Ports['openStore'] = async (folder) => {
    const store = await openEvidenceStore(folder, ports.validator)
    if (!store.ok) return store
    const begin: typeof store.value.begin = async (recording) => {
      const writer = await store.value.begin(recording)
      if (!writer.ok) return writer
      let last: Promise<unknown> = Promise.resolve()
      const append: typeof writer.value.append = (answer) => {
        const appended = last.then(() => writer.value.append(answer))
        last = appended
        return appended.then((done) => {
          const { probe, command, stdout } = answer.meta
          if (done.ok) stored(recording.run, recording.id, `${probe}/${command}`, stdout.sha256)
          return done
        })
      }
      return ok({ ...writer.value, append })
    }
    return ok({ ...store.value, begin })
  }
  const transport = scriptedTransport((node) => ({ answer: (key) => `Filename\n${key} of ${node}\n` }))
  return { ...ports, openStore, transport }
}

/** Collects the three nodes, or goes on where a run of this name stopped. */
export const collectSmall = (
  ports: Ports,
  root: string,
  name: string,
  changes: Partial<CollectRunInput> = {},
): Promise<Outcome<RunResult>> =>
  collectRun(ports, smallCatalog, {
    run: name,
    targets: SMALL_NODES.map((node) => targetOf(node)),
    storeFolder: `${root}/evidence`,
    concurrency: 2,
    signal: new AbortController().signal,
    onEvent: () => undefined,
    marks: () => ({ demo: false, synthetic: 'made for a test' }),
    spreadSeconds: 0,
    ...changes,
  })
