import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import type { Query } from './connection.ts'

/**
 * The tables of a team server in PostgreSQL. A released step is never changed; a further step follows it. Names are qualified with the schema,
 * because each role may set its own search path.
 */
const SCHEMA = 'barewitness'

/** Limits reading and writing to rows of the transaction’s engagement, for the owner of the tables as well. */
const separated = (table: string): string => `
ALTER TABLE barewitness.${table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE barewitness.${table} FORCE ROW LEVEL SECURITY;
CREATE POLICY engagement ON barewitness.${table}
  USING (engagement = current_setting('barewitness.engagement', true))
  WITH CHECK (engagement = current_setting('barewitness.engagement', true));
`

const ENGAGEMENT = "engagement text NOT NULL CHECK (engagement ~ '^[a-z0-9][a-z0-9-]{0,60}$')"

/** Steps from an empty schema to the tables of this version. Each is applied once, in this order. */
export const STEPS: readonly string[] = [
  `
CREATE SEQUENCE barewitness.job_ends;
CREATE TABLE barewitness.jobs (
  ${ENGAGEMENT},
  number bigint GENERATED ALWAYS AS IDENTITY,
  id text NOT NULL,
  zone text NOT NULL,
  job text NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'leased', 'failed', 'completed')),
  lease text,
  until timestamptz,
  leases integer NOT NULL DEFAULT 0,
  recording text,
  failure_code text,
  failure_detail text,
  ended bigint,
  PRIMARY KEY (engagement, id),
  CHECK ((state = 'leased') = (until IS NOT NULL)),
  CHECK ((state = 'completed') = (recording IS NOT NULL)),
  CHECK ((state IN ('failed', 'completed')) = (ended IS NOT NULL)),
  CHECK (state <> 'failed' OR (failure_code IS NOT NULL AND failure_detail IS NOT NULL))
);
CREATE INDEX jobs_open ON barewitness.jobs (engagement, zone, number) WHERE ended IS NULL;
CREATE INDEX jobs_ended ON barewitness.jobs (engagement, ended) WHERE ended IS NOT NULL;
CREATE TABLE barewitness.leases (
  ${ENGAGEMENT},
  job text NOT NULL,
  lease text NOT NULL,
  holder text NOT NULL,
  PRIMARY KEY (engagement, job, lease),
  FOREIGN KEY (engagement, job) REFERENCES barewitness.jobs (engagement, id) ON DELETE CASCADE
);
${separated('jobs')}
${separated('leases')}
`,
  `
CREATE TABLE barewitness.sessions (
  engagement text NOT NULL CHECK (engagement = '*'),
  hash text PRIMARY KEY,
  policy text NOT NULL,
  person text NOT NULL,
  created_at bigint NOT NULL,
  used_at bigint NOT NULL
);
${separated('sessions')}
`,
  // Existing sessions get the way to sign in that all of them had at that time, so far as is known.
  `
ALTER TABLE barewitness.sessions
  ADD COLUMN public_id text NOT NULL UNIQUE DEFAULT replace(gen_random_uuid()::text, '-', ''),
  ADD COLUMN way text NOT NULL DEFAULT 'provider';
ALTER TABLE barewitness.sessions ALTER COLUMN public_id DROP DEFAULT, ALTER COLUMN way DROP DEFAULT;
`,
]

/** Rights of the server’s role. Granted again at each update, so that another role can be configured. */
const GRANTS: readonly string[] = [
  'GRANT USAGE ON SCHEMA barewitness TO $ROLE',
  'GRANT SELECT, INSERT, UPDATE, DELETE ON barewitness.jobs TO $ROLE',
  'GRANT SELECT, INSERT ON barewitness.leases TO $ROLE',
  'GRANT SELECT, INSERT, UPDATE, DELETE ON barewitness.sessions TO $ROLE',
  'GRANT USAGE ON SEQUENCE barewitness.job_ends TO $ROLE',
]

/** The oldest supported PostgreSQL, as server_version_num. */
const OLDEST = 150_000
/** Key of the advisory lock that an update of the tables holds: an arbitrary number that must never change. */
const UPDATE_LOCK = 4_202_611_281

