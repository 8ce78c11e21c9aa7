import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openConnections } from '../../main/adapters/database/connection.ts'
import type { OpenDatabase } from '../../main/adapters/database/index.ts'
import { STEPS } from '../../main/adapters/database/migrate.ts'
import { openDatabaseQueue } from '../../main/adapters/jobs/database-queue.ts'
import { openFileQueue } from '../../main/adapters/jobs/file-queue.ts'
import { databaseAddress } from '../../main/core/base/database-address.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { type Outcome, ok } from '../../main/core/base/failure.ts'
import { JOBS } from '../../main/core/base/layout.ts'
import { MOST_ENDED_JOBS } from '../../main/core/team/jobs.ts'
import { PUBLIC_ID } from '../../main/server/sessions.ts'
import type { TeamDatabase } from '../../schemas/types.ts'
import { folderOfTest, folderOfTests } from '../support/folders.ts'
import { codeOf, detailOf, must } from '../support/outcomes.ts'
import {
  type Cluster,
  OWNER_ROLE,
  SERVER_ROLE,
  startPostgres,
  type TestDatabase,
  whyNoPostgres,
} from '../support/postgres.ts'
import { jobOf, queueContract } from '../support/queue-contract.ts'
import { sessionsContract } from '../support/sessions-contract.ts'

const missing = whyNoPostgres()
const WITHOUT_OWNER = { owner: undefined } as unknown as Partial<TeamDatabase>
const LIMITS = { most: 10, statementMs: 10_000 }

