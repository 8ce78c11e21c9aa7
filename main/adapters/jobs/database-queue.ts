import type { CollectorJob } from '../../../schemas/types.ts'
import { jsonOrNull } from '../../core/base/bounded-json.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { type Failure, fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import {
  type HeldJob,
  JOB_COMPLETED,
  type JobQueue,
  type JobState,
  LEASE_ENDED,
  LEASE_SECONDS,
  LONGEST_DETAIL,
  MOST_ENDED_JOBS,
  MOST_LEASES,
  MOST_OPEN_JOBS,
  TOO_MANY_JOBS,
  tooOftenLeased,
  turnsById,
} from '../../core/team/jobs.ts'
import { type Connections, patiently, type Query } from '../database/connection.ts'
import { placedProblems } from '../schema-validator.ts'
import { isFailure } from './journal.ts'

interface DatabaseQueueParts {
  /** Connections of the server’s role. */
  readonly connections: Connections
  /** Further connections, each held while work on the files of a job takes place; that work itself uses `connections`. */
  readonly locks: Connections
  /** 32 random hexadecimal digits, which cannot be guessed. */
  readonly newId: () => string
  /** Milliseconds since 1970. Null for the clock of the database, which all processes share. */
  readonly now: () => number | null
}

/** Ended jobs beyond MOST_ENDED_JOBS are removed each time that so many more have ended. */
const FORGET_EVERY = 100
/** The time of a statement: the first parameter, or the clock of the database where that is null. */
const NOW = 'coalesce(to_timestamp($1::double precision / 1000), clock_timestamp())'
const UNTIL = `${NOW} + interval '${LEASE_SECONDS} seconds'`
const OF = 'engagement = $2'

type Row = Readonly<Record<string, unknown>>

/**
 * The jobs of an engagement in PostgreSQL, for any number of processes. Each decision locks a row, so that simultaneous decisions are made one
 * after the other; the next job is selected with SKIP LOCKED. Fails as the connections do.
 */
