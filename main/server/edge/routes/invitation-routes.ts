import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import type { Person } from '../../person.ts'
import { NO_INVITATION } from '../../portal/invitations.ts'
import type { ServedEngagement } from '../services/engagements.ts'
import { type Exchange, type Sent, sendPage } from '../services/http.ts'
import { auditEvent, roleNow, type ServerParts } from '../services/parts.ts'

/** The engagement of an invitation whose link can be used now, or null. */
const engagementOf = (parts: Pick<ServerParts, 'engagements'>, token: string): ServedEngagement | null =>
  [...parts.engagements.values()].find(({ portal }) => portal.invited(token).ok) ?? null

/**
 * The page of an invitation. Opening it does not use the link, because programs open links in messages. All links that cannot be used are
 * answered in the same way.
 */
export function invitationPage(parts: ServerParts, exchange: Exchange, token: string): Sent {
  const served = engagementOf(parts, token)
  const found = served?.portal.invited(token) ?? NO_INVITATION
  if (served === null || !found.ok)
    return sendPage(exchange, 404, {
      title: 'Invitation not valid',
      lines: [
        'This link does not exist, was used before, has expired or was withdrawn.',
        'Ask the person who sent it for another one. If you accepted it before, sign in.',
      ],
      links: [['/', 'Sign in']],
    })
  const { invited, until } = found.value
  return sendPage(exchange, 200, {
    title: 'Invitation',
    lines: [
      `${invited.by} invites you as auditor of ${served.engagement.name}: you can verify and read the evidence packs that are shared with you, until the end of ${until.slice(0, 10)} (UTC).`,
      'The link can be used once. The access is bound to the account that you sign in with.',
    ],
    links: [[`/auth/invitation/${token}`, 'Sign in and accept']],
  })
}

/**
 * Binds an invitation to the person who signed in with its link. Fails without using the link for administrators and for people who may enter
 * the engagement anyway. Fails in the same way for all links that cannot be used.
 */
export async function acceptInvitation(parts: ServerParts, person: Person, token: string): Promise<Outcome<null>> {
  const { subject, name, role } = person
  const served = engagementOf(parts, token)
  const refused = reasonAgainst(parts, person, served)
  const accepted =
    served === null || refused !== null
      ? (refused ?? NO_INVITATION)
      : await served.portal.accept({ subject, name }, token)
  const event = { subject, name, role, engagement: served?.engagement.name ?? null } as const
  await parts.audit.append(
    auditEvent(parts, null, {
      ...event,
      ...(accepted.ok
        ? { kind: 'invitation-accepted', of: { id: accepted.value.id } }
        : { kind: 'invitation-refused', outcome: 'refused', reason: accepted.error.detail }),
    }),
  )
  return accepted.ok ? ok(null) : accepted
}

const reasonAgainst = (parts: Pick<ServerParts, 'settings'>, person: Person, served: ServedEngagement | null) => {
  if (person.role === 'administrator') return fail('access.refused', 'administrators enter no engagement')
  if (served !== null && roleNow(parts, person, served) !== null)
    return fail('access.refused', 'this account may enter the engagement already; the invitation was not used')
  return null
}
