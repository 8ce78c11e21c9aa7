import { type FileHandle, open, readFile, statfs, truncate } from 'node:fs/promises'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { chainedLine, checkChained, type LogHead } from '../chained-log.ts'

/** An entry could not be stored. */
export class LogFailure extends Error {}

/** An append-only log on the disk. */
export interface ChainedFile<T extends object> {
  /** Resolves when the entry is on the disk. Rejects with LogFailure where it could not be stored; the recorded action must then not take place. */
  readonly append: (entry: T) => Promise<void>
  /** Head of the entries on the disk. */
  readonly head: () => LogHead
  /** Whether an entry could probably be stored now; none is written to test it. */
  readonly isUsable: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/** Free bytes that the disk needs before a log whose last write failed counts as usable again. */
const LEAST_ROOM = 1024 * 1024

const opened = (path: string): Promise<FileHandle> => open(path, 'a', 0o600)

/**
 * Opens a log for appending and returns the text of its complete lines. A last line without a line feed was being written when a process ended
 * and was never confirmed: it is removed. Fails with store.failed where another line does not continue the previous one, or the file cannot be read.
 */
export async function openChainedFile<T extends object>(
  path: string,
  empty: LogHead,
  openFile = opened,
): Promise<Outcome<{ readonly log: ChainedFile<T>; readonly text: string }>> {
  let file: FileHandle
  let head: LogHead
  let whole: string
  try {
    const text = await textOf(path)
    whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const check = checkChained(whole, empty)
    if (!check.intact) return fail('store.failed', `${path}: line ${check.line} does not continue the line before it`)
    if (whole.length < text.length) await truncate(path, Buffer.byteLength(whole))
    head = check.head
    file = await openFile(path)
  } catch {
    return fail('store.failed', `${path} cannot be opened`)
  }
  let waiting: { readonly entry: T; readonly done: (problem: Error | null) => void }[] = []
  let writing: Promise<void> | null = null
  // Bytes of confirmed entries.
  let length = Buffer.byteLength(whole)
  let state: 'whole' | 'cut' | 'broken' = 'whole'
  let cut = 0
  /** Removes the rest of a failed write, which was never confirmed, as opening the file does. */
  const isMended = async (): Promise<boolean> => {
    if (state === 'broken') return false
    try {
      const { size } = await file.stat()
      // Another process changed the file.
      if (size < length || size > length + cut) return false
      await file.truncate(length)
      state = 'whole'
      return true
    } catch {
      return false
    }
  }
  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const now = waiting
      waiting = []
      const problem = await writeAll(now.map(({ entry }) => entry))
      for (const { done } of now) done(problem)
    }
    writing = null
  }
  const writeAll = async (entries: readonly T[]): Promise<Error | null> => {
    if (state !== 'whole' && !(await isMended())) return new LogFailure('the log cannot be written')
    let next = head
    let text = ''
    for (const entry of entries) {
      const made = chainedLine(next, entry)
      text += made.line
      next = made.head
    }
    const size = Buffer.byteLength(text)
    try {
      await file.appendFile(text)
    } catch {
      // A part of the text may be on the disk, for example where the disk is full.
      state = 'cut'
      cut = size
      return new LogFailure('the log cannot be written')
    }
    try {
      await file.datasync()
    } catch {
      // The content of the disk is unknown until the next start reads it.
      state = 'broken'
      return new LogFailure('the log cannot be written')
    }
    head = next
    length += size
    return null
  }
  const log: ChainedFile<T> = {
    append: (entry) =>
      new Promise((resolve, reject) => {
        waiting.push({ entry, done: (problem) => (problem === null ? resolve() : reject(problem)) })
        writing ??= write()
      }),
    head: () => head,
    isUsable: async () => state === 'whole' || (state === 'cut' && (await hasRoom(path))),
    close: async () => {
      await writing
      await file.close()
    },
  }
  return ok({ log, text: whole })
}

const hasRoom = async (path: string): Promise<boolean> =>
  await statfs(path).then(
    ({ bavail, bsize }) => bavail * bsize >= LEAST_ROOM,
    () => false,
  )

const textOf = async (path: string): Promise<string> =>
  await readFile(path, 'utf8').catch((problem: NodeJS.ErrnoException) => {
    if (problem.code === 'ENOENT') return ''
    throw problem
  })
