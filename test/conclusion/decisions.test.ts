import { describe, expect, test } from 'vitest'
import {
  type ConclusionMatter,
  concludeControls,
  type DecidingCheck,
  rowState,
  serverPart,
} from '../../main/core/conclusion/conclude.ts'
import { decides, isReached, type NodeVerdicts, sourceOf } from '../../main/core/register/documents.ts'
import { EMPTY_REGISTER } from '../../main/core/register/register.ts'
import type { Control } from '../../main/core/rules/framework.ts'
import type { ControlRole, DocumentState, RowState, ServerState } from '../../schemas/conclusion-words.ts'
import type { ControlAssessment, ControlDecision, Engagement, RiskAcceptance } from '../../schemas/types.ts'
import type { Verdict } from '../../schemas/words.ts'
import { AS_OF, documentFor, engagement, PERIOD, registerWith } from '../support/conclusion-documents.ts'
import { acceptanceRequestOf, decisionOf, riskAcceptanceOf } from '../support/register.ts'
import { catalogWith, controlOf, evidenceRequestOf, frameworkOf, NO_RESULTS, nodeWith } from '../support/rollup-kit.ts'

/** The functions that decide about servers and rows, one step at a time; those about documents are in documents.test.ts. */
const deciding = (
  role: ControlRole,
  counts: Partial<DecidingCheck['count']> = {},
  over: Partial<Omit<DecidingCheck, 'count' | 'role'>> = {},
): DecidingCheck => ({
  role,
  deviating: [],
  accepted: [],
  unsettled: 0,
  ...over,
  count: {
    check: 'a',
    source: 'server',
    built: true,
    population: 2,
    tested: 2,
    ...NO_RESULTS,
    ...counts,
  },
})
const met = deciding('required', { satisfied: 2 })
const failing = (...deviating: string[]) => deciding('required', { notSatisfied: deviating.length }, { deviating })
const open = deciding('required', { satisfied: 1, inconclusive: 1 }, { unsettled: 1 })
const outside = deciding('required', { notApplicable: 2 })
const listed = deciding('required', { source: 'population', built: false, population: 1, tested: 1, satisfied: 1 })
const ALL = { population: 2, reached: 2 }
const SOME = { population: 2, reached: 1 }
const NO = { population: 2, reached: 0 }

describe('the server part, in the order of its steps', () => {
  test.each<[string, readonly DecidingCheck[], typeof ALL, ServerState]>([
    ['1 nothing decides', [], ALL, 'no-server-test'],
    ['1 before 3: nothing decides, and nothing was reached', [], NO, 'no-server-test'],
    ['2 one deviates', [failing('x')], ALL, 'deviations'],
    [
      '2 a counter check deviates',
      [met, deciding('counter', { notSatisfied: 1 }, { deviating: ['x'] })],
      ALL,
      'deviations',
    ],
    ['2 before 4', [failing('x'), open], ALL, 'deviations'],
    ['2 before 5', [failing('x')], SOME, 'deviations'],
    ['3 nothing was reached', [open], NO, 'not-tested'],
    ['3 before 6: compared lists do not stand in for servers', [listed, met], NO, 'not-tested'],
    ['3 asks for servers only where a check is about them', [listed], NO, 'no-deviations'],
    ['4 one is open', [met, open], ALL, 'unable-to-conclude'],
    [
      '4 a counter check is open',
      [met, deciding('counter', { satisfied: 1 }, { unsettled: 1 })],
      ALL,
      'unable-to-conclude',
    ],
    ['4 before 5', [open], SOME, 'unable-to-conclude'],
    ['5 one was not reached', [met], SOME, 'scope-limitation'],
    ['5 before 7', [outside], SOME, 'scope-limitation'],
    ['5 before 8', [deciding('counter', { satisfied: 1 })], SOME, 'scope-limitation'],
    ['6 satisfied', [met], ALL, 'no-deviations'],
    ['6 recorded', [deciding('required', { informational: 2 })], ALL, 'no-deviations'],
    ['6 answered', [deciding('required', { notSatisfied: 2, answeredByDocument: 2 })], ALL, 'no-deviations'],
    ['6 one is satisfied, the other cannot apply', [outside, met], ALL, 'no-deviations'],
    ['7 none can apply', [outside], ALL, 'not-applicable'],
    [
      '7 a satisfied counter check does not make it apply',
      [outside, deciding('counter', { satisfied: 2 })],
      ALL,
      'not-applicable',
    ],
    ['8 counter checks alone', [deciding('counter', { satisfied: 2 })], ALL, 'no-server-test'],
  ])('%s', (_name, checks, scope, state) => expect(serverPart(checks, scope).state).toBe(state))

  test('counts nodes, not results, and none where no check is about servers', () => {
    const accepted = { deviating: ['x', 'y'], accepted: ['x'] }
    const twice = deciding('required', { notSatisfied: 2, notRetested: 2 }, accepted)
    expect(
      serverPart(
        [twice, deciding('required', { notSatisfied: 1, notRetested: 1 }, { deviating: ['x'], accepted: ['x'] })],
        ALL,
      ),
    ).toEqual({
      state: 'deviations',
      population: 2,
      tested: 2,
      deviating: 2,
      accepted: 1,
      notRetested: 2,
    })
    expect(serverPart([twice, failing('x')], ALL).accepted).toBe(0)
    expect(serverPart([listed], ALL)).toMatchObject({ population: 0, tested: 0 })
    // A check of the chain of runs is about servers where it is built.
    expect(serverPart([deciding('required', { source: 'runs', satisfied: 2 })], ALL)).toMatchObject({
      population: 2,
      tested: 2,
    })
    expect(serverPart([deciding('required', { source: 'runs', built: false, satisfied: 1 })], ALL)).toMatchObject({
      population: 0,
    })
  })
})

