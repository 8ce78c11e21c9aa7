import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { driftOf } from '../main/core/drift/compare.ts'
import { evidenceCompared, uncollectedWords } from '../main/core/drift/explain.ts'
import { NO_READING, NOT_COMPARED } from '../main/core/history/trace.ts'
import type { RunTrace, TracedNode } from '../schemas/types.ts'

const SHA = 'a'.repeat(64)
const digits = (letter: string): string => letter.repeat(12)
const node = (name: string, changes: Partial<TracedNode> = {}): TracedNode => ({
  node: name,
  status: 'complete',
  failure: null,
  observedAt: '2026-11-21T09:00:00.000Z',
  recording: SHA,
  hostKey: `SHA256:${name}`,
  address: name,
  declared: SHA,
  verdicts: 'mm',
  readings: digits('1') + digits('2'),
  parts: [{ kind: 'disk', part: 'M', value: `S-${name}` }],
  accounts: null,
  keys: null,
  ...changes,
})
const trace = (run: string, nodes: readonly TracedNode[], changes: Partial<RunTrace> = {}): RunTrace => ({
  schema: 'barewitness.run-trace/1',
  run,
  fleet: 'f',
  asOf: '2026-11-21T09:00:00.000Z',
  demo: false,
  planned: null,
  engine: '1',
  catalog: { version: '1', digest: SHA, module: SHA },
  rules: SHA,
  scope: [],
  checks: ['c1', 'c2'],
  probes: ['p1', 'p2'],
  nodes: [...nodes],
  ...changes,
})
const one = trace('r1', [node('a'), node('b')])
const other = 'b'.repeat(64)

