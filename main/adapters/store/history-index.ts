import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { canonicalJson } from '../../core/canonical-json.ts'
import type { KeptHead } from '../../core/history.ts'
import { parsedJson } from '../../core/run-chain/entry.ts'
import { type Migrations, openIndex } from './migrations.ts'

export const HISTORY_INDEX: Migrations = [
  // `stamp` says which state of the file the head was read from.
  'CREATE TABLE kept (file TEXT PRIMARY KEY, stamp TEXT NOT NULL, head TEXT NOT NULL) STRICT',
]

/** What the file of a kept run is called. */
export const fileOf = (run: string, tagManifest: string | null): string => `${run}.${tagManifest ?? 'unsealed'}.json`

export interface HistoryIndex {
  /** Heads of these files, from the index where it knows the file as it is, else as `read` gives them. */
  readonly heads: (files: readonly string[], read: (file: string) => Promise<KeptHead>) => Promise<readonly KeptHead[]>
  /** Where a damaged index was put when this one was opened. */
  readonly putAside: string | null
  readonly close: () => void
}

/** Opens `index.db` beside the files. Throws as openIndex() does. */
export function openHistoryIndex(folder: string, busyMs?: number): HistoryIndex {
  const { database, putAside } = openIndex(join(folder, 'index.db'), HISTORY_INDEX, busyMs)
  return { heads: (files, read) => headsOf(database, folder, files, read), putAside, close: () => database.close() }
}

async function headsOf(
  database: DatabaseSyncInstance,
  folder: string,
  files: readonly string[],
  read: (file: string) => Promise<KeptHead>,
): Promise<readonly KeptHead[]> {
  const rows = database.prepare('SELECT file, stamp, head FROM kept').all() as unknown as Row[]
  const left = new Map(rows.map((row) => [row.file, row]))
  const heads: KeptHead[] = []
  const fresh: Row[] = []
  for (const file of files) {
    const stamp = await stampOf(join(folder, file))
    const row = left.get(file)
    const known = row?.stamp === stamp ? (parsedJson(row.head) as KeptHead | null) : null
    // What an index says of a seal is never taken from another line than the file's own.
    const isOwn = known !== null && fileOf(known.run, known.sealed?.tagManifest ?? null) === file
    const head = isOwn ? known : await read(file)
    heads.push(head)
    if (!isOwn) fresh.push({ file, stamp, head: canonicalJson(head) })
    left.delete(file)
  }
  if (fresh.length > 0 || left.size > 0) write(database, fresh, [...left.keys()])
  return heads
}

interface Row {
  readonly file: string
  readonly stamp: string
  readonly head: string
}

/** Another file of the same name has another of these, whoever set its times. */
async function stampOf(path: string): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
  return [ino, size, mtimeNs, ctimeNs].join(' ')
}

function write(database: DatabaseSyncInstance, fresh: readonly Row[], gone: readonly string[]): void {
  const put = database.prepare('INSERT OR REPLACE INTO kept (file, stamp, head) VALUES (?, ?, ?)')
  const drop = database.prepare('DELETE FROM kept WHERE file = ?')
  database.exec('BEGIN IMMEDIATE')
  try {
    for (const { file, stamp, head } of fresh) put.run(file, stamp, head)
    for (const file of gone) drop.run(file)
    database.exec('COMMIT')
  } catch (problem) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw problem
  }
}