describe('the state of a row, in the order of its steps', () => {
  const matter = { isInScope: true, isNotApplicable: false, isDecidedOtherwise: false }
  const cases: readonly [string, ServerState, DocumentState, Partial<typeof matter>, RowState][] = [
    ['1 before 3', 'deviations', 'deviations', { isInScope: false, isNotApplicable: true }, 'out-of-scope'],
    ['2 before 4', 'unable-to-conclude', 'outstanding', { isNotApplicable: true }, 'not-applicable'],
    ['2 never over a deviation on servers', 'deviations', 'inspected', { isNotApplicable: true }, 'deviations'],
    ['2 never over a deviation in documents', 'no-deviations', 'deviations', { isNotApplicable: true }, 'deviations'],
    ['3 on servers', 'deviations', 'outstanding', {}, 'deviations'],
    ['3 in documents, before 4', 'unable-to-conclude', 'deviations', {}, 'deviations'],
    ['3 decided', 'deviations', 'inspected', { isDecidedOtherwise: true }, 'addressable-decision'],
    ['3 decided, never over documents', 'deviations', 'deviations', { isDecidedOtherwise: true }, 'deviations'],
    ['4 unable', 'unable-to-conclude', 'inspected', {}, 'unable-to-conclude'],
    ['4 limited', 'scope-limitation', 'inspected', {}, 'unable-to-conclude'],
    ['4 not tested, before 5', 'not-tested', 'outstanding', {}, 'unable-to-conclude'],
    [
      '4 a decision about a deviation that is not there',
      'not-tested',
      'inspected',
      { isDecidedOtherwise: true },
      'unable-to-conclude',
    ],
    ['5 outstanding', 'no-deviations', 'outstanding', {}, 'documents-outstanding'],
    ['5 documents decide where no server does', 'no-server-test', 'outstanding', {}, 'documents-outstanding'],
    ['6 both', 'no-deviations', 'inspected', {}, 'supported'],
    ['6 servers alone', 'no-deviations', 'none-needed', {}, 'supported'],
    ['6 documents alone', 'no-server-test', 'inspected', {}, 'supported'],
    ['6 documents, where no check can apply', 'not-applicable', 'inspected', {}, 'supported'],
    ['nothing at all supports nothing', 'no-server-test', 'none-needed', {}, 'unable-to-conclude'],
    ['what applies nowhere supports nothing by itself', 'not-applicable', 'none-needed', {}, 'unable-to-conclude'],
  ]
  test.each(cases)('%s', (_name, server, documents, changes, state) =>
    expect(rowState({ state: server }, { state: documents }, { ...matter, ...changes })).toBe(state),
  )
})

