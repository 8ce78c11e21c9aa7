import { describe, expect, test } from 'vitest'
import type { Control } from '../main/core/framework.ts'
import { EMPTY_REGISTER } from '../main/core/register.ts'
import { type NodeVerdicts, type RollUpMatter, rollUp } from '../main/core/rollup.ts'
import { catalogWith, controlOf, frameworkOf, nodeWith } from './support/rollup-kit.ts'

const NOTHING: RollUpMatter = { register: EMPTY_REGISTER, asOf: '2026-11-21T00:00:00.000Z', uncovered: 0 }

const rolled = (row: Partial<Control>, nodes: readonly NodeVerdicts[], changes: Partial<RollUpMatter> = {}) =>
  rollUp(catalogWith([frameworkOf([controlOf(row)])]), ['hipaa'], nodes, { ...NOTHING, ...changes })[0]

const state = (row: Partial<Control>, nodes: readonly NodeVerdicts[], changes: Partial<RollUpMatter> = {}) => {
  const found = rolled(row, nodes, changes)
  return [found?.nodePart, found?.state]
}

describe('control states', () => {
  test.each([
    ['every node met', ['met', 'met'], ['supported', 'supported']],
    ['one node contradicts', ['met', 'not-met'], ['not-supported', 'not-supported']],
    ['one node is undecided', ['met', 'inconclusive'], ['insufficient-evidence', 'insufficient-evidence']],
    ['one node was not collected', ['met', 'not-tested'], ['insufficient-evidence', 'insufficient-evidence']],
    ['failing beats missing', ['not-met', 'not-tested'], ['not-supported', 'not-supported']],
    [
      'facts without expectation decide nothing',
      ['informational', 'informational'],
      ['insufficient-evidence', 'insufficient-evidence'],
    ],
    [
      'it applies nowhere, and nobody approved why',
      ['not-applicable', 'not-applicable'],
      ['not-applicable', 'insufficient-evidence'],
    ],
    ['it does not apply to one node, and is met on the other', ['not-applicable', 'met'], ['supported', 'supported']],
    [
      'it does not apply to one node, and the other only records',
      ['not-applicable', 'informational'],
      ['not-applicable', 'insufficient-evidence'],
    ],
    ['failing beats what does not apply', ['not-applicable', 'not-met'], ['not-supported', 'not-supported']],
    [
      'missing beats what does not apply',
      ['not-applicable', 'not-tested'],
      ['insufficient-evidence', 'insufficient-evidence'],
    ],
  ] as const)('%s', (_name, verdicts, expected) => {
    expect(
      state(
        {},
        verdicts.map((verdict, at) => nodeWith(`n${at}`, verdict)),
      ),
    ).toEqual(expected)
  })

  test('no nodes support nothing', () =>
    expect(state({}, [])).toEqual(['insufficient-evidence', 'insufficient-evidence']))

  test('a check that the catalog lacks counts as not tested', () => {
    expect(
      state(
        {
          supports: [
            { check: 'a', shows: 'a' },
            { check: 'unbuilt', shows: 'u' },
          ],
        },
        [nodeWith('n', 'met')],
      ),
    ).toEqual(['insufficient-evidence', 'insufficient-evidence'])
  })

  test('outstanding records keep a supported node part from being more', () => {
    expect(state({ needsAlso: ['a register'] }, [nodeWith('n', 'met')])).toEqual([
      'supported',
      'manual-evidence-required',
    ])
    expect(state({ needsAlso: ['a register'], evidenceClass: 'automatable' }, [nodeWith('n', 'met')])).toEqual([
      'supported',
      'manual-evidence-required',
    ])
  })

  test('background checks decide nothing, in either direction', () => {
    expect(state({ nodeEvidence: 'context' }, [nodeWith('n', 'not-met')])).toEqual([null, 'manual-evidence-required'])
    expect(state({ nodeEvidence: 'context' }, [nodeWith('n', 'met')])).toEqual([null, 'manual-evidence-required'])
  })

  test('people-only and out-of-scope rows have no machine state', () => {
    expect(state({ evidenceClass: 'manual', nodeEvidence: 'none', supports: [] }, [nodeWith('n', 'met')])).toEqual([
      null,
      'manual-evidence-required',
    ])
    expect(state({ evidenceClass: 'out-of-scope' }, [nodeWith('n', 'not-met')])).toEqual([null, 'out-of-scope'])
  })

  test('a row that nodes should bear and no check is mapped to lacks evidence, whatever records are held', () => {
    expect(state({ supports: [] }, [nodeWith('n', 'met')])).toEqual(['insufficient-evidence', 'insufficient-evidence'])
  })

  test('a machine that nobody accounts for leaves the population open, and hides no contradiction', () => {
    const missing = ['insufficient-evidence', 'insufficient-evidence']
    expect(state({}, [nodeWith('n', 'met')], { uncovered: 1 })).toEqual(missing)
    expect(state({}, [nodeWith('n', 'not-applicable')], { uncovered: 1 })).toEqual(missing)
    expect(state({}, [nodeWith('n', 'not-met')], { uncovered: 1 })).toEqual(['not-supported', 'not-supported'])
    expect(state({ evidenceClass: 'manual', needsAlso: ['x'] }, [nodeWith('n', 'met')], { uncovered: 1 })).toEqual([
      null,
      'manual-evidence-required',
    ])
  })

  test('every count of a check adds up to its population', () => {
    const verdicts = ['met', 'not-met', 'inconclusive', 'not-applicable', 'not-tested', 'informational'] as const
    const nodes = [...verdicts, 'met' as const].map((verdict, at) => nodeWith(`n${at}`, verdict))
    expect(rolled({}, [...nodes, { node: 'silent', findings: [] }])?.checks).toEqual([
      {
        check: 'a',
        built: true,
        population: 8,
        met: 2,
        notMet: 1,
        inconclusive: 1,
        notApplicable: 1,
        informational: 1,
        notTested: 2,
        excepted: 0,
      },
    ])
  })

  test('an overlay is rolled up apart: with it or without, the rows in force come out the same', () => {
    const overlay = frameworkOf([controlOf({ supports: [{ check: 'b', shows: 'b' }] })], { id: 'nprm', overlay: true })
    const catalog = catalogWith([frameworkOf([controlOf()]), overlay])
    const nodes = [nodeWith('n', 'met', 'not-met')]
    const alone = rollUp(catalog, ['hipaa'], nodes, NOTHING)
    const both = rollUp(catalog, ['hipaa', 'nprm'], nodes, NOTHING)
    expect(both.map(({ framework, state: found }) => [framework, found])).toEqual([
      ['hipaa', 'supported'],
      ['nprm', 'not-supported'],
    ])
    expect(both.filter(({ framework }) => framework === 'hipaa')).toEqual(alone)
  })
})
