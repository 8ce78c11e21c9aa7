import { randomBytes } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer, Server as SecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TeamConfig, TeamMonitoring } from '../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { AUDIT_LOGS, placeOf } from '../audit-parts.ts'
import { concurrency, rateLimit, waitingLine } from '../limits.ts'
import { createMetrics } from '../metrics.ts'
import {
  createSessions,
  loadSessions,
  policyOf,
  type Sessions,
  type SessionTimes,
  type TeamSessionRecord,
} from '../sessions.ts'
import { enteredByOthers, reloadedConfig, settingsOf } from '../settings.ts'
import { answer } from './routes/answer.ts'
import { monitor } from './routes/monitoring.ts'
import { type AuditCopies, startAuditCopies } from './services/audit-copies.ts'
import { type AuditLog, openAuditLog } from './services/audit-file.ts'
import { renewedOf, secureOptions, type TlsFiles } from './services/certificate.ts'
import { type Copies, type Copying, startCopies } from './services/copies.ts'
import { type OpenEngine, type Opening, openEngagements, type ServedEngagement } from './services/engagements.ts'
import { auditEvent, endedOf, roleBy, roleNow, type ServerParts } from './services/parts.ts'
import { patience } from './services/patience.ts'
import { type Senders, type Sending, startSenders } from './services/senders.ts'
import { createSignIn } from './services/sign-in.ts'
import { type Starters, type Starting, startStarters } from './services/starters.ts'
import { createTransfers } from './services/transfers.ts'

export interface ServeOptions
  extends Pick<ServerParts, 'pages' | 'problems' | 'log' | 'now' | 'collecting' | 'database' | 'zipFolder'> {
  /** Valid, with absolute paths. */
  readonly config: TeamConfig
  /** Null on loopback. */
  readonly tls: TlsFiles | null
  readonly clientSecret: string | null
  readonly openEngine: OpenEngine
  readonly sealing: Opening['sealing']
  /** Null without an object store. */
  readonly copying: Copying | null
  readonly sending: Sending
  readonly starting: Starting
  /** Creates the folder for files on their way between browsers and engines, which no other process uses. */
  readonly newFolder: () => Promise<string>
}

export interface RunningServer {
  readonly origin: string
  /** Where monitoring is served, or null. */
  readonly monitoring: string | null
  /**
   * Applies the changes that reloadedConfig() permits and a renewed certificate, and ends sessions of people who lose access. Fails as
   * reloadedConfig() and renewedOf() do, and with store.failed where the audit log cannot be written; nothing is changed then.
   */
  readonly reload: (wanted: TeamConfig, tls?: TlsFiles | null) => Promise<Outcome<null>>
  readonly close: () => Promise<void>
}

/** Time limit for the TLS handshake, and for the headers of a request. */
const HEADERS_MS = 10_000
/** Interval at which connections are checked against time limits. */
const LOOK_MS = 2000
const LARGEST_HEADERS = 16 * 1024
const MOST_CONNECTIONS = 2000
const STREAMS_PER_SESSION = 8
const MOST_STREAMS = 1000
const DOWNLOADS_PER_SESSION = 8
const MOST_DOWNLOADS = 500
/** More than the concurrent requests of one collector, because broken connections can leave some behind. */
const ASKS_PER_COLLECTOR = 128
const MOST_ASKS = 1000
/** Each call may have one file in memory. */
const CALLS_PER_COLLECTOR = 16
const MOST_COLLECTOR_CALLS = 48
const CALLS_PER_SEALER = 8
const MOST_SEALER_CALLS = 500
const MINUTE_MS = 60_000

