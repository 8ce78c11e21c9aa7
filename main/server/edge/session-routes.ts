import { type SessionMethod, sessionRefusal } from '../access.ts'
import { htmlOf } from '../html.ts'
import { SESSION_PATHS } from '../routes.ts'
import { allSessionsPage, ownSessionsPage } from '../session-pages.ts'
import { csrfOf, type TeamSessionRecord } from '../sessions.ts'
import { type Exchange, redirect, type Sent, sendHtml } from './http.ts'
import { auditEvent, endedOf, type ServerParts } from './parts.ts'
import { enteredBy, formIn, leave, sessionOf } from './people-routes.ts'

/** Shows sessions, or ends some, for a person who is signed in. */
export async function sessionStep(parts: ServerParts, exchange: Exchange, method: SessionMethod): Promise<Sent> {
  const found = sessionOf(parts, exchange)
  if (found === null)
    return exchange.request.method === 'GET'
      ? redirect(exchange, '/')
      : message(exchange, 401, 'You are not signed in.')
  const { id, session } = found
  const refusal = sessionRefusal(session.person.role, method)
  if (refusal !== null) {
    await parts.audit.append(auditEvent(parts, session, { kind: 'call', method, outcome: 'refused', reason: refusal }))
    return message(exchange, 403, `This page is ${refusal}.`)
  }
  if (isShown(method)) return await shown(parts, exchange, found, method)
  const form = await formIn(parts, exchange, id)
  if (form === null) return message(exchange, 403, 'The request came from another page.')
  return await end(parts, exchange, { session, method, publicId: form.get('session') ?? '' })
}

type Shown = Extract<SessionMethod, 'sessions.own' | 'sessions.list'>
const isShown = (method: SessionMethod): method is Shown => method === 'sessions.own' || method === 'sessions.list'

async function shown(
  parts: ServerParts,
  exchange: Exchange,
  { id, session }: { readonly id: string; readonly session: TeamSessionRecord },
  method: Shown,
): Promise<Sent> {
  await parts.audit.append(auditEvent(parts, session, { kind: 'call', method }))
  const input = { current: session, csrf: csrfOf(id), sessions: parts.sessions.list(parts.now()) }
  const enters = ({ person }: TeamSessionRecord) => enteredBy(parts, person)
  const page =
    method === 'sessions.list'
      ? allSessionsPage({ ...input, enters })
      : ownSessionsPage({ ...input, sessions: input.sessions.filter((one) => isOf(one, session)) })
  return sendHtml(exchange, 200, htmlOf(page))
}

const isOf = ({ person }: TeamSessionRecord, { person: { subject } }: TeamSessionRecord): boolean =>
  person.subject === subject

interface Ending {
  /** Of the person who ends sessions. */
  readonly session: TeamSessionRecord
  readonly method: Exclude<SessionMethod, Shown>
  /** The one that the form names. */
  readonly publicId: string
}

/** Ends sessions after each has its entry in the audit log. */
async function end(parts: ServerParts, exchange: Exchange, ending: Ending): Promise<Sent> {
  const { session, method } = ending
  const chosen = chosenBy(parts, ending)
  if (chosen.length === 0) return message(exchange, 404, 'This session does not exist, or has ended.')
  for (const one of chosen)
    await parts.audit.append(auditEvent(parts, session, { kind: 'session-ended', method, of: endedOf(one) }))
  const ended = await parts.sessions.end(chosen)
  if (!ended.ok)
    return message(
      exchange,
      503,
      'Ended on this server, but the database could not be reached: end it again, or it could have access after a restart.',
    )
  if (session.ended.aborted) return leave(exchange, parts)
  return redirect(exchange, SESSION_PATHS[method === 'sessions.end-own' ? 'sessions.own' : 'sessions.list'])
}

/** The sessions that a step concerns: of others for administrators alone. One that is named can have ended meanwhile. */
function chosenBy(parts: ServerParts, { session, method, publicId }: Ending): readonly TeamSessionRecord[] {
  const all = parts.sessions.list(parts.now())
  const named = all.filter((one) => one.publicId === publicId)
  switch (method) {
    case 'sessions.end':
      return named
    case 'sessions.end-person':
      return all.filter((one) => named.some((other) => isOf(one, other)))
    case 'sessions.end-own':
      return named.filter((one) => isOf(one, session))
    case 'sessions.end-all-own':
      return all.filter((one) => isOf(one, session))
  }
}

const message = (exchange: Exchange, status: number, line: string): Sent =>
  sendHtml(exchange, status, htmlOf({ title: 'Sessions', lines: [line], links: [['/', 'Start']] }))
