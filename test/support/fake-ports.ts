import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { demoDeclared } from '../../main/adapters/demo/demo-declared.ts'
import { demoVantage } from '../../main/adapters/demo/demo-fleet.ts'
import { createIdentities } from '../../main/adapters/identity/index.ts'
import { createPorts } from '../../main/adapters/ports.ts'
import { createSealing } from '../../main/adapters/seal/index.ts'
import { decideHostKey, listPath, loadTrust } from '../../main/adapters/ssh/host-key.ts'
import { createTimestamps } from '../../main/adapters/timestamps.ts'
import type { DemoFleet, HostKeys, Ports, ScannedKey } from '../../main/core/all-ports.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { fail, type Outcome, ok } from '../../main/core/base/failure.ts'
import { decisionComment } from '../../main/core/fleet/host-key-list.ts'
import { fingerprintOf, knownHostsLine, parseKnownHosts } from '../../main/core/fleet/known-hosts.ts'
import type { Clock, Connection, ConnectTarget, Entropy } from '../../main/core/ports/ports.ts'
import { EMPTY_REGISTER } from '../../main/core/register/register.ts'
import type { Fleet, HostKey } from '../../schemas/types.ts'
import { fakeCatalog } from './fake-catalog.ts'
import { FAKE_NODES, FAKE_SYNTHETIC, type FakeNode, fakeHostKey } from './fake-nodes.ts'
import { replay } from './fake-process.ts'
import { fakeProvider } from './fake-provider.ts'
import { fakeTimers } from './fake-timers.ts'

export const FAKE_NOW = '2026-11-20T09:15:00.000Z'

/** A node that is given this address answers as another machine, a guest: what drifts can be seen with it. */
export const MOVED = '192.0.2.66'

export interface FakePortsOptions {
  /** Milliseconds between steps of a node. */
  readonly pace?: number
  /** The demo fleet. */
  readonly nodes?: readonly FakeNode[]
  /** The demo fleet has documents and risk acceptances, as the real one. */
  readonly demoRegister?: boolean
  readonly now?: () => string
  /** Called when a node is asked to connect, before it answers. */
  readonly onConnect?: (node: string) => Promise<void> | void
}

/**
 * The real ports, except that nothing leaves this computer: nodes, host keys and the demo fleet are made up, and time stands still. The
 * collector, the store, the importers, seals and packs are the real ones.
 */
export function createFakePorts({
  pace = 0,
  nodes = FAKE_NODES,
  demoRegister = false,
  now = () => FAKE_NOW,
  onConnect = () => undefined,
}: FakePortsOptions = {}): Ports {
  const base = createPorts(fakeCatalog)
  const wait = async (steps: number): Promise<void> => {
    if (pace > 0) await sleep(pace * steps)
  }
  const nodeOf = (name: string): FakeNode => nodes.find((one) => one.name === name) ?? standIn(name)
  const place = (name: string): number =>
    Math.max(
      0,
      nodes.findIndex((one) => one.name === name),
    )
  const clock: Clock = { now, ticks: base.clock.ticks }
  // Names of runs are numbered; keys and nonces are not made up.
  let runs = 0
  const entropy: Entropy = {
    bytes: (count) => (count === 2 ? new Uint8Array([0, ++runs]) : base.entropy.bytes(count)),
  }
  const connect = async (target: ConnectTarget, signal: AbortSignal): Promise<Outcome<Connection>> => {
    const node =
      target.node.address === MOVED ? { ...nodeOf('demo-guest-03'), name: target.node.name } : nodeOf(target.node.name)
    await onConnect(node.name)
    // One after the other, as far as anyone can see.
    await wait(1 + 2 * (place(node.name) % 8))
    if (signal.aborted) return fail('run.cancelled', 'stopped while connecting')
    if (node.fails !== undefined) return fail(node.fails.code, node.fails.detail)
    const hostKey = isDemo(target) ? ok(demoKey(node.name)) : await decide(target, shown(node.name))
    return hostKey.ok ? ok(connection(node, target.node.sudo, hostKey.value, now(), wait)) : hostKey
  }
  return {
    ...base,
    clock,
    entropy,
    sealing: createSealing(clock, entropy),
    identities: createIdentities(clock, entropy, base.identities.defaultFolder),
    timestamps: createTimestamps(clock, entropy, (milliseconds) => sleep(milliseconds)),
    timers: fakeTimers(),
    transport: { connect },
    hostKeys: {
      scan: async ({ node: { name } }) => {
        await wait(1)
        const { fails } = nodeOf(name)
        return fails?.code === 'ssh.unreachable' ? fail(fails.code, fails.detail) : ok(shown(name))
      },
      decide,
      record: recorder(base, now),
    },
    demo: { start: async () => demoFleet(nodes, demoRegister) },
  }
}

/** Nodes that a person imported answer as one of the made-up ones. */
function standIn(name: string): FakeNode {
  const answering = FAKE_NODES.filter(({ answers }) => answers !== null)
  const node = answering[numberIn(name) % answering.length] as FakeNode
  return { ...node, name }
}

