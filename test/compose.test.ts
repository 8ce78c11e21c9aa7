import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readTeamConfig } from '../main/adapters/team-config.ts'
import { serveCommand } from '../main/cli/commands/serve.ts'
import { problemsOf } from '../main/server/settings.ts'
import { createFakePorts } from './support/fake-ports.ts'
import { must } from './support/outcomes.ts'

interface Service {
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly tmpfs?: readonly string[]
  readonly init?: boolean
  readonly volumes: readonly string[]
  readonly healthcheck: { readonly test: readonly string[] }
  readonly ports?: readonly string[]
  readonly secrets?: readonly string[]
  readonly logging?: { readonly driver: string; readonly options: Readonly<Record<string, string>> }
}

const compose = parse(readFileSync('docs/compose/compose.yaml', 'utf8')) as {
  readonly services: Readonly<Record<'server' | 'database', Service>>
  readonly volumes: Readonly<Record<string, null>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}
const { server, database } = compose.services

test('the configuration of the Compose file is valid, and every path of it is in a volume', async () => {
  const { value: config } = must(await readTeamConfig('docs/compose/config/team.yaml'))
  expect(problemsOf(config)).toEqual([])
  for (const written of [config.auditLog, ...config.engagements.map(({ folder }) => folder)])
    expect(written).toMatch(/^\/var\/lib\/barewitness\//)
  expect(server.volumes).toContain('evidence:/var/lib/barewitness')
  expect(server.ports).toEqual([`${config.listen.port}:${config.listen.port}`])
  expect(server.healthcheck.test.join(' ')).toContain(`:${config.monitoring?.port}/readyz`)
  const socket = decodeURIComponent(/@([^/]+)\//.exec(config.database?.url ?? '')?.[1] ?? '')
  expect(server.volumes).toContain(`socket:${socket}`)
})

test('named volumes and secrets are declared', () => {
  const named = [...server.volumes, ...database.volumes].map((one) => one.split(':')[0] ?? '')
  for (const name of named.filter((one) => !one.startsWith('.'))) expect(Object.keys(compose.volumes)).toContain(name)
  expect(Object.keys(compose.secrets).sort()).toEqual([...(database.secrets ?? [])].sort())
})

test('roles and database are those of the guide', () => {
  const plain = (text: string): readonly string[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('CREATE '))
      .map((line) => line.replace(/PASSWORD .*;/, 'PASSWORD;'))
  const [, guide = ''] = /```sql\n([\s\S]*?)```/.exec(readFileSync('docs/team-server.md', 'utf8')) ?? []
  expect(plain(readFileSync('docs/compose/database/roles.sh', 'utf8'))).toEqual(plain(guide))
})

const FOLDER = 'docs/compose'
const dockerfile = readFileSync(`${FOLDER}/Dockerfile`, 'utf8')
const roles = readFileSync(`${FOLDER}/database/roles.sh`, 'utf8')
const guide = readFileSync('docs/team-server.md', 'utf8')
const packageJson = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly bin: Readonly<Record<string, string>>
  readonly engines: { readonly node: string }
}

test('the image is built from files that exist, and starts the program that the build writes', () => {
  const { context = '', dockerfile: path = '' } = server.build ?? {}
  expect(existsSync(join(FOLDER, context, 'package.json'))).toBe(true)
  expect(join(FOLDER, context, path)).toBe(join(FOLDER, 'Dockerfile'))
  const ignored = readFileSync(`${FOLDER}/Dockerfile.dockerignore`, 'utf8').split('\n')
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(?:--chmod=644 )?(.+) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  expect(copied.length).toBeGreaterThan(1)
  for (const name of copied) expect([name, existsSync(name), ignored.includes(name)]).toEqual([name, true, false])
  // What is copied from the first stage is what its build writes.
  const [, from = '', to = ''] = /^COPY --from=build \/src\/(\S+) (\S+)$/m.exec(dockerfile) ?? []
  const [, started = ''] = /^ENTRYPOINT \["node", "\/opt\/barewitness\/(.+)"\]$/m.exec(dockerfile) ?? []
  expect([from, to, started]).toEqual(['out', 'out', packageJson.bin.barewitness])
  expect(dockerfile).toContain('WORKDIR /opt/barewitness')
})

test('the image has the latest version of Node that the tests run with', () => {
  const versions = [...dockerfile.matchAll(/^FROM node:(\d+)-/gm)].map(([, version]) => Number(version))
  const least = Number(/>=(\d+)/.exec(packageJson.engines.node)?.[1])
  const tested = [...readFileSync('.ci/run', 'utf8').matchAll(/on-node\.sh (\d+)\./g)].map(([, major]) => Number(major))
  const latest = Math.max(...tested)
  expect(versions).toEqual([latest, latest])
  expect(latest).toBeGreaterThanOrEqual(least)
})

test('what is copied from a working tree that others cannot read can be read by the accounts of the images', () => {
  const stage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  for (const [line] of stage.matchAll(/^COPY (?!--from).*$/gm)) expect(line).toContain('COPY --chmod=644 ')
  // The build copies files as they are.
  expect(dockerfile).toMatch(/^RUN npm ci && npm run build && chmod -R a\+rX out$/m)
  expect(database.volumes).toContain('./database:/docker-entrypoint-initdb.d:ro')
  expect(guide).toContain('chmod -R a+rX database\n')
})

test('what containers write is kept in so many files of a limited size', () => {
  // Without an entry, the driver of Docker keeps all of it until the disk is full.
  for (const { logging } of [server, database])
    expect(logging?.options).toEqual({
      'max-size': expect.stringMatching(/^\d+m$/),
      'max-file': expect.stringMatching(/^\d$/),
    })
})

test('the first process of the server ends when it is asked to, also before the program handles signals', () => {
  // The kernel discards signals that the first process of a container does not handle.
  expect(server.init).toBe(true)
})

test('the command and its options exist, and it reads the configuration that is placed there', () => {
  const [name = '', ...options] = server.command ?? []
  const program = new Command()
  serveCommand({ ports: createFakePorts(), program, exit: () => undefined })
  const command = program.commands.find((one) => one.name() === name)
  const [option = '', path = ''] = options
  expect(options).toHaveLength(2)
  expect(command?.options.map(({ long }) => long)).toContain(option)
  expect(server.volumes).toContain('./config:/etc/barewitness:ro')
  expect(path).toBe('/etc/barewitness/team.yaml')
  expect(existsSync(`${FOLDER}/config/team.yaml`)).toBe(true)
})

test.each([
  ['an answer', { ok: true }, 0],
  ['an answer that it is not ready', { ok: false }, 1],
  ['no answer', null, 1],
] as const)('the health check of the server ends with %s', async (_, answer, code) => {
  const [way, program, flag, script = ''] = server.healthcheck.test
  expect([way, program, flag]).toEqual(['CMD', 'node', '-e'])
  const ended = await new Promise<number>((resolve) => {
    const fetched = async () => (answer === null ? Promise.reject(new Error('refused')) : answer)
    new Function('fetch', 'process', script)(fetched, { exit: resolve })
  })
  expect(ended).toBe(code)
})

test('the database is asked for the person and the name that the configuration has', async () => {
  const { value: config } = must(await readTeamConfig(`${FOLDER}/config/team.yaml`))
  const [, user, name] = /^postgres:\/\/([^@]+)@[^/]+\/(.+)$/.exec(config.database?.url ?? '') ?? []
  // Not over the socket: while the roles are created, PostgreSQL answers there and ends again.
  const [tcp, ...asked] = ['--host=127.0.0.1', `--username=${user}`, `--dbname=${name}`]
  expect(database.healthcheck.test).toEqual(['CMD', 'pg_isready', tcp, ...asked])
  for (const role of [user, config.database?.owner?.user]) expect(roles).toContain(`CREATE ROLE ${role} LOGIN`)
  expect(roles).toContain(`CREATE DATABASE ${name} OWNER ${config.database?.owner?.user}`)
})

test('every secret is one that a service has, and every file of the configuration is one that the guide places', async () => {
  const read = [roles, ...Object.values(database.environment ?? {})].flatMap((text) =>
    [...text.matchAll(/\/run\/secrets\/([a-z]+)/g)].map(([, name]) => name),
  )
  expect([...new Set(read)].sort()).toEqual([...(database.secrets ?? [])].sort())
  const [, shell = ''] = /## With containers[\s\S]*?```sh\n([\s\S]*?)```/.exec(guide) ?? []
  for (const { file } of Object.values(compose.secrets))
    expect(shell).toContain(file.replace('./', '').split('/')[0] ?? '-')
  const text = readFileSync(`${FOLDER}/config/team.yaml`, 'utf8')
  const files = [...text.matchAll(/^ +(?:certificate|key|clientSecretFile|passwordFile): (\S+)$/gm)].map(
    ([, name]) => name,
  )
  expect(files).toHaveLength(5)
  for (const file of files) expect(shell).toContain(file)
  for (const name of Object.keys(compose.secrets)) expect(shell).toContain(name)
})

test('the accounts of the guide are those of the images, and nothing that the server writes is read-only', async () => {
  const [, uid] = /useradd --uid (\d+)/.exec(dockerfile) ?? []
  expect(guide).toContain(`sudo chown -R ${uid}:${uid} config`)
  expect(dockerfile).toContain('install -d -o barewitness -m 0700 /var/lib/barewitness')
  // Uploads are placed in the temporary folder of the system.
  expect(server.tmpfs).toContain('/tmp')
  const settings = Object.keys(database.environment ?? {})
  expect(settings.filter((name) => !KNOWN_TO_POSTGRES_IMAGE.includes(name))).toEqual([])
})

/** Variables of the image `postgres`, as its documentation lists them; each also with `_FILE`. */
const KNOWN_TO_POSTGRES_IMAGE = ['POSTGRES_PASSWORD', 'POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_INITDB_ARGS'].flatMap(
  (name) => [name, `${name}_FILE`],
)
