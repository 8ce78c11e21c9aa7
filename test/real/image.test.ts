import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, linkSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { TeamConfig } from '../../schemas/types.ts'
import { folderOfTests } from '../support/folders.ts'
import { freePort } from '../support/free-port.ts'
import { ended, type ImageRoot, type Mount, makeImageRoot, whyNoImageRoot } from '../support/image-root.ts'
import { newCertificate } from '../support/loopback-certificate.ts'
import { describeUnless } from '../support/needing.ts'
import { startTestProvider } from '../support/oidc-test-provider.ts'
import { type Cluster, OWNER_ROLE, SERVER_ROLE, startPostgres, whyNoPostgres } from '../support/postgres.ts'
import { visitorOf } from '../support/team-kit.ts'

interface Service {
  readonly command: readonly string[]
  readonly volumes: readonly string[]
  readonly tmpfs: readonly string[]
  readonly healthcheck: { readonly test: readonly string[] }
}

const COMPOSE = 'docs/compose'
const { services } = parse(readFileSync(`${COMPOSE}/compose.yaml`, 'utf8')) as {
  readonly services: { readonly server: Service; readonly database: Service }
}
const ENGAGEMENT = 'clinic-2026'
const EVIDENCE = '/var/lib/barewitness'

/** The mounts of a service, from where its sources lie here. */
const mountsOf = ({ volumes, tmpfs = [] }: Service, sources: Readonly<Record<string, string>>): Record<string, Mount> =>
  Object.fromEntries([
    ...volumes.flatMap((volume) => {
      const [source = '', path = '', access] = volume.split(':')
      const from = sources[source]
      return from === undefined ? [] : [[path, { from, isReadOnly: access === 'ro' }] as const]
    }),
    ...tmpfs.map((path) => [path, 'memory'] as const),
  ])

/** Creates both roles and the database with the script of the Compose file, as the image of PostgreSQL does on an empty volume. */
async function createRoles(image: ImageRoot, cluster: Cluster, socket: string, secrets: string): Promise<void> {
  for (const role of [SERVER_ROLE, OWNER_ROLE]) await cluster.admin('postgres', `DROP ROLE ${role}`)
  for (const name of ['owner', 'server']) writeFileSync(join(secrets, name), `${randomBytes(24).toString('hex')}\n`)
  const script = '/docker-entrypoint-initdb.d/roles.sh'
  const { code, said } = await ended(
    image.start(['bash', script], {
      as: 'root',
      mounts: {
        [dirname(script)]: { from: resolve(COMPOSE, 'database'), isReadOnly: true },
        '/run/secrets': { from: secrets, isReadOnly: true },
        '/run/postgresql': { from: socket, isReadOnly: false },
      },
      env: { POSTGRES_USER: 'postgres', PGHOST: '/run/postgresql', PGPORT: '5432' },
    }),
  )
  if (code !== 0) throw new Error(said)
}

describeUnless(
  whyNoImageRoot() ?? whyNoPostgres(),
  'the image of the team server, made without a container engine',
  () => {
    const folder = folderOfTests('image')
    let image: ImageRoot
    beforeAll(async () => {
      image = await makeImageRoot(`${COMPOSE}/Dockerfile`, folder)
    })
    afterAll(() => image?.close())

    test('it has what a report needs, and nothing that only development needs', async () => {
      const { devDependencies, dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
        string,
        object
      >
      const has = (name: string): boolean => existsSync(image.at(`/opt/barewitness/node_modules/${name}`))
      expect(Object.keys(dependencies ?? {}).filter((name) => !has(name))).toEqual([])
      expect(Object.keys(devDependencies ?? {}).filter(has)).toEqual([])
      const demo = image.start([...image.entrypoint, 'demo', '--out', '/tmp/demo'], { mounts: { '/tmp': 'memory' } })
      const { code, said } = await ended(demo)
      expect([code, said]).toEqual([0, expect.stringContaining('/tmp/demo/')])
      expect(said).toMatch(/\.pdf$/m)
    })

    test('it serves with the configuration, the roles and the mounts of the Compose file, and ends when asked to', async () => {
      const cluster = await startPostgres()
      onTestFinished(cluster.stop)
      const provider = await startTestProvider()
      onTestFinished(provider.close)
      const [config, secrets, socket, evidence] = ['config', 'secrets', 'socket', 'evidence'].map((name) => {
        mkdirSync(join(folder, name))
        return join(folder, name)
      }) as [string, string, string, string]
      // The same socket under the port of the image of PostgreSQL.
      linkSync(join(dirname(cluster.ca), 'socket', `.s.PGSQL.${cluster.port}`), join(socket, '.s.PGSQL.5432'))
      await createRoles(image, cluster, socket, secrets)

      const [port, monitoring] = [await freePort(), await freePort()]
      const origin = `https://127.0.0.1:${port}`
      const written = parse(readFileSync(`${COMPOSE}/config/team.yaml`, 'utf8')) as TeamConfig
      const { listen, oidc } = written
      const here = {
        ...written,
        listen: { ...listen, address: '127.0.0.1', port },
        publicUrl: origin,
        oidc: { ...oidc, issuer: provider.issuer, clientId: 'barewitness-test' },
        monitoring: { ...written.monitoring, port: monitoring },
      }
      const { cert, key } = await newCertificate()
      for (const [name, text] of Object.entries({
        ...{ 'team.yaml': stringify(here), 'certificate.pem': cert, 'key.pem': key, 'client-secret': 'unused\n' },
        'database-password': readFileSync(join(secrets, 'server'), 'utf8'),
        'database-owner-password': readFileSync(join(secrets, 'owner'), 'utf8'),
      }))
        writeFileSync(join(config, name), text, { mode: 0o600 })
      // An empty volume takes owner and mode of what the image has there.
      const { uid, gid, mode } = statSync(image.at(EVIDENCE))
      chownSync(evidence, uid, gid)
      chmodSync(evidence, mode)
      spawnSync('chown', ['-R', `${uid}:${uid}`, config])

      const server = image.start([...image.entrypoint, ...services.server.command], {
        mounts: mountsOf(services.server, { './config': config, evidence, socket }),
      })
      const end = ended(server)
      const isReady = (): Promise<boolean> =>
        fetch(`http://127.0.0.1:${monitoring}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        )
      while (server.exitCode === null && !(await isReady())) await sleep(100)
      if (server.exitCode !== null) throw new Error((await end).said)

      const status = readFileSync(`/proc/${server.pid}/status`, 'latin1')
      expect(status).toMatch(new RegExp(`^Uid:\\s+${uid}\\s+${uid}\\s+${uid}\\s+${uid}$`, 'm'))
      expect(status).toMatch(/^CapEff:\s+0+$/m)
      expect(status).toMatch(/^CapBnd:\s+0+$/m)
      const [, node = '', ...probe] = services.server.healthcheck.test.map((word) =>
        word.replace(':9464', `:${monitoring}`),
      )
      expect(await ended(image.start([node, ...probe]))).toEqual({ code: 0, said: '' })

      const officer = visitorOf(origin, provider)
      await officer.signIn({ sub: 'chen', name: 'Chen', roles: ['barewitness-officer'], groups: ['clinic-audit'] })
      expect((await officer.session(ENGAGEMENT)).role).toBe('officer')
      expect((await officer.send('GET', `/e/${ENGAGEMENT}/`)).text).toContain('<script type="module"')

      server.kill('SIGTERM')
      expect((await end).code).toBe(0)
      expect(statSync(join(evidence, 'audit.jsonl')).uid).toBe(uid)
    })
  },
)
