import { existsSync, renameSync } from 'node:fs'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'

/** Steps that lead from an empty database to the present form. One that was published is never changed: another is put after it. */
export type Migrations = readonly string[]

export interface OpenedIndex {
  readonly database: DatabaseSyncInstance
  /** Where a damaged index was put; null: there was none. */
  readonly putAside: string | null
}

/** How long another program may hold an index before we give up. */
const BUSY_MS = 5000

class NewerIndex extends Error {}

/**
 * Opens an index, brings it to the present form, and puts a damaged one aside under another name. Only for what can be made anew from
 * files. Throws what storeFailure() puts into words: held by another program, of a newer version, a full or read-only disk.
 */
export function openIndex(path: string, migrations: Migrations, busyMs = BUSY_MS): OpenedIndex {
  try {
    return { database: openDatabase(path, migrations, busyMs), putAside: null }
  } catch (problem) {
    if (!isDamage(problem)) throw problem
    let aside = 1
    while (existsSync(`${path}.damaged-${aside}`)) aside += 1
    const putAside = `${path}.damaged-${aside}`
    for (const suffix of ['', '-wal', '-shm'])
      if (existsSync(path + suffix)) renameSync(path + suffix, putAside + suffix)
    return { database: openDatabase(path, migrations, busyMs), putAside }
  }
}

function openDatabase(path: string, migrations: Migrations, busyMs: number): DatabaseSyncInstance {
  const database = new DatabaseSync(path)
  try {
    // FULL: the build's default under WAL would not survive a power loss.
    database.exec(
      `PRAGMA busy_timeout=${busyMs}; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF;`,
    )
    const [check] = database.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[]
    if (check?.quick_check !== 'ok') throw new Error('the index is damaged')
    migrate(database, path, migrations)
    return database
  } catch (problem) {
    database.close()
    throw problem
  }
}

/** Each step in a transaction of its own, which also says that it was taken: killed in between, the next opening goes on. */
function migrate(database: DatabaseSyncInstance, path: string, migrations: Migrations): void {
  const version = (): number => (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
  if (version() > migrations.length)
    throw new NewerIndex(`${path} has version ${version()}, this program knows ${migrations.length}`)
  for (const [index, step] of migrations.entries()) {
    if (version() > index) continue
    database.exec('BEGIN IMMEDIATE')
    try {
      // Another program may have taken this step while we waited.
      if (version() === index) database.exec(`${step}; PRAGMA user_version = ${index + 1};`)
      database.exec('COMMIT')
    } catch (problem) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw problem
    }
  }
}

/** The result code of SQLite without what makes it more special; null for other problems. */
const resultCode = (problem: unknown): number | null => {
  const { errcode } = (problem ?? {}) as { readonly errcode?: unknown }
  return typeof errcode === 'number' ? errcode & 0xff : null
}

// https://www.sqlite.org/rescode.html
const BUSY = 5
const LOCKED = 6
/** A full disk gives this too, where the index needs room to be opened at all. */
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const NOTADB = 26

/** A busy, read-only or full disk is no reason to put an index aside; neither is one that a newer program made. */
const isDamage = (problem: unknown): boolean =>
  [CORRUPT, NOTADB].includes(resultCode(problem) ?? 0) ||
  (problem instanceof Error && problem.message === 'the index is damaged')

/** What went wrong with files or an index, in words. */
export function storeFailure(problem: unknown): Outcome<never> {
  if (problem instanceof NewerIndex) return fail('store.newer', plain(problem.message, 600))
  const told = plain(problem instanceof Error ? problem.message : String(problem), 500)
  const code = resultCode(problem)
  const { code: system } = (problem ?? {}) as { readonly code?: unknown }
  if (code === BUSY || code === LOCKED)
    return fail(
      'store.failed',
      `another program holds the index; wait until it is done, or end it, then try again (${told})`,
    )
  if (code === FULL || system === 'ENOSPC' || system === 'EDQUOT')
    return fail('store.failed', `the disk is full; make room, then try again (${told})`)
  if (code === IOERR)
    return fail('store.failed', `the disk is full, or fails; make room, or check it, then try again (${told})`)
  return fail('store.failed', told)
}
