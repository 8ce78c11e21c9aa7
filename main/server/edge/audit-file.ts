import { readFile } from 'node:fs/promises'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { type AuditEvent, checkAudit, EMPTY_LOG } from '../audit.ts'
import type { LogCheck } from '../chained-log.ts'
import { type ChainedFile, openChainedFile } from './chained-file.ts'

export type AuditLog = ChainedFile<AuditEvent>

/** Opens an audit log to continue it; fails as openChainedFile() does. */
export async function openAuditLog(path: string): Promise<Outcome<AuditLog>> {
  const opened = await openChainedFile<AuditEvent>(path, EMPTY_LOG)
  return opened.ok ? ok(opened.value.log) : opened
}

/** Checks an audit log. Fails with input.not-found where it cannot be read. */
export async function checkAuditFile(path: string): Promise<Outcome<LogCheck>> {
  try {
    return ok(checkAudit(await readFile(path, 'utf8')))
  } catch {
    return fail('input.not-found', path)
  }
}
