import { TEAM_HEADERS, type TeamRole } from '../../../../schemas/ipc-team.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { plain } from '../../../core/base/plain-text.ts'
import { type SessionMethod, sessionRefusal } from '../../access.ts'
import { cookieIn, cookieName, cookieOf, isForeign, signInCookieName } from '../../headers.ts'
import { networkOf } from '../../limits.ts'
import { type Person, personOf } from '../../person.ts'
import { SESSION_PATHS } from '../../routes.ts'
import { allSessionsPage, ownSessionsPage, sessionLinks } from '../../session-pages.ts'
import { csrfOf, type TeamSessionRecord } from '../../sessions.ts'
import { type Exchange, headerOf, readAll, redirect, type Sent, sendFailure, sendPage } from '../services/http.ts'
import { auditEvent, endedOf, roleNow, type ServerParts } from '../services/parts.ts'
import { senderText } from '../services/senders.ts'
import { SIGN_IN_SECONDS, type SignedIn } from '../services/sign-in.ts'
import { acceptInvitation } from './invitation-routes.ts'

/** The session of a request with its id, or null. */
export function sessionOf(
  parts: ServerParts,
  exchange: Exchange,
  use = true,
): { readonly id: string; readonly session: TeamSessionRecord } | null {
  const id = cookieIn(exchange.request.headers.cookie, cookieName(parts.hasTls))
  const session = parts.sessions.find(id, parts.now(), use)
  return id === undefined || session === null ? null : { id, session }
}

/** The engagements that a person may enter now, with the role there. */
const enteredBy = (
  parts: Pick<ServerParts, 'engagements' | 'settings'>,
  person: Person,
): readonly { readonly name: string; readonly role: TeamRole }[] =>
  [...parts.engagements.values()].flatMap((served) => {
    const role = roleNow(parts, person, served)
    return role === null ? [] : [{ name: served.engagement.name, role }]
  })

/** The first page: sign-in, or the engagements that the person may enter. */
export function startPage(parts: ServerParts, exchange: Exchange): Sent {
  const found = sessionOf(parts, exchange)
  if (found === null)
    return sendPage(exchange, 200, {
      title: 'Barewitness',
      lines: ['You are not signed in.'],
      links: [['/auth/sign-in', 'Sign in']],
    })
  const { person } = found.session
  const entered = enteredBy(parts, person)
  const none =
    person.role === 'administrator'
      ? 'Administrators manage people and roles at the identity provider and in the configuration. They enter no engagement.'
      : 'You may enter no engagement.'
  return sendPage(exchange, 200, {
    title: 'Engagements',
    lines: [
      `Signed in as ${person.name}${person.role === null ? '' : `, ${person.role}`}.`,
      ...(entered.length === 0 ? [none] : []),
      ...(person.role === 'administrator' ? (parts.senders()?.states() ?? []).map(senderText) : []),
    ],
    links: [
      ...entered.map(({ name, role }) => [`/e/${name}/`, role === person.role ? name : `${name} (${role})`] as const),
      ...sessionLinks(person.role),
    ],
    signOut: { csrf: csrfOf(found.id) },
  })
}

const again = (exchange: Exchange, status: number, reason: string): Sent =>
  sendPage(exchange, status, {
    title: 'Not signed in',
    lines: [`Sign-in did not succeed: ${reason}.`],
    links: [['/auth/sign-in', 'Sign in']],
  })

/** Whether an address has reached the limit of sign-ins. The two steps of a sign-in are counted separately. */
const isTooOften = (parts: ServerParts, { request }: Exchange, step: 'begin' | 'finish'): boolean =>
  !parts.signIns.take(`${step} ${networkOf(request.socket.remoteAddress ?? '')}`, parts.now())

/** Redirects the browser to the identity provider. With `invitation`, the sign-in accepts it. */
export async function beginSignIn(parts: ServerParts, exchange: Exchange, invitation: string | null): Promise<Sent> {
  if (isTooOften(parts, exchange, 'begin')) return again(exchange, 429, 'too many attempts; wait a minute')
  const begun = await parts.signIn.begin(parts.now(), invitation)
  if (!begun.ok) return again(exchange, 503, begun.error.detail)
  const { hasTls } = parts
  return redirect(exchange, begun.value.url, {
    'Set-Cookie': cookieOf(signInCookieName(hasTls), begun.value.cookie, {
      hasTls,
      sameSite: 'Lax',
      seconds: SIGN_IN_SECONDS,
    }),
  })
}

/**
 * Completes a sign-in with a new session. A page of ours then loads the start page, because browsers send the cookie only with requests of this
 * site and not of the identity provider.
 */
