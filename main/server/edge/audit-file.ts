import { type FileHandle, open, readFile, truncate } from 'node:fs/promises'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { type AuditCheck, type AuditEvent, type AuditHead, auditLine, checkAudit } from '../audit.ts'

export interface AuditLog {
  /** Resolves when the entry is on disk. Rejects where it could not be stored: what it records must then not take place. */
  readonly append: (event: AuditEvent) => Promise<void>
  readonly isUsable: () => boolean
  readonly close: () => Promise<void>
}

/**
 * Opens an audit log to continue it. A last line without its end was being written when a process ended, and was never confirmed: it is
 * removed. Fails with store.failed where another line does not continue the one before it, or the file cannot be read.
 */
export async function openAuditLog(path: string): Promise<Outcome<AuditLog>> {
  let file: FileHandle
  let head: AuditHead
  try {
    const text = await textOf(path)
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const check = checkAudit(whole)
    if (!check.intact) return fail('store.failed', `${path}: line ${check.line} does not continue the line before it`)
    if (whole.length < text.length) await truncate(path, Buffer.byteLength(whole))
    head = check.head
    file = await open(path, 'a', 0o600)
  } catch {
    return fail('store.failed', `${path} cannot be opened`)
  }
  let waiting: { readonly event: AuditEvent; readonly done: (problem: Error | null) => void }[] = []
  let writing: Promise<void> | null = null
  let broken = false
  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const now = waiting
      waiting = []
      const problem = await writeAll(now.map(({ event }) => event))
      for (const { done } of now) done(problem)
    }
    writing = null
  }
  const writeAll = async (events: readonly AuditEvent[]): Promise<Error | null> => {
    if (broken) return new Error('the audit log cannot be written')
    let next = head
    let text = ''
    for (const event of events) {
      const made = auditLine(next, event)
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
      return new Error('the audit log cannot be written')
    }
  }
  return ok({
    append: (event) =>
      new Promise((resolve, reject) => {
        waiting.push({ event, done: (problem) => (problem === null ? resolve() : reject(problem)) })
        writing ??= write()
      }),
    isUsable: () => !broken,
    close: async () => {
      await writing
      await file.close()
    },
  })
}

/** Checks an audit log. Fails with input.not-found where it cannot be read. */
export async function checkAuditFile(path: string): Promise<Outcome<AuditCheck>> {
  try {
    return ok(checkAudit(await readFile(path, 'utf8')))
  } catch {
    return fail('input.not-found', path)
  }
}

const textOf = async (path: string): Promise<string> =>
  await readFile(path, 'utf8').catch((problem: NodeJS.ErrnoException) => {
    if (problem.code === 'ENOENT') return ''
    throw problem
  })
