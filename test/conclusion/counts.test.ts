import { describe, expect, test } from 'vitest'
import {
  type CheckOver,
  type CountingMatter,
  counting,
  decides,
  type NodeVerdicts,
  sourceOf,
} from '../../main/core/register/documents.ts'
import { acceptancesOf } from '../../main/core/register/register.ts'
import type { CheckSource, ControlRole } from '../../schemas/conclusion-words.ts'
import type { Verdict } from '../../schemas/words.ts'
import { AS_OF } from '../support/conclusion-documents.ts'
import { riskAcceptanceOf } from '../support/register.ts'
import { NO_RESULTS } from '../support/rollup-kit.ts'

/** How results become counts, over made-up nodes: every number of every kind of check. */
const OFF_NODE = [
  { id: 'c.document', source: 'document', why: 'w' },
  { id: 'c.pack', source: 'pack', why: 'w' },
  { id: 'c.runs', source: 'runs', why: 'w' },
  { id: 'c.population', source: 'population', why: 'w' },
] as const

const matter = (changes: Partial<CountingMatter> = {}): CountingMatter => ({
  nodes: [],
  built: new Set(['a', 'other', 'c.period', 'c.ephi']),
  offNodeChecks: OFF_NODE,
  acceptances: acceptancesOf([], AS_OF),
  answers: () => null,
  population: false,
  chain: null,
  periodChecks: new Set(['c.period', 'c.period-unbuilt']),
  ephiChecks: new Set(['c.ephi']),
  ephiNodes: null,
  ...changes,
})
const count = (check: string, changes: Partial<CountingMatter> = {}, scope: 'all' | 'ephi' = 'all'): CheckOver =>
  counting(matter(changes))(check, scope)

/** A node with one result; reached by another check, whatever this one says. */
const node = (name: string, verdict: Verdict | null, { check = 'a', stale = false } = {}): NodeVerdicts => ({
  node: name,
  stale,
  results: [{ check: 'other', verdict: 'satisfied' }, ...(verdict === null ? [] : [{ check, verdict }])],
})
const unreached = (name: string): NodeVerdicts => ({ node: name, results: [{ check: 'a', verdict: 'not-tested' }] })

/** What an all-zero count has besides. */
const ZERO = {
  population: 1,
  tested: 1,
  ...NO_RESULTS,
}

const server = (changes: Partial<typeof ZERO>, over: Partial<Omit<CheckOver, 'count'>> = {}, check = 'a') => ({
  count: { check, source: 'server', built: true, ...ZERO, ...changes },
  deviating: [],
  accepted: [],
  unsettled: 0,
  ...over,
})

describe('where the answer to a check comes from', () => {
  test.each<[string, CheckSource]>([
    ['a', 'server'],
    ['c.period', 'runs'],
    ['c.period-unbuilt', 'runs'],
    ['c.document', 'document'],
    ['c.pack', 'pack'],
    ['c.runs', 'runs'],
    ['c.population', 'population'],
    ['unknown', 'server'],
  ])('%s: %s', (check, source) => expect(sourceOf(check, matter())).toBe(source))

  test('what is built is a matter of servers, whatever else lists it', () =>
    expect(sourceOf('a', matter({ offNodeChecks: [{ id: 'a', source: 'pack', why: 'w' }] }))).toBe('server'))
})

describe('whether a check decides', () => {
  test.each<[ControlRole, CheckSource, boolean | null, boolean]>([
    ['required', 'server', null, true],
    ['counter', 'server', null, true],
    ['supporting', 'server', true, false],
    ['context', 'server', true, false],
    ['required', 'document', true, false],
    ['required', 'runs', null, false],
    ['required', 'runs', false, true],
    ['counter', 'runs', true, true],
    ['required', 'pack', null, false],
    ['counter', 'pack', true, false],
  ])('%s, from %s, chain %s: %s', (role, source, chain, expected) =>
    expect(decides(role, source, chain)).toBe(expected),
  )
})

