import { expect, test } from 'vitest'
import { CELL_STATES, type Filter, filterOf, NO_FILTER, sentenceOf, shows } from '../../renderer/models/filters.ts'
import { matrixOf } from '../../renderer/models/model.ts'
import { PROPERTIES, verdictWords } from '../../schemas/words.ts'
import { check, row, view } from './made-up-view.ts'

const PLACES = ['Frankfurt']

test('a filter reads as a sentence', () => {
  const filter: Filter = {
    property: 'isolation',
    state: 'open',
    place: 'Frankfurt',
    rights: 'without',
    tested: 'tested',
    named: 'db',
  }
  expect(sentenceOf(filter)).toBe(
    'isolation unresolved, in Frankfurt, without privileged checks, with evidence, named “db”',
  )
  expect(sentenceOf({ ...NO_FILTER, state: 'not-satisfied' })).toBe(
    `any property ${verdictWords['not-satisfied'].label.toLowerCase()}`,
  )
  expect(sentenceOf({ ...NO_FILTER, place: '' })).toBe('in no declared place')
  expect(sentenceOf(NO_FILTER)).toBe('')
})

test('every sentence of a property and a state reads back as the same filter', () => {
  for (const property of [null, ...PROPERTIES])
    for (const state of CELL_STATES) {
      const filter: Filter = {
        ...NO_FILTER,
        property,
        state,
        place: 'Frankfurt',
        rights: 'with',
        tested: 'not-tested',
        named: 'a b',
      }
      expect(filterOf(sentenceOf(filter), PLACES)).toEqual(filter)
    }
})

test('a place whose name holds a comma reads back too', () => {
  const filter: Filter = { ...NO_FILTER, place: 'Ashburn, Virginia', rights: 'with' }
  expect(filterOf(sentenceOf(filter), ['Ashburn', 'Ashburn, Virginia'])).toEqual(filter)
})

test('an unknown sentence is no filter', () => {
  expect(filterOf('isolation is nice', PLACES)).toBeNull()
  expect(filterOf('in Atlantis', PLACES)).toBeNull()
  expect(filterOf('isolation unresolved, in Atlantis', PLACES)).toBeNull()
  expect(filterOf('', PLACES)).toBeNull()
})

const CHECKS = [check('a', 'isolation'), check('b', 'location')]
const ROWS = matrixOf(
  view(CHECKS, [
    row('db-1', ['not-satisfied', 'satisfied'], {
      place: 'Frankfurt',
      accepted: [{ check: 'a', until: '2027-01-01', owner: 'x' }],
    }),
    row('db-2', ['inconclusive', 'satisfied'], { privilege: 'none', expired: ['b'] }),
    row('web-1', ['satisfied', 'satisfied'], { place: 'Frankfurt', privilege: 'root' }),
    row('gone', ['not-tested', 'not-tested'], { status: 'failed', privilege: null }),
  ]),
).rows

const left = (part: Partial<Filter>): readonly string[] =>
  ROWS.filter((one) => shows({ ...NO_FILTER, ...part }, one))
    .map(({ node }) => node.node)
    .sort()

test('“unresolved” is not satisfied, inconclusive or not tested', () => {
  expect(left({ property: 'isolation', state: 'open' })).toEqual(['db-1', 'db-2', 'gone'])
  expect(left({ property: 'location', state: 'open' })).toEqual(['gone'])
  expect(left({ state: 'not-satisfied' })).toEqual(['db-1'])
})

test('acceptances, places, rights and names narrow, each on its own and together', () => {
  expect(left({ state: 'accepted' })).toEqual(['db-1'])
  expect(left({ property: 'isolation', state: 'ended' })).toEqual([])
  expect(left({ property: 'location', state: 'ended' })).toEqual(['db-2'])
  expect(left({ place: 'Frankfurt' })).toEqual(['db-1', 'web-1'])
  expect(left({ place: '' })).toEqual(['db-2', 'gone'])
  expect(left({ rights: 'with' })).toEqual(['db-1', 'web-1'])
  expect(left({ rights: 'without' })).toEqual(['db-2', 'gone'])
  expect(left({ named: 'DB', place: 'Frankfurt' })).toEqual(['db-1'])
})
