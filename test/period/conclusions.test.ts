import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../main/core/base/digest.ts'
import { concludeControls } from '../../main/core/conclusion/conclude.ts'
import { conclusionFold, isCovered, type PeriodMatter, type RunEvidence } from '../../main/core/period/conclusions.ts'
import { deviationFold } from '../../main/core/period/deviations.ts'
import type { EnteredRun } from '../../main/core/period/seen.ts'
import type { NodeVerdicts } from '../../main/core/register/documents.ts'
import { EMPTY_REGISTER } from '../../main/core/register/register.ts'
import type { Engagement, PeriodControl, Register, RunTrace } from '../../schemas/types.ts'
import { VERDICTS, verdictLetters } from '../../schemas/words.ts'
import { documentFor, engagement, registerWith } from '../support/conclusion-documents.ts'
import { riskAcceptanceOf } from '../support/register.ts'
import { catalogWith, controlOf, evidenceRequestOf, frameworkOf } from '../support/rollup-kit.ts'

/** Conclusions over runs that are letters only: one control over checks “a” and “b”, and one need. */
const REQUEST = evidenceRequestOf({
  id: 'R',
  title: 'Procedure',
  time: 'period',
  mayAnswer: [{ check: 'a', answers: 'any' }],
})

const control = controlOf({
  mappings: [
    { check: 'a', shows: 's', role: 'required' },
    { check: 'b', shows: 's', role: 'counter' },
  ],
  documentsRequired: ['One'],
  requests: { One: ['R'] },
})
const catalog = catalogWith([frameworkOf([control])], ['a', 'b'], { requests: [REQUEST] })

const atOf = (day: number): string => `2026-11-${String(day).padStart(2, '0')}T02:00:00.000Z`
const DONE = registerWith([{ ...documentFor('R'), attachedAt: atOf(1) }])

interface Shown {
  readonly register?: Register
  readonly checks?: readonly string[]
  readonly engagement?: Engagement
  readonly observedAt?: string
  readonly changes?: Partial<RunTrace>
}

/** A run on a day of November: for each node a letter per check. */
function runOn(day: number, nodes: Readonly<Record<string, string>>, shown: Shown = {}): RunEvidence {
  const { register = EMPTY_REGISTER, checks = ['a', 'b'], engagement: declared, observedAt = atOf(day) } = shown
  const trace: RunTrace = {
    schema: 'barewitness.run-trace/1',
    run: `run-${day}`,
    fleet: 'f',
    asOf: atOf(day),
    demo: false,
    planned: null,
    engine: '1',
    catalog: { version: '1', digest: sha256('c'), module: sha256('rules') },
    rules: sha256('rules'),
    scope: [],
    checks: [...checks],
    probes: [],
    nodes: Object.entries(nodes).map(([node, verdicts]) => ({
      node,
      status: /^[t-]+$/.test(verdicts) ? ('missing' as const) : ('complete' as const),
      failure: null,
      observedAt,
      recording: null,
      hostKey: null,
      address: null,
      declared: null,
      verdicts,
      readings: '',
      parts: [],
      accounts: null,
      keys: null,
    })),
    ...shown.changes,
  }
  const scope = { fleet: 'f', population: Object.keys(nodes), frameworks: ['hipaa'], asOf: trace.asOf }
  return { trace, scope: { ...scope, ...(declared === undefined ? {} : { engagement: declared }) }, register }
}

const entryOf = (day: number): EnteredRun =>
  ({ place: day, entry: { kind: 'run', run: `run-${day}`, at: atOf(day) } }) as EnteredRun
const missedOn = (...days: number[]): PeriodMatter['missed'] =>
  days.map((day) => ({ schedule: 'nightly', due: atOf(day), withinMinutes: 60 }))

type Day = RunEvidence | number
/** A number stands for the day of a run whose evidence is not available. */
function concluded(days: readonly Day[], matter: Partial<PeriodMatter> = {}) {
  const fold = conclusionFold(catalog)
  for (const day of days)
    if (typeof day === 'number') fold.add(entryOf(day), null)
    else fold.add(entryOf(Number(day.trace.run.slice(4))), day)
  const found = deviationFold()
  for (const day of days) found.add(typeof day === 'number' ? null : day.trace)
  const deviations = found.finish()
  return fold.finish({ missed: [], covered: true, deviations, ...matter }).conclusions
}

