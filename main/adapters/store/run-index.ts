import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Recording } from '../../../schemas/types.ts'
import type { SchemaValidator } from '../../core/ports.ts'
import { foldersIn, readRecordingHeader } from '../recording-folder.ts'
import { type Migrations, openIndex } from './migrations.ts'
import { POOL } from './pool.ts'

/** Where to find what, over the folders of an evidence store. Holds nothing that the folders do not. */
export interface RunIndex {
  readonly put: (recording: Pick<Recording, 'run' | 'id'>) => void
  readonly runs: () => readonly string[]
  readonly has: (run: string, id: string) => boolean
  readonly close: () => void
  /** Where a damaged index was put when this one was opened. */
  readonly putAside: string | null
}

export const RUN_INDEX: Migrations = [
  `CREATE TABLE IF NOT EXISTS recording (
    run TEXT NOT NULL, id TEXT NOT NULL, node TEXT NOT NULL, status TEXT NOT NULL,
    started_at TEXT NOT NULL, ended_at TEXT NOT NULL, digest TEXT,
    PRIMARY KEY (run, id)
  ) STRICT`,
  // Nobody asks an index for what the files themselves say.
  ['node', 'status', 'started_at', 'ended_at', 'digest']
    .map((name) => `ALTER TABLE recording DROP COLUMN ${name};`)
    .join(''),
]

/** Opens the index; a damaged one is put aside under another name. Recordings that it lacks are taken in from the folders. */
export async function openRunIndex(root: string, validator: SchemaValidator, busyMs?: number): Promise<RunIndex> {
  const { database, putAside } = openIndex(join(root, 'index.db'), RUN_INDEX, busyMs)
  const index = { ...indexOver(database), putAside }
  try {
    for (const run of await foldersIn(root)) {
      if (run === POOL) continue
      for (const id of await foldersIn(join(root, run))) {
        if (index.has(run, id)) continue
        const header = await readRecordingHeader(join(root, run, id), validator)
        if (header.ok && header.value.run === run && header.value.id === id) index.put(header.value)
      }
    }
    return index
  } catch (problem) {
    index.close()
    throw problem
  }
}

function indexOver(database: DatabaseSyncInstance): Omit<RunIndex, 'putAside'> {
  const insert = database.prepare('INSERT OR IGNORE INTO recording (run, id) VALUES (?, ?)')
  const list = database.prepare('SELECT DISTINCT run FROM recording ORDER BY run')
  const find = database.prepare('SELECT 1 FROM recording WHERE run = ? AND id = ?')
  return {
    put: ({ run, id }) => void insert.run(run, id),
    runs: () => (list.all() as { run: string }[]).map(({ run }) => run),
    has: (run, id) => find.get(run, id) !== undefined,
    close: () => database.close(),
  }
}