export async function finishSignIn(parts: ServerParts, exchange: Exchange, query: string): Promise<Sent> {
  if (isTooOften(parts, exchange, 'finish')) return again(exchange, 429, 'too many attempts; wait a minute')
  const { hasTls } = parts
  const cookie = cookieIn(exchange.request.headers.cookie, signInCookieName(hasTls))
  const signed = await parts.signIn.finish(query, cookie, parts.now())
  const person = signed.ok ? await admitted(parts, signed.value) : signed
  if (!person.ok) {
    parts.metrics.count('barewitness_sign_ins_total', { outcome: 'refused' })
    const { sub } = signed.ok ? signed.value.claims : {}
    const subject = typeof sub === 'string' ? plain(sub, 255) : null
    await parts.audit.append(
      auditEvent(parts, null, { kind: 'sign-in-refused', subject, outcome: 'refused', reason: person.error.detail }),
    )
    return again(exchange, 403, person.error.detail)
  }
  const before = sessionOf(parts, exchange)
  const ended = before === null ? ok(null) : await parts.sessions.end([before.session])
  const way = signed.ok && signed.value.invitation !== null ? 'invitation' : 'provider'
  const started = ended.ok ? await parts.sessions.start(person.value, way, parts.now()) : ended
  if (!started.ok) return again(exchange, 503, started.error.detail)
  const id = started.value
  await parts.audit.append(auditEvent(parts, parts.sessions.find(id, parts.now(), false), { kind: 'sign-in' }))
  parts.metrics.count('barewitness_sign_ins_total', { outcome: 'allowed' })
  return sendPage(
    exchange,
    200,
    { title: 'Signed in', lines: [`Signed in as ${person.value.name}.`], links: [['/', 'Continue']] },
    {
      Refresh: '0; url=/',
      'Set-Cookie': [
        cookieOf(cookieName(hasTls), id, { hasTls, sameSite: 'Strict' }),
        cookieOf(signInCookieName(hasTls), '', { hasTls, sameSite: 'Lax', seconds: 0 }),
      ],
    },
  )
}

/** The person of a sign-in. Fails with a reason for people where they have neither a role nor an invitation. */
async function admitted(parts: ServerParts, { claims, invitation }: SignedIn): Promise<Outcome<Person>> {
  const person = personOf(claims, parts.settings().config)
  if (!person.ok) return person
  if (invitation !== null) {
    const accepted = await acceptInvitation(parts, person.value, invitation)
    if (!accepted.ok) return accepted
  }
  const isInvited = [...parts.engagements.values()].some(({ portal }) => portal.hasAccess(person.value.subject))
  return person.value.role === null && !isInvited ? fail('input.refused', 'this account has no role here') : person
}

const LARGEST_FORM = 1024

/** The form of a page with the token of the session; null where the token is missing or the request is of another site. */
async function formIn(parts: ServerParts, exchange: Exchange, id: string): Promise<URLSearchParams | null> {
  const body = await readAll(exchange, LARGEST_FORM)
  const form = new URLSearchParams(body === null ? '' : Buffer.from(body).toString('latin1'))
  const token = headerOf(exchange, TEAM_HEADERS.csrf) ?? form.get('csrf')
  return isFromElsewhere(parts, exchange) || token !== csrfOf(id) ? null : form
}

/** Redirects to the start page and removes the cookie of the session. */
const leave = (exchange: Exchange, { hasTls }: Pick<ServerParts, 'hasTls'>): Sent =>
  redirect(exchange, '/', {
    'Set-Cookie': cookieOf(cookieName(hasTls), '', { hasTls, sameSite: 'Strict', seconds: 0 }),
  })

/** Ends a session, for a form or page with its token. */
export async function signOut(parts: ServerParts, exchange: Exchange): Promise<Sent> {
  const found = sessionOf(parts, exchange)
  if (found === null) return redirect(exchange, '/')
  if ((await formIn(parts, exchange, found.id)) === null)
    return again(exchange, 403, 'the request came from another page')
  await parts.audit.append(auditEvent(parts, found.session, { kind: 'sign-out' }))
  const ended = await parts.sessions.end([found.session])
  if (!ended.ok) return sendFailure(exchange, 503, ended.error.code, ended.error.detail)
  return leave(exchange, parts)
}

/** Whether a request may have been sent for another site. */
export const isFromElsewhere = (parts: ServerParts, exchange: Exchange): boolean =>
  isForeign(
    { origin: headerOf(exchange, 'origin'), fetchSite: headerOf(exchange, 'sec-fetch-site') },
    parts.settings().origin,
  )

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
  return sendPage(exchange, 200, page)
}

const isOf = ({ person }: TeamSessionRecord, { person: { subject } }: TeamSessionRecord): boolean =>
  person.subject === subject

interface Ending {
  /** Session of the person who ends sessions. */
  readonly session: TeamSessionRecord
  readonly method: Exclude<SessionMethod, Shown>
  /** Public id of the session that the form names. */
  readonly publicId: string
}

/** Ends sessions after an entry for each was written to the audit log. */
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

/** The sessions that a method ends, those of other people only for administrators; empty where the named one has ended meanwhile. */
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
  sendPage(exchange, status, { title: 'Sessions', lines: [line], links: [['/', 'Start']] })