describe('what differs between two runs', () => {
  test('a run and itself: nothing', () => {
    const { evidence, rules, scope, moves, twice, flips, compared, unchanged } = driftOf(one, one)
    expect({ evidence, rules, scope, moves, twice, flips }).toEqual({
      evidence: [],
      rules: [],
      scope: [],
      moves: [],
      twice: [],
      flips: [],
    })
    expect([compared, unchanged]).toEqual([2, 2])
  })

  test('readings: changed, lost and came; what was not asked is no change', () => {
    const was = node('a', { readings: digits('1') + NO_READING })
    const is = node('a', { readings: NO_READING + digits('2') })
    expect(driftOf(trace('1', [was]), trace('2', [is])).evidence.map((change) => change.is)).toEqual(['lost', 'came'])
    const unasked = node('a', { readings: NOT_COMPARED + digits('3') })
    expect(driftOf(one, trace('2', [unasked, node('b')])).evidence).toEqual([
      { node: 'a', what: { kind: 'reading', probe: 'p2' }, is: 'changed', before: null, after: null },
    ])
  })

  test('a node that did not answer has another status, and no lost readings', () => {
    const down = node('a', {
      status: 'failed',
      failure: 'ssh.lost',
      readings: NO_READING.repeat(2),
      hostKey: null,
      parts: [],
    })
    const { evidence, moves, compared } = driftOf(one, trace('2', [down, node('b')]))
    expect(evidence).toEqual([
      { node: 'a', what: { kind: 'status' }, is: 'changed', before: 'complete', after: 'failed (ssh.lost)' },
    ])
    expect([moves, compared]).toEqual([[], 1])
  })

  test('questions and checks of one catalog only are rules; those of both are compared by id', () => {
    const now = trace('2', [node('a', { readings: digits('9') + digits('1') + digits('2'), verdicts: 'cmm' })], {
      probes: ['p0', 'p1', 'p2'],
      checks: ['c0', 'c1', 'c2'],
      catalog: { version: '2', digest: other, module: other },
      rules: other,
    })
    const { evidence, rules, flips } = driftOf(trace('1', [node('a')]), now)
    expect([evidence, flips]).toEqual([[], []])
    expect(rules.map(({ what }) => what)).toEqual(['catalog', 'check-added', 'probe-added'])
  })

  test('the profile is what changed where engine and catalog are the same', () => {
    expect(driftOf(one, { ...one, rules: other }).rules.map(({ what }) => what)).toEqual(['profile'])
  })

  test('nodes and declared parts are scope', () => {
    const now = trace('2', [node('b', { declared: other }), node('c')], { scope: [{ part: 'location', sha256: SHA }] })
    expect(driftOf(one, now).scope.map(({ what, node: name, part }) => [what, name ?? part])).toEqual([
      ['node-added', 'c'],
      ['node-removed', 'a'],
      ['declared', 'b'],
      ['part', 'location'],
    ])
  })

  test('a part that moved, one that came and one that went, and one in two places', () => {
    const parts = (...values: string[]) => values.map((value) => ({ kind: 'disk' as const, part: 'M', value }))
    const was = trace('1', [node('a', { parts: parts('1', '2') }), node('b', { parts: parts('3') })])
    const moved = trace('2', [node('a', { parts: parts('2') }), node('b', { parts: parts('1', '4') })])
    expect(driftOf(was, moved).moves.map(({ value, from, to }) => [value, from, to])).toEqual([
      ['1', 'a', 'b'],
      ['3', 'b', null],
      ['4', null, 'b'],
    ])
    const double = trace('2', [node('a', { parts: parts('1', '2') }), node('b', { parts: parts('1', '3') })])
    expect(driftOf(was, double).twice.map(({ value, nodes, at }) => [value, nodes, at.run])).toEqual([
      ['1', ['a', 'b'], '2'],
    ])
  })

  test('why a verdict is another one', () => {
    const flip = (changes: Partial<TracedNode>, all: Partial<RunTrace> = {}, needs: readonly string[] = ['p1']) =>
      driftOf(one, trace('2', [node('a', { verdicts: 'cm', ...changes }), node('b')], all), () => needs).flips[0]
    expect(flip({ readings: digits('9') + digits('2'), recording: other })).toEqual({
      node: 'a',
      check: 'c1',
      before: 'satisfied',
      after: 'not-satisfied',
      because: 'evidence',
      probes: ['p1'],
    })
    expect(flip({}, { engine: '2', rules: other })?.because).toBe('rules')
    expect(flip({ declared: other })?.because).toBe('scope')
    expect(flip({})?.because).toBe('time')
    // Another recording in which nothing steady differs: what changes by itself can bear on a verdict, too.
    expect(flip({ recording: other })?.because).toBe('undecided')
    expect(flip({ readings: digits('9') + digits('2') }, { engine: '2' })?.because).toBe('undecided')
  })

  test('any two traces: never throws, empty with itself, mirrored when swapped', () => {
    const digit = fc.constantFrom(digits('1'), digits('2'), NO_READING, NOT_COMPARED)
    const nodes = fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('a', 'b', 'c'),
        status: fc.constantFrom('complete', 'partial', 'failed', 'missing'),
        hostKey: fc.option(fc.constantFrom('k1', 'k2')),
        declared: fc.option(fc.constantFrom(SHA, other)),
        verdicts: fc.stringMatching(/^[mcintr-]{0,3}$/),
        readings: fc.array(digit, { maxLength: 3 }).map((list) => list.join('')),
        values: fc.array(fc.constantFrom('1', '2', '3'), { maxLength: 3 }),
      }),
      { selector: ({ name }) => name },
    )
    const traces = fc
      .record({
        nodes,
        engine: fc.constantFrom('1', '2'),
        probes: fc.subarray(['p1', 'p2', 'p3']),
        checks: fc.subarray(['c1', 'c2', 'c3']),
      })
      .map(({ nodes: made, ...rest }) =>
        trace(
          'r',
          made.map(({ name, values, ...own }) =>
            node(name, {
              ...own,
              parts: values.map((value) => ({ kind: 'disk', part: 'M', value })),
            } as Partial<TracedNode>),
          ),
          rest,
        ),
      )
    fc.assert(
      fc.property(traces, traces, (a, b) => {
        const [there, back, same] = [driftOf(a, b), driftOf(b, a), driftOf(a, a)]
        for (const list of [
          same.evidence,
          same.rules,
          same.scope,
          same.moves,
          same.twice,
          same.flips,
          same.uncollected,
        ])
          expect(list).toEqual([])
        const swapped = { changed: 'changed', lost: 'came', came: 'lost' } as const
        expect(back.evidence).toEqual(
          there.evidence.map((one) => ({ ...one, is: swapped[one.is], before: one.after, after: one.before })),
        )
        expect(back.uncollected.map(({ before, after, checks }) => [after, before, checks])).toEqual(
          there.uncollected.map(({ before, after, checks }) => [before, after, checks]),
        )
        const key = (moves: typeof there.moves, turn: boolean) =>
          moves.map(({ kind, value, from, to }) => [kind, value, turn ? to : from, turn ? from : to].join(' ')).sort()
        expect(key(back.moves, true)).toEqual(key(there.moves, false))
        expect(back.flips.map(({ before, after, because }) => [after, before, because])).toEqual(
          there.flips.map(({ before, after, because }) => [before, after, because]),
        )
        expect([back.scope.length, back.rules.length, back.unchanged]).toEqual([
          there.scope.length,
          there.rules.length,
          there.unchanged,
        ])
      }),
    )
  })
})

