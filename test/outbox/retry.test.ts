import { describe, expect, test } from 'vitest'
import { retryAfter, waitBefore } from '../../main/core/outbox/delivery.ts'
import {
  isOutboxEntry,
  itemDigest,
  type Letter,
  letterAfter,
  letterName,
  type OutboxEntry,
  unplanned,
} from '../../main/core/outbox/journal.ts'
import { FINDING, PACK } from '../support/outbox-items.ts'

const NOW = '2026-11-28T06:00:00.000Z'

describe('waits', () => {
  test.each([
    [1, null, 0, 1000],
    [2, null, 0, 4000],
    [3, null, 0.5, 18_000],
    [9, null, 0, 21_600_000],
    [12, null, 0.999, 26_994_600],
    [1, 30_000, 0, 30_000],
    [4, 30_000, 0, 64_000],
    [1, 1e12, 0, 86_400_000],
  ])('after %i attempts, %s asked for, chance %f: %i ms', (attempts, asked, chance, wait) => {
    expect(waitBefore(attempts, asked, chance)).toBe(wait)
  })

  test.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Sat, 28 Nov 2026 06:01:00 GMT', 60_000],
    ['Sat, 28 Nov 2026 05:00:00 GMT', 0],
    ['soon', null],
    ['-5', null],
    ['1e3', null],
    ['2026-11-28', null],
    ['9999999999', null],
    [null, null],
  ])('Retry-After %j: %s ms', (header, wait) => {
    expect(retryAfter(header, NOW)).toBe(wait)
  })
})

describe('the journal', () => {
  const at = NOW
  const about = { target: 'jira', key: FINDING.key, digest: itemDigest(FINDING), at }
  const play = (...entries: readonly OutboxEntry[]): Letter | undefined =>
    entries.reduce<Letter | undefined>((letter, entry) => letterAfter(letter, entry) ?? letter, undefined)
  const planned: OutboxEntry = { kind: 'planned', ...about, item: FINDING }
  const attempted: OutboxEntry = { kind: 'attempted', ...about }
  const delivered: OutboxEntry = { kind: 'delivered', ...about, remote: 'SEC-1' }

  test('a letter is planned, attempted and delivered', () => {
    expect(play(planned, attempted)).toMatchObject({ attempts: 1, state: { is: 'waiting', item: FINDING } })
    expect(play(planned, attempted, delivered)).toMatchObject({ state: { is: 'delivered' }, remote: 'SEC-1' })
  })

  test('other content is planned again and keeps the name of the receiver', () => {
    const changed = { ...FINDING, status: 'In progress' }
    const again: OutboxEntry = { kind: 'planned', ...about, digest: itemDigest(changed), item: changed }
    expect(play(planned, attempted, delivered, again)).toMatchObject({
      attempts: 0,
      remote: 'SEC-1',
      state: { is: 'waiting' },
    })
  })

  test('an outcome of other content, or of nothing planned, does not follow', () => {
    expect(letterAfter(play(planned), { ...delivered, digest: 'cd'.repeat(32) })).toBeNull()
    expect(letterAfter(undefined, delivered)).toBeNull()
    expect(letterAfter(play(planned, delivered), attempted)).toBeNull()
  })

  test('only what a target lacks is planned', () => {
    const letter = play(planned, attempted, delivered)
    const known = new Map(letter === undefined ? [] : [[letterName(letter), letter]])
    expect(unplanned(known, 'jira', [FINDING, PACK])).toEqual([PACK])
    expect(unplanned(known, 'other', [FINDING])).toEqual([FINDING])
    expect(unplanned(known, 'jira', [{ ...FINDING, status: 'In progress' }])).toHaveLength(1)
    const given = play(planned, { kind: 'given-up', ...about, why: 'x' })
    expect(unplanned(new Map(given === undefined ? [] : [[letterName(given), given]]), 'jira', [FINDING])).toEqual([])
  })

  const letter = play(planned, attempted) as Letter
  test.each<[string, unknown, boolean]>([
    ['planned', planned, true],
    ['attempted', attempted, true],
    ['delivered without a name', { ...delivered, remote: null }, true],
    ['deferred', { kind: 'deferred', ...about, until: at, why: 'x' }, true],
    ['given up', { kind: 'given-up', ...about, why: 'x' }, true],
    ['kept', { kind: 'kept', letter }, true],
    ['kept, delivered', { kind: 'kept', letter: { ...letter, state: { is: 'delivered' } } }, true],
    ['another kind', { kind: 'sent', ...about }, false],
    ['a key that is none', { ...attempted, key: '../x' }, false],
    ['a digest that is none', { ...attempted, digest: 'x' }, false],
    ['an item that is none', { ...planned, item: { schema: 'x' } }, false],
    ['kept in no state', { kind: 'kept', letter: { ...letter, state: { is: 'lost' } } }, false],
    ['a list', [], false],
    ['nothing', null, false],
  ])('an entry: %s', (_, entry, expected) => {
    expect(isOutboxEntry(entry)).toBe(expected)
  })
})
