import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPorts } from '../../main/adapters/ports.ts'
import { createTransport } from '../../main/adapters/ssh/transport.ts'
import { bootIn } from '../../main/app/collect/captures.ts'
import { collectRun } from '../../main/app/collect/collect-run.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import type { ConnectTarget, RunEvent } from '../../main/core/ports/ports.ts'
import { type Behaviour, behaviourOf, type Faults, nameOf } from '../bench/farm/behaviour.ts'
import { type Farm, type FarmOptions, startFarm } from '../bench/farm/farm.ts'
import { bundled } from '../support/bundled.ts'
import { folderOfTest } from '../support/folders.ts'
import { must } from '../support/outcomes.ts'
import { startRelay } from '../support/relay.ts'

// Fleets of emulated nodes over real SSH on loopback, some of which misbehave: what one does must not touch another.
let folder = ''
let farm: Farm | null = null
beforeEach(() => {
  folder = folderOfTest('faults')
})
afterEach(async () => {
  await farm?.close()
  farm = null
})

type Mutable = { -readonly [K in keyof Faults]: Faults[K] }

async function begin(
  options: Pick<FarmOptions, 'nodes' | 'seconds'>,
  faults: Mutable = {},
): Promise<readonly ConnectTarget[]> {
  farm = await startFarm({ ...options, spread: 0.3, faults })
  const [identityFile, fleetFile] = [join(folder, 'login'), join(folder, 'fleet.json')]
  writeFileSync(identityFile, farm.login, { mode: 0o600 })
  writeFileSync(fleetFile, JSON.stringify(farm.fleet(identityFile)))
  const read = must(await createPorts(catalog).fleets.read(fleetFile))
  return read.targets({})
}

/** One run over the targets: how each node ended, what was told and when. */
async function collect(
  targets: readonly ConnectTarget[],
  deadlineSeconds: number,
  look: (event: RunEvent) => void = () => undefined,
) {
  const events: { readonly at: number; readonly event: RunEvent }[] = []
  const ports = { ...createPorts(catalog), transport: createTransport({ perSecond: 1000, perNetwork: 100 }) }
  const collected = must(
    await collectRun(ports, catalog, {
      run: 'bench',
      targets,
      storeFolder: join(folder, 'evidence'),
      concurrency: 30,
      signal: new AbortController().signal,
      onEvent: (event) => {
        events.push({ at: performance.now(), event })
        look(event)
      },
      marks: () => ({ demo: false, synthetic: 'a test' }),
      deadlineSeconds,
      spreadSeconds: 0,
    }),
  )
  const { recordings } = collected
  const ended = new Map(recordings.map(({ recording }) => [recording.node.name, recording.outcome]))
  return { ended, events, recordings }
}

const EXPECTED: Readonly<Record<Behaviour, readonly (string | undefined)[]>> = {
  answers: [undefined],
  refuses: ['ssh.unreachable'],
  drops: ['ssh.lost', 'ssh.unreachable'],
  hangs: ['collector.timed-out', 'ssh.timed-out', 'ssh.unreachable'],
  resets: ['ssh.lost'],
  rejects: ['ssh.auth-refused'],
  floods: ['collector.output-too-large', 'collector.timed-out'],
}

describe('nodes that misbehave', () => {
  test('each ends by itself and by name; the others are complete', async () => {
    const deadline = 40
    const faults: Faults = { refuses: 0.08, drops: 0.08, hangs: 0.08, resets: 0.08, rejects: 0.06, floods: 0.05 }
    const nodes = 30
    const { ended, events } = await collect(await begin({ nodes, seconds: 0.5 }, faults), deadline)
    const behaviours = Array.from({ length: nodes }, (_, index) => behaviourOf(index, faults))
    expect(new Set(behaviours).size).toBe(7)
    for (const [index, behaviour] of behaviours.entries()) {
      const outcome = ended.get(nameOf(index))
      expect(EXPECTED[behaviour], `${nameOf(index)} ${behaviour}`).toContain(outcome?.failure?.code)
      expect(outcome?.status === 'complete').toBe(behaviour === 'answers')
      // One attempt where a login is refused: a second would be counted against us.
      if (behaviour === 'rejects') expect(farm?.connections(index)).toBe(1)
      if (behaviour === 'drops') expect(farm?.connections(index)).toBe(3)
    }
    const answering = behaviours.filter((behaviour) => behaviour === 'answers').length
    expect(events.filter(({ event }) => event.kind === 'node-done' && !event.partial)).toHaveLength(answering)
    expect(events.filter(({ event }) => event.kind === 'node-collecting').length).toBeGreaterThan(answering * 20)
  })

  test('servers that take no connection for a moment (MaxStartups, PerSourcePenalties) lose no node and cost no second login', async () => {
    const faults: Mutable = { drops: 1 }
    const targets = await begin({ nodes: 8, seconds: 0.2 }, faults)
    setTimeout(() => {
      faults.drops = 0
    }, 1200)
    const { ended } = await collect(targets, 60)
    expect([...ended.values()].map(({ status }) => status)).toEqual(Array(8).fill('complete'))
    expect(farm?.sessions()).toBe(8)
  })
})

