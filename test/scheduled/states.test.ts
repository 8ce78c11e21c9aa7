import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  changesBetween,
  statesAfter,
  statesAfterFailure,
  statesDigest,
  type WatchedStates,
} from '../../main/app/scheduled/states.ts'
import type { RiskAcceptance } from '../../schemas/types.ts'
import { BANNED } from '../../schemas/words.ts'
import { type MadeNode, statesOfNodes } from '../support/schedule-kit.ts'

const claimOf = (check: string): string => `Claim of ${check}.`
const statesOf = (nodes: readonly MadeNode[], before: WatchedStates | null = null): WatchedStates =>
  statesAfter(before, statesOfNodes(nodes), false)
const changes = (before: readonly MadeNode[], now: readonly MadeNode[]): readonly string[] => {
  const was = statesOf(before)
  return changesBetween(was, statesOf(now, was), claimOf)
}

const GOOD: MadeNode = { name: 'a', verdicts: { x: 'satisfied' } }
const BAD: MadeNode = { name: 'a', verdicts: { x: 'not-satisfied' } }
const GONE: MadeNode = { name: 'a', verdicts: null }

describe('what is reported', () => {
  test.each<readonly [string, readonly MadeNode[], readonly MadeNode[], readonly string[]]>([
    ['nothing new', [GOOD], [GOOD], []],
    [
      'a deviation',
      [GOOD],
      [BAD],
      ['Deviation without a risk acceptance: Claim of x. On a.', 'Supported → Deviations noted: '],
    ],
    [
      'its end',
      [BAD],
      [GOOD],
      [
        'Deviation ended: satisfied, not applicable or risk accepted now: Claim of x. On a.',
        'Deviations noted → Supported: ',
      ],
    ],
    [
      'a node that does not answer',
      [GOOD],
      [GONE],
      ['The run was exported but is incomplete.', 'No evidence from a since this run.'],
    ],
    [
      'one that does again',
      [GONE],
      [GOOD],
      ['The run was exported; every declared node was collected completely.', 'Evidence again from a.'],
    ],
    ['another host key', [GOOD], [{ ...GOOD, hostKey: 'SHA256:other' }], ['Host key changed on a.']],
    ['another board', [{ ...GOOD, board: '1' }], [{ ...GOOD, board: '2' }], ['Hardware changed on a.']],
    ['a board that could not be read', [{ ...GOOD, board: '1' }], [GOOD], []],
    ['a node more', [GOOD], [GOOD, { ...GOOD, name: 'b' }], ['The declared population has 2 nodes; before, it had 1.']],
  ])('%s', (_, before, now, told) => {
    const found = changes(before, now)
    expect(found).toHaveLength(told.length)
    for (const [index, text] of told.entries()) expect(found[index]).toContain(text)
  })
  test('a contradicted node that falls silent, or whose check is undecided, has settled nothing', () => {
    const bad = statesOf([BAD])
    const silent = statesOf([GONE], bad)
    expect(silent.gaps).toEqual([['a', 'x']])
    const undecided = statesOf([{ name: 'a', verdicts: { x: 'inconclusive' } }], silent)
    expect(undecided.gaps).toEqual([['a', 'x']])
    expect(statesOf([GOOD], undecided).gaps).toEqual([])
    expect(statesOf([{ name: 'a', verdicts: { x: 'inconclusive' } }]).gaps).toEqual([])
  })
  test('why a node was not collected is stated, by reason', () => {
    const nodes = ['a', 'b', 'c'].map((name) => ({ ...GOOD, name }))
    const was = statesOf(nodes)
    const now = statesOf(
      nodes.map((node) => ({ ...node, verdicts: null })),
      was,
    )
    const why = (node: string): string | null => (node === 'b' ? 'Host key changed' : null)
    expect(changesBetween(was, now, claimOf, why)).toEqual(
      expect.arrayContaining([
        'No evidence from a, c since this run.',
        'No evidence from b since this run: Host key changed.',
      ]),
    )
  })
  test('a node that takes the place of another is stated', () => {
    expect(changes([GOOD], [{ ...GOOD, name: 'b' }])).toContain(
      'The declared population has 1 nodes; before, it had 1. Added: b. Removed: a.',
    )
  })
  test('a board that comes back is compared with the one that was there', () => {
    const was = statesOf([{ ...GOOD, board: '1' }])
    const unread = statesOf([GONE], was)
    expect(changesBetween(unread, statesOf([{ ...GOOD, board: '2' }], unread), claimOf)).toContain(
      'Hardware changed on a.',
    )
  })
  test('an accepted gap is none', () => {
    const exception = {
      id: 'e',
      check: 'x',
      nodes: ['a'],
      acceptedAt: '2026-03-01T00:00:00.000Z',
      expiresAt: '2026-04-01T00:00:00.000Z',
      withdrawn: null,
    } as unknown as RiskAcceptance
    const run = statesOfNodes([BAD])
    expect(statesAfter(null, { ...run, register: { riskAcceptances: [exception] } }, false).gaps).toEqual([])
  })
  test('a failure changes nothing else, and is one change', () => {
    const was = statesOf([BAD])
    const failed = statesAfterFailure(was, false)
    expect(changesBetween(was, failed, claimOf)).toEqual(['The run could not be exported.'])
    expect(changesBetween(failed, statesAfterFailure(failed, false), claimOf)).toEqual([])
  })
  test('runs are still missed while starts fail', () => {
    const missed = { ...statesOf([BAD]), missed: true }
    expect(statesAfterFailure(missed, false).missed).toBe(true)
  })
  test('a control is named with its framework once', () => {
    const was = { ...statesOf([GOOD]), controls: { 'hipaa hipaa:164.312(b)': 'supported' as const } }
    const now = { ...was, controls: { 'hipaa hipaa:164.312(b)': 'deviations' as const } }
    expect(changesBetween(was, now, claimOf)).toEqual(['Supported → Deviations noted: hipaa 164.312(b).'])
  })
  test('states that an earlier version remembered are compared, and never a reason to stop', () => {
    const was = statesOf([GOOD])
    for (const word of ['insufficient-evidence', 'constructor']) {
      const controls = Object.fromEntries(Object.keys(was.controls).map((control) => [control, word]))
      const [told = '', ...more] = changesBetween({ ...was, controls: controls as never }, was, claimOf)
      expect(more).toEqual([])
      expect(told).toContain('State from an earlier version → Supported: ')
    }
  })
  test('many names are counted', () => {
    const nodes = Array.from({ length: 14 }, (_, at) => ({
      name: `n${at + 10}`,
      verdicts: { x: 'satisfied' as const },
    }))
    const found = changes(
      nodes,
      nodes.map(({ name }) => ({ name, verdicts: null })),
    )
    expect(found[1]).toBe(
      'No evidence from n10, n11, n12, n13, n14, n15, n16, n17, n18, n19 and 4 more since this run.',
    )
  })
})

const verdict = fc.constantFrom('satisfied', 'not-satisfied', 'inconclusive', 'not-tested', 'not-applicable')
const node = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  verdicts: fc.option(fc.dictionary(fc.constantFrom('x', 'y'), verdict)),
  hostKey: fc.constantFrom('SHA256:1', 'SHA256:2'),
})
const fleet = fc.uniqueArray(node, { selector: ({ name }) => name }) as fc.Arbitrary<MadeNode[]>

test('the same run twice changes nothing, and nothing is reported without a change of the digest', () => {
  fc.assert(
    fc.property(fleet, fleet, (first, second) => {
      const one = statesOf(first)
      const two = statesOf(second, one)
      expect(changesBetween(two, statesOf(second, two), claimOf)).toEqual([])
      expect(statesOf(second, two)).toEqual(two)
      const told = changesBetween(one, two, claimOf)
      if (statesDigest(one) === statesDigest(two)) expect(told).toEqual([])
      for (const text of told) expect(BANNED.filter((banned) => banned.test(text))).toEqual([])
    }),
  )
})