const one = (days: readonly Day[], matter: Partial<PeriodMatter> = {}): PeriodControl => {
  const [found] = concluded(days, matter)?.controls ?? []
  if (found === undefined) throw new Error('nothing was concluded')
  return found
}

const GOOD = { x: 'mm', y: 'mm' }

describe('the server part over a period', () => {
  const counts = (population: number, tested: number, deviating = 0) => ({ population, tested, deviating })
  const missed = { missed: missedOn(2) }
  test.each<[string, readonly Day[], Partial<PeriodMatter>, string, ReturnType<typeof counts>]>([
    ['satisfied in every run', [runOn(1, GOOD), runOn(2, GOOD)], {}, 'no-deviations', counts(4, 4)],
    ['a deviation in one run', [runOn(1, GOOD), runOn(2, { ...GOOD, x: 'cm' })], {}, 'deviations', counts(4, 4, 1)],
    [
      'a deviation that was remediated',
      [runOn(1, { ...GOOD, x: 'cm' }), runOn(2, GOOD)],
      {},
      'deviations',
      counts(4, 4, 1),
    ],
    [
      'one node in two runs, by two checks',
      [runOn(1, { ...GOOD, x: 'cc' }), runOn(2, { ...GOOD, x: 'mc' })],
      {},
      'deviations',
      counts(4, 4, 2),
    ],
    [
      'inconclusive in one run',
      [runOn(1, GOOD), runOn(2, { ...GOOD, x: 'im' })],
      {},
      'unable-to-conclude',
      counts(4, 4),
    ],
    [
      'a node not reached in one run',
      [runOn(1, GOOD), runOn(2, { x: 'mm', y: 'tt' })],
      {},
      'scope-limitation',
      counts(4, 3),
    ],
    ['a run missed', [runOn(1, GOOD), runOn(3, GOOD)], missed, 'scope-limitation', counts(6, 4)],
    ['a run without evidence', [runOn(1, GOOD), 2, runOn(3, GOOD)], {}, 'scope-limitation', counts(6, 4)],
    [
      'a missed run has the nodes of the run before it',
      [runOn(1, { x: 'mm' }), runOn(3, GOOD)],
      missed,
      'scope-limitation',
      counts(4, 3),
    ],
    ['missed before the first run: those of the first', [runOn(3, GOOD)], missed, 'scope-limitation', counts(4, 2)],
    [
      'a deviation outweighs a missed run',
      [runOn(1, { ...GOOD, x: 'cm' }), runOn(3, GOOD)],
      missed,
      'deviations',
      counts(6, 4, 1),
    ],
    [
      'inconclusive outweighs a missed run',
      [runOn(1, { ...GOOD, x: 'im' })],
      missed,
      'unable-to-conclude',
      counts(4, 2),
    ],
    ['no check had a result', [runOn(1, { x: '--' })], {}, 'not-tested', counts(1, 0)],
    ['no node reached in any run', [runOn(1, { x: 'tt' }), runOn(2, { x: 'tt' })], {}, 'not-tested', counts(2, 0)],
    [
      'a check that the rules of one run did not have',
      [runOn(1, { x: 'm' }, { checks: ['a'] }), runOn(2, { x: 'mm' })],
      {},
      'unable-to-conclude',
      counts(2, 2),
    ],
    ['none can apply in any run', [runOn(1, { x: 'nm' }), runOn(2, { x: 'nm' })], {}, 'not-applicable', counts(2, 2)],
    [
      'names of one machine count once in each run',
      [runOn(1, GOOD, { changes: { sameMachines: [['x', 'y']] } })],
      {},
      'scope-limitation',
      counts(2, 1),
    ],
    ['no schedule in a part of the period', [runOn(1, GOOD)], { covered: false }, 'scope-limitation', counts(2, 2)],
    ['none, and a deviation', [runOn(1, { x: 'cm' })], { covered: false }, 'deviations', counts(1, 1, 1)],
    [
      'none, and an inconclusive result',
      [runOn(1, { x: 'im' })],
      { covered: false },
      'unable-to-conclude',
      counts(1, 1),
    ],
    [
      'stale evidence of what was only recorded',
      [runOn(28, { x: 'rm' }, { observedAt: '2026-10-01T00:00:00.000Z' })],
      {},
      'unable-to-conclude',
      counts(1, 1),
    ],
  ])('%s', (_name, days, matter, state, expected) =>
    expect(one(days, matter).conclusion.server).toMatchObject({ state, ...expected }),
  )

  test('the results of each check add up over all node tests, those of missed runs included', () =>
    expect(one([runOn(1, { x: 'cm', y: 'im' }), runOn(3, GOOD)], { missed: missedOn(2) }).conclusion.checks[0]).toEqual(
      {
        check: 'a',
        role: 'required',
        decides: true,
        source: 'server',
        built: true,
        population: 6,
        tested: 4,
        satisfied: 2,
        notSatisfied: 1,
        inconclusive: 1,
        notApplicable: 0,
        informational: 0,
        notTested: 2,
        accepted: 0,
        answeredByDocument: 0,
        notRetested: 0,
      },
    ))

  test('a run that is missed at the moment of another has its nodes', () =>
    expect(one([runOn(1, GOOD), runOn(2, { x: 'mm' })], { missed: missedOn(2) }).conclusion.server).toMatchObject(
      counts(4, 3),
    ))

  test('a control of ePHI counts the same way, and a supporting check is no deviation of it', () => {
    const scoped = controlOf({
      scope: 'ephi',
      mappings: [
        { check: 'a', shows: 's', role: 'required' },
        { check: 'b', shows: 's', role: 'supporting' },
      ],
    })
    const fold = conclusionFold(catalogWith([frameworkOf([scoped])], ['a', 'b']))
    for (const day of [1, 3]) fold.add(entryOf(day), runOn(day, { x: 'mc', y: 'mm' }))
    const { conclusions } = fold.finish({ missed: missedOn(2), covered: true, deviations: [] })
    expect(conclusions?.controls).toMatchObject([
      { conclusion: { server: { state: 'scope-limitation', ...counts(6, 4) } }, deviations: null },
    ])
  })

  test('without the evidence of any run there is no conclusion', () => {
    expect(concluded([1, 2], { missed: missedOn(3) })).toBeNull()
    expect(concluded([])).toBeNull()
  })

  test('how many runs were counted, missed and not available, and on which run it rests', () =>
    expect(concluded([runOn(1, GOOD), 2, runOn(4, GOOD), 5], { missed: missedOn(3), covered: false })).toMatchObject({
      run: { run: 'run-4', at: atOf(4) },
      frameworks: ['hipaa'],
      runs: 2,
      missed: 1,
      unavailable: 2,
      covered: false,
    }))
})