/** Starts a team server. Fails as its parts do; nothing keeps running then. */
export async function serve(options: ServeOptions): Promise<Outcome<RunningServer>> {
  const { config, tls, clientSecret } = options
  let presented = tls
  const audit = await openAuditLog(config.auditLog)
  if (!audit.ok) return audit
  let settings = settingsOf(config, config.listen.port)
  const random = (count: number): Uint8Array => randomBytes(count)
  const sessions = await openSessions(options, settings, random)
  if (!sessions.ok) {
    await audit.value.close()
    return sessions
  }
  const opened = await openEngagements(config, {
    open: options.openEngine,
    collecting: options.collecting,
    sealing: options.sealing,
    started: randomBytes(8).toString('hex'),
    now: options.now,
  })
  if (!opened.ok) {
    await audit.value.close()
    return opened
  }
  const { engagements, jobs } = opened.value
  const copies = await copiesOf(options, [...engagements.values()])
  if (!copies.ok) {
    await opened.value.close()
    await audit.value.close()
    return copies
  }
  const transfers = createTransfers(await options.newFolder(), settings.uploadBytes, {
    now: options.now,
    everyMs: MINUTE_MS,
  })
  let auditCopies: AuditCopies | null = null
  let senders: Senders | null = null
  let starters: Starters | null = null
  const parts: ServerParts = {
    ...options,
    settings: () => settings,
    hasTls: tls !== null,
    sessions: sessions.value,
    signIn: createSignIn({
      oidc: config.oidc,
      secret: clientSecret,
      redirectUri: () => `${settings.origin}/auth/callback`,
      random,
      failed: (code) => options.log({ at: new Date(options.now()).toISOString(), kind: 'identity-provider', code }),
    }),
    signIns: rateLimit(settings.signInsPerMinute, MINUTE_MS),
    calls: concurrency(settings.callsPerSession, settings.calls),
    patience: patience(settings.callMs, options.now),
    verifications: waitingLine(settings.verifications, settings.verificationsWaiting),
    streams: concurrency(STREAMS_PER_SESSION, MOST_STREAMS),
    downloads: concurrency(DOWNLOADS_PER_SESSION, MOST_DOWNLOADS),
    collectorAsks: concurrency(ASKS_PER_COLLECTOR, MOST_ASKS),
    collectorCalls: concurrency(CALLS_PER_COLLECTOR, MOST_COLLECTOR_CALLS),
    sealerCalls: concurrency(CALLS_PER_SEALER, MOST_SEALER_CALLS),
    tokenTries: rateLimit(settings.signInsPerMinute, MINUTE_MS),
    engagements,
    jobs,
    copies: copies.value,
    auditCopies: () => auditCopies,
    senders: () => senders,
    transfers,
    audit: audit.value,
    metrics: createMetrics(),
  }
  const reload = async (wanted: TeamConfig, read: TlsFiles | null = presented): Promise<Outcome<null>> => {
    const { config: running } = settings
    const next = reloadedConfig(running, wanted)
    if (!next.ok) return next
    const renewed = renewedOf(presented, read)
    if (!renewed.ok) return renewed
    const { collectors = [], sealers = [] } = next.value
    const entered = namesOf(enteredByOthers(running, next.value))
    const of = {
      ...{ collectors: namesOf(collectors), sealers: namesOf(sealers), ...(entered === '' ? {} : { entered }) },
      ...(renewed.value === null ? {} : { certificate: renewed.value.fingerprint }),
    }
    const losing = losingAccess(parts, next.value)
    try {
      await audit.value.append(auditEvent(parts, null, { kind: 'reload', of }))
      for (const one of losing)
        await audit.value.append(auditEvent(parts, null, { kind: 'session-ended', of: endedOf(one) }))
    } catch {
      return fail('store.failed', 'the audit log cannot be written')
    }
    settings = { ...settings, config: next.value }
    if (renewed.value !== null && server instanceof SecureServer) {
      renewed.value.present(server)
      presented = read
    }
    // A session that the database keeps despite a failure gives no more access than the new configuration.
    await sessions.value.end(losing)
    for (const [engagement, one] of jobs)
      one.serveZones(new Set(collectors.flatMap((each) => (each.engagement === engagement ? [each.zone] : []))))
    return ok(null)
  }
  const servers: Server[] = []
  const close = async (): Promise<void> => {
    for (const server of servers) {
      server.close()
      server.closeAllConnections()
    }
    const sendersEnded = senders?.close()
    await starters?.close()
    await opened.value.close()
    await copies.value?.close()
    await auditCopies?.close()
    await sendersEnded
    await audit.value.append(auditEvent(parts, null, { kind: 'stop' })).catch(() => undefined)
    await audit.value.close()
    await transfers.close()
  }
  const limits = {
    maxHeaderSize: LARGEST_HEADERS,
    headersTimeout: HEADERS_MS,
    requestTimeout: settings.requestMs,
    connectionsCheckingInterval: LOOK_MS,
  }
  const listener: RequestListener = (request, response) => void answer(parts, request, response)
  const watched = async (where: TeamMonitoring | undefined): Promise<string | null> => {
    if (where === undefined) return null
    const watching = createServer(limits, monitor(parts))
    servers.push(watching)
    const port = await listen(watching, where)
    return `http://${where.address.includes(':') ? `[${where.address}]` : where.address}:${port}`
  }
  const secure = tls === null ? ok(null) : secureOptions(tls)
  if (!secure.ok) {
    await close()
    return secure
  }
  const server: Server =
    secure.value === null
      ? createServer(limits, listener)
      : createSecureServer({ ...limits, ...secure.value, handshakeTimeout: HEADERS_MS }, listener)
  server.maxConnections = MOST_CONNECTIONS
  try {
    // The entry for the start precedes the first request; the origin depends on the listening port.
    await audit.value.append(auditEvent(parts, null, { kind: 'start' }))
    servers.push(server)
    settings = settingsOf(config, await listen(server, config.listen))
    auditCopies = auditCopiesOf(options, settings.origin, audit.value)
    senders = sendersOf(options, [...engagements.values()], audit.value)
    starters = startersOf(options, [...engagements.values()], audit.value)
    const monitoring = await watched(config.monitoring)
    return ok({ origin: settings.origin, monitoring, reload, close })
  } catch {
    await close()
    return fail('input.refused', 'the configured address or port cannot be listened on, or the audit log not written')
  }
}

