import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ssh2 from 'ssh2'
import type { DeclaredNode, Fleet, FleetNode, VantageMeasurement } from '../../../schemas/types.ts'
import { VERSION } from '../../../schemas/version.ts'
import type { DemoFleet } from '../../core/all-ports.ts'
import { sha256 } from '../../core/base/digest.ts'
import { stated } from '../../core/base/optional.ts'
import { fingerprintOf } from '../../core/fleet/known-hosts.ts'
import type { UnsignedVantage } from '../../core/fleet/vantage.ts'
import type { Clock, ConnectTarget } from '../../core/ports/ports.ts'
import type { Probe } from '../../core/recording/probe.ts'
import { demoDeclared } from './demo-declared.ts'
import { roundTripsOf } from './demo-location.ts'
import { movedAnswers } from './moments.ts'
import { nodeAnswers, nodeSettings, recordedNodeFile } from './recorded-node.ts'
import { startDemoServer } from './server.ts'

// The two nodes without captures: one is unreachable, the other shows another host key than the one on record.
const UNREACHABLE = 'demo-gone-07'
const CHANGED_KEY = 'demo-changed-08'
/** Its recording also stands for the two nodes without captures. */
const FIRST = 'demo-gpu-01'
const ANSWERING = [FIRST, 'demo-gpu-02', 'demo-guest-03', 'demo-metal-04', 'demo-shared-05', 'demo-nosudo-06']

/** Recorded nodes: next to the built program (out/demo, seen from out/main or its chunks), or in the source tree. */
function recordedNodes(): string {
  const places = ['../demo/', '../../demo/', '../../../test/fixtures/nodes/'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  const found = places.find((place) => existsSync(recordedNodeFile(place, FIRST)))
  if (found === undefined) throw new Error('the recorded nodes of the demo fleet are missing from this installation')
  return found
}

/** A port without a listener: opened and released. */
const closedPort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 1))
    })
  })

/** Added to the statement in a recording about how its captures were created. */
const MOVED =
  'For the demo, the node’s clock and the moments of its latest events were moved to the time of the run, and its round trips are made up.'

/**
 * Starts the demo fleet: SSH servers inside this process, on loopback, that replay recorded nodes to the collector. All
 * keys are generated at start and discarded at close. The connections, the host key checks and the collector are the
 * real ones. Times are emulated, so that the demo gives the same conclusions on every day and on a busy computer. The
 * latest events of a node are as long before `clock` as they were before its recording (moments.ts), and round trips
 * are invented (demo-location.ts).
 */
export async function startDemoFleet(probes: readonly Probe<unknown>[], clock: Pick<Clock, 'now'>): Promise<DemoFleet> {
  const root = recordedNodes()
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-demo-'))
  const identityFile = join(folder, 'login')
  const login = demoKey()
  writeFileSync(identityFile, login.pem, { mode: 0o600 })
  const servers: { readonly close: () => Promise<void> }[] = []
  const targets: ConnectTarget[] = []
  const add = (name: string, port: number, fingerprint: string): void => {
    targets.push(target(root, name, port, fingerprint, identityFile))
  }
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (const name of [...ANSWERING, CHANGED_KEY]) {
      const key = demoKey()
      const recorded = name === CHANGED_KEY ? FIRST : name
      const server = await startDemoServer({
        hostKeyPem: key.pem,
        clientKey: login.blob,
        answers: movedAnswers(nodeAnswers(root, recorded), secondsSince(root, recorded, clock)),
        probes,
        privilege: nodeSettings(root, recorded).privilege ?? 'sudo',
        clock,
      })
      servers.push(server)
      add(name, server.port, name === CHANGED_KEY ? demoKey().fingerprint : key.fingerprint)
    }
    add(UNREACHABLE, await closedPort(), demoKey().fingerprint)
  } catch (problem) {
    // A server that still listens would keep the program running.
    await close()
    throw problem
  }
  targets.sort((a, b) => (a.node.name < b.node.name ? -1 : 1))
  return {
    fleet: fleetOf(targets),
    targets,
    marks: (node) => ({
      demo: true,
      synthetic: ANSWERING.includes(node) ? `${nodeSettings(root, node).synthetic ?? ''} ${MOVED}`.trim() : null,
    }),
    declared: (asOf) =>
      demoDeclared(
        asOf,
        targets.map(({ node }) => node.name),
      ),
    vantage: (asOf) => demoVantage(asOf, targets),
    close,
  }
}

