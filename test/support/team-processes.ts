import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tokenDigest } from '../../main/core/jobs.ts'
import { fleetPath } from '../../main/core/layout.ts'
import type { RunStatus, RunTicket } from '../../schemas/ipc-views.ts'
import type { Fleet, FleetNode, TeamDatabase } from '../../schemas/types.ts'
import { bundled } from './bundled.ts'
import { newToken } from './collector-kit.ts'
import { type EmulatedFleet, startEmulated } from './emulated-nodes.ts'
import { valueIn } from './engine-kit.ts'
import { freePort } from './free-port.ts'
import { newCertificate } from './loopback-certificate.ts'
import { startTestProvider } from './oidc-test-provider.ts'
import { replyIn, type Visitor, visitorOf } from './team-kit.ts'

/** A process of the command line that a test starts and kills. */
export interface Running {
  readonly said: () => string
  /** Resolves once it said this, from a position of its output on. */
  readonly untilSaid: (text: string | RegExp) => Promise<void>
  /** SIGKILL: nothing in it can react. */
  readonly kill: () => Promise<void>
  readonly isRunning: () => boolean
}

/** A team server, collectors and emulated nodes of two zones, as processes of their own over TLS on loopback. */
export interface TeamProcesses {
  readonly folder: string
  readonly nodes: readonly FleetNode[]
  readonly emulated: EmulatedFleet
  readonly startServer: () => Promise<Running>
  /** The process that serves collectors alone, where there is a database. */
  readonly startGate: () => Promise<Running>
  readonly startCollector: (name: string) => Promise<Running>
  readonly officer: () => Promise<Visitor>
  readonly close: () => Promise<void>
}

export const ENGAGEMENT = 'clinic'
/** Of the process that serves people, and of the one that serves collectors alone. */
export const AUDIT_LOGS = ['audit.jsonl', 'audit-gate.jsonl'] as const
export const engagementFolder = ({ folder }: Pick<TeamProcesses, 'folder'>): string => join(folder, ENGAGEMENT)
const RECORDED = ['demo-gpu-01', 'demo-gpu-02', 'demo-metal-04', 'demo-shared-05'] as const

/** Jobs in a database, with a second process that serves these collectors alone. */
export interface Shared {
  readonly database: TeamDatabase
  readonly throughGate: readonly string[]
}

