import { describe, expect, test } from 'vitest'
import {
  contentOf,
  cornersIn,
  cornersText,
  declaredPlaces,
  draftKey,
  draftsOf,
  draftWords,
  isUnsaved,
  keepDraft,
  keptDraft,
  numberIn,
  problemAt,
  sectionToSend,
  storedValue,
} from '../../renderer/models/declaration-model.ts'
import type { Fleet } from '../../schemas/types.ts'

const OSLO = { name: 'Oslo', latitude: 59.9, longitude: 10.7, radiusKm: 5, declaredBy: 'contract' }
const fleet: Fleet = {
  name: 'clinic',
  roster: ['ann'],
  nodes: [
    { name: 'a', address: '192.0.2.1', location: OSLO, role: 'database' },
    { name: 'b', address: '192.0.2.2', location: OSLO },
  ],
}

describe('the value of a section', () => {
  test('of several nodes is what all of them declare; the rest differs', () => {
    expect(storedValue({ fleet }, 'people', [])).toEqual({ value: { roster: ['ann'] }, differs: [] })
    expect(storedValue({ fleet }, 'node-place', ['a', 'b'])).toEqual({ value: { location: OSLO }, differs: ['role'] })
    expect(storedValue({ fleet }, 'node-place', ['a']).value).toEqual({ location: OSLO, role: 'database' })
  })

  test('is sent without what was left empty, and with what is declared as no', () => {
    expect(
      sectionToSend({ accounts: [{}, { account: 'ann', owner: '' }], roster: [], agent: false, vantage: { name: '' } }),
    ).toEqual({ accounts: [{ account: 'ann' }], agent: false })
  })

  test('is unsaved where it would change what is stored, in whatever order it was entered', () => {
    expect(isUnsaved({ roster: ['ann'], accounts: [{}] }, { roster: ['ann'] })).toBe(false)
    expect(isUnsaved({ location: { ...OSLO, radiusKm: 6 } }, { location: OSLO })).toBe(true)
    expect(isUnsaved({}, { roster: ['ann'] })).toBe(true)
    const { declaredBy, ...rest } = OSLO
    expect(isUnsaved({ location: { declaredBy, ...rest } }, { location: OSLO })).toBe(false)
  })
})

describe('typed values', () => {
  test.each([
    ['59.9', 59.9],
    ['-77,48', -77.48],
    [' 22 ', 22],
    ['.5', 0.5],
    ['1e3', '1e3'],
    ['59.9 N', '59.9 N'],
    ['', ''],
  ])('%s', (typed, value) => expect(numberIn(typed)).toEqual(value))

  test('corners are pairs of numbers, and what is none stays to be reported', () => {
    expect(cornersIn('59, 10\n60 11\n\nx')).toEqual([[59, 10], [60, 11], ['x']])
    expect(cornersIn(cornersText([[59.5, -10]]))).toEqual([[59.5, -10]])
  })
})

test('a problem is shown at its field, or at the field that has no parts of its own', () => {
  const problems = [
    { path: ['roster', 1], text: 'must be at most 64 characters long' },
    { path: ['accounts', 0, 'kind'], text: 'is required' },
  ]
  expect(problemAt(problems, ['roster'], true)).toBe('Line 2 must be at most 64 characters long.')
  expect(problemAt(problems, ['accounts', 0, 'kind'])).toBe('Is required.')
  expect(problemAt(problems, ['accounts'])).toBeUndefined()
})

test('the heading of a section names what it declares', () => {
  const content = (value: object) => contentOf({ ...value }, (member) => member)
  expect(content({ roster: ['a', 'b'], profile: 'stig' })).toBe('roster: 2 · profile: STIG')
  expect(content({ location: OSLO, sudo: true })).toBe('location: Oslo · sudo')
  expect(content({ a: 1, b: 2, c: 3 })).toBe('3 entries')
})

test('places are offered once each, by name', () => {
  const vantage = { ...OSLO, name: 'Bergen' }
  expect(declaredPlaces({ fleet: { ...fleet, vantage } }).map(({ name }) => name)).toEqual(['Bergen', 'Oslo'])
})

test('drafts are kept by fleet, section and nodes, in whatever order these were selected', () => {
  const key = draftKey('clinic', 'node-place', ['b', 'a'])
  keepDraft(key, { role: 'x' })
  expect(keptDraft(draftKey('clinic', 'node-place', ['a', 'b']))).toEqual({ role: 'x' })
  expect(draftsOf('clinic')).toEqual([{ section: 'node-place', nodes: ['a', 'b'] }])
  expect(draftsOf('other')).toEqual([])
  expect(draftWords(draftsOf('clinic'))).toMatch(/ of a, b$/)
  keepDraft(key, null)
  expect(draftsOf('clinic')).toEqual([])
})
