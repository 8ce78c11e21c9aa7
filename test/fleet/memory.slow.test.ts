import { expect, test } from 'vitest'
import { tidyMemory } from '../../main/adapters/memory.ts'
import { createPorts } from '../../main/adapters/ports.ts'
import { collectRun } from '../../main/app/collect-run.ts'
import { fail } from '../../main/core/failure.ts'
import type { EvidenceStore } from '../../main/core/ports.ts'
import { run } from '../../main/core/probe.ts'
import type { CapturedAnswer } from '../../main/core/recording.ts'
import { ok } from '../../main/core/result.ts'
import { catalogOf, probeOf, targetOf } from '../support/deps.ts'
import { folderOfTests } from '../support/folders.ts'
import { scriptedTransport } from '../support/scripted-fleet.ts'

// A run is held by a mark on the disk, also where its answers are kept nowhere.
const folder = folderOfTests('memory')

const catalog = catalogOf([probeOf('test.large', { one: run(['cat', '/proc/version']) })])
const ANSWER = 256 * 1024

// Made here and not beside the answers, which a function made there would keep alive.
const gone = async () => fail('recording.invalid', 'not kept')

/** A store that keeps a recording no longer than it is being written, as one on a disk does. */
function forgetfulStore(): EvidenceStore {
  return {
    begin: async () => {
      const captures: CapturedAnswer[] = []
      return ok({
        append: async (answer) => {
          captures.push(answer)
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

/** MiB that are held when so many nodes are done and the result is still there. */
async function heldAfter(nodes: number): Promise<number> {
  const ports = {
    ...createPorts(catalog),
    openStore: async () => ok(forgetfulStore()),
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
  // What watches over a node looks up four times a second, and only then lets go of it.
  await new Promise((resolve) => setTimeout(resolve, 600))
  tidyMemory()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  expect(result.ok && result.value.recordings.length).toBe(nodes)
  expect(result.ok && result.value.recordings.every(({ recording }) => recording.outcome.status === 'complete')).toBe(
    true,
  )
  return (heapUsed + arrayBuffers) / 1024 / 1024
}

test('a run of 1,000 nodes holds no more than one of 200: answers are not kept once they are stored', async () => {
  await heldAfter(20)
  const few = await heldAfter(200)
  const many = await heldAfter(1000)
  // 800 nodes more, of 256 KiB each, would be 200 MiB.
  expect(many - few).toBeLessThan(12)
})
