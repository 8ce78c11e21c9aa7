import { describe, expect, test } from 'vitest'
import type { Catalog } from '../main/core/catalog.ts'
import { type Check, defineCheck } from '../main/core/check.ts'
import type { Control, Framework } from '../main/core/framework.ts'
import { rollUp } from '../main/core/rollup.ts'
import type { NodeAssessment } from '../schemas/types.ts'
import type { Verdict } from '../schemas/words.ts'
import { UNDECIDED } from './support/undecided.ts'

const check = (id: string): Check =>
  defineCheck({
    id,
    property: 'access',
    claim: 'c',
    limits: 'l',
    needs: {},
    evaluate: () => ({ verdict: 'inconclusive', because: [] }),
  })

const control = (changes: Partial<Control>): Control => ({
  key: 'k',
  id: 'k',
  title: 't',
  summary: 's',
  kind: 'standard',
  level: 'required',
  group: 'g',
  parent: null,
  evidenceClass: 'partial',
  nodeEvidence: 'primary',
  supports: [{ check: 'a', shows: 'a' }],
  notShown: 'n',
  needsAlso: [],
  responsibility: [],
  refs: {},
  ...changes,
})

const catalog = (row: Control): Catalog => {
  const framework: Framework = {
    id: 'hipaa',
    title: 't',
    version: 'v',
    status: 's',
    overlay: false,
    source: [],
    notes: [],
    controls: [row],
  }
  return {
    version: '1',
    probes: [],
    checks: [check('a'), check('b')],
    frameworks: [framework],
    signals: [],
    thresholds: [],
    notFromNodes: [],
    arguesIsolation: () => UNDECIDED,
  }
}

const node = (name: string, a: Verdict, b: Verdict = 'met'): NodeAssessment => ({
  node: name,
  recording: null,
  status: 'complete',
  failure: null,
  observedAt: null,
  ageDays: 0,
  stale: false,
  privilege: 'sudo',
  synthetic: null,
  isolation: null,
  findings: [
    { check: 'a', property: 'access', verdict: a, reasons: [] },
    { check: 'b', property: 'access', verdict: b, reasons: [] },
  ],
})

const state = (row: Partial<Control>, nodes: readonly NodeAssessment[]) => {
  const [rolled] = rollUp(catalog(control(row)), ['hipaa'], nodes)
  return [rolled?.nodePart, rolled?.state]
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
    ['it applies nowhere', ['not-applicable', 'not-applicable'], ['not-applicable', 'not-applicable']],
  ] as const)('%s', (_name, verdicts, expected) => {
    expect(
      state(
        {},
        verdicts.map((verdict, at) => node(`n${at}`, verdict)),
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
        [node('n', 'met')],
      ),
    ).toEqual(['insufficient-evidence', 'insufficient-evidence'])
  })

  test('outstanding records keep a supported node part from being more', () => {
    expect(state({ needsAlso: ['a register'] }, [node('n', 'met')])).toEqual(['supported', 'manual-evidence-required'])
    expect(state({ needsAlso: ['a register'], evidenceClass: 'automatable' }, [node('n', 'met')])).toEqual([
      'supported',
      'manual-evidence-required',
    ])
  })

  test('background checks decide nothing, in either direction', () => {
    expect(state({ nodeEvidence: 'context' }, [node('n', 'not-met')])).toEqual([null, 'manual-evidence-required'])
    expect(state({ nodeEvidence: 'context' }, [node('n', 'met')])).toEqual([null, 'manual-evidence-required'])
  })

  test('people-only and out-of-scope rows have no machine state', () => {
    expect(state({ evidenceClass: 'manual', nodeEvidence: 'none', supports: [] }, [node('n', 'met')])).toEqual([
      null,
      'manual-evidence-required',
    ])
    expect(state({ evidenceClass: 'out-of-scope' }, [node('n', 'not-met')])).toEqual([null, 'out-of-scope'])
  })
})