/** Whole seconds from the recording of a node until now. */
function secondsSince(root: string, name: string, { now }: Pick<Clock, 'now'>): number {
  const { recordedAt } = nodeSettings(root, name)
  if (recordedAt === undefined) throw new Error(`the demo node ${name} does not state when it was recorded`)
  return Math.floor((Date.parse(now()) - Date.parse(recordedAt)) / 1000)
}

function target(root: string, name: string, port: number, fingerprint: string, identityFile: string): ConnectTarget {
  const settings = nodeSettings(root, ANSWERING.includes(name) ? name : FIRST)
  const node: DeclaredNode = {
    name,
    address: '127.0.0.1',
    port,
    user: 'bwaudit',
    sudo: settings.privilege !== 'none',
    ...settings.node,
  }
  return {
    node,
    trust: { fingerprint, knownHostsFiles: [] },
    credentials: { identityFile, agent: false },
    transport: 'ssh2',
    jumps: [],
    roundTrips: roundTripsOf(name),
  }
}

function fleetOf(targets: readonly ConnectTarget[]): Fleet {
  const nodes = targets.map(({ node, trust }): FleetNode => {
    const { name, address, port, user, sudo, role, location } = node
    return { name, address, port, user, sudo, ...stated({ hostKey: trust.fingerprint, role, location }) }
  })
  return { name: 'Demo fleet', frameworks: ['hipaa', 'soc2'], nodes: nodes as unknown as Fleet['nodes'] }
}

interface DemoKey {
  /** OpenSSH private key. */
  readonly pem: string
  /** Public key blob as in known_hosts, before base64. */
  readonly blob: Uint8Array
  readonly fingerprint: string
}

const TRIES = 20

/**
 * A key pair for one demo. ssh2 1.17 drops the leading zero bytes of one Ed25519 key in 250 (lib/keygen.js), and then
 * refuses to read it; such a key is discarded and another generated.
 */
export function demoKey(generate: () => string = () => ssh2.utils.generateKeyPairSync('ed25519').private): DemoKey {
  for (let tries = 1; ; tries++) {
    const pem = generate()
    const parsed = ssh2.utils.parseKey(pem)
    if (!(parsed instanceof Error)) {
      const blob = parsed.getPublicSSH()
      return { pem, blob, fingerprint: fingerprintOf(blob) }
    }
    if (tries === TRIES) throw parsed
  }
}

/** Round trip from New York in ms, by node. Kansas City is some 1,760 km away: light takes 12 ms there and back. */
const TIMES: Readonly<Record<string, number>> = {
  'demo-gpu-01': 17,
  'demo-gpu-02': 12,
  'demo-guest-03': 17,
  'demo-metal-04': 18,
  'demo-nosudo-06': 17,
}

const ROUND_TRIPS = 60
const MINUTE_MS = 60_000
const NOT_REACHED = { code: 'ssh.unreachable', detail: 'no route from this network (made up)' }

/**
 * The measurements that a second machine would have made a few minutes earlier, of the servers that run now: their
 * keys are generated at each start.
 */
export function demoVantage(asOf: string, targets: readonly ConnectTarget[]): UnsignedVantage {
  const minutesBefore = (count: number): string => new Date(Date.parse(asOf) - count * MINUTE_MS).toISOString()
  return {
    schema: 'barewitness.vantage/1',
    id: `vantage-demo-${asOf.replaceAll(/\D/g, '')}`,
    recorder: VERSION,
    vantage: {
      name: 'Second office, New York (demo)',
      country: 'US',
      latitude: 40.7128,
      longitude: -74.006,
      radiusKm: 3,
      declaredBy: 'J. Lin (demo)',
    },
    startedAt: minutesBefore(4),
    endedAt: minutesBefore(2),
    demo: true,
    measurements: targets.map((target) => measured(target, minutesBefore(3))),
  }
}

function measured({ node, trust }: ConnectTarget, at: string): VantageMeasurement {
  const { name, address, port } = node
  const about = { node: name, address, port, at, path: null }
  const [time, hostKey] = [TIMES[name], trust.fingerprint]
  return time === undefined || hostKey === undefined
    ? { ...about, hostKey: null, echo: null, failure: NOT_REACHED }
    : { ...about, hostKey, echo: { bursts: [burst(time, at)], warmup: 5, mismatches: 0 }, failure: null }
}

const burst = (time: number, at: string) => ({
  at,
  samples: Array.from({ length: ROUND_TRIPS }, (_, index) => time + ((index * 7) % 10) / 50),
  nonces: sha256(new TextEncoder().encode('made up for the demo\n')),
  wallDriftMs: 0,
})