test.each([
  ['built', 'server'],
  ['built.period', 'runs'],
  ['paper', 'document'],
  ['sealed', 'pack'],
  ['unknown', 'server'],
])('the answer of %s comes from: %s', (check, source) =>
  expect(
    sourceOf(check, {
      built: new Set(['built', 'built.period']),
      periodChecks: new Set(['built.period']),
      offNodeChecks: [
        { id: 'paper', source: 'document', why: 'w' },
        { id: 'sealed', source: 'pack', why: 'w' },
      ],
    }),
  ).toBe(source),
)

test('what decides: by role, never by a document or by the pack that is yet to be sealed, and by runs in a period alone', () => {
  const roles: readonly ControlRole[] = ['required', 'counter', 'supporting', 'context']
  expect(roles.map((role) => decides(role, 'server', null))).toEqual([true, true, false, false])
  expect(roles.map((role) => decides(role, 'document', true))).toEqual([false, false, false, false])
  expect(roles.map((role) => decides(role, 'runs', null))).toEqual([false, false, false, false])
  expect([true, false].map((chain) => decides('required', 'runs', chain))).toEqual([true, true])
  expect((['pack', 'population'] as const).map((source) => decides('counter', source, null))).toEqual([false, true])
})

test('a node was reached once any check has a result', () => {
  const of = (...verdicts: Verdict[]): NodeVerdicts => ({
    node: 'n',
    results: verdicts.map((verdict, at) => ({ check: `${at}`, verdict })),
  })
  expect([of(), of('not-tested'), of('not-tested', 'inconclusive')].map(isReached)).toEqual([false, false, true])
})

/** Rows over the checks “a” and “b”. */
const NOTHING: ConclusionMatter = { register: EMPTY_REGISTER, asOf: AS_OF, engagement: undefined, uncovered: 0 }
const one = (
  row: Partial<Control>,
  nodes: readonly NodeVerdicts[],
  changes: Partial<ConclusionMatter> = {},
  catalog: Parameters<typeof catalogWith>[2] = {},
): ControlAssessment => {
  const made = catalogWith([frameworkOf([controlOf(row)])], ['a', 'b'], catalog)
  const [found] = concludeControls(made, ['hipaa'], nodes, { ...NOTHING, ...changes })
  if (found === undefined) throw new Error('no row')
  return found
}

const states = ({ server, state }: ControlAssessment) => [server.state, state]
const nodesOf = (...verdicts: Verdict[]) => verdicts.map((verdict, at) => nodeWith(`n${at}`, verdict))

