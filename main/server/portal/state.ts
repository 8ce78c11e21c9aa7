import type { PortalMoment, SharedPack } from '../../../schemas/ipc-portal.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { logLines } from '../chained-log.ts'
import { isPortalEvent, type PortalEvent } from './events.ts'
import { accessesOf, type Invitation, NO_INVITATION, statusOf } from './invitations.ts'
import { type Asked, withEntry } from './requests.ts'

/** The state that results from the events of a portal file. */
export interface PortalState {
  /** In the order in which they were shared. */
  readonly packs: readonly SharedPack[]
  readonly invitations: readonly Invitation[]
  readonly requests: readonly Asked[]
}

const EMPTY_STATE: PortalState = { packs: [], invitations: [], requests: [] }

const momentOf = ({ at, by }: PortalEvent): PortalMoment => ({ at, by: by.name })

/** The state after one event. Fails where the event does not fit, such as for an id that is unknown or has ended. */
export function after(state: PortalState, event: PortalEvent): Outcome<PortalState> {
  switch (event.kind) {
    case 'shared': {
      const { id, run, note, pack, isCopy, files, to } = event
      if (state.packs.some((one) => one.id === id)) return fail('input.refused', 'this pack is shared already')
      if (to?.some((wanted) => !state.invitations.some((one) => one.id === wanted)) === true) return NO_ACCESS
      const shared = { id, run, shared: momentOf(event), note, pack, isCopy, files, to, ended: null }
      return ok({ ...state, packs: [...state.packs, shared] })
    }
    case 'share-ended': {
      const found = sharedPack(state, event.id)
      if (found === null) return NO_PACK
      const ended = { ...found, ended: { ...momentOf(event), reason: event.reason } }
      return ok({ ...state, packs: state.packs.map((one) => (one.id === event.id ? ended : one)) })
    }
    case 'invited': {
      const { id, label, until, linkUntil, tokenDigest } = event
      const invitation = { id, label, invited: momentOf(event), until, linkUntil, tokenDigest }
      return ok({ ...state, invitations: [...state.invitations, { ...invitation, accepted: null, ended: null }] })
    }
    case 'invitation-accepted':
      return changed(state, event.id, (one) =>
        statusOf(one, Date.parse(event.at)) === 'open'
          ? ok({ ...one, accepted: { ...momentOf(event), subject: event.by.subject } })
          : NO_INVITATION,
      )
    case 'access-ended':
      return changed(state, event.id, (one) =>
        one.ended === null ? ok({ ...one, ended: { ...momentOf(event), reason: event.reason } }) : NO_ACCESS,
      )
    case 'requested': {
      const { id, at, by, title, text, about, due } = event
      const asked = { id, at, by, title, text, about, due, status: 'open', entries: [] } as const
      return ok({ ...state, requests: [...state.requests, asked] })
    }
    case 'request-acted':
      return acted(state, event)
  }
}

/** The state after an action of one side on a request. Auditors can act only on their own requests. */
function acted(state: PortalState, event: Extract<PortalEvent, { kind: 'request-acted' }>): Outcome<PortalState> {
  const { id, kind: _, by, ...entry } = event
  const found = state.requests.find((one) => one.id === id)
  if (found === undefined || (entry.role === 'auditor' && found.by.subject !== by.subject)) return NO_REQUEST
  const { at, role, to, comment, packs, documents, findings } = entry
  const next = withEntry(found, { at, by: by.name, role, to, comment, packs, documents, findings })
  if (!next.ok) return next
  return ok({ ...state, requests: state.requests.map((one) => (one.id === id ? next.value : one)) })
}

/** Identical for requests that do not exist and for those of another engagement or auditor. */
export const NO_REQUEST = fail('input.not-found', 'there is no such request')

function changed(
  state: PortalState,
  id: string,
  change: (one: Invitation) => Outcome<Invitation>,
): Outcome<PortalState> {
  const found = state.invitations.find((one) => one.id === id)
  const next = found === undefined ? NO_ACCESS : change(found)
  if (!next.ok) return next
  return ok({ ...state, invitations: state.invitations.map((one) => (one.id === id ? next.value : one)) })
}

/** Identical for invitations that do not exist, belong to another engagement or have ended. */
const NO_ACCESS = fail('input.not-found', 'there is no such invitation')

/** Whether an auditor may read a shared pack now. */
export const mayRead = (
  { invitations }: PortalState,
  { to, ended }: SharedPack,
  subject: string,
  now: number,
): boolean => ended === null && (to === null || accessesOf(invitations, subject, now).some(({ id }) => to.includes(id)))

/**
 * Whether two states differ in what an auditor sees: their accesses and requests, and the packs that they may read. Pages of other auditors are not
 * notified, since the number of events would show how much others do.
 */
export function isChangedFor(before: PortalState, state: PortalState, subject: string, now: number): boolean {
  const seen = (one: PortalState): readonly object[] => [
    ...accessesOf(one.invitations, subject, now),
    ...one.packs.filter((pack) => mayRead(one, pack, subject, now)),
    ...one.requests.filter(({ by }) => by.subject === subject),
  ]
  const [earlier, later] = [seen(before), seen(state)]
  return earlier.length !== later.length || earlier.some((one, at) => one !== later[at])
}

/** Identical for packs that do not exist, belong to another engagement or are no longer shared. */
export const NO_PACK = fail('input.not-found', 'there is no such shared pack')

/** The pack of this id if it is shared with anyone now, otherwise null. */
const sharedPack = ({ packs }: PortalState, id: string): SharedPack | null =>
  packs.find((one) => one.id === id && one.ended === null) ?? null

/** The state after all lines of a file. Fails with store.failed for a line of an unknown kind and for one that contradicts earlier lines. */
export function stateOf(text: string): Outcome<PortalState> {
  let state = EMPTY_STATE
  for (const [at, line] of logLines(text).entries()) {
    const event: unknown = JSON.parse(line)
    const next = isPortalEvent(event) ? after(state, event) : null
    if (next === null || !next.ok) return fail('store.failed', `line ${at + 1} is no event of the portal`)
    state = next.value
  }
  return ok(state)
}
