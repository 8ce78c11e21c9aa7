import { describe, expect, test } from 'vitest'
import {
  claimSentence,
  ledgerOf,
  needsRights,
  propertySentence,
  shortened,
  weightsOf,
} from '../../renderer/models/ledger.ts'
import type { Isolation, Observation } from '../../schemas/types.ts'
import { BANNED, PROPERTIES, VERDICTS } from '../../schemas/words.ts'
import { tallyOf } from './made-up-view.ts'

const reason = (
  direction: Observation['direction'],
  text: string,
  probe: string | null,
  commands: readonly string[] = [],
): Observation => ({
  direction,
  text,
  probe,
  captures: commands.map((command) => ({ command, sha256: command.repeat(8).slice(0, 8).padEnd(64, '0') })),
})
const probes = [
  { id: 'dmi.identity', title: 'Hardware identity in firmware', why: '' },
  { id: 'cpu.flags', title: 'Processor flags', why: '' },
]

describe('the ledger', () => {
  const reasons = [
    reason('supports', 'A', 'cpu.flags', ['flags']),
    reason('supports', 'B', 'dmi.identity', ['vendor']),
    reason('supports', 'C', 'dmi.identity', ['product']),
    reason('contradicts', 'D', 'cpu.flags', ['flags']),
    reason('unclear', 'E', null),
    reason('supports', 'A', 'cpu.flags', ['flags', 'model']),
  ]
  test('puts against first, then unclear, then for', () =>
    expect(ledgerOf(reasons, probes).map(({ direction, count }) => [direction, count])).toEqual([
      ['contradicts', 1],
      ['unclear', 1],
      ['supports', 3],
    ]))
  test('groups by part of the evidence, most reasons first', () =>
    expect(ledgerOf(reasons, probes)[2]?.groups.map(({ title, entries }) => [title, entries.length])).toEqual([
      ['Hardware identity in firmware', 2],
      ['Processor flags', 1],
    ]))
  test('a part whose signals weigh more comes before one with more reasons', () =>
    expect(ledgerOf(reasons, probes, new Map([['cpu.flags', 4.2]]))[2]?.groups.map(({ probe }) => probe)).toEqual([
      'cpu.flags',
      'dmi.identity',
    ]))
  test('the same words from the same part count once, with the answers of both', () =>
    expect(ledgerOf(reasons, probes)[2]?.groups[1]?.entries[0]?.captures.map(({ key }) => key)).toEqual([
      'cpu.flags/flags',
      'cpu.flags/model',
    ]))
  test('a part that the catalog does not know keeps its id', () =>
    expect(ledgerOf([reason('supports', 'A', 'gone.probe', ['x'])], probes)[2]?.groups[0]?.title).toBe('gone.probe'))
  test('a long side is shortened without losing count', () => {
    const side = ledgerOf(reasons, probes)[2]
    if (side === undefined) throw new Error('no side')
    const { groups, left } = shortened(side, 2)
    expect(groups.flatMap(({ entries }) => entries.map(({ text }) => text))).toEqual(['B', 'C'])
    expect(left).toBe(1)
    expect(shortened(side, 12).left).toBe(0)
  })
  test('only an unclear observation needs privileges', () => {
    const text = 'Memory modules: not collected: needs administrator rights (dmidecode)'
    const [, unclear] = ledgerOf([reason('unclear', text, 'a', ['b'])], probes)
    expect(unclear?.groups[0]?.entries.map(needsRights)).toEqual([true])
    const [against] = ledgerOf([reason('contradicts', text, 'a', ['b'])], probes)
    expect(against?.groups[0]?.entries.map(needsRights)).toEqual([false])
  })
  test('weights are the largest of the signals on a part, whichever way they point', () => {
    const signals = [
      { id: 'a', indicates: 'bare-metal', value: '', weight: -3, probes: ['dmi.identity', 'cpu.flags'] },
      { id: 'b', indicates: 'virtual', value: '', weight: 1, probes: ['cpu.flags'] },
      { id: 'c', indicates: 'neutral', value: '', weight: null, probes: ['x'] },
    ] as unknown as Isolation['signals']
    expect([...weightsOf({ signals } as Isolation)]).toEqual([
      ['dmi.identity', 3],
      ['cpu.flags', 3],
      ['x', 0],
    ])
    expect(weightsOf(null).size).toBe(0)
  })
})

describe('sentences', () => {
  const side = (direction: Observation['direction'], count: number) => ({ direction, count, groups: [] })
  test.each([
    ['satisfied', 5, 0, 1, '5 observations support the expected condition; none contradicts it. 1 point is unclear.'],
    ['satisfied', 1, 0, 0, '1 observation supports the expected condition; none contradicts it.'],
    ['not-satisfied', 3, 1, 0, '1 observation contradicts the expected condition; 3 support it.'],
    [
      'not-satisfied',
      0,
      2,
      2,
      '2 observations contradict the expected condition; none supports it. 2 points are unclear.',
    ],
    ['inconclusive', 1, 0, 1, 'The evidence is inconclusive. 1 point is unclear.'],
  ] as const)('%s with %d for, %d against, %d unclear', (verdict, pro, contra, open, said) =>
    expect(claimSentence(verdict, [side('supports', pro), side('contradicts', contra), side('unclear', open)])).toBe(
      said,
    ),
  )
  test.each([
    [
      ['not-satisfied', 'satisfied', 'satisfied', 'inconclusive'],
      '4 checks on isolation: 1 not satisfied, 2 satisfied, 1 inconclusive.',
    ],
    [['satisfied'], '1 check on isolation: 1 satisfied.'],
    [['not-tested', 'not-applicable'], '1 check on isolation: 1 not tested. Also 1 not applicable.'],
    [['informational'], 'No check with a criterion applies to isolation on this node. Also 1 informational.'],
  ] as const)('%j', (verdicts, said) => expect(propertySentence('isolation', tallyOf(verdicts))).toBe(said))
  test('“about” is not repeated', () =>
    expect(propertySentence('evidence', tallyOf(['satisfied', 'satisfied']))).not.toMatch(/about about/))
  test('no sentence claims too much, or runs on', () => {
    for (const verdict of VERDICTS) {
      const said = claimSentence(verdict, [side('supports', 3), side('contradicts', 3), side('unclear', 3)])
      for (const sentence of said.split(/(?<=\.) /)) expect(sentence.split(' ').length).toBeLessThanOrEqual(22)
      for (const banned of BANNED) expect(said).not.toMatch(banned)
    }
    for (const property of PROPERTIES)
      for (const sentence of propertySentence(property, tallyOf(VERDICTS)).split(/(?<=\.) /))
        expect(sentence.split(' ').length).toBeLessThanOrEqual(22)
  })
})
