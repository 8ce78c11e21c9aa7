import type { InvitationView, PortalMethod, PortalMethods, RequestCounts } from '../../../schemas/ipc-portal.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { fileIn } from '../../core/layout.ts'
import { plain, plainLines } from '../../core/plain-text.ts'
import { EMPTY_PORTAL, type PortalEvent, type PortalStep, type Who } from '../portal/events.ts'
import {
  accessesOf,
  digestOfToken,
  type Invitation,
  invitationView,
  openInvitation,
  termOf,
} from '../portal/invitations.ts'
import { countsOf, type RequestRole } from '../portal/requests.ts'
import { after, stateOf } from '../portal/state.ts'
import { openChainedFile } from './chained-file.ts'
import {
  type Answers,
  answered,
  type PortalAnswer,
  type PortalCaller,
  type PortalContext,
  type PortalParts,
  readable,
} from './portal-context.ts'
import { sharing } from './portal-packs.ts'
import { requesting } from './portal-requests.ts'
import { folderDisk, sharedFolders } from './shared-folders.ts'

/** What officers and auditors of one engagement exchange. */
export interface Portal {
  /** Whether an auditor may read a shared pack now. */
  readonly mayRead: (subject: string, share: string) => boolean
  /** Whether an invitation gives this subject access now. */
  readonly hasAccess: (subject: string) => boolean
  /** The requests of auditors that await a side now. */
  readonly requestCounts: (role: RequestRole) => RequestCounts
  /** The invitation of a link that can be used now; fails the same for every other one. */
  readonly invited: (token: string) => Outcome<Invitation>
  /** Binds an access to the person who used its link. Fails with access.refused for a link that cannot be used. */
  readonly accept: (who: Who, token: string) => Promise<Outcome<Invitation>>
  readonly call: <M extends PortalMethod>(
    caller: PortalCaller,
    method: M,
    input: PortalMethods[M]['in'],
  ) => Promise<PortalAnswer<PortalMethods[M]['out']>>
  readonly close: () => Promise<void>
}

/** Opens the portal of an engagement. Fails as its file does. */
export async function openPortal(parts: PortalParts): Promise<Outcome<Portal>> {
  const { folder, now, disk = folderDisk, openLog = openChainedFile<PortalEvent> } = parts
  const path = fileIn(folder, 'portal')
  const opened = await openLog(path, EMPTY_PORTAL)
  if (!opened.ok) return opened
  const { log, text } = opened.value
  const first = stateOf(text)
  if (!first.ok) {
    await log.close()
    return fail('store.failed', `${path}: ${first.error.detail}`)
  }
  let state = first.value
  const folders = sharedFolders(folder, disk)
  // What cannot be resolved now is not reachable either, and is resolved by a later start.
  await folders.resolve(new Set(state.packs.map(({ id }) => id))).catch(() => undefined)
  let last: Promise<unknown> = Promise.resolve()
  /** Stores an event, and then lets it take effect; one after the other. */
  const record = (who: Who, step: PortalStep): Promise<Outcome<null>> => {
    const next = last.then(async (): Promise<Outcome<null>> => {
      const event: PortalEvent = { at: new Date(now()).toISOString(), by: who, ...step }
      const then = after(state, event)
      if (!then.ok) return then
      try {
        await log.append(event)
      } catch {
        return fail('store.failed', 'the file of the portal cannot be written')
      }
      state = then.value
      await parts.changed()
      return ok(null)
    })
    last = next.catch(() => undefined)
    return next
  }
  const context: PortalContext = { ...parts, folders, state: () => state, record }
  const answers: Answers = { ...sharing(context), ...inviting(context), ...requesting(context) }
  const invited = (token: string): Outcome<Invitation> => openInvitation(state.invitations, digestOfToken(token), now())
  return ok({
    mayRead: (subject, share) => readable(context, subject, share) !== null,
    hasAccess: (subject) => accessesOf(state.invitations, subject, now()).length > 0,
    requestCounts: (role) => countsOf(state.requests, role, new Date(now()).toISOString().slice(0, 10)),
    invited,
    accept: async (who, token) => {
      const found = invited(token)
      if (!found.ok) return found
      const recorded = await record(who, { kind: 'invitation-accepted', id: found.value.id })
      return recorded.ok ? found : recorded
    },
    call: (caller, method, input) => answers[method](caller, input),
    close: async () => {
      await last
      await log.close()
    },
  })
}

type Inviting = 'portal.invitations' | 'portal.invite' | 'portal.end-access'

/** Whom officers invite, and whose access they end. */
function inviting({ state, record, now, newId }: PortalContext): Pick<Answers, Inviting> {
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
