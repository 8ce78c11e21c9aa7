import { parseBounded } from '../base/bounded-json.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { isSha256, type Sha256 } from '../base/digest.ts'

/** The number of entries in the audit log of a team server, and the digest of the last entry. */
export interface AuditHead {
  readonly size: number
  readonly digest: Sha256
}

/** What a sealer signs: that the log of this server had this head at a given time, by the sealer’s clock. */
export interface AuditHeadStatement extends AuditHead {
  readonly schema: 'barewitness.audit-head/1'
  /** Scheme, host and port. */
  readonly server: string
  /** ISO 8601, UTC. */
  readonly at: string
}

/**
 * The text to be signed. The sealer composes it itself, so that a server cannot obtain a signature over anything
 * else.
 */
export const headStatement = (server: string, { size, digest }: AuditHead, at: string): string =>
  canonicalJson({ schema: 'barewitness.audit-head/1', server, size, digest, at } satisfies AuditHeadStatement)

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/

/** Parses such a text; null for any other. */
export function readHeadStatement(text: string): AuditHeadStatement | null {
  try {
    const { server, size, digest, at } = parseBounded(text) as Partial<Record<keyof AuditHeadStatement, unknown>>
    if (typeof server !== 'string' || typeof at !== 'string' || !TIME.test(at)) return null
    if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 1) return null
    if (typeof digest !== 'string' || !isSha256(digest)) return null
    return text === headStatement(server, { size, digest }, at)
      ? { schema: 'barewitness.audit-head/1', server, size, digest, at }
      : null
  } catch {
    return null
  }
}

export interface RecordedStatement {
  /** Line in the record, from 1. */
  readonly line: number
  readonly statement: AuditHeadStatement
}

/**
 * The statements in the record of a sealer, which also contains digests of exports. Other lines, and truncated ones,
 * are skipped.
 */
export const headsIn = (record: string): readonly RecordedStatement[] =>
  record.split('\n').flatMap((line, at) => {
    const statement = statementIn(line)
    return statement === null ? [] : [{ line: at + 1, statement }]
  })

function statementIn(line: string): AuditHeadStatement | null {
  try {
    const { auditHead } = JSON.parse(line) as { readonly auditHead?: unknown }
    return typeof auditHead === 'string' ? readHeadStatement(auditHead) : null
  } catch {
    return null
  }
}