describe('a run that was broken off', () => {
  test('after cut connections asks only the nodes that are missing', async () => {
    const faults: Mutable = { resets: 0.5 }
    const targets = await begin({ nodes: 12, seconds: 0.6 }, faults)
    const first = await collect(targets, 60)
    const partial = [...first.ended.values()].filter(({ status }) => status === 'partial').length
    expect(partial).toBeGreaterThan(2)
    const before = farm?.sessions() ?? 0
    faults.resets = 0
    const second = await collect(targets, 60)
    expect([...second.ended.values()].every(({ status }) => status === 'complete')).toBe(true)
    expect((farm?.sessions() ?? 0) - before).toBe(partial)
  })

  test('a network that goes away in the middle of a node leaves what was answered, and is gone on with', async () => {
    const through = await throughRelay()
    const first = await through(20)
    expect(first.ended.get('node-0001')).toMatchObject({ status: 'partial', failure: { code: 'ssh.lost' } })
    const kept = await first.recordings[0]?.load()
    expect(kept?.ok && kept.value.captures.filter(({ meta }) => meta.status === 'done').length).toBeGreaterThan(5)
    expect((await through(null)).ended.get('node-0001')).toEqual({ status: 'complete', failure: null })
  })

  test('a node that restarts in the middle of a run is named, and asked again what it answered before', async () => {
    const through = await throughRelay()
    const first = await through(40)
    expect(first.ended.get('node-0001')).toMatchObject({ status: 'partial', failure: { code: 'ssh.lost' } })
    farm?.reboot()
    const second = await through(null)
    expect(second.ended.get('node-0001')).toMatchObject({
      status: 'partial',
      failure: { code: 'collector.restarted' },
    })
    expect((await through(null)).ended.get('node-0001')).toEqual({ status: 'complete', failure: null })
    const whole = await second.recordings[0]?.load()
    const boots = whole?.ok ? whole.value.captures.map(bootIn).filter((boot) => boot !== null) : []
    expect(new Set(boots).size).toBe(2)
  })

  test('by kill −9 loses no node that was done, and asks only the others', async () => {
    const nodes = 40
    const targets = await begin({ nodes, seconds: 1 })
    const built = await bundled('../bench/fleet/child.ts')
    try {
      const child = spawn(process.execPath, [built.program, join(folder, 'fleet.json'), folder, '4'], {
        stdio: 'ignore',
      })
      const complete = (): number =>
        statuses(join(folder, 'evidence', 'bench')).filter((status) => status === 'complete').length
      const ended = new Promise((resolve) => child.once('exit', resolve))
      for (let waited = 0; complete() < 4 && waited < 60_000; waited += 50)
        await new Promise((next) => setTimeout(next, 50))
      child.kill('SIGKILL')
      await ended
      const done = complete()
      expect(done).toBeGreaterThanOrEqual(4)
      expect(done).toBeLessThan(nodes)
      const before = farm?.sessions() ?? 0
      const second = await collect(targets, 60)
      expect([...second.ended.values()].every(({ status }) => status === 'complete')).toBe(true)
      expect(second.ended.size).toBe(nodes)
      expect((farm?.sessions() ?? 0) - before).toBe(nodes - done)
    } finally {
      rmSync(built.folder, { recursive: true, force: true })
    }
  })
})

/** One node behind a relay, which goes away after so many of its answers. */
async function throughRelay() {
  const [target] = await begin({ nodes: 1, seconds: 2 })
  if (target === undefined || farm === null) throw new Error('no target')
  const to = { host: '127.78.0.1', port: farm.port }
  return async (cutAfter: number | null) => {
    const relay = await startRelay({ to, oneWayMs: 1 })
    const node = { ...target.node, address: '127.0.0.1', port: relay.port }
    const look = (event: RunEvent): void => {
      if (event.kind === 'node-collecting' && event.done === cutAfter) void relay.close()
    }
    const done = await collect([{ ...target, node }], 60, look)
    await relay.close()
    return done
  }
}

/** What recording.json of each node says, of those that have one yet. */
function statuses(run: string): readonly string[] {
  const nodes = existsSync(run) ? readdirSync(run) : []
  return nodes.flatMap((node) => {
    const file = join(run, node, 'recording.json')
    if (!existsSync(file)) return []
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly outcome: { readonly status: string } }).outcome.status
  })
}
