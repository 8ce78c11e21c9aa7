import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { leavesUnclear, speaksAgainst, speaksFor, weigh } from '../../main/catalog/steps.ts'
import type { Step } from '../../main/core/check.ts'

const [FOR, AGAINST, UNCLEAR] = [speaksFor('a', null), speaksAgainst('b', null), leavesUnclear('c', null)]

describe('what an argument comes to', () => {
  test.each<[readonly Step[], string]>([
    [[], 'inconclusive'],
    [[FOR], 'met'],
    [[FOR, FOR], 'met'],
    [[UNCLEAR], 'inconclusive'],
    [[FOR, UNCLEAR], 'inconclusive'],
    [[UNCLEAR, FOR], 'inconclusive'],
    [[AGAINST], 'not-met'],
    [[FOR, AGAINST], 'not-met'],
    [[AGAINST, FOR], 'not-met'],
    [[UNCLEAR, AGAINST], 'not-met'],
    [[FOR, UNCLEAR, AGAINST], 'not-met'],
  ])('%j: %s', (because, verdict) => {
    expect(weigh(because)).toEqual({ verdict, because })
  })

  test('a step taken away never turns an argument against or undecided by steps left into support', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(FOR, AGAINST, UNCLEAR), { maxLength: 6 }), (because) => {
        const isSupported = weigh(because).verdict === 'met'
        expect(isSupported).toBe(because.length > 0 && because.every((step) => step.says === 'for'))
      }),
    )
  })
})
