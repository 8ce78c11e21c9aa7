import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DeclaredNode, Fleet, FleetNode } from '../../../schemas/types.ts'
import type { DemoFleet } from '../../core/all-ports.ts'
import type { ConnectTarget } from '../../core/ports.ts'
import type { Probe } from '../../core/probe.ts'
import { startDelayed } from './delayed.ts'
import { demoDeclared } from './demo-declared.ts'
import { demoKey } from './demo-keys.ts'
import { DEMO_DELAYS } from './demo-location.ts'
import { demoVantage } from './demo-vantage.ts'
import { nodeAnswers, nodeSettings, recordedNodeFile } from './recorded-node.ts'
import { startDemoServer } from './server.ts'

// The two nodes without captures: one that is unreachable, and one that shows another host key than the one on record.
const UNREACHABLE = 'demo-gone-07'
const CHANGED_KEY = 'demo-changed-08'
const ANSWERING = ['demo-gpu-01', 'demo-gpu-02', 'demo-guest-03', 'demo-metal-04', 'demo-shared-05', 'demo-nosudo-06']

/** Recorded nodes: next to the built program (out/demo, seen from out/main or its chunks), or in the source tree. */
function recordedNodes(): string {
  const places = ['../demo/', '../../demo/', '../../../test/fixtures/nodes/'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  const found = places.find((place) => existsSync(recordedNodeFile(place, ANSWERING[0] ?? '')))
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

/**
 * Starts the demo fleet: SSH servers inside this process, on loopback, that replay recorded nodes to the collector. All
 * keys are generated at start and discarded at close. The connections, the host key checks and the collector are the
 * real ones.
 */
export async function startDemoFleet(probes: readonly Probe<unknown>[]): Promise<DemoFleet> {
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
      const recorded = name === CHANGED_KEY ? (ANSWERING[0] ?? '') : name
      const server = await startDemoServer({
        hostKeyPem: key.pem,
        clientKey: login.blob,
        answers: nodeAnswers(root, recorded),
        probes,
        privilege: nodeSettings(root, recorded).privilege ?? 'sudo',
      })
      servers.push(server)
      const delay = DEMO_DELAYS[name]
      const reached = delay === undefined ? server : await startDelayed(server.port, delay)
      if (reached !== server) servers.push(reached)
      add(name, reached.port, name === CHANGED_KEY ? demoKey().fingerprint : key.fingerprint)
    }
    add(UNREACHABLE, await closedPort(), demoKey().fingerprint)
  } catch (problem) {
    // A server that keeps listening would keep the program from ending.
    await close()
    throw problem
  }
  targets.sort((a, b) => (a.node.name < b.node.name ? -1 : 1))
  return {
    fleet: fleetOf(targets),
    targets,
    marks: (node) => ({
      demo: true,
      synthetic: ANSWERING.includes(node) ? (nodeSettings(root, node).synthetic ?? null) : null,
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

function target(root: string, name: string, port: number, fingerprint: string, identityFile: string): ConnectTarget {
  const settings = nodeSettings(root, ANSWERING.includes(name) ? name : (ANSWERING[0] ?? ''))
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
  }
}

function fleetOf(targets: readonly ConnectTarget[]): Fleet {
  const nodes = targets.map(({ node, trust }): FleetNode => {
    const { name, address, port, user, sudo, role, location } = node
    return {
      name,
      address,
      port,
      user,
      sudo,
      ...(trust.fingerprint === undefined ? {} : { hostKey: trust.fingerprint }),
      ...(role === undefined ? {} : { role }),
      ...(location === undefined ? {} : { location }),
    }
  })
  return { name: 'Demo fleet', frameworks: ['hipaa', 'soc2'], nodes: nodes as unknown as Fleet['nodes'] }
}
