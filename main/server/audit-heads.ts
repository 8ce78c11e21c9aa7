import { type AuditHeadStatement, headsIn, type RecordedStatement, readHeadStatement } from '../core/audit-head.ts'
import { type Sha256, sha256 } from '../core/digest.ts'
import type { AuditEvent } from './audit.ts'
import { type Chained, logLines } from './chained-log.ts'

/** A head that was signed and entered into the log. */
interface SignedHead {
  /** Line of its entry, from 1. */
  readonly line: number
  /** Null where the entry has no statement that can be read. */
  readonly statement: AuditHeadStatement | null
  /** The signed text. */
  readonly text: string
  /** Detached CMS signature, base64. */
  readonly cms: string
  /** Whether the log has this head at the stated size, before this entry. */
  readonly isInLog: boolean
}

/** Digests of the lines of an intact log, in their order. */
const lineDigests = (text: string): readonly Sha256[] => logLines(text).map(sha256)

/** The signed heads of an intact log, in their order. */
export function signedHeads(text: string): readonly SignedHead[] {
  const digests = lineDigests(text)
  return text.split('\n').flatMap((line, at) => {
    // Few lines are signed heads; the others are not parsed.
    if (!line.includes('"kind":"head-signed"')) return []
    const { kind, of } = JSON.parse(line) as Chained<AuditEvent>
    if (kind !== 'head-signed') return []
    // Whoever can write the log can continue it with entries of any form.
    const { statement: signed, cms } = textsIn(of)
    const statement = readHeadStatement(signed)
    const isInLog = statement !== null && statement.size <= at && digests[statement.size - 1] === statement.digest
    return [{ line: at + 1, statement, text: signed, cms, isInLog }]
  })
}

function textsIn(of: unknown): { readonly statement: string; readonly cms: string } {
  const { statement, cms } = (of ?? {}) as Readonly<Record<string, unknown>>
  return { statement: typeof statement === 'string' ? statement : '', cms: typeof cms === 'string' ? cms : '' }
}

/** The number of entries other than signed heads among the first `size` entries of a log. */
export const otherEntries = (text: string, size: number): number =>
  text
    .split('\n')
    .slice(0, size)
    .filter((line) => line !== '' && !line.includes('"kind":"head-signed"')).length

interface RecordedHead extends RecordedStatement {
  readonly isInLog: boolean
}

/** The heads that a sealer recorded before it signed them, each compared with an intact log. */
export function recordedHeads(record: string, log: string): readonly RecordedHead[] {
  const digests = lineDigests(log)
  return headsIn(record).map((one) => ({
    ...one,
    isInLog: digests[one.statement.size - 1] === one.statement.digest,
  }))
}
