import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contradicts, count, decide, named, stepOn, supports, unclear } from '../../main/catalog/base/steps.ts'
import type { Probe } from '../../main/core/recording/probe.ts'
import type { DraftObservation } from '../../main/core/rules/check.ts'

const [FOR, AGAINST, UNCLEAR] = [supports('a', null), contradicts('b', null), unclear('c', null)]

describe('what an argument comes to', () => {
  test.each<[readonly DraftObservation[], string]>([
    [[], 'inconclusive'],
    [[FOR], 'satisfied'],
    [[FOR, FOR], 'satisfied'],
    [[UNCLEAR], 'inconclusive'],
    [[FOR, UNCLEAR], 'inconclusive'],
    [[UNCLEAR, FOR], 'inconclusive'],
    [[AGAINST], 'not-satisfied'],
    [[FOR, AGAINST], 'not-satisfied'],
    [[AGAINST, FOR], 'not-satisfied'],
    [[UNCLEAR, AGAINST], 'not-satisfied'],
    [[FOR, UNCLEAR, AGAINST], 'not-satisfied'],
  ])('%j: %s', (observations, verdict) => {
    expect(decide(observations)).toEqual({ verdict, observations })
  })

  test('a step taken away never turns an argument against or undecided by steps left into support', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(FOR, AGAINST, UNCLEAR), { maxLength: 6 }), (observations) => {
        const isSupported = decide(observations).verdict === 'satisfied'
        expect(isSupported).toBe(observations.length > 0 && observations.every((step) => step.direction === 'supports'))
      }),
    )
  })
})

describe('words of an argument', () => {
  test('a step names its commands where some are given', () => {
    expect(supports('a', null)).toEqual({ direction: 'supports', text: 'a', probe: null })
    expect(supports('a', null, 'list')).toEqual({ direction: 'supports', text: 'a', probe: null, commands: ['list'] })
  })

  test('a step on names is one step, and none without a name', () => {
    const probe = { id: 'accounts.passwd' } as Probe<unknown>
    expect(stepOn(unclear, 'Not read', [], probe)).toEqual([])
    expect(stepOn(unclear, 'Not read', ['a'], probe)).toEqual([unclear('Not read: “a”.', probe)])
    expect(stepOn(unclear, 'Not read', ['a', 'b'], probe)).toEqual([unclear('Not read: “a”, “b”.', probe)])
  })

  test.each([
    [[], 8, ''],
    [['a'], 8, '“a”'],
    [['a', 'b'], 2, '“a”, “b”'],
    [['a', 'b', 'c'], 2, '“a”, “b” and 1 more'],
    [['a', 'b', 'c'], 1, '“a” and 2 more'],
  ])('%j, at most %i', (names, max, expected) => {
    expect(named(names, max)).toBe(expected)
  })

  test('eight names are shown unless specified otherwise', () => {
    const names = [...'abcdefghi']
    expect(named(names.slice(0, 8))).not.toContain('more')
    expect(named(names)).toMatch(/“h” and 1 more$/)
  })

  test.each([
    [0, '0 accounts'],
    [1, '1 account'],
    [2, '2 accounts'],
  ])('%i', (number, expected) => {
    expect(count(number, 'account')).toBe(expected)
  })
})
