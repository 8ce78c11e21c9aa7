import type { TeamRole } from '../../../../schemas/ipc-team.ts'
import type { TeamConfig } from '../../../../schemas/types.ts'
import type { Outcome } from '../../../core/base/failure.ts'
import type { RemoteSigning } from '../../../core/team/sealing-orders.ts'
import type { SessionStore } from '../../../core/team/session-store.ts'
import type { AuditEvent } from '../../audit.ts'
import type { Concurrency, RateLimit, WaitingLine } from '../../limits.ts'
import type { Metrics } from '../../metrics.ts'
import { type Person, roleIn } from '../../person.ts'
import type { Sessions, TeamSessionRecord } from '../../sessions.ts'
import type { TeamSettings } from '../../settings.ts'
import type { AuditCopies } from './audit-copies.ts'
import type { AuditLog } from './audit-file.ts'
import type { Copies } from './copies.ts'
import type { ServedEngagement } from './engagements.ts'
import type { Collecting, EngagementJobs } from './jobs.ts'
import type { Patience } from './patience.ts'
import type { Log } from './repeated.ts'
import type { Senders } from './senders.ts'
import type { SignIn } from './sign-in.ts'
import type { Transfers } from './transfers.ts'

/** A file of the window. */
export interface PageFile {
  readonly type: string
  readonly bytes: Uint8Array
}

/** Everything that is needed to answer requests. */
export interface ServerParts {
  readonly settings: () => TeamSettings
  readonly hasTls: boolean
  readonly sessions: Sessions
  readonly signIn: SignIn
  readonly signIns: RateLimit
  readonly calls: Concurrency
  readonly patience: Patience
  /** Verifications for auditors, by subject. */
  readonly verifications: WaitingLine
  readonly streams: Concurrency
  /** Downloads in progress. Each has a file in the temporary folder. */
  readonly downloads: Concurrency
  /** Requests of collectors that wait for a job; `collectorCalls`: their other requests. */
  readonly collectorAsks: Concurrency
  readonly collectorCalls: Concurrency
  /** All requests of sealers. */
  readonly sealerCalls: Concurrency
  /** Requests with an unknown token, for each address. */
  readonly tokenTries: RateLimit
  readonly collecting: Collecting
  /** Engagements for people; empty where the process serves collectors alone. */
  readonly engagements: ReadonlyMap<string, ServedEngagement>
  /** Jobs for collectors, by engagement. */
  readonly jobs: ReadonlyMap<string, EngagementJobs>
  /** Null where jobs are in files, and sessions in memory. */
  readonly database: {
    readonly isReachable: () => Promise<boolean>
    readonly sessionStore: (policy: string) => SessionStore
  } | null
  /** Null where no object store is configured, and where the process serves collectors alone. */
  readonly copies: Copies | null
  /** Null without an object store, and before the server listens. */
  readonly auditCopies: () => AuditCopies | null
  /** Null where no engagement names integrations, where the process serves collectors alone, and before the server listens. */
  readonly senders: () => Senders | null
  readonly transfers: Transfers
  /** Writes the files of a folder into one ZIP file, in a folder of this name. Fails with store.failed. */
  readonly zipFolder: (files: {
    readonly folder: string
    readonly to: string
    readonly name: string
  }) => Promise<Outcome<null>>
  readonly audit: AuditLog
  readonly sealing: { readonly signing: Pick<RemoteSigning, 'textSigner'> }
  readonly metrics: Metrics
  readonly pages: ReadonlyMap<string, PageFile>
  /** Problems of an input, as sentences; empty means valid. */
  readonly problems: (method: string, input: unknown) => readonly string[]
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: Log
}

/** The role in which a person enters an engagement under a configuration; null where requests are answered as if it did not exist. */
export const roleBy = (
  { engagements }: Pick<TeamConfig, 'engagements'>,
  person: Person,
  { engagement: { name }, portal }: Pick<ServedEngagement, 'engagement' | 'portal'>,
): TeamRole | null => roleIn(person, engagements.find((one) => one.name === name) ?? { enter: {} }, portal.hasAccess)

/** As roleBy(), under the current configuration, which a reload can change. */
export const roleNow = (
  { settings }: Pick<ServerParts, 'settings'>,
  person: Person,
  served: Pick<ServedEngagement, 'engagement' | 'portal'>,
): TeamRole | null => roleBy(settings().config, person, served)

/** An audit event of a session, with default values for the members that `part` omits. */
export function auditEvent(
  parts: Pick<ServerParts, 'now'>,
  session: TeamSessionRecord | null,
  part: Partial<AuditEvent> & Pick<AuditEvent, 'kind'>,
): AuditEvent {
  const person = session?.person
  return {
    at: new Date(parts.now()).toISOString(),
    subject: person?.subject ?? null,
    name: person?.name ?? null,
    role: person?.role ?? null,
    engagement: null,
    method: null,
    of: {},
    outcome: 'allowed',
    reason: '',
    ...part,
  }
}

/** The references of an entry about a session that is ended. */
export const endedOf = ({ publicId, way, person: { subject, name } }: TeamSessionRecord): AuditEvent['of'] => ({
  session: publicId,
  person: subject,
  name,
  way,
})