/** Sessions of people who would no longer enter an engagement in the role that they have there. */
const losingAccess = (parts: ServerParts, next: TeamConfig): readonly TeamSessionRecord[] =>
  parts.sessions.list(parts.now()).filter(({ person }) =>
    [...parts.engagements.values()].some((served) => {
      const role = roleNow(parts, person, served)
      return role !== null && role !== roleBy(next, person, served)
    }),
  )

const namesOf = (programs: readonly { readonly name: string }[]): string => programs.map(({ name }) => name).join(', ')

/** Copies to the object store, after each run and periodically; null where none is configured. */
async function copiesOf(
  { copying, log }: ServeOptions,
  served: readonly ServedEngagement[],
): Promise<Outcome<Copies | null>> {
  if (copying === null || served.length === 0) return ok(null)
  const copies = await startCopies(
    served.map(({ engagement }) => engagement),
    copying,
    log,
  )
  if (!copies.ok) return copies
  for (const { engagement, engine } of served)
    engine.onEvent(({ kind }) => {
      if (kind === 'run-done') copies.value.soon(engagement.name)
    })
  return copies
}

/** Copies of the audit log under the origin of this process; null without an object store. */
function auditCopiesOf(
  { copying, config, log, now }: ServeOptions,
  origin: string,
  audit: AuditLog,
): AuditCopies | null {
  if (copying === null) return null
  const { openStore, years, auditEveryMs: everyMs } = copying
  return startAuditCopies(
    {
      openStore: () => openStore(AUDIT_LOGS),
      place: placeOf(origin),
      file: config.auditLog,
      head: audit.head,
      years,
      everyMs,
      now: () => new Date(now()).toISOString(),
    },
    log,
  )
}

/** Sends packs of engagements; null where none names integrations. Each pack is written to the audit log before anything of it is delivered. */
const sendersOf = (
  { sending, log, now }: ServeOptions,
  served: readonly ServedEngagement[],
  audit: AuditLog,
): Senders | null =>
  startSenders(
    served.map(({ engagement }) => engagement),
    sending,
    {
      log,
      planned: (engagement, { run, name, sha256 }) =>
        audit.append(
          auditEvent({ now }, null, { kind: 'pack-planned', engagement, of: { run, pack: name, digest: sha256 } }),
        ),
    },
  )

/** Starts scheduled runs and has missed ones recorded. Each is written to the audit log before a node or a sealer is contacted. */
const startersOf = (
  { starting, log, now }: ServeOptions,
  served: readonly ServedEngagement[],
  audit: AuditLog,
): Starters =>
  startStarters(served, starting, {
    log,
    noted: {
      started: (engagement, { schedule, due, run, isContinued }) =>
        audit.append(
          auditEvent({ now }, null, {
            ...{ kind: isContinued ? 'run-continued' : 'run-started', engagement },
            of: { schedule, due, run },
          }),
        ),
      missed: (engagement, { schedule, due }) =>
        audit.append(auditEvent({ now }, null, { kind: 'missed-run', engagement, of: { schedule, due } })),
    },
  })

/** Sessions of people, including those in the database; a process that serves collectors alone loads none. */
async function openSessions(
  { config, database, now }: ServeOptions,
  times: SessionTimes,
  random: (count: number) => Uint8Array,
): Promise<Outcome<Sessions>> {
  if (database === null || config.serves === 'collectors') return ok(createSessions(times, random))
  const store = database.sessionStore(policyOf(config))
  const stored = await loadSessions(store, times, now())
  return stored.ok ? ok(createSessions(times, random, store, stored.value)) : stored
}

const listen = (server: Server, where: { readonly address: string; readonly port: number }): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where.port, where.address, () => resolve((server.address() as AddressInfo).port))
  })
