import type { PortalMoment, SharedPack } from '../../../schemas/ipc-portal.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { isPortalEvent, type PortalEvent } from './events.ts'

/** What the file of a portal comes to. */
export interface PortalState {
  /** In the order in which they were shared. */
  readonly packs: readonly SharedPack[]
}

export const EMPTY_STATE: PortalState = { packs: [] }

const momentOf = ({ at, by }: PortalEvent): PortalMoment => ({ at, by: by.name })

/** The state after one event. Fails with input.refused where the event does not fit: nothing of this id, or one that has ended. */
export function after(state: PortalState, event: PortalEvent): Outcome<PortalState> {
  switch (event.kind) {
    case 'shared': {
      const { id, run, note, pack, isCopy, files } = event
      if (state.packs.some((one) => one.id === id)) return fail('input.refused', 'this pack is shared already')
      const shared = { id, run, shared: momentOf(event), note, pack, isCopy, files, ended: null }
      return ok({ ...state, packs: [...state.packs, shared] })
    }
    case 'share-ended': {
      const found = sharedPack(state, event.id)
      if (found === null) return NO_PACK
      const ended = { ...found, ended: { ...momentOf(event), reason: event.reason } }
      return ok({ ...state, packs: state.packs.map((one) => (one.id === event.id ? ended : one)) })
    }
  }
}

/** The same for a pack that does not exist, is of another engagement, or is shared no longer. */
export const NO_PACK = fail('input.not-found', 'there is no such shared pack')

/** The pack of an id that is shared now, or null. */
export const sharedPack = ({ packs }: PortalState, id: string): SharedPack | null =>
  packs.find((one) => one.id === id && one.ended === null) ?? null

/** The state that the lines of a file come to. Fails with store.failed for a line that this version does not know, or that does not fit. */
export function stateOf(text: string): Outcome<PortalState> {
  let state = EMPTY_STATE
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  for (const [at, line] of lines.entries()) {
    const event: unknown = JSON.parse(line)
    const next = isPortalEvent(event) ? after(state, event) : null
    if (next === null || !next.ok) return fail('store.failed', `line ${at + 1} is no event of the portal`)
    state = next.value
  }
  return ok(state)
}
