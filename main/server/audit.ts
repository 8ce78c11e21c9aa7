import type { Method } from '../../schemas/ipc.ts'
import type { TeamRole } from '../../schemas/ipc-team.ts'
import { parseBounded } from '../core/bounded-json.ts'
import { canonicalJson } from '../core/canonical-json.ts'
import { type Sha256, sha256 } from '../core/digest.ts'
import { plain } from '../core/plain-text.ts'

/** What a person did, or tried. Neither content of evidence nor secrets. */
export interface AuditEvent {
  readonly at: string
  readonly kind:
    | 'start'
    | 'sign-in'
    | 'sign-in-refused'
    | 'sign-out'
    | 'enter'
    | 'call'
    | 'upload'
    | 'download'
    | 'stop'
    | 'collector-refused'
    | 'lease'
    | 'delivery'
    | 'job-refused'
    | 'sealer-refused'
    | 'signature'
    | 'signature-refused'
  /** Subject of the ID token, or name of a collector or sealer; null before sign-in. */
  readonly subject: string | null
  readonly name: string | null
  readonly role: TeamRole | 'collector' | 'sealer' | null
  readonly engagement: string | null
  readonly method: Method | null
  /** What was asked for, by reference: node, run, finding, control and the like. */
  readonly of: Readonly<Record<string, string>>
  readonly outcome: 'allowed' | 'refused'
  /** Of a refusal; empty otherwise. */
  readonly reason: string
}

/** An event with its place in the log and the digest of the line before it. */
export interface AuditEntry extends AuditEvent {
  readonly index: number
  readonly previous: Sha256
}

/** The position that the next entry continues. */
export interface AuditHead {
  readonly size: number
  readonly digest: Sha256
}

export const EMPTY_LOG: AuditHead = { size: 0, digest: sha256('barewitness.audit/1') }

/** The line of an event after a head, with its end, and the head after it. */
export function auditLine(head: AuditHead, event: AuditEvent): { readonly line: string; readonly head: AuditHead } {
  const text = canonicalJson({ ...event, index: head.size, previous: head.digest } satisfies AuditEntry)
  return { line: `${text}\n`, head: { size: head.size + 1, digest: sha256(text) } }
}

export type AuditCheck =
  | { readonly intact: true; readonly head: AuditHead }
  /** The first line, from 1, that does not continue the one before it. */
  | { readonly intact: false; readonly line: number }

/** Checks every line of a log against the one before it. Lines cut from the end are not noticed without a head that was kept elsewhere. */
export function checkAudit(text: string): AuditCheck {
  let head = EMPTY_LOG
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  if (text !== '' && !text.endsWith('\n')) return { intact: false, line: lines.length }
  for (const line of lines) {
    if (!continues(head, line)) return { intact: false, line: head.size + 1 }
    head = { size: head.size + 1, digest: sha256(line) }
  }
  return { intact: true, head }
}

function continues(head: AuditHead, line: string): boolean {
  try {
    const value = parseBounded(line)
    if (typeof value !== 'object' || value === null || canonicalJson(value) !== line) return false
    const { index, previous } = value as Partial<AuditEntry>
    return index === head.size && previous === head.digest
  } catch {
    return false
  }
}

/** Members of inputs that refer to something. Statements, reasons, pasted texts and file contents are not among them. */
const REFERENCES = [
  'of',
  'node',
  'run',
  'capture',
  'stream',
  'check',
  'reference',
  'claim',
  'framework',
  'control',
  'id',
  'need',
  'before',
  'after',
  'only',
  'section',
] as const
const LONGEST = 200

/** What an input refers to. */
export function referencesIn(input: unknown): Readonly<Record<string, string>> {
  if (typeof input !== 'object' || input === null) return {}
  return Object.fromEntries(
    REFERENCES.flatMap((name) => {
      const value = Object.hasOwn(input, name) ? (input as Record<string, unknown>)[name] : undefined
      return typeof value === 'string' ? [[name, plain(value, LONGEST)]] : []
    }),
  )
}
