import type { InvitationStatus, InvitationView, PortalMoment } from '../../../schemas/ipc-portal.ts'
import { isDay } from '../../core/base/days.ts'
import { type Sha256, sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'

/** Access of an auditor to one engagement, which an officer gave. */
export interface Invitation extends Pick<InvitationView, 'id' | 'label' | 'invited' | 'until' | 'linkUntil' | 'ended'> {
  readonly tokenDigest: string
  /** The person who used the link. From then on, the access belongs to this subject. */
  readonly accepted: (PortalMoment & { readonly subject: string }) | null
}

const DAY_MS = 86_400_000
const LINK_DAYS = 7
/** A longer access is a new decision. */
const MOST_DAYS = 400

/** The digest that is stored in place of the token of a link. */
export const digestOfToken = (token: string): Sha256 => sha256(`invitation ${token}`)

/** The end of an access and of its link. `last` is the last day (UTC). Fails with input.refused for a day that is past or too far away. */
export function termOf(last: string, now: number): Outcome<Pick<Invitation, 'until' | 'linkUntil'>> {
  const until = isDay(last) ? Date.parse(`${last}T23:59:59.999Z`) : Number.NaN
  if (Number.isNaN(until)) return fail('input.refused', 'the last day must be a date such as 2027-03-01')
  if (until < now) return fail('input.refused', 'the last day is past')
  if (until - now > MOST_DAYS * DAY_MS) return fail('input.refused', `the last day is more than ${MOST_DAYS} days away`)
  const linkUntil = Math.min(until, now + LINK_DAYS * DAY_MS)
  return ok({ until: new Date(until).toISOString(), linkUntil: new Date(linkUntil).toISOString() })
}

/** The status of an invitation at a time. */
export function statusOf({ ended, until, linkUntil, accepted }: Invitation, now: number): InvitationStatus {
  if (ended !== null) return 'withdrawn'
  if (now > Date.parse(until)) return 'expired'
  if (accepted !== null) return 'active'
  return now > Date.parse(linkUntil) ? 'link-expired' : 'open'
}

/** The invitations that give a subject access now. */
export const accessesOf = (all: readonly Invitation[], subject: string, now: number): readonly Invitation[] =>
  all.filter((one) => one.accepted?.subject === subject && statusOf(one, now) === 'active')

/** Identical for links that never existed, were used, have expired or were withdrawn. */
export const NO_INVITATION = fail('access.refused', 'this invitation is not valid, or was used before')

/** The invitation of a link that can be used now. */
export function openInvitation(all: readonly Invitation[], tokenDigest: string, now: number): Outcome<Invitation> {
  const found = all.find((one) => one.tokenDigest === tokenDigest && statusOf(one, now) === 'open')
  return found === undefined ? NO_INVITATION : ok(found)
}

/** An invitation as officers see it. */
export const invitationView = (one: Invitation, now: number): InvitationView => ({
  ...{ id: one.id, label: one.label, invited: one.invited, until: one.until, linkUntil: one.linkUntil },
  status: statusOf(one, now),
  accepted: one.accepted === null ? null : { at: one.accepted.at, by: one.accepted.by },
  ended: one.ended,
})
