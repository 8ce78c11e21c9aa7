import type { NodeVerdicts } from '../../main/core/register/documents.ts'
import type { Catalog } from '../../main/core/rules/catalog.ts'
import { type Check, defineCheck } from '../../main/core/rules/check.ts'
import type { Control, Framework } from '../../main/core/rules/framework.ts'
import type { EvidenceRequest } from '../../main/core/rules/requests.ts'
import type { Verdict } from '../../schemas/words.ts'
import { BARE_CATALOG } from './bare-catalog.ts'

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

export const evidenceRequestOf = (changes: Partial<EvidenceRequest> = {}): EvidenceRequest => ({
  id: 'ER-1',
  title: 'A document',
  inspects: 'i',
  owner: 'o',
  minimum: 'inspected',
  time: 'point-in-time',
  heldBy: 'document',
  renewal: 'r',
  serves: [],
  mayAnswer: [],
  ...changes,
})

/** Counts of a check that no node has a result of. */
export const NO_RESULTS = {
  satisfied: 0,
  notSatisfied: 0,
  inconclusive: 0,
  notApplicable: 0,
  informational: 0,
  notTested: 0,
  accepted: 0,
  answeredByDocument: 0,
  notRetested: 0,
}

export const catalogWith = (
  frameworks: readonly Framework[],
  checks: readonly string[] = ['a', 'b'],
  changes: Partial<Catalog> = {},
): Catalog => ({
  ...BARE_CATALOG,
  checks: checks.map(checkOf),
  frameworks,
  conclusions: { periodChecks: [], ephiChecks: [], dataMap: 'ER-12' },
  ...changes,
})

export const nodeWith = (node: string, a: Verdict, b: Verdict = 'satisfied'): NodeVerdicts => ({
  node,
  results: [
    { check: 'a', verdict: a },
    { check: 'b', verdict: b },
  ],
})
