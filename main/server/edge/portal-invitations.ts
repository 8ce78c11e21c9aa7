import type { InvitationView } from '../../../schemas/ipc-portal.ts'
import { fail, ok } from '../../core/failure.ts'
import { plain, plainLines } from '../../core/plain-text.ts'
import { digestOfToken, invitationView, termOf } from '../portal/invitations.ts'
import { type Answers, answered, type PortalContext } from './portal-context.ts'

type Inviting = 'portal.invitations' | 'portal.invite' | 'portal.end-access'

/** Whom officers invite, and whose access they end. */
export function inviting({ state, record, now, newId }: PortalContext): Pick<Answers, Inviting> {
  const listed = (): readonly InvitationView[] =>
    state()
      .invitations.map((one) => invitationView(one, now()))
      .toReversed()
  return {
    'portal.invitations': async () => answered(ok(listed())),
    'portal.invite': async ({ who, origin }, { label, until }) => {
      const named = plain(label.trim(), 200)
      if (named === '') return answered(fail('input.refused', 'the invited person must be named'))
      const term = termOf(until, now())
      if (!term.ok) return answered(term)
      const token = `${newId()}${newId()}`
      const invitation = { id: newId(), label: named, ...term.value, tokenDigest: digestOfToken(token) }
      const done = await record(who, { kind: 'invited', ...invitation })
      return answered(done.ok ? ok({ link: `${origin}/invitation/${token}`, invitations: listed() }) : done)
    },
    'portal.end-access': async ({ who }, { id, reason }) => {
      const done = await record(who, { kind: 'access-ended', id, reason: plainLines(reason, 2000) })
      return answered(done.ok ? ok(listed()) : done)
    },
  }
}