describe.skipIf(missing !== null)(`PostgreSQL${missing === null ? '' : ` (${missing})`}`, () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(async () => await cluster?.stop())

  const connected = ({ config, files }: TestDatabase) =>
    openConnections(
      {
        address: must(databaseAddress(config.url) as Outcome<never>),
        password: readFileSync(files.server, 'utf8').trim(),
        tls: null,
      },
      LIMITS,
    )
  /** A database with tables, and connections of the role of the server. */
  const prepared = async () => {
    const database = await cluster.newDatabase()
    await must(await database.open()).close()
    return { database, connections: connected(database) }
  }
  type Prepared = Awaited<ReturnType<typeof prepared>>
  const queueOf = async (engagement: string, { connections }: Prepared) =>
    must(
      await openDatabaseQueue(engagement, {
        connections,
        locks: connections,
        newId: () => 'a'.repeat(32),
        now: () => null,
      }),
    )

  describe('jobs', () => {
    let ready: Prepared
    beforeAll(async () => {
      ready = await prepared()
    })
    afterAll(async () => await ready.connections.close())
    let engagements = 0
    queueContract('the queue in PostgreSQL', async ({ now, newId }) => {
      const { connections } = ready
      const locks = connected(ready.database)
      engagements += 1
      const open = () => openDatabaseQueue(`e-${engagements}`, { connections, locks, newId, now })
      const queue = must(await open())
      return { queue, reopen: async () => must(await open()), dispose: async () => await locks.close() }
    })
    test('many processes get different jobs, and the clock is that of the database', async () => {
      const { database } = ready
      const opened = await Promise.all(Array.from({ length: 4 }, () => database.open()))
      const folder = folderOfTest('queue')
      const queues = await Promise.all(
        opened.map(async (one) => must(await must(one).openQueue('many', folder, false))),
      )
      await Promise.all(Array.from({ length: 40 }, (_, n) => queues[n % 4]?.enqueue(jobOf(n))))
      const leases = await Promise.all(
        Array.from({ length: 60 }, (_, n) => queues[n % 4]?.lease({ zone: 'frankfurt', holder: `h-${n}` })),
      )
      const got = leases.flatMap((one) => (one === undefined ? [] : (must(one)?.job.id ?? [])))
      expect([got.length, new Set(got).size]).toEqual([40, 40])
      expect(must((await queues[1]?.counts()) ?? ok(null))).toEqual({ waiting: 0, leased: 40 })
      for (const one of opened) await must(one).close()
    })
    test('jobs that ended long ago are forgotten', async () => {
      const { database } = ready
      await cluster.admin(
        database.name,
        `INSERT INTO barewitness.jobs (engagement, id, zone, job, state, recording, ended)
         SELECT 'old', 'old-' || n, 'z', '{}', 'completed', 'x', nextval('barewitness.job_ends') FROM generate_series(1, $1::integer) n`,
        [MOST_ENDED_JOBS + 500],
      )
      const queue = await queueOf('old', ready)
      for (let ends = 0; ends < 100; ends += 1) {
        must(await queue.enqueue(jobOf(ends)))
        must(await queue.fail(jobOf(ends).id, null, { code: 'run.cancelled', detail: 'stopped' }))
      }
      const [left] = await cluster.admin(
        database.name,
        "SELECT count(*)::integer AS jobs FROM barewitness.jobs WHERE engagement = 'old'",
      )
      expect(left?.jobs).toBeLessThanOrEqual(MOST_ENDED_JOBS + 100)
      expect(must(await queue.look(jobOf(99).id))?.state.is).toBe('failed')
    })
    test('a job that was changed in the database is refused', async () => {
      const queue = await queueOf('changed', ready)
      must(await queue.enqueue(jobOf(1)))
      await cluster.admin(
        ready.database.name,
        `UPDATE barewitness.jobs SET job = '{"command":"id"}' WHERE engagement = 'changed'`,
      )
      expect(codeOf(await queue.lease({ zone: 'frankfurt', holder: 'one' }))).toBe('store.failed')
      expect(codeOf(await queue.look(jobOf(1).id))).toBe('store.failed')
    })
  })

  describe('engagements are separated by row-level security', () => {
    let ready: Prepared
    beforeAll(async () => {
      ready = await prepared()
      const queue = await queueOf('alpha', ready)
      must(await queue.enqueue(jobOf(1)))
      must(await queue.lease({ zone: 'frankfurt', holder: 'one' }))
    })
    afterAll(async () => await ready.connections.close())
    const TABLES = ['jobs', 'leases', 'sessions'] as const
    const rowsOf = async (table: string, engagement: string | null) => {
      const { connections } = ready
      const read = async (query: Parameters<Parameters<typeof connections.outside>[0]>[0]) =>
        ok((await query(`SELECT * FROM barewitness.${table}`)).length)
      return must(engagement === null ? await connections.outside(read) : await connections.within(engagement, read))
    }
    test('every table of ours has an engagement, and is in this test', async () => {
      const tables = await cluster.admin(
        ready.database.name,
        `SELECT t.tablename AS name, EXISTS (SELECT 1 FROM information_schema.columns c WHERE c.table_schema = 'barewitness'
           AND c.table_name = t.tablename AND c.column_name = 'engagement' AND c.is_nullable = 'NO') AS has_engagement
         FROM pg_tables t WHERE t.schemaname = 'barewitness' ORDER BY 1`,
      )
      expect(tables).toEqual(TABLES.map((name) => ({ name, has_engagement: true })))
    })
    test.each(TABLES.slice(0, 2))('rows of %s are seen under their engagement alone', async (table) => {
      expect(await rowsOf(table, 'alpha')).toBe(1)
      expect(await rowsOf(table, null)).toBe(0)
      expect(await rowsOf(table, 'beta')).toBe(0)
      expect(await rowsOf(table, '')).toBe(0)
      // After a transaction with an engagement, the same connection has none.
      await rowsOf(table, 'alpha')
      expect(await rowsOf(table, null)).toBe(0)
    })
    test('no row is changed, removed or written under another engagement', async () => {
      const { connections, database } = ready
      for (const statement of [
        "UPDATE barewitness.jobs SET zone = 'x' RETURNING 1",
        'DELETE FROM barewitness.jobs RETURNING 1',
      ])
        expect(must(await connections.within('beta', async (query) => ok(await query(statement))))).toEqual([])
      const written = await connections.within('beta', async (query) =>
        ok(await query("INSERT INTO barewitness.jobs (engagement, id, zone, job) VALUES ('alpha', 'x', 'z', '{}')")),
      )
      expect([codeOf(written), detailOf(written)]).toEqual(['store.failed', expect.stringContaining('42501')])
      const moved = await connections.within('alpha', async (query) =>
        ok(await query("UPDATE barewitness.jobs SET engagement = 'beta'")),
      )
      expect(codeOf(moved)).toBe('store.failed')
      expect(await cluster.admin(database.name, 'SELECT engagement, zone FROM barewitness.jobs')).toEqual([
        { engagement: 'alpha', zone: 'frankfurt' },
      ])
    })
    test('the owner of the tables sees no rows either, and the role of the server cannot change them', async () => {
      const { database, connections } = ready
      const owner = new pg.Client({
        user: OWNER_ROLE,
        password: readFileSync(database.files.owner, 'utf8').trim(),
        host: '127.0.0.1',
        port: cluster.port,
        database: database.name,
      })
      await owner.connect()
      expect((await owner.query('SELECT * FROM barewitness.jobs')).rows).toEqual([])
      await owner.end()
      for (const statement of [
        'ALTER TABLE barewitness.jobs DISABLE ROW LEVEL SECURITY',
        'DROP POLICY engagement ON barewitness.jobs',
        'TRUNCATE barewitness.jobs CASCADE',
        'CREATE TABLE barewitness.other (x integer)',
        "SELECT set_config('role', 'barewitness_owner', false)",
        'DELETE FROM barewitness.leases',
      ])
        expect(detailOf(await connections.outside(async (query) => ok(await query(statement)))), statement).toMatch(
          /42501|22023/,
        )
    })
    test.each([
      ['a superuser', `ALTER ROLE ${SERVER_ROLE} SUPERUSER`, `ALTER ROLE ${SERVER_ROLE} NOSUPERUSER`],
      ['with BYPASSRLS', `ALTER ROLE ${SERVER_ROLE} BYPASSRLS`, `ALTER ROLE ${SERVER_ROLE} NOBYPASSRLS`],
      ['with CREATEROLE', `ALTER ROLE ${SERVER_ROLE} CREATEROLE`, `ALTER ROLE ${SERVER_ROLE} NOCREATEROLE`],
      ['a member of the owner', `GRANT ${OWNER_ROLE} TO ${SERVER_ROLE}`, `REVOKE ${OWNER_ROLE} FROM ${SERVER_ROLE}`],
    ])('a role that is %s is refused', async (_, give, take) => {
      await cluster.admin('postgres', give)
      try {
        const opened = await ready.database.open()
        expect([codeOf(opened), detailOf(opened)]).toEqual([
          'input.refused',
          expect.stringContaining('row-level security'),
        ])
      } finally {
        await cluster.admin('postgres', take)
      }
      await must(await ready.database.open()).close()
    })
    test.each([
      [
        'the owner of a table',
        `ALTER TABLE barewitness.leases OWNER TO ${SERVER_ROLE}`,
        `ALTER TABLE barewitness.leases OWNER TO ${OWNER_ROLE}`,
      ],
      [
        'without row-level security',
        'ALTER TABLE barewitness.leases DISABLE ROW LEVEL SECURITY',
        'ALTER TABLE barewitness.leases ENABLE ROW LEVEL SECURITY',
      ],
      [
        'with another policy',
        'CREATE POLICY open ON barewitness.leases USING (true)',
        'DROP POLICY open ON barewitness.leases',
      ],
      [
        'with a table of others',
        'CREATE VIEW barewitness.seen AS SELECT * FROM barewitness.jobs',
        'DROP VIEW barewitness.seen',
      ],
    ])('tables are refused: %s', async (_, change, undo) => {
      const { database } = ready
      await cluster.admin(database.name, change)
      try {
        expect(codeOf(await database.open(WITHOUT_OWNER))).toBe('input.refused')
      } finally {
        await cluster.admin(database.name, undo)
      }
      await must(await database.open()).close()
    })
  })

  describe('tables', () => {
    test('are created once by many processes that start at once, and again without effect', async () => {
      const database = await cluster.newDatabase()
      const opened = await Promise.all(Array.from({ length: 6 }, () => database.open()))
      expect(opened.map(codeOf)).toEqual(Array.from({ length: 6 }, () => 'ok'))
      for (const one of opened) await must(one).close()
      await must(await database.open()).close()
      await must(await database.open(WITHOUT_OWNER)).close()
    })
    test('are brought up to date from each earlier version, with the jobs that they hold', async () => {
      for (let version = 1; version < STEPS.length; version += 1) {
        const database = await cluster.newDatabase()
        await cluster.admin(
          database.name,
          `SET ROLE ${OWNER_ROLE}; CREATE SCHEMA barewitness; ${STEPS.slice(0, version).join(';')};
           CREATE FUNCTION barewitness.schema_version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT ${version}';
           RESET ROLE; INSERT INTO barewitness.jobs (engagement, id, zone, job) VALUES ('alpha', 'x', 'z', '{}')`,
        )
        for (const hash of version === 2 ? ['a', 'b'] : [])
          await cluster.admin(
            database.name,
            `INSERT INTO barewitness.sessions (engagement, hash, policy, person, created_at, used_at) VALUES ('*', $1, 'p', '{}', 1, 1)`,
            [hash],
          )
        expect(codeOf(await database.open(WITHOUT_OWNER))).toBe('input.refused')
        await must(await database.open()).close()
        await must(await database.open(WITHOUT_OWNER)).close()
        expect(await cluster.admin(database.name, 'SELECT id FROM barewitness.jobs')).toEqual([{ id: 'x' }])
        // People stay signed in, each session with a public id of its own.
        const sessions = await cluster.admin(database.name, 'SELECT public_id, way FROM barewitness.sessions')
        expect(new Set(sessions.map((one) => one.public_id)).size).toBe(version === 2 ? 2 : 0)
        for (const one of sessions)
          expect(one).toEqual({ public_id: expect.stringMatching(PUBLIC_ID), way: 'provider' })
      }
    })
    test('are not used in another version than that of the program', async () => {
      const database = await cluster.newDatabase()
      expect(codeOf(await database.open(WITHOUT_OWNER))).toBe('input.refused')
      await must(await database.open()).close()
      await cluster.admin(
        database.name,
        `CREATE OR REPLACE FUNCTION barewitness.schema_version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT ${STEPS.length + 1}'`,
      )
      for (const changes of [{}, WITHOUT_OWNER]) {
        const opened = await database.open(changes)
        expect([codeOf(opened), detailOf(opened)]).toEqual(['input.refused', expect.stringContaining('later')])
      }
    })
    test('a database in another encoding is refused', async () => {
      const database = await cluster.newDatabase()
      await cluster.admin('postgres', `DROP DATABASE ${database.name}`)
      await cluster.admin(
        'postgres',
        `CREATE DATABASE ${database.name} OWNER ${OWNER_ROLE} ENCODING 'SQL_ASCII' TEMPLATE template0`,
      )
      expect(codeOf(await database.open())).toBe('input.refused')
    })
  })

  sessionsContract('PostgreSQL', async () => {
    const stores = must(await (await cluster.newDatabase()).open())
    return { store: async () => stores.sessionStore('policy'), dispose: stores.close }
  })

  describe('sessions', () => {
    const session = (hash: string, createdAt = 1000, usedAt = 2000) => ({
      hash,
      publicId: hash.repeat(32),
      way: 'provider',
      person: '{"subject":"s"}',
      createdAt,
      usedAt,
    })
    const EVER = { createdAt: 0, usedAt: 0 }
    test('are kept, used and removed, and go with the configuration of people and with time', async () => {
      const opened = must(await (await cluster.newDatabase()).open())
      const store = opened.sessionStore('policy')
      for (const hash of ['a', 'b', 'c']) must(await store.add(session(hash)))
      must(await store.add(session('a', 9000, 9000)))
      must(await store.use('b', 3000))
      must(await store.remove('c'))
      must(await store.remove('c'))
      expect(must(await store.load(EVER))).toEqual([session('a'), session('b', 1000, 3000)])
      expect(must(await store.load({ createdAt: 0, usedAt: 2000 }))).toEqual([session('b', 1000, 3000)])
      expect(must(await opened.sessionStore('other').load(EVER))).toEqual([])
      expect(must(await store.load(EVER))).toEqual([])
      await opened.close()
    })
    test('are seen neither in an engagement nor without one, and the owner of the tables can end them all', async () => {
      const { database, connections } = await prepared()
      const opened = must(await database.open())
      must(await opened.sessionStore('policy').add(session('a')))
      for (const engagement of ['alpha', ''])
        expect(
          must(
            await connections.within(engagement, async (query) =>
              ok(await query('SELECT 1 FROM barewitness.sessions')),
            ),
          ),
        ).toEqual([])
      const [end = ''] = /SET barewitness[^`]*/.exec(readFileSync('docs/team-server.md', 'utf8')) ?? []
      const owner = new pg.Client({
        user: OWNER_ROLE,
        password: readFileSync(database.files.owner, 'utf8').trim(),
        host: '127.0.0.1',
        port: cluster.port,
        database: database.name,
      })
      await owner.connect()
      await owner.query(end)
      await owner.end()
      expect(must(await opened.sessionStore('policy').load(EVER))).toEqual([])
      await opened.close()
      await connections.close()
    })
  })

  describe('connections', () => {
    test('are encrypted, with a certificate that was verified', async () => {
      const { database } = await prepared()
      const opened = must(await database.open({ tls: { ca: cluster.ca } }))
      expect(await opened.isReachable()).toBe(true)
      const seen = await cluster.admin(
        database.name,
        "SELECT bool_and(s.ssl) AS ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE a.application_name = 'barewitness' AND a.datname = $1",
        [database.name],
      )
      expect(seen).toEqual([{ ssl: true }])
      await opened.close()
    })
    test.each([
      ['of another authority', {}, '127.0.0.1'],
      ['of another name', { withCa: true }, 'localhost'],
    ])('a certificate %s is refused', async (_, { withCa = false }: { withCa?: boolean }, host) => {
      const { database } = await prepared()
      const url = database.config.url.replace('127.0.0.1', host)
      const opened = await database.open({ url, tls: withCa ? { ca: cluster.ca } : {} })
      expect(codeOf(opened)).toBe('database.unreachable')
      expect(detailOf(opened)).not.toContain('127.0.0.1')
    })
    test('a wrong password is a failure that does not repeat it', async () => {
      const { database } = await prepared()
      const opened = await database.open({}, { server: 'not-the-password' })
      expect(codeOf(opened)).toBe('database.unreachable')
      expect(detailOf(opened)).toContain('refused the login')
      expect(detailOf(opened)).not.toContain('not-the-password')
    })
    test('to a database that accepts no changes are failures that pass', async () => {
      const { database, connections } = await prepared()
      await cluster.admin('postgres', `ALTER ROLE ${SERVER_ROLE} SET default_transaction_read_only = on`)
      const read = connected(database)
      const refused = await read.within('read', async (query) =>
        ok(await query("SELECT nextval('barewitness.job_ends')")),
      )
      await cluster.admin('postgres', `ALTER ROLE ${SERVER_ROLE} RESET default_transaction_read_only`)
      expect([codeOf(refused), detailOf(refused)]).toEqual([
        'database.unreachable',
        expect.stringContaining('no changes'),
      ])
      await read.close()
      await connections.close()
    })
    test('a database that is away is a failure of each verb, and it is used again when it is back', async () => {
      const { database } = await prepared()
      const opened = must(await database.open())
      const queue = must(await opened.openQueue('away', folderOfTest('away'), true))
      must(await queue.enqueue(jobOf(1)))
      const lease = must(await queue.lease({ zone: 'frankfurt', holder: 'one' }))
      const held = { id: jobOf(1).id, lease: lease?.lease ?? '', holder: 'one' }
      await cluster.kill()
      expect(await opened.isReachable()).toBe(false)
      const failures = [
        await queue.lease({ zone: 'frankfurt', holder: 'one' }),
        await queue.heartbeat(held),
        await queue.look(held.id),
        await queue.states([held.id]),
        await queue.counts(),
        await queue.alone(held.id, async () => ok('not done')),
      ]
      expect(new Set(failures.map(codeOf))).toEqual(new Set(['database.unreachable']))
      for (const one of failures) expect(detailOf(one)).not.toMatch(/127\.0\.0\.1|\d{5}/)
      // A completion waits for the database for some seconds.
      const completed = queue.complete(held, sha256('a'))
      await cluster.start()
      expect(codeOf(await completed)).toBe('ok')
      expect(await opened.isReachable()).toBe(true)
      expect(must(await queue.look(held.id))?.state).toEqual({ is: 'completed', recording: sha256('a') })
      await queue.close()
      await opened.close()
    })
  })

  describe('the folder of an engagement', () => {
    const folders = folderOfTests('from-files')
    let database: OpenDatabase
    beforeAll(async () => {
      database = must(await (await cluster.newDatabase()).open())
    })
    afterAll(async () => await database.close())
    test('is of one process that serves people, and of any number that serve collectors', {
      timeout: 60_000,
    }, async () => {
      const folder = join(folders, 'one')
      const first = must(await database.openQueue('one', folder, true))
      expect(codeOf(await database.openQueue('one', folder, true))).toBe('store.failed')
      await must(await database.openQueue('one', folder, false)).close()
      await first.close()
      await must(await database.openQueue('one', folder, true)).close()
    })
    test('with jobs in files that have no end is refused; with others, the journal is put aside', async () => {
      const folder = join(folders, 'two')
      mkdirSync(folder)
      const files = must(await openFileQueue(folder, { now: () => 0, newId: () => 'a'.repeat(32) }))
      must(await files.enqueue(jobOf(1)))
      await files.close()
      for (const forPeople of [true, false])
        expect(codeOf(await database.openQueue('two', folder, forPeople))).toBe('input.refused')
      const again = must(await openFileQueue(folder, { now: () => 0, newId: () => 'a'.repeat(32) }))
      must(await again.fail(jobOf(1).id, null, { code: 'run.cancelled', detail: 'stopped' }))
      await again.close()
      const left = join(folder, JOBS.incoming)
      mkdirSync(left)
      writeFileSync(join(left, 'x'), '')
      expect(codeOf(await database.openQueue('two', folder, true))).toBe('input.refused')
      rmSync(left, { recursive: true })
      await must(await database.openQueue('two', folder, true)).close()
      expect([existsSync(join(folder, JOBS.journal)), existsSync(join(folder, JOBS.ended))]).toEqual([false, true])
    })
  })
})
