import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Recording } from '../../../schemas/types.ts'
import { readHeader, recordingFolders } from './recording-files.ts'

/** Where to find what, over the folders of an evidence store. Holds nothing that the folders do not. */
export interface RunIndex {
  readonly put: (recording: Recording, digest: string | null) => void
  readonly runs: () => readonly string[]
  readonly close: () => void
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS recording (
  run TEXT NOT NULL, id TEXT NOT NULL, node TEXT NOT NULL, status TEXT NOT NULL,
  started_at TEXT NOT NULL, ended_at TEXT NOT NULL, digest TEXT,
  PRIMARY KEY (run, id)
) STRICT;
PRAGMA user_version = 1;`

/** Opens the index; a damaged one is put aside under another name and made anew from the folders. */
export async function openRunIndex(root: string): Promise<RunIndex> {
  const path = join(root, 'index.db')
  const isNew = !existsSync(path)
  let database: DatabaseSyncInstance
  try {
    database = openDatabase(path)
  } catch {
    let aside = 1
    while (existsSync(`${path}.damaged-${aside}`)) aside += 1
    for (const suffix of ['', '-wal', '-shm'])
      if (existsSync(path + suffix)) renameSync(path + suffix, `${path}.damaged-${aside}${suffix}`)
    database = openDatabase(path)
    await rebuild(root, database)
    return indexOver(database)
  }
  if (isNew) await rebuild(root, database)
  return indexOver(database)
}

function openDatabase(path: string): DatabaseSyncInstance {
  const database = new DatabaseSync(path)
  try {
    // FULL: the build's default under WAL would not survive a power loss.
    database.exec(
      'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA busy_timeout=5000; PRAGMA trusted_schema=OFF;',
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
  return {
    put: ({ run, id, node, outcome, startedAt, endedAt }, digest) =>
      void insert.run(run, id, node.name, outcome.status, startedAt, endedAt, digest),
    runs: () => (list.all() as { run: string }[]).map(({ run }) => run),
    close: () => database.close(),
  }
}

async function rebuild(root: string, database: DatabaseSyncInstance): Promise<void> {
  const index = indexOver(database)
  for (const run of await recordingFolders(root)) {
    for (const id of await recordingFolders(join(root, run))) {
      const header = (await readHeader(join(root, run, id)).catch(() => undefined)) as Recording | undefined
      if (header?.node !== undefined) index.put(header, null)
    }
  }
}
