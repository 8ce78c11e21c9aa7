import { describe, expect, test } from 'vitest'
import { kilometres as inObservations } from '../../main/catalog/location/peers.ts'
import {
  byClass,
  contradictedOf,
  countsOfWords,
  frontEndText,
  isShown,
  kilometres,
  LOCATION_WORDS,
  type LocationVerdict,
  milliseconds,
  nextStep,
  nothingDeclared,
  placeWord,
  policiesOf,
  policyWord,
  policyWords,
  shownAs,
  supportOf,
  wasCollected,
  worstFirst,
} from '../../renderer/models/location-model.ts'
import type { LocationRow, LocationRowResult } from '../../schemas/ipc-views.ts'
import { LOCATION_SHOWS, locationClassWords, locationVerdictWords } from '../../schemas/location-words.ts'
import type { LocationSignal, Place } from '../../schemas/types.ts'
import { BANNED } from '../../schemas/words.ts'

const ASHBURN: Place = { name: 'Ashburn', latitude: 39, longitude: -77.5, radiusKm: 60, declaredBy: 'contract' }
const answer = (of: LocationRowResult['of'], title: string, result: LocationVerdict): LocationRowResult => ({
  of,
  title,
  result,
  why: result === 'contradicted' ? `Not in ${title}.` : null,
})
const row = (
  node: string,
  place: LocationVerdict | null,
  policies: Readonly<Record<string, LocationVerdict>> = {},
  more: Partial<LocationRow> = {},
): LocationRow => ({
  node,
  status: 'complete',
  failure: null,
  stale: false,
  place: place === null ? null : ASHBURN.name,
  claim: place === null ? null : ASHBURN,
  results: [
    ...(place === null ? [] : [answer('declared-place', 'Ashburn', place)]),
    ...Object.entries(policies).map(([title, verdict]) => answer('residency', title, verdict)),
  ],
  withoutResult: [],
  narrowest: null,
  ...more,
})

describe('where nodes are', () => {
  test('worst result first, of the place or of a residency rule; nodes without a result before corroborated ones', () => {
    const rows = [
      row('inside', 'bounded'),
      row('said', 'uncorroborated'),
      row('by-policy', 'bounded', { US: 'contradicted' }),
      row('gone', null, {}, { status: 'failed' }),
      row('odd', 'conflicting'),
      row('nothing', 'undetermined'),
      row('agrees', 'corroborated'),
    ]
    expect(worstFirst(rows).map(({ node }) => node)).toEqual([
      'by-policy',
      'odd',
      'gone',
      'nothing',
      'said',
      'agrees',
      'inside',
    ])
  })

  test('results of a place and of each residency rule are separate; a rule has no result on nodes it does not cover', () => {
    const one = row('a', 'corroborated', { US: 'undetermined' })
    const other = row('b', null, { EEA: 'contradicted' })
    expect(policiesOf([one, other])).toEqual(['US', 'EEA'])
    expect([placeWord(one), placeWord(other)]).toEqual(['corroborated', 'not-asked'])
    expect([policyWord(one, 'US'), policyWord(one, 'EEA')]).toEqual(['undetermined', null])
  })

  test('a node that was not collected stays in the count of each policy that is for it', () => {
    const gone = row('gone', null, {}, { status: 'failed', withoutResult: ['US'] })
    expect(policiesOf([gone])).toEqual(['US'])
    expect([policyWord(gone, 'US'), policyWord(gone, 'EEA')]).toEqual(['not-asked', null])
    expect(policyWords(gone)).toEqual(['not-asked'])
    expect(nothingDeclared([gone])).toBe(false)
  })

  test('each contradicted node has one reason', () =>
    expect(
      contradictedOf([
        row('a', 'contradicted', { US: 'contradicted' }),
        row('b', 'corroborated'),
        row('c', 'corroborated', { US: 'contradicted' }),
      ]),
    ).toEqual([
      { node: 'a', why: 'Not in Ashburn.' },
      { node: 'c', why: 'Not in US.' },
    ]))

  test('counts have their denominator, and leave no node out', () => {
    const rows = [row('a', 'contradicted'), row('b', 'corroborated'), row('c', null)]
    expect(countsOfWords(rows.map(placeWord)).map(({ text }) => text)).toEqual([
      `${locationVerdictWords.contradicted.label}: 1 of 3 nodes`,
      'Not evaluated: 1 of 3 nodes',
      `${locationVerdictWords.corroborated.label}: 1 of 3 nodes`,
    ])
  })

  test('filtered by name, by place, and by any of the answers', () => {
    const one = row('gpu-01', 'corroborated', { US: 'undetermined' })
    expect(isShown(one, { text: ' GPU ', word: 'all' })).toBe(true)
    expect(isShown(one, { text: 'ashb', word: 'undetermined' })).toBe(true)
    expect(isShown(one, { text: '', word: 'contradicted' })).toBe(false)
    expect(isShown(one, { text: 'frankfurt', word: 'all' })).toBe(false)
    expect(isShown(row('gone', null), { text: '', word: 'not-asked' })).toBe(true)
    expect(isShown(one, { text: '', word: 'not-asked' })).toBe(false)
  })

  test('a fleet without places and rules differs from one that was not collected', () => {
    expect(nothingDeclared([row('a', null), row('b', null)])).toBe(true)
    expect(nothingDeclared([row('a', null), row('b', null, { US: 'undetermined' })])).toBe(false)
    expect(wasCollected(row('a', null))).toBe(false)
    expect(wasCollected(row('a', 'undetermined', {}, { status: 'partial' }))).toBe(true)
    expect(wasCollected(row('a', 'undetermined', {}, { status: 'failed' }))).toBe(false)
  })
})