describe('results on servers', () => {
  test.each<[string, readonly Verdict[], ServerState, RowState]>([
    ['every node satisfied', ['satisfied', 'satisfied'], 'no-deviations', 'supported'],
    ['one deviates', ['satisfied', 'not-satisfied'], 'deviations', 'deviations'],
    ['one is undecided', ['satisfied', 'inconclusive'], 'unable-to-conclude', 'unable-to-conclude'],
    ['one was not tested, though reached', ['satisfied', 'not-tested'], 'unable-to-conclude', 'unable-to-conclude'],
    ['it applies to one', ['not-applicable', 'satisfied'], 'no-deviations', 'supported'],
    ['it applies to none', ['not-applicable', 'not-applicable'], 'not-applicable', 'unable-to-conclude'],
    ['it records', ['informational', 'satisfied'], 'no-deviations', 'supported'],
  ])('%s', (_name, verdicts, server, state) => expect(states(one({}, nodesOf(...verdicts)))).toEqual([server, state]))

  test('no nodes support nothing', () => expect(states(one({}, []))).toEqual(['not-tested', 'unable-to-conclude']))

  test('a mapped check that the catalog lacks is not tested', () => {
    const mappings = ['a', 'unbuilt'].map((check) => ({ check, shows: 's' }))
    const found = one({ mappings }, nodesOf('satisfied'))
    expect(states(found)).toEqual(['unable-to-conclude', 'unable-to-conclude'])
    expect(found.checks[1]).toMatchObject({ built: false, notTested: 1, decides: true })
  })

  test('a result that a mapping no longer has a check for is not read', () =>
    expect(
      states(
        one({ mappings: [{ check: 'gone', shows: 's' }] }, [
          {
            node: 'n',
            results: [
              { check: 'gone', verdict: 'satisfied' },
              { check: 'a', verdict: 'satisfied' },
            ],
          },
        ]),
      ),
    ).toEqual(['unable-to-conclude', 'unable-to-conclude']))

  test.each(['supporting', 'context'] as const)('a %s check decides nothing, in either direction', (role) => {
    const row = {
      mappings: [
        { check: 'a', shows: 'a', role },
        { check: 'b', shows: 'b' },
      ],
    }
    for (const verdict of ['satisfied', 'not-satisfied', 'inconclusive', 'not-tested'] as const)
      expect(states(one(row, [nodeWith('n', verdict)]))).toEqual(['no-deviations', 'supported'])
  })

  test('a row without a deciding check and without documents is never supported', () => {
    expect(states(one({ mappings: [] }, nodesOf('satisfied')))).toEqual(['no-server-test', 'unable-to-conclude'])
    const counter = { mappings: [{ check: 'a', shows: 'a', role: 'counter' as const }] }
    expect(states(one(counter, nodesOf('satisfied')))).toEqual(['no-server-test', 'unable-to-conclude'])
    expect(states(one(counter, nodesOf('not-satisfied')))).toEqual(['deviations', 'deviations'])
  })

  test('a class out of scope has the state of nothing', () =>
    expect(one({ evidenceType: 'out-of-scope' }, nodesOf('not-satisfied')).state).toBe('out-of-scope'))

  test('every count of a check adds up to its population', () => {
    const verdicts = [
      'satisfied',
      'not-satisfied',
      'inconclusive',
      'not-applicable',
      'not-tested',
      'informational',
      'satisfied',
    ] as const
    expect(one({}, [...nodesOf(...verdicts), { node: 'silent', results: [] }]).checks).toEqual([
      {
        check: 'a',
        role: 'required',
        decides: true,
        source: 'server',
        built: true,
        population: 8,
        tested: 6,
        satisfied: 2,
        notSatisfied: 1,
        inconclusive: 1,
        notApplicable: 1,
        informational: 1,
        notTested: 2,
        accepted: 0,
        answeredByDocument: 0,
        notRetested: 0,
      },
    ])
  })

  test('stale evidence: a deviation stays and was not retested, anything else is open', () => {
    const stale = (verdict: Verdict) => one({}, [{ ...nodeWith('n', verdict), stale: true }])
    expect(stale('not-satisfied')).toMatchObject({ state: 'deviations', server: { notRetested: 1 } })
    for (const verdict of ['satisfied', 'informational', 'not-applicable', 'inconclusive'] as const)
      expect(stale(verdict).server, verdict).toMatchObject({ state: 'unable-to-conclude', notRetested: 0 })
  })

  test('an overlay changes no row in force', () => {
    const overlay = frameworkOf([controlOf({ mappings: [{ check: 'b', shows: 'b' }] })], { id: 'nprm', proposed: true })
    const catalog = catalogWith([frameworkOf([controlOf()]), overlay])
    const nodes = [nodeWith('n', 'satisfied', 'not-satisfied')]
    const both = concludeControls(catalog, ['hipaa', 'nprm'], nodes, NOTHING)
    expect(both.map(({ framework, state }) => [framework, state])).toEqual([
      ['hipaa', 'supported'],
      ['nprm', 'deviations'],
    ])
    expect(both.slice(0, 1)).toEqual(concludeControls(catalog, ['hipaa'], nodes, NOTHING))
  })
})

