import type { TeamRole } from '../../../schemas/ipc-team.ts'
import { type Outcome, ok } from '../../core/failure.ts'
import type { TeamSessionRecord } from '../sessions.ts'
import type { AuditorDesk, Desk } from './auditors.ts'
import type { ServedEngagement } from './engagements.ts'
import { type Exchange, headerOf, type Sent, sendFailure } from './http.ts'
import { auditEvent, roleNow, type ServerParts } from './parts.ts'

/** Someone in an engagement that they may enter. */
export interface Inside {
  readonly id: string
  readonly session: TeamSessionRecord
  readonly served: ServedEngagement
  /** In this engagement. */
  readonly role: TeamRole
}

/** What the person reads from: auditors have an engine of their own, which holds nothing but what is shared with them. */
export const deskOf = async ({ served, role, session }: Inside): Promise<Outcome<Desk | AuditorDesk>> =>
  role === 'auditor' ? await served.auditors.enter(session.person.subject) : ok(served)

/** Whether the person may still read a shared pack when they download something of it; absent for what is of no shared pack. */
export const stillShared = ({ served, role, session }: Inside, share: string | null): (() => boolean) | undefined =>
  role === 'auditor' && share !== null ? () => served.portal.mayRead(session.person.subject, share) : undefined

const HEARTBEAT_MS = 20_000
/** A page that reads no faster is disconnected, and loads everything again. */
const MOST_UNREAD = 1024 * 1024

/** Events until the page leaves, the session ends (at once, where a person ends it) or the engagement may be entered no longer. Receiving events is no activity: an idle page is signed out. */
export async function events(parts: ServerParts, exchange: Exchange, inside: Inside): Promise<Sent> {
  const { response } = exchange
  const { id, session, served, role } = inside
  const leave = parts.streams.enter(session.hash)
  if (leave === null) return sendFailure(exchange, 429, 'access.refused', 'too many pages are open')
  response.once('close', leave)
  await parts.audit.append(auditEvent(parts, session, { kind: 'events', engagement: served.engagement.name, role }))
  const desk = await deskOf(inside)
  if (!desk.ok) return sendFailure(exchange, 429, desk.error.code, desk.error.detail)
  // The page can have left meanwhile: nothing would end its stream then.
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
