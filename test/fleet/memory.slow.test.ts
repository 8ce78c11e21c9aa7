import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createPorts } from '../../main/adapters/ports.ts'
import { collectRun } from '../../main/app/collect/collect-run.ts'
import { fail, ok } from '../../main/core/base/failure.ts'
import type { EvidenceStore } from '../../main/core/ports/ports.ts'
import { run } from '../../main/core/recording/probe.ts'
import type { CapturedAnswer } from '../../main/core/recording/recording.ts'
import { catalogOf, probeOf, targetOf } from '../support/deps.ts'
import { folderOfTests } from '../support/folders.ts'
import { scriptedTransport } from '../support/scripted-fleet.ts'

// A run is held by a mark on the disk, also where its answers are kept nowhere.
const folder = folderOfTests('memory')

const catalog = catalogOf([probeOf('test.large', { one: run(['cat', '/proc/version']) })])
const ANSWER = 256 * 1024

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

// Made here and not beside the answers, which a function made there would keep alive.
const gone = async () => fail('recording.invalid', 'not kept')

/** A store that keeps a recording no longer than it is being written, as one on a disk does; `seen` gets each answer's bytes. */
function forgetfulStore(seen: (bytes: Uint8Array) => void): EvidenceStore {
  return {
    begin: async () => {
      const captures: CapturedAnswer[] = []
      return ok({
        append: async (answer) => {
          captures.push(answer)
          seen(answer.stdout)
          return ok(null)
        },
        finish: async (recording) => ok({ recording, answers: captures.length, load: gone, blob: null }),
      })
    },
    load: gone,
    source: (recording) => ({ recording, load: gone, blob: null }),
    list: async () => ok([]),
    runs: async () => ok([]),
    sweep: async () => ok(0),
  }
}

/** Answers whose bytes are still held when so many nodes are done and the result is still there. */
async function heldAfter(nodes: number): Promise<number> {
  const answers: WeakRef<Uint8Array>[] = []
  const ports = {
    ...createPorts(catalog),
    openStore: async () => ok(forgetfulStore((bytes) => answers.push(new WeakRef(bytes)))),
    transport: scriptedTransport((name) => ({ answer: () => name.padEnd(ANSWER, '.') })),
  }
  const result = await collectRun(ports, catalog, {
    run: 'r1',
    targets: Array.from({ length: nodes }, (_, at) => targetOf(`node-${at}`)),
    storeFolder: folder,
    concurrency: 16,
    signal: new AbortController().signal,
    onEvent: () => undefined,
    marks: () => ({ demo: false, synthetic: null }),
    spreadSeconds: 0,
  })
  expect(answers).toHaveLength(nodes)
  expect(result.ok && result.value.recordings.length).toBe(nodes)
  expect(result.ok && result.value.recordings.every(({ recording }) => recording.outcome.status === 'complete')).toBe(
    true,
  )
  // A timer that watches over a node, or a collection that is due, may hold one for a moment: what stays is what counts.
  let held = answers.length
  for (let look = 0; look < 40 && held > 0; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 250))
    collectGarbage()
    held = answers.filter((answer) => answer.deref() !== undefined).length
  }
  expect(result.ok).toBe(true)
  return held
}

test('no answer of 1,000 nodes is held once it is stored, while the run’s result is', async () => {
  expect(await heldAfter(1000)).toBe(0)
})