describe('risk acceptances never support', () => {
  const day = '2026-11-22T23:59:59.999Z'
  const excepted = (changes: Partial<RiskAcceptance> = {}) =>
    riskAcceptanceOf({ check: 'a', nodes: ['n0'], ...changes })
  const GONE = { at: AS_OF, by: 'x', reason: 'y' }
  test.each<[string, readonly Verdict[], RiskAcceptance, string, number]>([
    ['in force', ['not-satisfied', 'satisfied'], excepted(), AS_OF, 1],
    ['in its last millisecond', ['not-satisfied'], excepted({ expiresAt: day }), day, 1],
    ['a millisecond after', ['not-satisfied'], excepted({ expiresAt: day }), '2026-11-23T00:00:00.000Z', 0],
    ['withdrawn', ['not-satisfied'], excepted({ withdrawn: GONE }), AS_OF, 0],
    ['on another node', ['not-satisfied', 'satisfied'], excepted({ nodes: ['n1'] }), AS_OF, 0],
    ['of another check', ['not-satisfied'], excepted({ check: 'b' }), AS_OF, 0],
    ['on one of two', ['not-satisfied', 'not-satisfied'], excepted(), AS_OF, 1],
    ['on both of two', ['not-satisfied', 'not-satisfied'], excepted({ nodes: ['n0', 'n1'] }), AS_OF, 2],
  ])('%s', (_name, verdicts, acceptance, asOf, accepted) => {
    const found = one({}, nodesOf(...verdicts), {
      register: { ...EMPTY_REGISTER, riskAcceptances: [acceptance] },
      asOf,
    })
    expect(found).toMatchObject({ state: 'deviations', server: { state: 'deviations', accepted } })
    expect(found.checks[0]).toMatchObject({
      accepted,
      notSatisfied: verdicts.filter((v) => v === 'not-satisfied').length,
    })
  })

  test.each(['inconclusive', 'not-tested'] as const)('on a result that is %s', (verdict) => {
    const register = { ...EMPTY_REGISTER, riskAcceptances: [excepted()] }
    expect(one({}, nodesOf(verdict, 'satisfied'), { register })).toMatchObject({
      state: 'unable-to-conclude',
      server: { accepted: 0 },
    })
  })

  test('one that was only asked for accepts nothing', () => {
    const register = { ...EMPTY_REGISTER, acceptanceRequests: [acceptanceRequestOf({ check: 'a', nodes: ['n0'] })] }
    expect(one({}, nodesOf('not-satisfied'), { register }).server.accepted).toBe(0)
  })
})

describe('decisions about a row', () => {
  const decided = (changes: Partial<ControlDecision> = {}) => decisionOf({ control: 'k', ...changes })
  const GONE = { at: AS_OF, by: 'x', reason: 'y' }
  const rationale = decided({ decision: 'not-applicable' })
  const over = (row: Partial<Control>, verdict: Verdict, decisions: readonly ControlDecision[]) =>
    one(row, nodesOf(verdict), { register: { ...EMPTY_REGISTER, decisions } })

  test.each<[string, Partial<Control>, Verdict, RowState, string | null]>([
    ['over a deviation: it stays', {}, 'not-satisfied', 'deviations', null],
    ['over something missing', {}, 'inconclusive', 'not-applicable', rationale.id],
    ['over support', {}, 'satisfied', 'not-applicable', rationale.id],
    ['over what applies nowhere', {}, 'not-applicable', 'not-applicable', rationale.id],
    [
      'over documents that are outstanding',
      { mappings: [], documentsRequired: ['The log'] },
      'satisfied',
      'not-applicable',
      rationale.id,
    ],
    ['over a row that is out of scope', { evidenceType: 'out-of-scope' }, 'satisfied', 'out-of-scope', rationale.id],
  ])('a row does not apply, %s', (_name, row, verdict, state, id) =>
    expect(over(row, verdict, [rationale])).toMatchObject({ state, rationale: id }),
  )

  test.each<[string, readonly ControlDecision[]]>([
    ['expired', [decided({ decision: 'not-applicable', expiresAt: '2026-11-22T11:59:59.999Z' })]],
    ['withdrawn', [decided({ decision: 'not-applicable', withdrawn: GONE })]],
    ['of another row', [decided({ decision: 'not-applicable', control: 'other' })]],
    ['of another framework', [decided({ decision: 'not-applicable', framework: 'soc2' })]],
    ['overtaken', [rationale, decided({ id: 'e'.repeat(32), decidedAt: '2026-11-20T00:00:00.000Z' })]],
  ])('one that is %s takes nothing out', (_name, decisions) =>
    expect(over({}, 'inconclusive', decisions)).toMatchObject({ state: 'unable-to-conclude', rationale: null }),
  )

  test('two of one moment that agree: the same one is named in whatever order they are listed', () => {
    const both = [rationale, decided({ id: 'b'.repeat(32), decision: 'not-applicable' })]
    expect(over({}, 'satisfied', both).rationale).toBe('b'.repeat(32))
    expect(over({}, 'satisfied', both.toReversed()).rationale).toBe('b'.repeat(32))
  })

  test.each<[ControlDecision['decision'], string, RowState]>([
    ['implemented', 'addressable', 'deviations'],
    ['equivalent-alternative', 'addressable', 'addressable-decision'],
    ['not-implemented', 'addressable', 'addressable-decision'],
    ['equivalent-alternative', 'required', 'deviations'],
    ['not-implemented', 'required', 'deviations'],
  ])('%s, of a deviation on a row that is %s', (decision, level, state) => {
    expect(over({ level }, 'not-satisfied', [decided({ decision })]).state).toBe(state)
    expect(over({ level }, 'inconclusive', [decided({ decision })]).state).toBe('unable-to-conclude')
  })
})

