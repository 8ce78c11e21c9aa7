import { type FileHandle, open, stat, statfs, truncate } from 'node:fs/promises'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { chainedLine, chainReader, type LogHead } from '../../chained-log.ts'
import { completeLines } from '../log-lines.ts'

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

/** As openChainedLog(), with the text of the complete lines. For logs that fit into memory. */
export async function openChainedFile<T extends object>(
  path: string,
  empty: LogHead,
  openFile = opened,
): Promise<Outcome<{ readonly log: ChainedFile<T>; readonly text: string }>> {
  const lines: string[] = []
  const log = await openChainedLog<T>(path, empty, (line) => lines.push(line), openFile)
  return log.ok ? ok({ log: log.value, text: lines.map((line) => `${line}\n`).join('') }) : log
}

/**
 * Opens a log for appending and calls `each` with every complete line, without its end. A last line without a line feed was being written when a
 * process ended and was never confirmed: it is removed. Fails with store.failed where another line does not continue the previous one, or the
 * file cannot be read.
 */
export async function openChainedLog<T extends object>(
  path: string,
  empty: LogHead,
  each: (line: string) => void,
  openFile = opened,
): Promise<Outcome<ChainedFile<T>>> {
  let file: FileHandle
  const reader = chainReader(empty)
  // Bytes of confirmed entries.
  let length = 0
  try {
    const size = await sizeOf(path)
    for await (const lines of size === null ? [] : completeLines(path))
      for (const line of lines) {
        if (!reader.add(line))
          return fail('store.failed', `${path}: line ${reader.head().size + 1} does not continue the line before it`)
        each(line)
        length += Buffer.byteLength(line) + 1
      }
    if (size !== null && length < size) await truncate(path, length)
    file = await openFile(path)
  } catch {
    return fail('store.failed', `${path} cannot be opened`)
  }
  let head = reader.head()
  let waiting: { readonly entry: T; readonly done: (problem: Error | null) => void }[] = []
  let writing: Promise<void> | null = null
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
  return ok(log)
}

const hasRoom = async (path: string): Promise<boolean> =>
  await statfs(path).then(
    ({ bavail, bsize }) => bavail * bsize >= LEAST_ROOM,
    () => false,
  )

const sizeOf = async (path: string): Promise<number | null> =>
  await stat(path).then(
    ({ size }) => size,
    (problem: NodeJS.ErrnoException) => {
      if (problem.code === 'ENOENT') return null
      throw problem
    },
  )