describe('one check on one server', () => {
  const DEVIATES = { deviating: ['n'] }
  test.each<[string, NodeVerdicts, 'any' | 'undecided' | null, ReturnType<typeof server>]>([
    ['satisfied', node('n', 'satisfied'), null, server({ satisfied: 1 })],
    ['informational', node('n', 'informational'), null, server({ informational: 1 })],
    ['not applicable', node('n', 'not-applicable'), null, server({ notApplicable: 1 })],
    ['not satisfied', node('n', 'not-satisfied'), null, server({ notSatisfied: 1 }, DEVIATES)],
    ['inconclusive', node('n', 'inconclusive'), null, server({ inconclusive: 1 }, { unsettled: 1 })],
    ['not tested', node('n', 'not-tested'), null, server({ notTested: 1, tested: 0 }, { unsettled: 1 })],
    ['without a result', node('n', null), null, server({ notTested: 1, tested: 0 }, { unsettled: 1 })],
    ['not reached', unreached('n'), null, server({ notTested: 1, tested: 0 })],
    ['not reached, answered', unreached('n'), 'any', server({ notTested: 1, tested: 0 })],
    ['not satisfied, answered', node('n', 'not-satisfied'), 'any', server({ notSatisfied: 1, answeredByDocument: 1 })],
    [
      'not satisfied, where only an open result may be answered',
      node('n', 'not-satisfied'),
      'undecided',
      server({ notSatisfied: 1 }, DEVIATES),
    ],
    ['inconclusive, answered', node('n', 'inconclusive'), 'any', server({ inconclusive: 1, answeredByDocument: 1 })],
    [
      'inconclusive, answered as open',
      node('n', 'inconclusive'),
      'undecided',
      server({ inconclusive: 1, answeredByDocument: 1 }),
    ],
    [
      'not tested, answered',
      node('n', 'not-tested'),
      'undecided',
      server({ notTested: 1, tested: 0, answeredByDocument: 1 }),
    ],
    ['satisfied, with an answer that it does not need', node('n', 'satisfied'), 'any', server({ satisfied: 1 })],
    [
      'stale, informational',
      node('n', 'informational', { stale: true }),
      null,
      server({ informational: 1 }, { unsettled: 1 }),
    ],
    [
      'stale, answered',
      node('n', 'informational', { stale: true }),
      'any',
      server({ informational: 1, answeredByDocument: 1 }),
    ],
    [
      'stale, not satisfied',
      node('n', 'not-satisfied', { stale: true }),
      null,
      server({ notSatisfied: 1, notRetested: 1 }, DEVIATES),
    ],
    [
      'stale, not satisfied, answered',
      node('n', 'not-satisfied', { stale: true }),
      'any',
      server({ notSatisfied: 1, answeredByDocument: 1 }),
    ],
  ])('%s', (_name, one, answer, expected) =>
    expect(count('a', { nodes: [one], answers: () => answer })).toEqual(expected),
  )

  test('a risk acceptance in effect is counted, and the deviation stays one', () => {
    const acceptances = acceptancesOf([riskAcceptanceOf({ check: 'a', nodes: ['n'] })], AS_OF)
    const nodes = [node('n', 'not-satisfied'), node('m', 'not-satisfied'), node('o', 'satisfied')]
    expect(count('a', { nodes, acceptances })).toEqual(
      server(
        { population: 3, tested: 3, satisfied: 1, notSatisfied: 2, accepted: 1 },
        { deviating: ['n', 'm'], accepted: ['n'] },
      ),
    )
  })

  test('sums over servers, each by its own answer', () => {
    const nodes = [
      node('a1', 'not-satisfied', { stale: true }),
      node('a2', 'not-satisfied', { stale: true }),
      node('a3', 'inconclusive'),
      node('a4', 'inconclusive'),
      node('a5', 'not-satisfied'),
      node('a6', 'inconclusive'),
      unreached('a7'),
    ]
    const answers = (_check: string, name: string) => (['a5', 'a6'].includes(name) ? ('any' as const) : null)
    expect(count('a', { nodes, answers })).toEqual(
      server(
        {
          population: 7,
          tested: 6,
          notSatisfied: 3,
          inconclusive: 3,
          notTested: 1,
          answeredByDocument: 2,
          notRetested: 2,
        },
        { deviating: ['a1', 'a2'], unsettled: 2 },
      ),
    )
  })

  test('a check that the catalog does not have is not tested, though an older result is there', () =>
    expect(count('gone', { nodes: [node('n', 'satisfied', { check: 'gone' })] })).toEqual({
      ...server({ notTested: 1, tested: 0 }, { unsettled: 1 }, 'gone'),
      count: { ...server({ notTested: 1, tested: 0 }, {}, 'gone').count, built: false },
    }))

  test('is counted once for all controls of one scope', () => {
    const counted = counting(matter({ nodes: [node('n', 'satisfied')], ephiNodes: new Set() }))
    expect(counted('a', 'all')).toBe(counted('a', 'all'))
    expect(counted('a', 'ephi')).not.toBe(counted('a', 'all'))
    expect(counted('a', 'ephi').count.population).toBe(0)
  })
})

