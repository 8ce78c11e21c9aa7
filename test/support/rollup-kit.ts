import type { Catalog } from '../../main/core/catalog.ts'
import { type Check, defineCheck } from '../../main/core/check.ts'
import type { NodeVerdicts } from '../../main/core/conclusion/documents.ts'
import { sha256 } from '../../main/core/digest.ts'
import type { Control, Framework } from '../../main/core/framework.ts'
import type { Verdict } from '../../schemas/words.ts'
import { NAMELESS } from './nameless.ts'
import { noLocation } from './no-location.ts'
import { UNDECIDED } from './undecided.ts'

/** One row over checks “a” and “b”, and nodes that are only verdicts. */
const checkOf = (id: string): Check =>
  defineCheck({
    id,
    property: 'access',
    expected: 'c',
    limitations: 'l',
    requires: {},
    evaluate: () => ({ verdict: 'inconclusive', observations: [] }),
  })

export const controlOf = (changes: Partial<Control> = {}): Control => ({
  key: 'k',
  id: 'k',
  title: 't',
  summary: 's',
  kind: 'standard',
  level: 'required',
  group: 'g',
  parent: null,
  evidenceType: 'mixed',
  nodeEvidence: 'primary',
  mappings: [{ check: 'a', shows: 'a' }],
  notCovered: 'n',
  documentsRequired: [],
  responsibility: [],
  refs: {},
  ...changes,
})

export const frameworkOf = (controls: readonly Control[], changes: Partial<Framework> = {}): Framework => ({
  id: 'hipaa',
  title: 't',
  version: 'v',
  status: 's',
  proposed: false,
  source: [],
  notes: [],
  controls,
  ...changes,
})

export const catalogWith = (
  frameworks: readonly Framework[],
  checks: readonly string[] = ['a', 'b'],
  changes: Partial<Catalog> = {},
): Catalog => ({
  version: '1',
  module: sha256('rules'),
  probes: [],
  checks: checks.map(checkOf),
  frameworks,
  signals: [],
  thresholds: [],
  requests: [],
  conclusions: { periodChecks: [], ephiChecks: [], dataMap: 'ER-12' },
  severities: [],
  offNodeChecks: [],
  claimTests: [],
  providers: [],
  assessLocation: noLocation,
  identity: NAMELESS,
  listAccess: () => ({ accounts: null, keys: null }),
  assessIsolation: () => UNDECIDED,
  ...changes,
})

export const nodeWith = (node: string, a: Verdict, b: Verdict = 'satisfied'): NodeVerdicts => ({
  node,
  results: [
    { check: 'a', verdict: a },
    { check: 'b', verdict: b },
  ],
})
