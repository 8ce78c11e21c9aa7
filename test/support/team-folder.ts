import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fleetPath } from '../../main/core/base/layout.ts'
import { tokenDigest } from '../../main/core/team/jobs.ts'
import type { Fleet, FleetNode, TeamConfig, TeamDatabase } from '../../schemas/types.ts'
import { newToken } from './collector-kit.ts'
import { freePort } from './free-port.ts'
import { newCertificate } from './loopback-certificate.ts'

/** Jobs in a database, with a second process that serves these collectors alone. */
export interface Shared {
  readonly database: TeamDatabase
  readonly throughGate: readonly string[]
}

export interface TeamFolderOptions {
  /** Where configurations, certificates, tokens and evidence are. */
  readonly folder: string
  /** Name of the one engagement, and of its folder. */
  readonly engagement: string
  readonly fleetName: string
  /** With their login keys, which the fleet files of the collectors have and that of the server has not. */
  readonly nodes: readonly FleetNode[]
  /** The zone of each collector, by name. Nodes are in these zones in turn. */
  readonly collectors: Readonly<Record<string, string>>
  /** How many nodes each of them collects at once. */
  readonly concurrency: number
  readonly issuer: string
  readonly isTls: boolean
  readonly shared: Shared | null
  /** What else the configuration of the server has. */
  readonly config?: Partial<TeamConfig>
}

export interface TeamFolder {
  readonly origin: string
  /** As the server has them: with zones, without login keys. */
  readonly nodes: readonly (FleetNode & { readonly zone: string })[]
  /** Configurations of the process that serves people, and of the one that serves collectors alone. */
  readonly server: string
  readonly gate: string
  readonly collectorConfig: (name: string) => string
}

/** Of the process that serves people, and of the one that serves collectors alone. */
export const AUDIT_LOGS = ['audit.jsonl', 'audit-gate.jsonl'] as const

const write = (path: string, value: unknown): void => writeFileSync(path, JSON.stringify(value), { mode: 0o600 })

/** Writes what a team server on loopback, its collectors and their fleet files need into a folder. */
export async function writeTeamFolder(options: TeamFolderOptions): Promise<TeamFolder> {
  const { folder, engagement, fleetName, collectors, concurrency, issuer, isTls, shared, config = {} } = options
  const zones = [...new Set(Object.values(collectors))]
  const zoned = options.nodes.map((node, at) => ({ ...node, zone: zones[at % zones.length] ?? '' }))
  const nodes = zoned.map(({ identityFile: _, ...node }) => node)
  const [port, gatePort] = [await freePort(), await freePort()]
  const originAt = (one: number): string => `${isTls ? 'https' : 'http'}://127.0.0.1:${one}`
  if (isTls) {
    const { cert, key } = await newCertificate()
    writeFileSync(join(folder, 'certificate.pem'), cert)
    writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 })
  }
  const fleet = (own: readonly FleetNode[]): Fleet => ({ name: fleetName, nodes: own as Fleet['nodes'] })
  mkdirSync(join(folder, engagement))
  write(fleetPath(join(folder, engagement)), fleet(nodes))
  const tokens = Object.entries(collectors).map(([name, zone]) => ({ name, zone, token: newToken() }))
  const collectorConfig = (name: string): string => join(folder, name, 'collector.json')
  for (const { name, zone, token } of tokens) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'token'), `${token}\n`, { mode: 0o600 })
    const own = zoned.filter((node) => node.zone === zone)
    write(join(folder, name, 'fleet.json'), fleet(own.map(({ role: _, location: __, ...node }) => node)))
    write(collectorConfig(name), {
      schema: 'barewitness.collector/1',
      server: originAt(shared?.throughGate.includes(name) === true ? gatePort : port),
      ...(isTls ? { certificate: '../certificate.pem' } : {}),
      zone,
      tokenFile: 'token',
      fleet: 'fleet.json',
      spool: 'spool',
      concurrency,
    })
  }
  const listen = {
    address: '127.0.0.1',
    ...(isTls ? { tls: { certificate: 'certificate.pem', key: 'key.pem' } } : {}),
  }
  const team = {
    schema: 'barewitness.team/1',
    oidc: { issuer, clientId: 'barewitness-test', rolesClaim: 'roles', groupsClaim: 'groups' },
    roles: { officer: 'officer', auditor: 'auditor', operator: 'operator', administrator: 'administrator' },
    engagements: [{ name: engagement, folder: engagement, enter: { groups: ['team'] } }],
    collectors: tokens.map(({ name, zone, token }) => ({ name, zone, engagement, tokenDigest: tokenDigest(token) })),
    limits: { signInsPerMinute: 1000 },
    ...(shared === null ? {} : { database: shared.database }),
    ...config,
  }
  const [server, gate] = [join(folder, 'team.json'), join(folder, 'gate.json')]
  write(server, { ...team, listen: { ...listen, port }, auditLog: AUDIT_LOGS[0] })
  if (shared !== null)
    write(gate, { ...team, listen: { ...listen, port: gatePort }, auditLog: AUDIT_LOGS[1], serves: 'collectors' })
  return { origin: originAt(port), nodes, server, gate, collectorConfig }
}