export async function openDatabaseQueue(engagement: string, parts: DatabaseQueueParts): Promise<Outcome<JobQueue>> {
  const { connections, locks, newId } = parts
  const within = <T>(work: (query: Query) => Promise<Outcome<T>>): Promise<Outcome<T>> =>
    connections.within(engagement, work)
  const surely: typeof within = (work) => patiently(() => within(work))
  const time = (): readonly unknown[] => [parts.now(), engagement]
  const turns = turnsById()
  const opened = await within(async (query) => {
    await query(`UPDATE barewitness.jobs SET until = ${UNTIL} WHERE ${OF} AND state = 'leased'`, time())
    return ok(null)
  })
  if (!opened.ok) return opened
  return ok({
    isShared: true,
    enqueue: (job) => surely((query) => enqueue(query, engagement, job)),
    lease: ({ zone, holder }) =>
      within(async (query) => {
        for (;;) {
          const [row] = await query(
            `SELECT id, job, leases FROM barewitness.jobs
             WHERE ${OF} AND zone = $3 AND ended IS NULL AND (state = 'waiting' OR until <= ${NOW})
             ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED`,
            [...time(), zone],
          )
          if (row === undefined) return ok(null)
          const [id, leases] = [String(row.id), Number(row.leases)]
          if (leases >= MOST_LEASES) {
            await end(query, engagement, id, { code: 'job.not-delivered', detail: tooOftenLeased(leases) })
            continue
          }
          const job = jobIn(row)
          if (!job.ok) return job
          const lease = newId()
          await query('INSERT INTO barewitness.leases (engagement, job, lease, holder) VALUES ($1, $2, $3, $4)', [
            engagement,
            id,
            lease,
            holder,
          ])
          await query(
            `UPDATE barewitness.jobs SET state = 'leased', lease = $4, until = ${UNTIL}, leases = leases + 1 WHERE ${OF} AND id = $3`,
            [...time(), id, lease],
          )
          return ok({ job: job.value, lease, seconds: LEASE_SECONDS })
        }
      }),
    heartbeat: (held) =>
      within(async (query) => {
        const row = await lockedJob(query, time(), held)
        if (row === null) return LEASE_ENDED
        if (row.ended !== null) return JOB_COMPLETED
        if (row.is_held !== true) return LEASE_ENDED
        await query(`UPDATE barewitness.jobs SET until = ${UNTIL} WHERE ${OF} AND id = $3`, [...time(), held.id])
        return ok(null)
      }),
    complete: (held, recording) =>
      surely(async (query) => {
        const row = await lockedJob(query, time(), held)
        if (row === null) return LEASE_ENDED
        if (row.state === 'completed') return row.recording === recording ? ok(null) : JOB_COMPLETED
        await query(
          `UPDATE barewitness.jobs SET state = 'completed', recording = $3, until = NULL, failure_code = NULL, failure_detail = NULL,
               ended = nextval('barewitness.job_ends') WHERE engagement = $1 AND id = $2`,
          [engagement, held.id, recording],
        )
        await forget(query, engagement)
        return ok(null)
      }),
    fail: (id, held, failure) =>
      surely(async (query) => {
        const row = held === null ? await anyJob(query, engagement, id) : await lockedJob(query, time(), held)
        if (row === null) return held === null || !(await isOpen(query, engagement, id)) ? ok(null) : LEASE_ENDED
        if (row.ended !== null) return ok(null)
        if (held !== null && row.is_held !== true) return LEASE_ENDED
        await end(query, engagement, id, failure)
        return ok(null)
      }),
    look: (id) =>
      within(async (query) => {
        const [row] = await query('SELECT * FROM barewitness.jobs WHERE engagement = $1 AND id = $2', [engagement, id])
        if (row === undefined) return ok(null)
        const job = jobIn(row)
        if (!job.ok) return job
        const leases = await query('SELECT lease, holder FROM barewitness.leases WHERE engagement = $1 AND job = $2', [
          engagement,
          id,
        ])
        const holders = new Map(leases.map(({ lease, holder }) => [String(lease), String(holder)]))
        return ok({ job: job.value, state: stateIn(row), holders })
      }),
    states: (ids) =>
      within(async (query) => {
        const rows = await query(
          `SELECT *, coalesce(until <= ${NOW}, false) AS is_over FROM barewitness.jobs WHERE ${OF} AND id = ANY($3)`,
          [...time(), ids],
        )
        return ok(new Map(rows.map((row) => [String(row.id), row.is_over === true ? { is: 'waiting' } : stateIn(row)])))
      }),
    open: () =>
      within(async (query) => {
        const rows = await query(
          'SELECT id, job FROM barewitness.jobs WHERE engagement = $1 AND ended IS NULL ORDER BY number',
          [engagement],
        )
        const jobs = rows.map(jobIn)
        return jobs.find((job) => !job.ok) ?? ok(jobs.flatMap((job) => (job.ok ? [job.value] : [])))
      }),
    counts: () =>
      within(async (query) => {
        const [row] = await query(
          `SELECT count(*) AS all_open, count(*) FILTER (WHERE until > ${NOW}) AS leased FROM barewitness.jobs WHERE ${OF} AND ended IS NULL`,
          time(),
        )
        const leased = Number(row?.leased)
        return ok({ waiting: Number(row?.all_open) - leased, leased })
      }),
    alone: (id, work) =>
      turns(id, async () => {
        const done: { outcome: Awaited<ReturnType<typeof work>> | null } = { outcome: null }
        const locked = await locks.within(engagement, async (query) => {
          await query('SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))', [
            `${engagement} ${id}`,
          ])
          done.outcome = await work()
          return done.outcome
        })
        // A lock that was lost after the work changes nothing about the work.
        return done.outcome ?? locked
      }),
    close: async () => undefined,
  })
}

