import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSpool } from '../../main/adapters/jobs/spool.ts'
import { createTeamClient } from '../../main/adapters/jobs/team-client.ts'
import { type CollectorEvent, runCollector } from '../../main/app/collector/work.ts'
import { fail, type Outcome } from '../../main/core/base/failure.ts'
import { fleetPath } from '../../main/core/base/layout.ts'
import { fingerprintOf } from '../../main/core/fleet/known-hosts.ts'
import { type TeamServer, tokenDigest } from '../../main/core/team/jobs.ts'
import type { FleetNode, TeamConfig } from '../../schemas/types.ts'
import { fakeCatalog } from './fake-catalog.ts'
import { FAKE_NODES, fakeHostKey } from './fake-nodes.ts'
import { createFakePorts, type FakePortsOptions } from './fake-ports.ts'
import { must } from './outcomes.ts'

export const newToken = (): string => randomBytes(32).toString('base64url')

const [first, second, third] = FAKE_NODES.filter(({ fails }) => fails === undefined).map(({ name }) => name)
if (first === undefined || second === undefined || third === undefined) throw new Error('too few nodes')
/** Nodes that answer: two in a zone, and one that the server collects. */
export const ZONED = { first, second, third } as const

export const nodeIn = (name: string, zone?: string): FleetNode => ({
  name,
  address: '192.0.2.1',
  user: 'bwaudit',
  sudo: true,
  hostKey: fingerprintOf(fakeHostKey(name)),
  ...(zone === undefined ? {} : { zone }),
})

const writeFleet = (path: string, nodes: readonly FleetNode[]): void =>
  writeFileSync(path, JSON.stringify({ name: 'zoned', nodes }))

/** A configuration with collectors of alpha, and its fleet: two nodes in Frankfurt, one without a zone. */
export function withCollectors(
  config: TeamConfig,
  tokens: Readonly<Record<string, { readonly token: string; readonly zone: string; readonly engagement?: string }>>,
): TeamConfig {
  const [alpha] = config.engagements
  mkdirSync(alpha.folder, { recursive: true })
  writeFleet(fleetPath(alpha.folder), [
    nodeIn(ZONED.first, 'frankfurt'),
    nodeIn(ZONED.second, 'frankfurt'),
    nodeIn(ZONED.third),
  ])
  return {
    ...config,
    collectors: Object.entries(tokens).map(([name, { token, zone, engagement = alpha.name }]) => ({
      name,
      zone,
      engagement,
      tokenDigest: tokenDigest(token),
    })),
  }
}

export interface CollectorInTest {
  readonly events: readonly CollectorEvent[]
  /** Resolves once it said this of so many jobs. */
  readonly said: (kind: CollectorEvent['kind'], times?: number) => Promise<void>
  readonly stop: () => Promise<void>
}

/** A connection that a test cuts. */
export interface Line {
  isCut: boolean
  /** Requests arrive, and their answers are lost. */
  losesAnswers: boolean
}

function over(line: Line, server: TeamServer): TeamServer {
  const cut = fail('server.unreachable', 'cut')
  const through =
    <A extends readonly unknown[], T>(call: (...input: A) => Promise<Outcome<T>>) =>
    async (...input: A): Promise<Outcome<T>> => {
      if (line.isCut) return cut
      const answer = await call(...input)
      return line.losesAnswers ? cut : answer
    }
  return {
    ask: through(server.ask),
    renew: through(server.renew),
    offer: through(server.offer),
    parts: through(server.parts),
    deliver: through(server.deliver),
    refuse: through(server.refuse),
  }
}

/** Runs a collector of Frankfurt in this process, over made-up nodes. */
export async function startCollector(
  folder: string,
  server: string,
  token: string,
  {
    nodes = [nodeIn(ZONED.first), nodeIn(ZONED.second)],
    zone = 'frankfurt',
    ports = {},
    line = { isCut: false, losesAnswers: false },
  }: {
    readonly nodes?: readonly FleetNode[]
    readonly zone?: string
    readonly ports?: FakePortsOptions
    readonly line?: Line
  } = {},
): Promise<CollectorInTest> {
  mkdirSync(folder, { recursive: true })
  writeFleet(join(folder, 'fleet.json'), nodes)
  const spool = must(await openSpool(join(folder, 'spool')))
  const [stop, events] = [new AbortController(), [] as CollectorEvent[]]
  const running = runCollector(
    {
      ports: createFakePorts(ports),
      catalog: fakeCatalog,
      spool,
      server: over(line, createTeamClient({ server, token, certificate: null })),
      // Impatient: tests wait for events and not for a time.
      wait: (milliseconds, signal) => sleep(Math.min(milliseconds, 50), undefined, { signal }).catch(() => undefined),
    },
    {
      zone,
      fleet: join(folder, 'fleet.json'),
      concurrency: 2,
      signal: stop.signal,
      onEvent: (one) => events.push(one),
    },
  )
  return {
    events,
    said: async (kind, times = 1) => {
      while (events.filter((one) => one.kind === kind).length < times) await sleep(20)
    },
    stop: async () => {
      stop.abort()
      await running
      await spool.close()
    },
  }
}