describe('what is answered once for the whole population', () => {
  const mappings = [{ check: 'x', shows: 'x' }]
  const from = (source: 'pack' | 'population' | 'runs' | 'document') => ({
    offNodeChecks: [{ id: 'x', source, why: 'w' }],
  })
  const listed = engagement()
  const bare = engagement({ inventory: null })
  const listing = (changes: Partial<NonNullable<Engagement['inventory']>>) => {
    if (listed.inventory === null) throw new Error('no listing')
    return { engagement: { ...listed, inventory: { ...listed.inventory, ...changes } } }
  }
  test.each<[string, 'pack' | 'population' | 'runs' | 'document', Partial<ConclusionMatter>, RowState]>([
    ['the pack, which only its verification tests: nothing decides', 'pack', {}, 'unable-to-conclude'],
    ['a listing that closes', 'population', { engagement: listed }, 'supported'],
    [
      'a listing with a row that is not reconciled',
      'population',
      { engagement: listed, uncovered: 1 },
      'unable-to-conclude',
    ],
    ['no listing', 'population', { engagement: bare }, 'unable-to-conclude'],
    ['a listing without any row', 'population', listing({ rows: [] }), 'unable-to-conclude'],
    ['a listing of a year ago', 'population', listing({ on: '2025-11-22' }), 'supported'],
    ['one that is older', 'population', listing({ on: '2025-11-20' }), 'unable-to-conclude'],
    ['no engagement', 'population', {}, 'unable-to-conclude'],
    ['runs that cover the period', 'runs', { engagement: engagement(PERIOD), chainCoversPeriod: true }, 'supported'],
    ['runs that do not', 'runs', { engagement: engagement(PERIOD) }, 'unable-to-conclude'],
    [
      'runs at a point in time: nothing decides',
      'runs',
      { engagement: listed, chainCoversPeriod: true },
      'unable-to-conclude',
    ],
    ['a document that no request asks for: nothing decides', 'document', {}, 'unable-to-conclude'],
  ])('%s', (_name, source, changes, state) =>
    expect(one({ mappings }, nodesOf('satisfied'), changes, from(source)).state).toBe(state),
  )
})

test('the population of the provider’s listing changes no other row', () =>
  expect(states(one({}, nodesOf('satisfied'), { engagement: engagement(), uncovered: 1 }))).toEqual([
    'no-deviations',
    'supported',
  ]))

test.each([
  [undefined, [], 'supported'],
  ['security', [], 'supported'],
  ['privacy', [], 'out-of-scope'],
  ['privacy', ['privacy'], 'supported'],
  ['privacy', ['availability'], 'out-of-scope'],
])('category %s, with %j elected: %s', (category, categories, state) =>
  expect(
    one({ ...(category === undefined ? {} : { category }) }, nodesOf('satisfied'), {
      engagement: engagement({ categories: categories as NonNullable<Engagement['categories']> }),
    }).state,
  ).toBe(state),
)

