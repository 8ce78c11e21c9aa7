import type { ChildProcess } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunStatus, RunTicket } from '../../schemas/ipc-views.ts'
import type { FleetNode, TeamConfig } from '../../schemas/types.ts'
import { bundled } from './bundled.ts'
import { type EmulatedFleet, startEmulated } from './emulated-nodes.ts'
import { valueIn } from './engine-kit.ts'
import { startTestProvider } from './oidc-test-provider.ts'
import { type Running, startProgram } from './running-program.ts'
import { type Shared, writeTeamFolder } from './team-folder.ts'
import { replyIn, type Visitor, visitorOf } from './team-kit.ts'

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
  /** Someone else who is signed in, with connections that are kept. */
  readonly reader: (name: string) => Promise<Visitor>
  readonly close: () => Promise<void>
}

export const ENGAGEMENT = 'clinic'
export const engagementFolder = ({ folder }: Pick<TeamProcesses, 'folder'>): string => join(folder, ENGAGEMENT)
const RECORDED = ['demo-gpu-01', 'demo-gpu-02', 'demo-metal-04', 'demo-shared-05'] as const

export interface TeamOptions {
  /** How many nodes are emulated. */
  readonly count: number
  /** The zone of each collector, by name. Nodes are in these zones in turn. */
  readonly collectors: Readonly<Record<string, string>>
  readonly shared?: Shared | null
  /** How many nodes a collector collects at once. */
  readonly concurrency?: number
  /** What else the configuration of the server has. */
  readonly config?: Partial<TeamConfig>
}

export async function teamProcesses(
  folder: string,
  { count, collectors, shared = null, concurrency = 2, config = {} }: TeamOptions,
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
  const nodes = emulated.csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line): FleetNode => {
      const [name = '', address = '', port, user = '', , identityFile = '', hostKey = ''] = line.split(',')
      return { name, address, port: Number(port), user, sudo: true, identityFile, hostKey, role: 'server' }
    })
  const team = await writeTeamFolder({
    ...{ folder, engagement: ENGAGEMENT, fleetName: 'emulated', nodes, collectors, concurrency },
    ...{ issuer: provider.issuer, isTls: true, shared, config },
  })
  const started = new Set<ChildProcess>()
  const start = (argv: readonly string[], ready: string): Promise<Running> =>
    startProgram(made.program, argv, ready, started)
  const signedIn = async (name: string, agent?: Agent): Promise<Visitor> => {
    const visitor = visitorOf(team.origin, provider, agent)
    await visitor.signIn({ sub: name, name, roles: ['officer'], groups: ['team'] })
    return visitor
  }
  return {
    folder,
    nodes: team.nodes,
    emulated,
    startServer: () => start(['serve', '--config', team.server], 'Serving'),
    startGate: () => start(['serve', '--config', team.gate], 'Serving collectors'),
    startCollector: (name) => start(['collector', '--config', team.collectorConfig(name)], 'Collecting nodes'),
    officer: () => signedIn('officer'),
    reader: (name) => signedIn(name, new Agent({ keepAlive: true, maxSockets: 6 })),
    close: async () => {
      for (const child of started) child.kill('SIGKILL')
      await emulated.close()
      await provider.close()
      rmSync(made.folder, { recursive: true, force: true })
    },
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