const numberIn = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 1)

const DEMO_USER = 'bwaudit'
const isDemo = ({ trust }: ConnectTarget): boolean => trust.decisionsFile === undefined

function connection(
  node: FakeNode,
  sudo: boolean,
  hostKey: HostKey,
  now: string,
  wait: (steps: number) => Promise<void>,
): Connection {
  return {
    hostKey,
    session: { transport: 'replay', authMethod: 'publickey' },
    exec: async () =>
      ok(
        replay({
          answers: node.answers ?? {},
          sudo: sudo && node.privilege === 'sudo',
          epoch: Math.floor(Date.parse(now) / 1000),
          // Three steps that a person can see.
          beforeAnswer: async (index, total) => {
            if (index === 3 || index === 7 || index === total - 1) await wait(1)
          },
        }),
      ),
    close: () => undefined,
  }
}

const shown = (name: string): ScannedKey => {
  const blob = fakeHostKey(name)
  return { type: 'ssh-ed25519', fingerprint: fingerprintOf(blob), blob }
}

const demoKey = (name: string): HostKey => ({
  type: 'ssh-ed25519',
  fingerprint: shown(name).fingerprint,
  trust: { how: 'demo', detail: 'made for the demo' },
})

/** The real decision, over a known_hosts file that is made up and the decisions that were recorded. */
const decide: HostKeys['decide'] = async ({ node, trust }, key) => {
  const decided = await loadTrust({ ...trust, knownHostsFiles: [] })
  if (!decided.ok) return decided
  return decideHostKey(
    {
      fingerprint: trust.fingerprint ?? null,
      files: [
        { path: 'your known_hosts', how: 'known-hosts', text: knownHosts(node.name, node.address, node.port) },
        ...decided.value.files,
      ],
    },
    node.address,
    node.port,
    key.blob,
  )
}

/** By the last digit of its name: 1 is known to no one, of 2 another key is on record, of 9 the key was revoked; the others are known. */
function knownHosts(name: string, address: string, port: number): string {
  const last = numberIn(name) % 10
  if (last === 1) return ''
  const line = knownHostsLine(address, port, fakeHostKey(last === 2 ? `old ${name}` : name), '')
  return `${'\n'.repeat(11)}${last === 9 ? '@revoked ' : ''}${line}\n`
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** As the real one, with the day of these ports. */
const recorder =
  (base: Ports, now: () => string): HostKeys['record'] =>
  async (file, { node: { address, port } }, key, howVerified, list) => {
    const digest = list === undefined ? '' : sha256(new TextEncoder().encode(list.text))
    if (list !== undefined) {
      const kept = await base.files.write(listPath(file, digest), list.text)
      if (!kept.ok) return kept
    }
    const comment = decisionComment({
      day: now().slice(0, 10),
      words: howVerified,
      list: list === undefined ? null : { sha256: digest, line: list.line },
    })
    const line = knownHostsLine(address, port, key.blob, comment)
    const text = textOf(file)
    const [mine] = parseKnownHosts(line)
    const replaced = new Set(parseKnownHosts(text).flatMap((one) => (one.hosts === mine?.hosts ? [one.line] : [])))
    const kept = text.split('\n').filter((one, index) => one !== '' && !replaced.has(index + 1))
    return await base.files.write(file, `${[...kept, line].join('\n')}\n`)
  }

const ASHBURN = {
  name: 'Ashburn, Virginia (demo)',
  latitude: 39.04,
  longitude: -77.49,
  radiusKm: 20,
  declaredBy: 'made up for the demo',
}

function demoFleet(nodes: readonly FakeNode[], withRegister: boolean): DemoFleet {
  const declared = nodes.map(({ name, privilege }, index) => ({
    name,
    address: '127.0.0.1',
    port: 42_000 + index,
    user: DEMO_USER,
    sudo: privilege === 'sudo',
    role: 'gpu',
    location: ASHBURN,
  }))
  const targets = declared.map(
    (node): ConnectTarget => ({
      node,
      trust: { fingerprint: demoKey(node.name).fingerprint, knownHostsFiles: [] },
      credentials: { agent: false },
      transport: 'ssh2',
      jumps: [],
    }),
  )
  return {
    fleet: { name: 'Demo fleet', frameworks: ['hipaa', 'soc2'], nodes: declared as unknown as Fleet['nodes'] },
    targets,
    marks: () => ({ demo: true, synthetic: FAKE_SYNTHETIC }),
    declared: (asOf) => ({
      ...demoDeclared(
        asOf,
        nodes.map(({ name }) => name),
      ),
      provider: fakeProvider,
      ...(withRegister ? {} : { register: EMPTY_REGISTER, documents: new Map<string, Uint8Array>() }),
    }),
    vantage: (asOf) => demoVantage(asOf, targets),
    close: async () => undefined,
  }
}