describe('the scope of ePHI', () => {
  const MAP = evidenceRequestOf({ id: 'ER-12' })
  const catalog = { requests: [MAP], conclusions: { periodChecks: [], ephiChecks: ['b'], dataMap: MAP.id } }
  const inspected = registerWith([documentFor('ER-12')])
  const ephi = (nodes: readonly string[], flows: readonly [string, string][] = []): Partial<ConclusionMatter> => ({
    register: inspected,
    engagement: engagement({
      ephi: {
        ...engagement().ephi,
        stores: nodes.length === 0 ? [] : [{ name: 's', path: '/d', nodes, what: 'w' }],
        flows: flows.map(([start, end]) => ({ name: 'f', from: start, to: end, protection: 'TLS' })),
      },
    }),
  })
  const fleet = [nodeWith('n0', 'satisfied'), nodeWith('n1', 'not-satisfied', 'not-satisfied')]
  const scoped = (changes: Partial<ConclusionMatter>, nodes = fleet) => one({ scope: 'ephi' }, nodes, changes, catalog)

  test('only nodes that hold it are tested', () =>
    expect(scoped(ephi(['n0']))).toMatchObject({ state: 'supported', server: { population: 1, tested: 1 } }))

  test('and those that a flow names, by a whole word of either end', () => {
    expect(scoped(ephi(['n0'], [['n1', 'the archive']])).state).toBe('deviations')
    expect(scoped(ephi(['n0'], [['the lab', 'storage (n1)']])).state).toBe('deviations')
    expect(scoped(ephi([], [['n0', 'the archive']])).state).toBe('supported')
  })

  test.each<[string, Partial<ConclusionMatter>]>([
    [
      'the map was not inspected',
      { ...ephi(['n0']), register: registerWith([documentFor('ER-12', { level: 'received' })]) },
    ],
    [
      'the map does not support',
      { ...ephi(['n0']), register: registerWith([documentFor('ER-12', { conclusion: 'does-not-support' })]) },
    ],
    [
      'the map expired',
      { ...ephi(['n0']), register: registerWith([documentFor('ER-12', { validUntil: '2026-11-21T23:59:59.999Z' })]) },
    ],
    ['there is no map', { ...ephi(['n0']), register: EMPTY_REGISTER }],
    ['there is no engagement', { register: inspected }],
    ['the map names no node', ephi([])],
    ['a flow names no node', ephi(['n0'], [['the lab', 'the archive']])],
    ['a flow names a part of a node’s name alone', ephi(['n0'], [['n', 'n10']])],
  ])('every node is tested where %s', (_name, changes) =>
    expect(scoped(changes)).toMatchObject({ state: 'deviations', server: { population: 2, deviating: 1 } }),
  )

  test('and those whose own declaration names a path, which the map left out', () => {
    const declares = (one: NodeVerdicts): NodeVerdicts => ({ ...one, declaresEphi: true })
    const row = (nodes: readonly NodeVerdicts[], scope: 'all' | 'ephi') =>
      one(
        { ...(scope === 'ephi' ? { scope } : {}), mappings: [{ check: 'b', shows: 'b' }] },
        nodes,
        ephi(['n0']),
        catalog,
      )
    const own = [nodeWith('n0', 'satisfied'), declares(nodeWith('n1', 'satisfied', 'not-satisfied'))]
    for (const scope of ['all', 'ephi'] as const)
      expect(row(own, scope)).toMatchObject({ state: 'deviations', server: { population: 2, deviating: 1 } })
    // It stays for lack of evidence as well: neither a result that is open nor one that is missing takes it out.
    for (const verdict of ['inconclusive', 'not-tested'] as const)
      expect(
        row([nodeWith('n0', 'satisfied', 'satisfied'), declares(nodeWith('n1', verdict, 'not-satisfied'))], 'ephi'),
      ).toMatchObject({ state: 'deviations', server: { population: 2 } })
    const without = [nodeWith('n0', 'satisfied', 'satisfied'), nodeWith('n1', 'inconclusive', 'not-satisfied')]
    expect(row(without, 'ephi')).toMatchObject({ state: 'supported', server: { population: 1 } })
  })

  test('a server that holds it and is in no list was not tested', () => {
    const good = [nodeWith('n0', 'satisfied'), nodeWith('n1', 'satisfied')]
    const beside = scoped(ephi(['n0', 'elsewhere']), good)
    expect(beside).toMatchObject({ server: { state: 'scope-limitation', population: 2, tested: 1 } })
    expect([beside.state, beside.checks[0]?.notTested]).toEqual(['unable-to-conclude', 1])
    // None of its stores is on a known server: all of those, and this one.
    expect(scoped(ephi(['elsewhere']), good)).toMatchObject({
      server: { state: 'scope-limitation', population: 3, tested: 2 },
    })
    expect(scoped(ephi(['elsewhere']))).toMatchObject({ state: 'deviations', server: { population: 3, deviating: 1 } })
    expect(scoped({ ...ephi(['n0', 'elsewhere']), register: EMPTY_REGISTER }, good).server.population).toBe(3)
    expect(one({}, good, ephi(['elsewhere']), catalog).server).toMatchObject({ state: 'no-deviations', population: 2 })
  })

  test('names of one machine limit the rows of which one of them is in the scope', () => {
    const good = ['n0', 'n1', 'n2'].map((node) => nodeWith(node, 'satisfied'))
    const shared = (...names: string[]) => ({ ...ephi(['n0']), surplus: names.length - 1, machines: [names] })
    expect(scoped(shared('n1', 'n2'), good).server).toMatchObject({ state: 'no-deviations', tested: 1 })
    expect(scoped(shared('n0', 'n2'), good).server.state).not.toBe('no-deviations')
    expect(one({}, good, shared('n1', 'n2'), catalog).server).toMatchObject({ state: 'scope-limitation', tested: 2 })
  })

  test('a store that names no node leaves open where it is', () => {
    const matter = ephi(['n0'])
    const { engagement: declared } = matter
    if (declared === undefined) throw new Error('no engagement')
    const stores = [...declared.ephi.stores, { name: 't', path: '/t', nodes: [], what: 'w' }]
    expect(scoped({ ...matter, engagement: { ...declared, ephi: { ...declared.ephi, stores } } }).state).toBe(
      'deviations',
    )
  })

  test('in other rows, a check of paths and flows cannot apply to a node outside; any other check can', () => {
    const paths = { mappings: [{ check: 'b', shows: 'b' }] }
    expect(one(paths, fleet, ephi(['n0']), catalog).checks[0]).toMatchObject({
      satisfied: 1,
      notApplicable: 1,
      notSatisfied: 0,
    })
    expect(one({}, fleet, ephi(['n0']), catalog).state).toBe('deviations')
    const unreachedOutside = [nodeWith('n0', 'satisfied'), nodeWith('n1', 'not-tested', 'not-tested')]
    expect(one(paths, unreachedOutside, ephi(['n0']), catalog)).toMatchObject({
      server: { state: 'scope-limitation' },
      checks: [{ notTested: 1, notApplicable: 0 }],
    })
  })
})

