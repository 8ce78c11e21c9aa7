import { join } from 'node:path'
import { canonicalJson } from '../../core/canonical-json.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { OUTBOX } from '../../core/layout.ts'
import type { Outbox } from '../../core/outbox/delivery.ts'
import { isOutboxEntry, type Letter, letterAfter, letterName, type OutboxEntry } from '../../core/outbox/journal.ts'
import { lockFolder } from '../folder-lock.ts'
import { makeFolder, storeFailure, writeWhole } from '../store/durable.ts'
import { appendLine, bytesIfThere, cutTornLine } from '../stored-file.ts'

const LARGEST = 512 * 1024 * 1024
const PATIENCE_MS = 10_000

/**
 * Opens the outbox in a folder: one journal, read at once and shortened when it is opened. For one process; another one waits for it to end,
 * then fails with store.failed. Fails with store.failed, too, where the journal cannot be read.
 */
export async function openOutbox(folder: string): Promise<Outcome<Outbox>> {
  const path = join(folder, OUTBOX.journal)
  try {
    await makeFolder(folder, 0o700)
    const lock = await lockFolder(folder, PATIENCE_MS)
    if (!lock.ok) return lock
    await cutTornLine(path, LARGEST)
    const read = await lettersIn(path)
    if (!read.ok) {
      await lock.value.release()
      return read
    }
    await writeWhole(path, [...read.value.values()].map((letter) => lineOf({ kind: 'kept', letter })).join(''))
    return ok(outboxOver(path, read.value, lock.value.release))
  } catch (problem) {
    return storeFailure(problem)
  }
}

/** What an outbox holds, without opening it: for a dry run. Fails as openOutbox(), but does not wait and changes nothing. */
export async function readOutbox(folder: string): Promise<Outcome<ReadonlyMap<string, Letter>>> {
  try {
    return await lettersIn(join(folder, OUTBOX.journal))
  } catch (problem) {
    return storeFailure(problem)
  }
}

function outboxOver(path: string, letters: Map<string, Letter>, close: () => Promise<void>): Outbox {
  let isBroken = false
  return {
    letters: () => letters,
    record: async (entry) => {
      if (isBroken) return fail('store.failed', `${path} could not be written`)
      try {
        await appendLine(path, lineOf(entry), LARGEST)
      } catch (problem) {
        // Part of a line may be on the disk: nothing can continue it before the journal is opened again.
        isBroken = true
        return storeFailure(problem)
      }
      apply(letters, entry)
      return ok(null)
    },
    close,
  }
}

const lineOf = (entry: OutboxEntry): string => `${canonicalJson(entry)}\n`

function apply(letters: Map<string, Letter>, entry: OutboxEntry): boolean {
  const about = entry.kind === 'kept' ? entry.letter : entry
  const after = letterAfter(letters.get(letterName(about)), entry)
  if (after !== null) letters.set(letterName(after), after)
  return after !== null
}

async function lettersIn(path: string): Promise<Outcome<Map<string, Letter>>> {
  const letters = new Map<string, Letter>()
  const text = (await bytesIfThere(path, LARGEST))?.toString('utf8') ?? ''
  for (const [index, line] of text.split('\n').slice(0, -1).entries()) {
    const entry = parsed(line)
    if (!isOutboxEntry(entry) || !apply(letters, entry))
      return fail('store.failed', `${path}: line ${index + 1} is not an entry that follows from those before it`)
  }
  return ok(letters)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
