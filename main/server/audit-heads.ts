import { sha256 } from '../core/base/digest.ts'
import { type AuditHeadStatement, headsIn, type RecordedStatement, readHeadStatement } from '../core/team/audit-head.ts'
import type { AuditEvent } from './audit.ts'
import type { Chained, LogHead } from './chained-log.ts'

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

/** The lines of an intact log, read one after the other: digests and signed heads, without their texts. */
export interface LogHeads {
  /** Adds a line, without its end. */
  readonly add: (line: string) => void
  /** The signed heads in the log, in their order. */
  readonly signed: () => readonly SignedHead[]
  /** Whether the log has this head. */
  readonly has: (head: LogHead) => boolean
}

const DIGEST_BYTES = 32

/** Begins with these lines. */
export function logHeads(first: Iterable<string> = []): LogHeads {
  const signed: SignedHead[] = []
  let digests = Buffer.alloc(DIGEST_BYTES * 1024)
  let lines = 0
  const has = ({ size, digest }: LogHead): boolean =>
    size >= 1 &&
    size <= lines &&
    digests.subarray((size - 1) * DIGEST_BYTES, size * DIGEST_BYTES).toString('hex') === digest
  const add = (line: string): void => {
    const [found] = signedIn(line)
    if (found !== undefined) {
      const { statement } = found
      signed.push({ ...found, line: lines + 1, isInLog: statement !== null && has(statement) })
    }
    if (digests.length === lines * DIGEST_BYTES) digests = Buffer.concat([digests, Buffer.alloc(digests.length)])
    digests.write(sha256(line), lines * DIGEST_BYTES, 'hex')
    lines += 1
  }
  for (const line of first) add(line)
  return { add, signed: () => signed, has }
}

/** The signed head that a line of an intact log is, if it is one. */
function signedIn(line: string): readonly Pick<SignedHead, 'statement' | 'text' | 'cms'>[] {
  // Few lines are signed heads; the others are not parsed.
  if (!isSignedHead(line)) return []
  const { kind, of } = JSON.parse(line) as Chained<AuditEvent>
  if (kind !== 'head-signed') return []
  // Whoever can write the log can continue it with entries of any form.
  const { statement, cms } = textsIn(of)
  return [{ statement: readHeadStatement(statement), text: statement, cms }]
}

function textsIn(of: unknown): { readonly statement: string; readonly cms: string } {
  const { statement, cms } = (of ?? {}) as Readonly<Record<string, unknown>>
  return { statement: typeof statement === 'string' ? statement : '', cms: typeof cms === 'string' ? cms : '' }
}

const isSignedHead = (line: string): boolean => line.includes('"kind":"head-signed"')

/** Counts the entries of a log that are no signed heads, line by line. */
export interface HeadCounter {
  readonly add: (line: string) => void
  /** The number of such entries. */
  readonly others: () => number
  /** The number of those that the last signed head covers. */
  readonly signed: () => number
}

export function headCounter(): HeadCounter {
  let lines = 0
  /** Lines of signed heads, from 1, in their order. */
  const heads: number[] = []
  /** Size that the last signed head states. */
  let covered = 0
  const othersUntil = (size: number): number => Math.min(size, lines) - heads.filter((line) => line <= size).length
  return {
    add: (line) => {
      lines += 1
      if (!isSignedHead(line)) return
      heads.push(lines)
      for (const { statement } of signedIn(line)) covered = statement?.size ?? 0
    },
    others: () => othersUntil(lines),
    signed: () => othersUntil(covered),
  }
}

interface RecordedHead extends RecordedStatement {
  readonly isInLog: boolean
}

/** The heads that a sealer recorded before it signed them, each compared with an intact log. */
export const recordedHeads = (record: string, { has }: Pick<LogHeads, 'has'>): readonly RecordedHead[] =>
  headsIn(record).map((one) => ({ ...one, isInLog: has(one.statement) }))