test('a thousand nodes, 400 rows and a full register', () => {
  const checks = Array.from({ length: 120 }, (_, at) => `check.${at}`)
  const controls = Array.from({ length: 400 }, (_, at) =>
    controlOf({
      key: `k${at}`,
      documentsRequired: ['The log'],
      mappings: Array.from({ length: 8 }, (__, of) => ({ check: `check.${(at + of * 7) % 120}`, shows: 's' })),
    }),
  )
  const nodes = Array.from({ length: 1000 }, (_, at) => ({
    node: `node-${at}`,
    results: checks.map((check, of) => ({
      check,
      verdict: (at + of) % 50 === 0 ? ('not-satisfied' as const) : ('satisfied' as const),
    })),
  }))
  const names = nodes.map(({ node }) => node)
  const keys = controls.map(({ key }) => ({ framework: 'hipaa', control: key }))
  const id = (at: number): string => String(at).padStart(32, '0')
  const register = registerWith(
    Array.from({ length: 5000 }, (_, at) => ({
      ...documentFor('ER-01', { id: id(at), need: 'The log' }),
      controls: at < 50 ? keys : keys.slice(0, 4),
    })),
    {
      riskAcceptances: checks.map((check, at) => riskAcceptanceOf({ id: id(at), check, nodes: names })),
      decisions: Array.from({ length: 5000 }, (_, at) => decisionOf({ id: id(at), control: `k${at % 400}` })),
    },
  )
  const rows = concludeControls(catalogWith([frameworkOf(controls)], checks), ['hipaa'], nodes, {
    ...NOTHING,
    register,
  })
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['deviations']))
  expect(rows.every(({ server, documents }) => server.accepted === server.deviating && documents.held === 1)).toBe(true)
})