describe('when a control deviated', () => {
  const bad = { ...GOOD, x: 'cm' }
  test.each<[string, readonly Day[], object | null]>([
    ['never', [runOn(1, GOOD)], null],
    [
      'from the first run with a deviation to the last, remediated',
      [runOn(1, GOOD), runOn(2, bad), runOn(3, bad), runOn(4, GOOD)],
      { nodes: 1, open: 0, first: { run: 'run-2', at: atOf(2) }, last: { run: 'run-3', at: atOf(3) } },
    ],
    [
      'open at the end',
      [runOn(1, GOOD), runOn(2, bad)],
      { nodes: 1, open: 1, first: { run: 'run-2', at: atOf(2) }, last: { run: 'run-2', at: atOf(2) } },
    ],
    ['not shown to be remediated: open', [runOn(1, bad), runOn(2, { ...GOOD, x: 'im' })], { nodes: 1, open: 1 }],
    ['evidence lost since: open', [runOn(1, bad), 2], { nodes: 1, open: 1 }],
    [
      'by either check, on two nodes of which one is open',
      [runOn(1, { x: 'cm', y: 'mm' }), runOn(2, { x: 'mm', y: 'mc' })],
      { nodes: 2, open: 1, first: { run: 'run-1', at: atOf(1) }, last: { run: 'run-2', at: atOf(2) } },
    ],
    [
      'by either check, whichever is listed first',
      [runOn(1, { x: 'mc' }), runOn(2, { x: 'cm' })],
      { nodes: 1, open: 1, first: { run: 'run-1', at: atOf(1) }, last: { run: 'run-2', at: atOf(2) } },
    ],
  ])('%s', (_name, days, expected) => {
    const { deviations } = one(days)
    if (expected === null) expect(deviations).toBeNull()
    else expect(deviations).toMatchObject(expected)
  })
})

