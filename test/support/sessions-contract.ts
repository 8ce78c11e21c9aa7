import { afterEach, describe, expect, test } from 'vitest'
import { fail } from '../../main/core/base/failure.ts'
import type { SessionStore } from '../../main/core/team/session-store.ts'
import type { Person } from '../../main/server/person.ts'
import { createSessions, loadSessions, PUBLIC_ID, type Sessions } from '../../main/server/sessions.ts'
import { must } from './outcomes.ts'

/** Where sessions are kept under test. `store` gives the same one after a restart; null without one. */
export interface SessionsUnderTest {
  readonly store: () => Promise<SessionStore | null>
  readonly dispose: () => Promise<void>
}

const TIMES = { idleMs: 60_000, absoluteMs: 200_000 }
const person = (subject: string): Person => ({ subject, name: `Sam ${subject}`, role: 'officer', groups: ['team'] })

/** What the sessions of people must do, wherever they are kept. */
export function sessionsContract(name: string, open: () => Promise<SessionsUnderTest>): void {
  describe(`${name}: sessions are seen and ended`, () => {
    const opened: SessionsUnderTest[] = []
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.dispose()
    })
    let drawn = 0
    const random = (count: number): Uint8Array => new Uint8Array(count).fill(++drawn)
    const started = async (within: (store: SessionStore | null) => SessionStore | null = (one) => one) => {
      const tested = await open()
      opened.push(tested)
      const openSessions = async (now: number): Promise<Sessions> => {
        const store = within(await tested.store())
        if (store === null) return createSessions(TIMES, random)
        return createSessions(TIMES, random, store, must(await loadSessions(store, TIMES, now)))
      }
      return { sessions: await openSessions(0), restart: openSessions, isKept: (await tested.store()) !== null }
    }
    const idsOf = (sessions: Sessions, now: number) => sessions.list(now).map(({ publicId }) => publicId)

    test('each has a public id of its own, which gives access to nothing', async () => {
      const { sessions } = await started()
      const ids = [
        must(await sessions.start(person('a'), 'provider', 0)),
        must(await sessions.start(person('a'), 'invitation', 1)),
      ]
      const listed = sessions.list(2)
      expect(listed.map(({ person: { subject }, way, createdAt }) => [subject, way, createdAt])).toEqual([
        ['a', 'provider', 0],
        ['a', 'invitation', 1],
      ])
      expect(new Set(idsOf(sessions, 2)).size).toBe(2)
      for (const { publicId, hash } of listed) {
        expect(publicId).toMatch(PUBLIC_ID)
        expect([hash.includes(publicId), sessions.find(publicId, 2, false)]).toEqual([false, null])
        expect(ids.map((id) => Buffer.from(id, 'base64url').toString('hex')).join()).not.toContain(publicId)
      }
    })
    test('those that were ended have no access at once, and others go on', async () => {
      const { sessions } = await started()
      const [mine, other, theirs] = [
        must(await sessions.start(person('a'), 'provider', 0)),
        must(await sessions.start(person('a'), 'provider', 0)),
        must(await sessions.start(person('b'), 'provider', 0)),
      ]
      const signals = sessions.list(1).map(({ ended }) => ended)
      const ended = sessions.end(sessions.list(1).filter(({ person: { subject } }) => subject === 'a'))
      // Before the store has answered.
      expect([mine, other, theirs].map((id) => sessions.find(id, 1, true) !== null)).toEqual([false, false, true])
      must(await ended)
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false])
      expect([idsOf(sessions, 1).length, sessions.count()]).toEqual([1, 1])
    })
    test('after a restart, those that were ended are not there, and others as before where they are kept', async () => {
      const { sessions, restart, isKept } = await started()
      const [first, second] = [
        must(await sessions.start(person('a'), 'invitation', 0)),
        must(await sessions.start(person('b'), 'provider', 0)),
      ]
      const listed = sessions.list(1)
      must(await sessions.end(listed.slice(1)))
      const again = await restart(1)
      expect([again.find(first, 1, false) !== null, again.find(second, 1, false)]).toEqual([isKept, null])
      const facts = ({ publicId, way, person: { subject } }: (typeof listed)[number]) => [publicId, way, subject]
      expect(again.list(1).map(facts)).toEqual(isKept ? listed.slice(0, 1).map(facts) : [])
    })
    test('those whose time is over are not listed, and their end withdraws nothing', async () => {
      const { sessions } = await started()
      must(await sessions.start(person('a'), 'provider', 0))
      const [{ ended } = { ended: null }] = sessions.list(0)
      expect([sessions.list(TIMES.idleMs - 1).length, sessions.list(TIMES.idleMs), ended?.aborted]).toEqual([
        1,
        [],
        false,
      ])
    })
    test('one that the store could not remove has no access, is still listed and can be ended again', async () => {
      let isAway = true
      const { sessions, isKept } = await started(
        (store) =>
          store && {
            ...store,
            remove: async (hash) => (isAway ? fail('database.unreachable', 'away') : await store.remove(hash)),
          },
      )
      const id = must(await sessions.start(person('a'), 'provider', 0))
      const ended = await sessions.end(sessions.list(0))
      expect([ended.ok, sessions.find(id, 1, true), sessions.count()]).toEqual([!isKept, null, 0])
      expect(sessions.list(1).map((one) => one.ended.aborted)).toEqual(isKept ? [true] : [])
      isAway = false
      must(await sessions.end(sessions.list(1)))
      expect(sessions.list(1)).toEqual([])
    })
  })
}
