import { TEAM_HEADERS, type TeamRole } from '../../../schemas/ipc-team.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { cookieIn, cookieName, cookieOf, isForeign, signInCookieName } from '../headers.ts'
import { htmlOf } from '../html.ts'
import { type Person, personOf } from '../person.ts'
import { sessionLinks } from '../session-pages.ts'
import { csrfOf, type TeamSessionRecord } from '../sessions.ts'
import { type Exchange, headerOf, readAll, redirect, type Sent, sendFailure, sendHtml } from './http.ts'
import { acceptInvitation } from './invitation-routes.ts'
import { auditEvent, roleNow, type ServerParts } from './parts.ts'
import { senderText } from './senders.ts'
import { SIGN_IN_SECONDS, type SignedIn } from './sign-in.ts'

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
export const enteredBy = (
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
    return sendHtml(
      exchange,
      200,
      htmlOf({ title: 'Barewitness', lines: ['You are not signed in.'], links: [['/auth/sign-in', 'Sign in']] }),
    )
  const { person } = found.session
  const entered = enteredBy(parts, person)
  const none =
    person.role === 'administrator'
      ? 'Administrators manage people and roles at the identity provider and in the configuration. They enter no engagement.'
      : 'You may enter no engagement.'
  return sendHtml(
    exchange,
    200,
    htmlOf({
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
    }),
  )
}

const again = (exchange: Exchange, status: number, reason: string): Sent =>
  sendHtml(
    exchange,
    status,
    htmlOf({
      title: 'Not signed in',
      lines: [`Sign-in did not succeed: ${reason}.`],
      links: [['/auth/sign-in', 'Sign in']],
    }),
  )

/** Whether this address may not try once more. */
const isTooOften = (parts: ServerParts, { request }: Exchange): boolean =>
  !parts.signIns.take(request.socket.remoteAddress ?? '', parts.now())

/** Sends the browser to the identity provider; with the link of an invitation, the sign-in accepts it. */
export async function beginSignIn(parts: ServerParts, exchange: Exchange, invitation: string | null): Promise<Sent> {
  if (isTooOften(parts, exchange)) return again(exchange, 429, 'too many attempts; wait a minute')
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
 * Ends a sign-in with a new session. The page that follows is loaded by ours and not by the identity provider, because the cookie is sent for
 * requests of this site alone.
 */
export async function finishSignIn(parts: ServerParts, exchange: Exchange, query: string): Promise<Sent> {
  if (isTooOften(parts, exchange)) return again(exchange, 429, 'too many attempts; wait a minute')
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
  return sendHtml(
    exchange,
    200,
    htmlOf({ title: 'Signed in', lines: [`Signed in as ${person.value.name}.`], links: [['/', 'Continue']] }),
    {
      Refresh: '0; url=/',
      'Set-Cookie': [
        cookieOf(cookieName(hasTls), id, { hasTls, sameSite: 'Strict' }),
        cookieOf(signInCookieName(hasTls), '', { hasTls, sameSite: 'Lax', seconds: 0 }),
      ],
    },
  )
}

/** The person of a sign-in, who has a role or an invitation. Fails with a reason for people. */
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

/** The form of a page that sends the token of the session; null for one of another page. */
export async function formIn(parts: ServerParts, exchange: Exchange, id: string): Promise<URLSearchParams | null> {
  const body = await readAll(exchange, LARGEST_FORM)
  const form = new URLSearchParams(body === null ? '' : Buffer.from(body).toString('latin1'))
  const token = headerOf(exchange, TEAM_HEADERS.csrf) ?? form.get('csrf')
  return isFromElsewhere(parts, exchange) || token !== csrfOf(id) ? null : form
}

/** To the start, without the cookie of the session. */
export const leave = (exchange: Exchange, { hasTls }: Pick<ServerParts, 'hasTls'>): Sent =>
  redirect(exchange, '/', {
    'Set-Cookie': cookieOf(cookieName(hasTls), '', { hasTls, sameSite: 'Strict', seconds: 0 }),
  })

/** Ends the session of a form or a page that sends its token. */
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
