import { beforeEach, describe, expect, test } from 'vitest'
import { createPorts } from '../../main/adapters/ports.ts'
import { answeredInOneBoot } from '../../main/app/collect/captures.ts'
import { collectRun } from '../../main/app/collect/collect-run.ts'
import { hostIdentity } from '../../main/catalog/hardware/machine/identity.ts'
import { run } from '../../main/core/recording/probe.ts'
import { capturesByKey } from '../../main/core/recording/readings.ts'
import { loadAll } from '../../main/core/recording/recording.ts'
import { catalogOf, probeOf, targetOf } from '../support/deps.ts'
import { folderOfTest } from '../support/folders.ts'
import { type ScriptedNode, scriptedTransport } from '../support/scripted-fleet.ts'

const catalog = catalogOf([
  probeOf('test.first', { one: run(['cat', '/proc/version']) }),
  hostIdentity,
  probeOf('test.last', { one: run(['cat', '/proc/cpuinfo']), two: run(['cat', '/proc/meminfo']) }),
])
const [A, B] = ['5d0c2e1a-7b44-4f0e-9a55-2f1c0de3a001', '5d0c2e1a-7b44-4f0e-9a55-2f1c0de3a002']
const IDS = 'host.identity/ids'

let folder = ''
beforeEach(() => {
  folder = folderOfTest('boots')
})

/** One attempt at the one node of a run: what was asked, and what is stored now. */
async function attempt(boot: string | null, how: Pick<ScriptedNode, 'cutAfter'> = {}) {
  const asked: string[] = []
  const answer = (key: string): string =>
    key !== IDS
      ? `of ${boot}\n`
      : `/proc/sys/kernel/hostname:n\n${boot === null ? '' : `/proc/sys/kernel/random/boot_id:${boot}\n`}`
  const ports = {
    ...createPorts(catalog),
    transport: scriptedTransport(() => ({ answer, asked: (key) => asked.push(key), ...how })),
  }
  const collected = await collectRun(ports, catalog, {
    run: 'r1',
    targets: [targetOf('node-1')],
    storeFolder: folder,
    concurrency: 1,
    signal: new AbortController().signal,
    onEvent: () => undefined,
    marks: () => ({ demo: false, synthetic: null }),
    spreadSeconds: 0,
  })
  const loaded = collected.ok ? await loadAll(collected.value.recordings) : collected
  const [recording] = loaded.ok ? loaded.value : []
  if (recording === undefined) throw new Error('nothing was stored')
  return { asked, captures: recording.captures, outcome: recording.recording.outcome }
}

describe('a node that restarts in the middle of a run', () => {
  test('is reported, and what it answered before the restart is asked again', async () => {
    const first = await attempt(A, { cutAfter: 3 })
    expect(first.outcome).toMatchObject({ status: 'partial', failure: { code: 'ssh.lost' } })
    const second = await attempt(B)
    expect(second.asked).toEqual([IDS, 'test.last/two'])
    expect(second.outcome).toMatchObject({ status: 'partial', failure: { code: 'collector.restarted' } })
    expect(second.outcome.failure?.detail).toContain(A)
    const third = await attempt(B)
    expect(third.asked).toEqual([IDS, 'test.first/one', 'test.last/one'])
    expect(third.outcome).toEqual({ status: 'complete', failure: null })
    const byKey = capturesByKey(third.captures)
    for (const key of ['test.first/one', 'test.last/one', 'test.last/two'])
      expect(Buffer.from(byKey.get(key)?.stdout ?? []).toString()).toBe(`of ${B}\n`)
    // Nothing that was stored is taken away: the first boot’s answers are still there.
    expect(third.captures.filter(({ stdout }) => Buffer.from(stdout).toString() === `of ${A}\n`)).toHaveLength(2)
  })

  test('one that did not restart is asked what is missing, and which boot it is', async () => {
    await attempt(A, { cutAfter: 3 })
    const second = await attempt(A)
    expect(second.asked).toEqual([IDS, 'test.last/two'])
    expect(second.outcome).toEqual({ status: 'complete', failure: null })
  })

  test('without a boot on record nothing of before counts as answered', async () => {
    await attempt(null, { cutAfter: 2 })
    expect((await attempt(A)).asked).toEqual([IDS, 'test.first/one', 'test.last/one', 'test.last/two'])
  })

  test('one that is cut after its first answers keeps them: which boot it is comes first', async () => {
    await attempt(A, { cutAfter: 2 })
    expect((await attempt(A)).asked).toEqual([IDS, 'test.last/one', 'test.last/two'])
  })

  test('a catalog that does not ask for the boot cannot distinguish boots', async () => {
    const { captures } = await attempt(A)
    expect(answeredInOneBoot({ probes: [] }, captures)).toMatchObject({ boot: null })
    expect(answeredInOneBoot({ probes: [] }, captures).keys.size).toBe(4)
  })
})