async function enqueue(query: Query, engagement: string, job: CollectorJob): Promise<Outcome<null>> {
  const [open] = await query(
    'SELECT count(*) AS jobs FROM (SELECT 1 FROM barewitness.jobs WHERE engagement = $1 AND ended IS NULL LIMIT $2) AS open',
    [engagement, MOST_OPEN_JOBS],
  )
  if (Number(open?.jobs) >= MOST_OPEN_JOBS)
    return (await anyJob(query, engagement, job.id)) === null ? TOO_MANY_JOBS : ok(null)
  await query(
    'INSERT INTO barewitness.jobs (engagement, id, zone, job) VALUES ($1, $2, $3, $4) ON CONFLICT (engagement, id) DO NOTHING',
    [engagement, job.id, job.zone, canonicalJson(job)],
  )
  return ok(null)
}

/** The job of a lease, locked; null where this holder never had this lease. `is_held`: the holder still has it. */
async function lockedJob(query: Query, time: readonly unknown[], { id, lease, holder }: HeldJob): Promise<Row | null> {
  const [row] = await query(
    `SELECT j.state, j.recording, j.ended, j.state = 'leased' AND j.lease = $4 AND j.until > ${NOW} AS is_held
     FROM barewitness.jobs j JOIN barewitness.leases l ON l.engagement = j.engagement AND l.job = j.id
     WHERE j.engagement = $2 AND j.id = $3 AND l.lease = $4 AND l.holder = $5 FOR UPDATE OF j`,
    [...time, id, lease, holder],
  )
  return row ?? null
}

/** A job, locked. */
async function anyJob(query: Query, engagement: string, id: string): Promise<Row | null> {
  const [row] = await query('SELECT ended FROM barewitness.jobs WHERE engagement = $1 AND id = $2 FOR UPDATE', [
    engagement,
    id,
  ])
  return row ?? null
}

const isOpen = async (query: Query, engagement: string, id: string): Promise<boolean> =>
  (await anyJob(query, engagement, id))?.ended === null

/** Ends a job without a recording. */
async function end(
  query: Query,
  engagement: string,
  id: string,
  { code, detail }: Pick<Failure, 'code' | 'detail'>,
): Promise<void> {
  await query(
    `UPDATE barewitness.jobs SET state = 'failed', until = NULL, failure_code = $3, failure_detail = $4,
       ended = nextval('barewitness.job_ends') WHERE engagement = $1 AND id = $2`,
    [engagement, id, code, plain(detail, LONGEST_DETAIL)],
  )
  await forget(query, engagement)
}

/** Removes the jobs that ended first, beyond MOST_ENDED_JOBS. */
async function forget(query: Query, engagement: string): Promise<void> {
  const [row] = await query("SELECT currval('barewitness.job_ends') AS ends")
  if (Number(row?.ends) % FORGET_EVERY !== 0) return
  await query(
    `DELETE FROM barewitness.jobs WHERE engagement = $1 AND ended <= (
       SELECT ended FROM barewitness.jobs WHERE engagement = $1 AND ended IS NOT NULL ORDER BY ended DESC OFFSET $2 LIMIT 1)`,
    [engagement, MOST_ENDED_JOBS],
  )
}

/** The job of a row, checked as strictly as the journal in files. */
function jobIn({ id, job }: Row): Outcome<CollectorJob> {
  const value = jsonOrNull(String(job))
  const isJob = placedProblems('collector-job', value).length === 0
  return isJob && (value as CollectorJob).id === id
    ? ok(value as CollectorJob)
    : fail('store.failed', 'a job in the database is not in the form of this program')
}

function stateIn(row: Row): JobState {
  switch (row.state) {
    case 'completed':
      return { is: 'completed', recording: String(row.recording) }
    case 'failed':
      return { is: 'failed', failure: failureIn(row) }
    default:
      return { is: row.state === 'leased' ? 'leased' : 'waiting' }
  }
}

function failureIn({ failure_code: code, failure_detail: detail }: Row): Failure {
  const failure: unknown = { code, detail }
  return isFailure(failure) ? failure : { code: 'job.not-delivered', detail: 'the reason cannot be read' }
}