/** `collectors`: the zone of each, by name. Nodes are in these zones in turn. */
export async function teamProcesses(
  folder: string,
  count: number,
  collectors: Readonly<Record<string, string>>,
  shared: Shared | null = null,
): Promise<TeamProcesses> {
  const made = await bundled('team-cli.ts')
  // Pages that the server finds beside its program.
  const pages = join(dirname(made.program), 'renderer')
  mkdirSync(pages)
  writeFileSync(join(pages, 'index.html'), '<p>the page</p>')
  const provider = await startTestProvider()
  const emulated = await startEmulated(
    Array.from({ length: count }, (_, at) => ({
      name: `node-${at + 1}`,
      recorded: RECORDED[at % RECORDED.length] ?? '',
    })),
  )
  const zones = [...new Set(Object.values(collectors))]
  const nodes = emulated.csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line, at): FleetNode & { readonly zone: string } => {
      const [name = '', address = '', port, user = '', , identityFile = '', hostKey = ''] = line.split(',')
      return {
        name,
        address,
        port: Number(port),
        user,
        sudo: true,
        identityFile,
        hostKey,
        role: 'server',
        zone: zones[at % zones.length] ?? '',
      }
    })
  const write = (path: string, value: unknown): void => writeFileSync(path, JSON.stringify(value), { mode: 0o600 })
  const { cert, key } = await newCertificate()
  writeFileSync(join(folder, 'certificate.pem'), cert)
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 })
  const [port, gatePort] = [await freePort(), await freePort()]
  const originAt = (one: number): string => `https://127.0.0.1:${one}`
  const origin = originAt(port)
  mkdirSync(join(folder, ENGAGEMENT))
  // The keys of the nodes are with the collectors alone.
  const fleet = (own: readonly FleetNode[]): Fleet => ({ name: 'emulated', nodes: own as Fleet['nodes'] })
  write(fleetPath(join(folder, ENGAGEMENT)), fleet(nodes.map(({ identityFile: _, ...node }) => node)))
  const tokens = Object.entries(collectors).map(([name, zone]) => ({ name, zone, token: newToken() }))
  for (const { name, zone, token } of tokens) {
    const own = join(folder, name)
    mkdirSync(own)
    writeFileSync(join(own, 'token'), `${token}\n`, { mode: 0o600 })
    write(
      join(own, 'fleet.json'),
      fleet(nodes.filter((node) => node.zone === zone).map(({ role: _, ...node }) => node)),
    )
    write(join(own, 'collector.json'), {
      schema: 'barewitness.collector/1',
      server: shared?.throughGate.includes(name) === true ? originAt(gatePort) : origin,
      certificate: '../certificate.pem',
      zone,
      tokenFile: 'token',
      fleet: 'fleet.json',
      spool: 'spool',
      concurrency: 2,
    })
  }
  const team = {
    schema: 'barewitness.team/1',
    oidc: { issuer: provider.issuer, clientId: 'barewitness-test', rolesClaim: 'roles', groupsClaim: 'groups' },
    roles: { officer: 'officer' },
    engagements: [{ name: ENGAGEMENT, folder: ENGAGEMENT, enter: { groups: ['team'] } }],
    collectors: tokens.map(({ name, zone, token }) => ({
      name,
      zone,
      engagement: ENGAGEMENT,
      tokenDigest: tokenDigest(token),
    })),
    limits: { signInsPerMinute: 1000 },
    ...(shared === null ? {} : { database: shared.database }),
  }
  const listen = { address: '127.0.0.1', port, tls: { certificate: 'certificate.pem', key: 'key.pem' } }
  write(join(folder, 'team.json'), { ...team, listen, auditLog: AUDIT_LOGS[0] })
  if (shared !== null)
    write(join(folder, 'gate.json'), {
      ...team,
      listen: { ...listen, port: gatePort },
      auditLog: AUDIT_LOGS[1],
      serves: 'collectors',
    })
  const started = new Set<ChildProcess>()
  const start = async (argv: readonly string[], ready: string): Promise<Running> => {
    const running = run(made.program, argv, started)
    await running.untilSaid(ready)
    return running
  }
  return {
    folder,
    nodes,
    emulated,
    startServer: () => start(['serve', '--config', join(folder, 'team.json')], 'Serving'),
    startGate: () => start(['serve', '--config', join(folder, 'gate.json')], 'Serving collectors'),
    startCollector: (name) =>
      start(['collector', '--config', join(folder, name, 'collector.json')], 'Collecting nodes'),
    officer: async () => {
      const visitor = visitorOf(origin, provider)
      await visitor.signIn({ sub: 'officer', name: 'Sam', roles: ['officer'], groups: ['team'] })
      return visitor
    },
    close: async () => {
      for (const child of started) child.kill('SIGKILL')
      await emulated.close()
      await provider.close()
      rmSync(made.folder, { recursive: true, force: true })
    },
  }
}

function run(program: string, argv: readonly string[], started: Set<ChildProcess>): Running {
  const child = spawn(process.execPath, [program, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] })
  started.add(child)
  let [said, isRunning] = ['', true]
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      isRunning = false
      started.delete(child)
      resolve()
    })
  })
  return {
    said: () => said,
    untilSaid: async (text) => {
      while (!(typeof text === 'string' ? said.includes(text) : text.test(said))) {
        if (!isRunning) throw new Error(`ended: ${said.slice(-2000)}`)
        await sleep(20)
      }
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    isRunning: () => isRunning,
  }
}

export const startRun = async (officer: Visitor): Promise<RunTicket> =>
  valueIn(replyIn<RunTicket>(await officer.call(ENGAGEMENT, 'run.start', { nodes: [], only: 'all' })))

/** The status of a run once it ended. */
export async function runEnded(officer: Visitor): Promise<RunStatus> {
  for (;;) {
    const status = valueIn(replyIn<RunStatus>(await officer.call(ENGAGEMENT, 'run.status', null)))
    if (!status.going) return status
    await sleep(100)
  }
}