describe('statements', () => {
  const signal = (id: string, klass: LocationSignal['class'], hint = false): LocationSignal => ({
    id,
    class: klass,
    hint,
    country: null,
    place: null,
    text: `${id}.`,
    probe: null,
    captures: [],
  })

  test('are grouped by class, counted ones first', () =>
    expect(
      byClass([signal('zone', 'E5', true), signal('site', 'E6'), signal('cloud-init', 'E5')]).map((group) => [
        group.class,
        group.signals.map(({ id }) => id),
      ]),
    ).toEqual([
      ['E5', ['cloud-init', 'zone']],
      ['E6', ['site']],
    ]))

  test('one that a result does not list has no statement', () => {
    const answer = {
      of: 'declared-place' as const,
      title: 'x',
      result: 'undetermined' as const,
      delay: 'unusable' as const,
      text: '',
      signals: [{ id: 'site', indicates: 'outside' as const }],
      needed: null,
    }
    expect([supportOf(answer, 'site'), supportOf(answer, 'zone')]).toEqual(['outside', 'silent'])
  })
})

describe('what to do about an answer', () => {
  const needed = { vantage: 'Our office', milliseconds: 0.31 }

  test('contradicted by round-trip time is no slow network; contradicted by a signature is a question to the signer', () => {
    const asked = { of: 'declared-place' as const, result: 'contradicted' as const, needed }
    expect(nextStep({ ...asked, delay: 'outside' })).toMatch(
      /then contact the person who declared the place\..*only increases the maximum distance/,
    )
    expect(nextStep({ ...asked, delay: 'undecided' })).toContain('signed statement')
  })

  test('what the times do not decide needs a closer vantage point, or one inside where no time would suffice', () => {
    const asked = { of: 'residency' as const, delay: 'undecided' as const, needed }
    expect(nextStep({ ...asked, result: 'corroborated' })).toMatch(/closer.*From Our office.*at most 0\.31 ms/)
    expect(nextStep({ ...asked, result: 'undetermined' })).toContain('machine closer to it')
    expect(nextStep({ ...asked, result: 'uncorroborated', needed: null })).toContain('inside the area')
    expect(nextStep({ ...asked, result: 'conflicting' })).toContain('“Outside”')
    expect(nextStep({ ...asked, result: 'bounded' })).toBeNull()
  })
})

test('a bound is rounded up, never down', () => {
  for (const km of [0, 4.01, 82.3, 1498.21]) expect(kilometres(km)).toBe(inObservations(km))
  expect(milliseconds(0.2694)).toBe('0.27 ms')
  expect(milliseconds(null)).toBe('–')
})

test('a slower echo is reported with the usual difference, and what is unaffected', () => {
  const gap = { echoMs: 40.7, tcpMs: 0.12, gapMs: 40.58, allowedMs: 5, exceeds: true }
  expect(frontEndText(gap)).toContain('a device closer than the node accepts its TCP connections')
  expect(frontEndText({ ...gap, echoMs: 0.57, gapMs: -11.03, exceeds: false })).toContain('11.03 ms less.')
  expect(frontEndText({ ...gap, echoMs: 0.4, gapMs: 0.28, exceeds: false })).toContain('This alone shows nothing')
})

test('every result has its own shape and label, and no label over-claims', () => {
  const asked = LOCATION_WORDS.filter((word) => word !== 'not-asked')
  expect(new Set(asked.map((word) => shownAs(word).mark)).size).toBe(asked.length)
  const told = [
    ...LOCATION_WORDS.flatMap((word) => [shownAs(word).label, shownAs(word).meaning]),
    ...LOCATION_SHOWS.flatMap(({ statement, status }) => [statement, status]),
    ...Object.values(locationClassWords),
  ]
  for (const text of told) for (const banned of BANNED) expect(text).not.toMatch(banned)
})
