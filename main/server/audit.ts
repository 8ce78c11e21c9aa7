import type { Method } from '../../schemas/ipc.ts'
import type { TeamRole } from '../../schemas/ipc-team.ts'
import { plain } from '../core/base/plain-text.ts'
import type { SessionMethod } from './access.ts'
import { checkChained, emptyLog, type LogCheck, type LogHead } from './chained-log.ts'

/** An action or refused attempt of a person or a program. Contains no content of evidence and no secrets. */
export interface AuditEvent {
  readonly at: string
  readonly kind:
    | 'start'
    | 'sign-in'
    | 'sign-in-refused'
    | 'sign-out'
    /** A session was ended otherwise than by its own sign-out: `of` has its public id and its person. */
    | 'session-ended'
    | 'enter'
    /** A page began to receive events; the events themselves are not recorded. */
    | 'events'
    | 'invitation-accepted'
    | 'invitation-refused'
    | 'call'
    /** The end of a call that was not answered in time: `of` has its result. */
    | 'call-ended'
    | 'upload'
    | 'download'
    | 'stop'
    /** Collectors and sealers were read again from the configuration: `of` has their names, and the SHA-256 of a renewed certificate. */
    | 'reload'
    | 'collector-refused'
    | 'lease'
    | 'delivery'
    | 'job-refused'
    | 'sealer-refused'
    | 'signature'
    | 'signature-refused'
    /** A sealer signed the head of this log: `of` has the statement and its signature. */
    | 'head-signed'
    /** A pack is in the outbox and is sent to other systems: `of` has its run, name, digest and targets. */
    | 'pack-planned'
    /** The server starts, or continues after a restart, the run that a schedule requires: `of` has the schedule, its due time and the run. */
    | 'run-started'
    | 'run-continued'
    /** The server asks a sealer to sign a missed run: `of` has the schedule and the due time. */
    | 'missed-run'
  /** Subject of the ID token, or name of a collector or sealer; null before sign-in. */
  readonly subject: string | null
  readonly name: string | null
  readonly role: TeamRole | 'collector' | 'sealer' | null
  readonly engagement: string | null
  readonly method: Method | SessionMethod | null
  /** References to the object of the request, such as node, run, finding or control. */
  readonly of: Readonly<Record<string, string>>
  readonly outcome: 'allowed' | 'refused'
  /** The reason of a refusal; empty for other events. */
  readonly reason: string
}

export const EMPTY_LOG: LogHead = emptyLog('barewitness.audit/1')

/** Checks every line of an audit log against the previous one. */
export const checkAudit = (text: string): LogCheck => checkChained(text, EMPTY_LOG)

/** Members of inputs that are references. Statements, reasons, pasted texts and file contents are excluded. */
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
  'schedule',
  'due',
  'from',
  'to',
] as const
const LONGEST = 200

/** The references in an input of a method. */
export function referencesIn(input: unknown): Readonly<Record<string, string>> {
  if (typeof input !== 'object' || input === null) return {}
  return Object.fromEntries(
    REFERENCES.flatMap((name) => {
      const value = Object.hasOwn(input, name) ? (input as Record<string, unknown>)[name] : undefined
      return typeof value === 'string' ? [[name, plain(value, LONGEST)]] : []
    }),
  )
}