describe('the register of a run counts for that run, and that of the last for documents', () => {
  const bad = { x: 'cm' }
  const accepting = (...nodes: [string, ...string[]]): Register => ({
    ...EMPTY_REGISTER,
    riskAcceptances: [riskAcceptanceOf({ check: 'a', nodes, acceptedAt: atOf(1) })],
  })
  const answering = registerWith([
    { ...documentFor('R'), attachedAt: atOf(1), answers: { checks: ['a'], nodes: ['x'] }, inspection: inspected(1) },
  ])

  test('an acceptance that later runs seal does not cover earlier ones, whatever day it names', () => {
    const server = (days: readonly Day[]) => one(days).conclusion.server
    const before = runOn(2, bad)
    const accepted = runOn(3, bad, { register: accepting('x') })
    expect(server([before, accepted])).toMatchObject({ state: 'deviations', deviating: 2, accepted: 1 })
    expect(server([accepted])).toMatchObject({ state: 'deviations', deviating: 1, accepted: 1 })
  })

  test('a result that a document answers is no deviation in the runs that hold the document', () => {
    expect(one([runOn(2, bad, { register: answering })]).conclusion.server.state).toBe('no-deviations')
    expect(one([runOn(2, bad), runOn(3, bad, { register: answering })])).toMatchObject({
      conclusion: { server: { state: 'deviations', deviating: 1 } },
      deviations: { first: { run: 'run-2' }, last: { run: 'run-2' }, open: 1 },
    })
  })

  test('documents are those of the last run with evidence', () => {
    const documents = (days: readonly Day[]) => one(days).conclusion.documents.state
    expect(documents([runOn(23, GOOD, { register: DONE }), runOn(24, GOOD)])).toBe('outstanding')
    expect(documents([runOn(23, GOOD), runOn(24, GOOD, { register: DONE })])).toBe('inspected')
    expect(documents([runOn(23, GOOD), runOn(24, GOOD, { register: DONE }), 25])).toBe('inspected')
  })

  test('both parts together give the state, as for one run', () => {
    const held = { register: DONE }
    expect(one([runOn(23, GOOD, held), runOn(24, GOOD, held)]).conclusion.state).toBe('supported')
    expect(one([runOn(23, GOOD, held), runOn(25, GOOD, held)], { missed: missedOn(24) }).conclusion.state).toBe(
      'unable-to-conclude',
    )
    // Where no run was due, none was missed: less evidence than of a run that did not take place.
    expect(one([runOn(23, GOOD, held)], { covered: false }).conclusion.state).toBe('unable-to-conclude')
    expect(one([runOn(23, GOOD)]).conclusion.state).toBe('documents-outstanding')
  })
})

describe('what is answered once for the whole period', () => {
  const once = catalogWith(
    [frameworkOf([controlOf({ mappings: ['p', 'r'].map((check) => ({ check, shows: 's', role: 'required' })) })])],
    ['a', 'b'],
    {
      offNodeChecks: [
        { id: 'p', source: 'population', why: 'w' },
        { id: 'r', source: 'runs', why: 'w' },
      ],
    },
  )
  const statesOf = (days: readonly RunEvidence[], covered: boolean): readonly number[] => {
    const fold = conclusionFold(once)
    for (const day of days) fold.add(entryOf(Number(day.trace.run.slice(4))), day)
    const { conclusions } = fold.finish({ missed: [], covered, deviations: [] })
    return conclusions?.controls[0]?.conclusion.checks.map(({ satisfied }) => satisfied) ?? []
  }
  const listed = (day: number, unreconciled?: number) =>
    runOn(day, GOOD, {
      engagement: engagement(),
      changes: unreconciled === undefined ? {} : { unreconciled },
    })

  test('the chain, on any period, whatever the engagement declares', () => {
    expect(statesOf([listed(1, 0)], true)).toEqual([1, 1])
    expect(statesOf([listed(1, 0)], false)).toEqual([1, 0])
  })
  test('the reconciliation, where it closes in every run', () => {
    expect(statesOf([listed(1, 0), listed(2, 0)], true)).toEqual([1, 1])
    expect(statesOf([listed(1, 2), listed(2, 0)], true)).toEqual([0, 1])
    expect(statesOf([listed(1), listed(2, 0)], true)).toEqual([0, 1])
    const shared = runOn(1, GOOD, {
      engagement: engagement(),
      changes: { unreconciled: 0, sameMachines: [['x', 'y']] },
    })
    expect(statesOf([shared, listed(2, 0)], true)).toEqual([0, 1])
  })
})