describe('a node that one of the runs did not read', () => {
  const failed = node('a', {
    status: 'failed',
    failure: 'ssh.lost',
    recording: null,
    verdicts: 'tt',
    readings: NO_READING + NO_READING,
    parts: [],
  })
  const needs = (check: string): readonly string[] => (check === 'c1' ? ['p1'] : ['p2'])
  test('is one row with its reason and how many verdicts rest on it, and no verdict of it differs', () => {
    const { uncollected, flips, compared } = driftOf(one, trace('2', [failed, node('b', { verdicts: 'cm' })]), needs)
    expect(uncollected).toEqual([
      {
        node: 'a',
        before: { status: 'complete', failure: null },
        after: { status: 'failed', failure: 'ssh.lost' },
        probes: [],
        checks: ['c1', 'c2'],
      },
    ])
    expect(flips.map((flip) => [flip.node, flip.check])).toEqual([['b', 'c1']])
    expect(compared).toBe(1)
  })

  test('in neither of them is no row', () =>
    expect(driftOf(trace('1', [failed]), trace('2', [failed])).uncollected).toEqual([]))

  const partial = (verdicts: string, readings: string): TracedNode =>
    node('a', { status: 'partial', failure: 'ssh.lost', verdicts, readings })
  const against = (is: TracedNode, was = node('a')) => {
    const { uncollected, flips } = driftOf(trace('1', [was]), trace('2', [is]), needs)
    return [uncollected.map(({ checks, probes }) => [probes, checks]), flips.map(({ check }) => check)]
  }
  test.each([
    [
      'a question not reached leaves its check open: grouped',
      partial('mi', digits('1') + NO_READING),
      node('a'),
      [[[['p2'], ['c2']]], []],
    ],
    [
      'a contradiction that it found stays a verdict of its own',
      partial('ci', digits('9') + NO_READING),
      node('a'),
      [[[['p2'], ['c2']]], ['c1']],
    ],
    [
      'a contradiction of a check whose answer is missing, too',
      partial('mc', digits('1') + NO_READING),
      node('a'),
      [[[['p2'], []]], ['c2']],
    ],
    [
      'a contradiction that can no longer be seen, too',
      partial('mi', digits('1') + NO_READING),
      node('a', { verdicts: 'mc' }),
      [[[['p2'], []]], ['c2']],
    ],
    ['an answer that changed is not put down to it', partial('im', digits('9') + digits('2')), node('a'), [[], ['c1']]],
    [
      'in a complete run a lost answer is a change',
      node('a', { verdicts: 'mi', readings: digits('1') + NO_READING }),
      node('a'),
      [[], ['c2']],
    ],
  ] as const)('read in part: %s', (_, is, was, expected) => expect(against(is, was)).toEqual(expected))

  test('is reported in one line', () => {
    const [row] = driftOf(one, trace('2', [failed, node('b')])).uncollected
    if (row === undefined) throw new Error('no row')
    const words = uncollectedWords(row)
    for (const part of ['a not collected', '2 verdicts', 'connection lost']) expect(words).toContain(part)
    const all = driftOf(one, trace('2', [partial('mi', digits('1') + NO_READING), node('b')]), needs)
    expect(evidenceCompared(all)).toEqual([])
    expect(all.evidence.length).toBeGreaterThan(0)
  })
})
