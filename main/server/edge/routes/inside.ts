import type { TeamRole } from '../../../../schemas/ipc-team.ts'
import { type Outcome, ok } from '../../../core/base/failure.ts'
import type { TeamSessionRecord } from '../../sessions.ts'
import type { AuditorDesk, Desk } from '../services/auditors.ts'
import type { ServedEngagement } from '../services/engagements.ts'
import { type Exchange, headerOf, type Sent, sendFailure } from '../services/http.ts'
import { auditEvent, roleNow, type ServerParts } from '../services/parts.ts'

/** A person in an engagement that they may enter. */
export interface Inside {
  readonly id: string
  readonly session: TeamSessionRecord
  readonly served: ServedEngagement
  /** Role in this engagement. */
  readonly role: TeamRole
}

/** The desk that a person reads from. Each auditor has a separate one, with shared packs only. */
export const deskOf = async ({ served, role, session }: Inside): Promise<Outcome<Desk | AuditorDesk>> =>
  role === 'auditor' ? await served.auditors.enter(session.person.subject) : ok(served)

/** Whether the person may still read a shared pack at the time of a download; undefined for files of no shared pack. */
export const stillShared = ({ served, role, session }: Inside, share: string | null): (() => boolean) | undefined =>
  role === 'auditor' && share !== null ? () => served.portal.mayRead(session.person.subject, share) : undefined

const HEARTBEAT_MS = 20_000
/** Unread bytes at which a slow page is disconnected; it then loads everything again. */
const MOST_UNREAD = 1024 * 1024

/**
 * Sends events until the page closes, the session ends (at once, where a person ends it) or the person may no longer enter the engagement.
 * Receiving events does not count as activity: an idle page is signed out.
 */
export async function events(parts: ServerParts, exchange: Exchange, inside: Inside): Promise<Sent> {
  const { response } = exchange
  const { id, session, served, role } = inside
  const leave = parts.streams.enter(session.hash)
  if (leave === null) return sendFailure(exchange, 429, 'access.refused', 'too many pages are open')
  response.once('close', leave)
  await parts.audit.append(auditEvent(parts, session, { kind: 'events', engagement: served.engagement.name, role }))
  const desk = await deskOf(inside)
  if (!desk.ok) return sendFailure(exchange, 429, desk.error.code, desk.error.detail)
  // Where the page was closed meanwhile, no event would end its stream.
  if (response.destroyed) return { status: 400 }
  const { events: buffer, streams } = desk.value
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' })
  // Checked with each event, so that nothing is sent after a sign-out.
  const isInside = (): boolean =>
    parts.sessions.find(id, parts.now(), false) !== null && roleNow(parts, session.person, served) === role
  const write = (text: string): void => {
    if (!isInside() || response.writableLength > MOST_UNREAD) response.end()
    else response.write(text)
  }
  write(`retry: 2000\n\n${buffer.since(headerOf(exchange, 'last-event-id'))}`)
  streams.add(write)
  const end = (): void => void response.end()
  session.ended.addEventListener('abort', end)
  const beat = setInterval(() => write(': \n\n'), HEARTBEAT_MS)
  response.on('close', () => {
    clearInterval(beat)
    session.ended.removeEventListener('abort', end)
    streams.delete(write)
  })
  return { status: 200 }
}
