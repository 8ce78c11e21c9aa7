import type { HistorySending } from '../../../schemas/ipc-history.ts'
import type { Ports } from '../../core/all-ports.ts'
import { type Failure, ok } from '../../core/base/failure.ts'
import { PACK_EXTENSION } from '../../core/base/layout.ts'
import { type SealedPack, sentRows } from '../../core/outbox/sent.ts'
import { type PackNotes, packsBelow, readNotes } from './pack-notes.ts'

interface SentOf {
  /** A configuration of integrations. */
  readonly file: string
  /** A data folder with packs; null for the content of the outbox and its notes only. */
  readonly folder: string | null
}

const MOST_ROWS = 500

/**
 * The state of sending packs, from the outbox, which is neither locked nor changed. A source that cannot be read is
 * named, and nothing counts as sent then.
 */
export async function sentPacks(
  ports: Pick<Ports, 'files' | 'integrations'>,
  { file, folder }: SentOf,
): Promise<HistorySending> {
  const config = await ports.integrations.read(file)
  if (!config.ok) return without(config.error)
  const letters = await ports.integrations.readOutbox(config.value.outbox)
  const notes = await readNotes(ports, config.value)
  const below = folder === null ? ok([]) : await packsBelow(ports, folder)
  if (!letters.ok) return without(letters.error)
  if (!notes.ok) return without(notes.error)
  if (!below.ok) return without(below.error)
  const rows = sentRows([...letters.value.values()], packsIn(below.value, notes.value ?? new Map()))
  return { rows: { rows: rows.slice(0, MOST_ROWS), total: rows.length }, shortfalls: [] }
}

const without = (error: Failure): HistorySending => ({ rows: { rows: [], total: 0 }, shortfalls: [error] })

/** Existing packs, and packs that were refused and no longer exist. */
function packsIn(below: readonly string[], notes: PackNotes): readonly SealedPack[] {
  const paths = new Set([...below, ...[...notes].flatMap(([path, refusal]) => (refusal === null ? [] : [path]))])
  return [...paths].map((path) => {
    const refusal = notes.get(path)
    return {
      run: runOf(path),
      refusal: refusal == null ? null : { at: refusal.at, code: refusal.code, why: refusal.detail },
      isSettled: refusal === null,
    }
  })
}

/** The name of a pack begins with its run. */
const runOf = (path: string): string =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .slice(0, -PACK_EXTENSION.length)
    .replace(/\.parts-withheld$/, '')
