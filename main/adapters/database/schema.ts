/**
 * The tables of a team server in PostgreSQL. A step that was released is never changed: another one follows it. Names are written out, because
 * the search path of a role is its own matter.
 */
export const SCHEMA = 'barewitness'

/** Rows are seen and written under the engagement of the transaction alone, by the owner of the tables as well. */
const separated = (table: string): string => `
ALTER TABLE barewitness.${table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE barewitness.${table} FORCE ROW LEVEL SECURITY;
CREATE POLICY engagement ON barewitness.${table}
  USING (engagement = current_setting('barewitness.engagement', true))
  WITH CHECK (engagement = current_setting('barewitness.engagement', true));
`

const ENGAGEMENT = "engagement text NOT NULL CHECK (engagement ~ '^[a-z0-9][a-z0-9-]{0,60}$')"

/** Steps from an empty schema to the tables of this version; each is applied once, in its order. */
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
  // Sessions that began before have the way that all of them had then, as far as is known.
  `
ALTER TABLE barewitness.sessions
  ADD COLUMN public_id text NOT NULL UNIQUE DEFAULT replace(gen_random_uuid()::text, '-', ''),
  ADD COLUMN way text NOT NULL DEFAULT 'provider';
ALTER TABLE barewitness.sessions ALTER COLUMN public_id DROP DEFAULT, ALTER COLUMN way DROP DEFAULT;
`,
]

/** What the role of the server may do. Given again at each update, so that another role can be configured. */
export const GRANTS: readonly string[] = [
  'GRANT USAGE ON SCHEMA barewitness TO $ROLE',
  'GRANT SELECT, INSERT, UPDATE, DELETE ON barewitness.jobs TO $ROLE',
  'GRANT SELECT, INSERT ON barewitness.leases TO $ROLE',
  'GRANT SELECT, INSERT, UPDATE, DELETE ON barewitness.sessions TO $ROLE',
  'GRANT USAGE ON SEQUENCE barewitness.job_ends TO $ROLE',
]
