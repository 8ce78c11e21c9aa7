import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type OpenDatabase, openDatabase } from '../../main/adapters/database/index.ts'
import type { Outcome } from '../../main/core/base/failure.ts'
import type { TeamDatabase } from '../../schemas/types.ts'
import { freePort } from './free-port.ts'
import { newCertificate } from './loopback-certificate.ts'

/** Debian installs one folder for each version. */
const VERSIONS = '/usr/lib/postgresql'
const OLDEST = 15
const BIN = existsSync(VERSIONS)
  ? readdirSync(VERSIONS)
      .filter((version) => Number(version) >= OLDEST && existsSync(join(VERSIONS, version, 'bin/initdb')))
      .sort((a, b) => Number(a) - Number(b))
      .map((version) => join(VERSIONS, version, 'bin'))[0]
  : undefined

/** PostgreSQL refuses to run as root, so that it is run as the account that has nothing. */
const AS = process.getuid?.() === 0 ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : []

/** Why no database can be started here, or null. */
export function whyNoPostgres(): string | null {
  if (BIN === undefined) return `skipped: PostgreSQL ${OLDEST} or later is not installed`
  const [program, ...argv] = AS
  if (program !== undefined && spawnSync(program, [...argv, 'true']).status !== 0)
    return 'skipped: no other account than root can be used'
  return null
}

export const SERVER_ROLE = 'barewitness_server'
export const OWNER_ROLE = 'barewitness_owner'

/** A cluster of PostgreSQL in a folder of its own, over TLS and without on a loopback port, with both roles of a team server. */
export interface Cluster {
  readonly port: number
  /** Certificate of the cluster, PEM, in a file. */
  readonly ca: string
  /** As its superuser, over the Unix socket. */
  readonly admin: (
    database: string,
    sql: string,
    values?: readonly unknown[],
  ) => Promise<readonly Record<string, unknown>[]>
  /** A new empty database with its configuration. */
  readonly newDatabase: (changes?: Partial<TeamDatabase>) => Promise<TestDatabase>
  /** SIGKILL to every process of the cluster. */
  readonly kill: () => Promise<void>
  /** Without effect while it runs. */
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

export interface TestDatabase {
  readonly name: string
  readonly config: TeamDatabase
  readonly open: (
    changes?: Partial<TeamDatabase>,
    passwords?: { readonly server?: string },
  ) => Promise<Outcome<OpenDatabase>>
  readonly files: { readonly server: string; readonly owner: string }
}

export async function startPostgres(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'bw-pg-'))
  chmodSync(folder, 0o711)
  const [data, socket] = [join(folder, 'data'), join(folder, 'socket')]
  for (const one of [data, socket]) mkdirSync(one, { mode: 0o700 })
  const passwords = { server: randomBytes(12).toString('hex'), owner: randomBytes(12).toString('hex') }
  const { cert, key } = await newCertificate()
  const certificate = join(folder, 'certificate.pem')
  writeFileSync(certificate, cert)
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 })
  if (AS.length > 0) spawnSync('chown', ['nobody:nogroup', data, socket, join(folder, 'key.pem')])
  run('initdb', '--pgdata', data, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync')
  const hba = ['local all postgres trust', 'local all all scram-sha-256', 'host all all 127.0.0.1/32 scram-sha-256']
  const written = spawnSync(AS[0] ?? 'env', [...AS.slice(1), 'tee', join(data, 'pg_hba.conf')], {
    input: `${hba.join('\n')}\n`,
  })
  if (written.status !== 0) throw new Error('pg_hba.conf cannot be written')
  const port = await freePort()
  const options = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: socket,
    ssl: 'on',
    ssl_cert_file: certificate,
    ssl_key_file: join(folder, 'key.pem'),
    shared_buffers: '16MB',
    max_connections: '100',
    // Processes are killed here, and not the computer: what was written is there without it.
    fsync: 'off',
  }
  let running: ChildProcess | null = null
  let said = ''
  const admin: Cluster['admin'] = async (database, sql, values) => {
    const client = new pg.Client({ user: 'postgres', host: socket, port, database })
    await client.connect()
    try {
      return (await client.query(sql, values === undefined ? undefined : [...values])).rows ?? []
    } finally {
      await client.end()
    }
  }
  const start = async (): Promise<void> => {
    if (running !== null) return
    const [program = '', ...argv] = command(
      'postgres',
      '-D',
      data,
      ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    )
    const child = spawn(program, argv, { stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr?.on('data', (chunk) => (said = `${said}${String(chunk)}`.slice(-4000)))
    running = child
    for (;;) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended: ${said}`)
      if (
        await admin('postgres', 'SELECT 1').then(
          () => true,
          () => false,
        )
      )
        return
      await sleep(50)
    }
  }
  const kill = async (): Promise<void> => {
    const child = running
    if (child === null || child.pid === undefined) return
    // Interrupted on the terminal, it ended with everything else there.
    if (child.exitCode !== null || child.signalCode !== null) {
      running = null
      return
    }
    const all = [child.pid, ...childrenOf(child.pid)]
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
    for (const pid of all) killed(pid)
    await ended
    // Shared memory is freed, and a new start allowed, once the last of them is gone.
    while (all.some((pid) => existsSync(`/proc/${pid}`))) await sleep(10)
    running = null
  }
  await start()
  const [ownerRole = '', serverRole = '', newDatabase = ''] = documentedStatements()
  await admin('postgres', ownerRole.replace('…', passwords.owner))
  await admin('postgres', serverRole.replace('…', passwords.server))
  let made = 0
  return {
    port,
    ca: certificate,
    admin,
    newDatabase: async (changes = {}) => {
      made += 1
      const name = `team_${made}`
      await admin('postgres', newDatabase.replace(' team ', ` ${name} `))
      const files = { server: join(folder, `${name}.server`), owner: join(folder, `${name}.owner`) }
      writeFileSync(files.server, `${passwords.server}\n`, { mode: 0o600 })
      writeFileSync(files.owner, `${passwords.owner}\n`, { mode: 0o600 })
      const config: TeamDatabase = {
        url: `postgres://${SERVER_ROLE}@127.0.0.1:${port}/${name}`,
        passwordFile: files.server,
        owner: { user: OWNER_ROLE, passwordFile: files.owner },
        ...changes,
      }
      return {
        name,
        config,
        files,
        open: (more = {}, { server = passwords.server } = {}) => {
          const one = { ...config, ...more }
          const ca = one.tls?.ca === undefined ? null : readFileSync(one.tls.ca, 'utf8')
          return openDatabase(one, { password: server, ownerPassword: passwords.owner, ca }, () =>
            randomBytes(16).toString('hex'),
          )
        },
      }
    },
    kill,
    start,
    stop: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What the documentation has an administrator run: for the owner, for the role of the server, and for the database. */
const documentedStatements = (): readonly string[] =>
  (/```sql\n([\s\S]*?)```/.exec(readFileSync('docs/team-server.md', 'utf8'))?.[1] ?? '').trim().split('\n')

const command = (program: string, ...argv: string[]): string[] => [...AS, join(BIN ?? '', program), ...argv]

function run(program: string, ...argv: string[]): void {
  const [first = '', ...rest] = command(program, ...argv)
  const { status, stderr } = spawnSync(first, rest, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
}

function childrenOf(pid: number): readonly number[] {
  const list = `/proc/${pid}/task/${pid}/children`
  if (!existsSync(list)) return []
  return readFileSync(list, 'utf8')
    .trim()
    .split(' ')
    .flatMap((one) => (one === '' ? [] : [Number(one)]))
}

function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