/**
 * Creates or updates the tables, and grants `role` their use. Runs in the transaction of `query`, whose role owns them; updates that start at
 * the same time wait for it. Does not change tables that are up to date. Fails with input.refused for tables of a later version.
 */
export async function updateTables(query: Query, role: string): Promise<Outcome<null>> {
  await query('SELECT pg_catalog.pg_advisory_xact_lock($1)', [UPDATE_LOCK])
  const suitable = await suitableServer(query)
  if (!suitable.ok) return suitable
  const version = await versionOf(query)
  if (version > STEPS.length) return tooNew(version)
  const [known] = await query('SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = $1', [role])
  if (known === undefined) return fail('input.refused', `the database has no role ${role}`)
  await query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`)
  for (const step of STEPS.slice(version)) await query(step)
  if (version < STEPS.length)
    await query(
      `CREATE OR REPLACE FUNCTION ${SCHEMA}.schema_version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT ${STEPS.length}'`,
    )
  for (const grant of GRANTS) await query(grant.replace('$ROLE', `"${role}"`))
  return ok(null)
}

/**
 * Checks, as the role of the server, that the tables have the version of this program, and that row-level security applies to this role and
 * covers every table. Fails with input.refused and the reason.
 */
export async function checkTables(query: Query): Promise<Outcome<null>> {
  const suitable = await suitableServer(query)
  if (!suitable.ok) return suitable
  const bypass = await bypassing(query)
  if (bypass !== null)
    return fail('input.refused', `the role of the server ${bypass}; row-level security would not apply to it`)
  const version = await versionOf(query)
  if (version > STEPS.length) return tooNew(version)
  if (version < STEPS.length)
    return fail(
      'input.refused',
      `the tables have version ${version}, and this program needs ${STEPS.length}; start it once with database.owner`,
    )
  const open = await query(
    `SELECT c.relname AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT (
       c.relrowsecurity AND c.relforcerowsecurity
       AND (SELECT count(*) = 1 AND bool_and(p.polname = 'engagement') FROM pg_catalog.pg_policy p WHERE p.polrelid = c.oid))
     ORDER BY 1`,
    [SCHEMA],
  )
  const [first] = open
  return first === undefined
    ? ok(null)
    : fail('input.refused', `row-level security of the table ${String(first.name)} is not that of this program`)
}

/** Why row-level security would not apply to the current role, or null. Roles that it could become count as well. */
async function bypassing(query: Query): Promise<string | null> {
  const [found] = await query(
    `SELECT
       bool_or(r.rolsuper) AS super, bool_or(r.rolbypassrls) AS bypass, bool_or(r.rolcreaterole) AS creates,
       bool_or(EXISTS (SELECT 1 FROM pg_catalog.pg_namespace n WHERE n.nspname = $1 AND n.nspowner = r.oid)
         OR EXISTS (SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                    WHERE n.nspname = $1 AND c.relowner = r.oid)) AS owns
     FROM pg_catalog.pg_roles r WHERE pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER')`,
    [SCHEMA],
  )
  if (found === undefined || found.super === true) return 'is a superuser, or can become one'
  if (found.bypass === true) return 'has BYPASSRLS, or can become a role that has it'
  if (found.owns === true) return 'owns the tables, or can become their owner'
  return found.creates === true ? 'has CREATEROLE, with which it can become the owner of the tables' : null
}

async function suitableServer(query: Query): Promise<Outcome<null>> {
  const [found] = await query(
    "SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding",
  )
  if (Number(found?.version) < OLDEST) return fail('input.refused', 'the database is older than PostgreSQL 15')
  return found?.encoding === 'UTF8' ? ok(null) : fail('input.refused', 'the database has another encoding than UTF8')
}

/** The version of the tables; 0 where there are none. */
async function versionOf(query: Query): Promise<number> {
  const [found] = await query(
    `SELECT p.prosrc AS source FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = $1 AND p.proname = 'schema_version'`,
    [SCHEMA],
  )
  const [, version = '0'] = /^SELECT (\d{1,6})$/.exec(String(found?.source ?? '')) ?? []
  return Number(version)
}

const tooNew = (version: number): Outcome<never> =>
  fail(
    'input.refused',
    `the tables have version ${version}, which is later than this program knows; install its version`,
  )
