import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Recording } from '../../../schemas/types.ts'
import type { SchemaValidator } from '../../core/ports.ts'
import { foldersIn, readRecordingHeader } from '../recording-folder.ts'

/** Where to find what, over the folders of an evidence store. Holds nothing that the folders do not. */
export interface RunIndex {
  readonly put: (recording: Recording, digest: string | null) => void
  readonly runs: () => readonly string[]
  readonly has: (run: string, id: string) => boolean
  readonly close: () => void
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS recording (
  run TEXT NOT NULL, id TEXT NOT NULL, node TEXT NOT NULL, status TEXT NOT NULL,
  started_at TEXT NOT NULL, ended_at TEXT NOT NULL, digest TEXT,
  PRIMARY KEY (run, id)
) STRICT;
PRAGMA user_version = 1;`

/** Opens the index; a damaged one is put aside under another name. Recordings that it lacks are taken in from the folders. */
export async function openRunIndex(root: string, validator: SchemaValidator): Promise<RunIndex> {
  const path = join(root, 'index.db')
  const index = indexOver(openOrPutAside(path))
  try {
    for (const run of await foldersIn(root)) {
      for (const id of await foldersIn(join(root, run))) {
        if (index.has(run, id)) continue
        const header = await readRecordingHeader(join(root, run, id), validator)
        if (header.ok && header.value.run === run && header.value.id === id) index.put(header.value, null)
      }
    }
    return index
  } catch (problem) {
    index.close()
    throw problem
  }
}

function openOrPutAside(path: string): DatabaseSyncInstance {
  try {
    return openDatabase(path)
  } catch (problem) {
    if (!isDamage(problem)) throw problem
    let aside = 1
    while (existsSync(`${path}.damaged-${aside}`)) aside += 1
    for (const suffix of ['', '-wal', '-shm'])
      if (existsSync(path + suffix)) renameSync(path + suffix, `${path}.damaged-${aside}${suffix}`)
    return openDatabase(path)
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. A busy, read-only or full disk is no reason to put an index aside. */
const isDamage = (problem: unknown): boolean =>
  /malformed|not a database|is damaged|corrupt/i.test(problem instanceof Error ? problem.message : String(problem))

function openDatabase(path: string): DatabaseSyncInstance {
  const database = new DatabaseSync(path)
  try {
    // FULL: the build's default under WAL would not survive a power loss.
    database.exec(
      'PRAGMA busy_timeout=5000; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF;',
    )
    database.exec(SCHEMA)
    const [check] = database.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[]
    if (check?.quick_check !== 'ok') throw new Error('the index is damaged')
    return database
  } catch (problem) {
    database.close()
    throw problem
  }
}

function indexOver(database: DatabaseSyncInstance): RunIndex {
  const insert = database.prepare(
    'INSERT OR REPLACE INTO recording (run, id, node, status, started_at, ended_at, digest) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const list = database.prepare('SELECT DISTINCT run FROM recording ORDER BY run')
  const find = database.prepare('SELECT 1 FROM recording WHERE run = ? AND id = ?')
  return {
    put: ({ run, id, node, outcome, startedAt, endedAt }, digest) =>
      void insert.run(run, id, node.name, outcome.status, startedAt, endedAt, digest),
    runs: () => (list.all() as { run: string }[]).map(({ run }) => run),
    has: (run, id) => find.get(run, id) !== undefined,
    close: () => database.close(),
  }
}