function inspected(day: number) {
  return { by: 'Bea', at: atOf(day), lookedAt: 'all of it', conclusion: 'supports' as const }
}

describe('over random runs', () => {
  const letters = fc.constantFrom(...VERDICTS.map((verdict) => verdictLetters[verdict]))
  const nodesArb = fc
    .array(fc.tuple(letters, letters), { minLength: 1, maxLength: 4 })
    .map((all) => Object.fromEntries(all.map(([a, b], place) => [`n${place}`, a + b])))

  test('one run is concluded on as by itself', () =>
    fc.assert(
      fc.property(nodesArb, fc.boolean(), (nodes, isDone) => {
        const register = isDone ? DONE : EMPTY_REGISTER
        const verdicts = Object.entries(nodes).map(
          ([node, found]): NodeVerdicts => ({
            node,
            results: ['a', 'b'].map((check, place) => ({
              check,
              verdict: VERDICTS.find((verdict) => verdictLetters[verdict] === found[place]) ?? 'not-tested',
            })),
          }),
        )
        const [alone] = concludeControls(catalog, ['hipaa'], verdicts, {
          register,
          asOf: atOf(23),
          engagement: undefined,
          uncovered: 1,
          isOnPeriod: true,
          chainCoversPeriod: true,
        })
        expect(one([runOn(23, nodes, { register })]).conclusion).toEqual(alone)
      }),
    ))

  test('a period has a deviation exactly where one of its runs has one', () =>
    fc.assert(
      fc.property(fc.array(nodesArb, { minLength: 1, maxLength: 5 }), (all) => {
        const days = all.map((nodes, place) => runOn(place + 1, nodes))
        const some = days.some((day) => one([day]).conclusion.server.state === 'deviations')
        expect(one(days).conclusion.server.state === 'deviations').toBe(some)
        expect(one(days).deviations !== null).toBe(some)
      }),
    ))

  test('no missed run, lost run or run that was left out makes a control supported', () =>
    fc.assert(
      fc.property(fc.array(nodesArb, { minLength: 1, maxLength: 4 }), fc.nat(3), (all, which) => {
        const days = all.map((nodes, place) => runOn(place + 20, nodes, { register: DONE }))
        const lost = which % days.length
        const isSupported = one(days).conclusion.state === 'supported'
        if (isSupported) return
        expect(one(days, { missed: missedOn(21) }).conclusion.state).not.toBe('supported')
        const without = days.map((day, place): Day => (place === lost ? lost + 20 : day))
        if (days.length > 1) expect(one(without).conclusion.state).not.toBe('supported')
      }),
    ))
})

describe('whether the chain covers a period', () => {
  const PERIOD = { from: '2026-11-02', to: '2026-11-30', unexplained: 0 }
  const plan = (from: string, until: string | null = null) => ({ from, until })
  const [BEFORE, START, MIDDLE, LATER] = [
    '2026-11-01T00:00:00.000Z',
    '2026-11-02T00:00:00.000Z',
    '2026-11-15T00:00:00.000Z',
    '2026-11-15T00:00:00.001Z',
  ] as const
  test.each<[string, readonly ReturnType<typeof plan>[], Partial<typeof PERIOD>, boolean]>([
    ['a schedule from before', [plan(BEFORE)], {}, true],
    ['from its first moment', [plan(START)], {}, true],
    ['from later', [plan(MIDDLE)], {}, false],
    ['none', [], {}, false],
    ['a missed run without explanation', [plan(BEFORE)], { unexplained: 1 }, false],
    ['a schedule that ended', [plan(BEFORE, MIDDLE)], {}, false],
    ['one after the other', [plan(MIDDLE), plan(BEFORE, MIDDLE)], {}, true],
    ['a moment without any', [plan(BEFORE, MIDDLE), plan(LATER)], {}, false],
    ['one within another', [plan(BEFORE), plan(START, MIDDLE)], {}, true],
    ['to its last moment', [plan(BEFORE, '2026-11-30T23:59:59.999Z')], {}, true],
    ['to the moment before', [plan(BEFORE, '2026-11-30T23:59:59.998Z')], {}, false],
  ])('%s', (_name, plans, changes, expected) => expect(isCovered(plans, { ...PERIOD, ...changes })).toBe(expected))
})
