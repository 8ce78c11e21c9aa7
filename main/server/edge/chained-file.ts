import { type FileHandle, open, readFile, truncate } from 'node:fs/promises'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { chainedLine, checkChained, type LogHead } from '../chained-log.ts'

/** A log on the disk that is only ever continued. */
export interface ChainedFile<T extends object> {
  /** Resolves when the entry is on disk. Rejects where it could not be stored: what it records must then not take place. */
  readonly append: (entry: T) => Promise<void>
  /** Of the entries on the disk. */
  readonly head: () => LogHead
  readonly isUsable: () => boolean
  readonly close: () => Promise<void>
}

/**
 * Opens a log to continue it, and gives the text of its complete lines. A last line without its end was being written when a process ended,
 * and was never confirmed: it is removed. Fails with store.failed where another line does not continue the one before it, or the file cannot be read.
 */
export async function openChainedFile<T extends object>(
  path: string,
  empty: LogHead,
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
    file = await open(path, 'a', 0o600)
  } catch {
    return fail('store.failed', `${path} cannot be opened`)
  }
  let waiting: { readonly entry: T; readonly done: (problem: Error | null) => void }[] = []
  let writing: Promise<void> | null = null
  let broken = false
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
    if (broken) return new Error('the log cannot be written')
    let next = head
    let text = ''
    for (const entry of entries) {
      const made = chainedLine(next, entry)
      text += made.line
      next = made.head
    }
    try {
      await file.appendFile(text)
      await file.datasync()
      head = next
      return null
    } catch {
      // Part of it may be on disk: nothing can continue it before it is opened again.
      broken = true
      return new Error('the log cannot be written')
    }
  }
  const log: ChainedFile<T> = {
    append: (entry) =>
      new Promise((resolve, reject) => {
        waiting.push({ entry, done: (problem) => (problem === null ? resolve() : reject(problem)) })
        writing ??= write()
      }),
    head: () => head,
    isUsable: () => !broken,
    close: async () => {
      await writing
      await file.close()
    },
  }
  return ok({ log, text: whole })
}

const textOf = async (path: string): Promise<string> =>
  await readFile(path, 'utf8').catch((problem: NodeJS.ErrnoException) => {
    if (problem.code === 'ENOENT') return ''
    throw problem
  })