describe('checks of ePHI, once the data map was inspected', () => {
  const ephi = (name: string, verdict: Verdict, stale = false) => node(name, verdict, { check: 'c.ephi', stale })
  const nodes = [ephi('in', 'satisfied'), ephi('out', 'not-satisfied'), unreached('off')]
  const ephiNodes = new Set(['in'])

  test('do not apply to a reached server outside it', () => {
    expect(count('c.ephi', { nodes, ephiNodes })).toEqual(
      server({ population: 3, tested: 2, satisfied: 1, notApplicable: 1, notTested: 1 }, {}, 'c.ephi'),
    )
    expect(count('c.ephi', { nodes: [ephi('out', 'inconclusive', true)], ephiNodes })).toEqual(
      server({ notApplicable: 1 }, {}, 'c.ephi'),
    )
  })
  test('apply everywhere before', () =>
    expect(count('c.ephi', { nodes })).toMatchObject({ deviating: ['out'], count: { notApplicable: 0 } }))
  test('leave other checks alone, and a control of ePHI tests only the servers of the map', () => {
    expect(count('other', { nodes, ephiNodes })).toMatchObject({ count: { satisfied: 2, population: 3 } })
    expect(count('other', { nodes, ephiNodes }, 'ephi')).toMatchObject({ count: { satisfied: 1, population: 1 } })
    expect(count('other', { nodes }, 'ephi')).toMatchObject({ count: { satisfied: 2, population: 3 } })
  })
})

describe('what is answered once for the whole population', () => {
  const nodes = [node('n', 'satisfied'), node('m', 'satisfied')]
  type Answer = 'met' | 'open' | 'not asked' | 'not yet sealed'
  const once = (check: string, source: CheckSource, is: Answer) => ({
    ...server({}),
    count: {
      ...ZERO,
      check,
      source,
      built: false,
      population: is === 'not asked' ? 0 : 1,
      tested: is === 'met' || is === 'open' ? 1 : 0,
      satisfied: is === 'met' ? 1 : 0,
      inconclusive: is === 'open' ? 1 : 0,
      notTested: is === 'not yet sealed' ? 1 : 0,
    },
    unsettled: is === 'open' ? 1 : 0,
  })
  test.each<[string, CheckSource, Partial<CountingMatter>, Answer]>([
    ['c.pack', 'pack', {}, 'not yet sealed'],
    ['c.document', 'document', { population: true, chain: true }, 'not asked'],
    ['c.document', 'document', {}, 'not asked'],
    ['c.population', 'population', { population: true }, 'met'],
    ['c.population', 'population', { population: false, chain: true }, 'open'],
    ['c.runs', 'runs', { chain: true }, 'met'],
    ['c.runs', 'runs', { chain: false, population: true }, 'open'],
    ['c.runs', 'runs', { chain: null, population: true }, 'not asked'],
    ['c.period-unbuilt', 'runs', { chain: true }, 'met'],
  ])('%s, from %s, with %j: %s', (check, source, changes, is) =>
    expect(count(check, { nodes, ...changes })).toEqual(once(check, source, is)),
  )

  test('a check of the runs that is built is counted on servers', () =>
    expect(count('c.period', { nodes: [node('n', 'satisfied', { check: 'c.period' })] }).count).toEqual({
      ...ZERO,
      check: 'c.period',
      source: 'runs',
      built: true,
      satisfied: 1,
    }))
})
