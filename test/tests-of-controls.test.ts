import { expect, test } from 'vitest'
import { resultCell, SOURCES } from '../main/present/report/tests-of-controls.ts'
import type { ControlCheck } from '../schemas/types.ts'

const answeredOnce = (source: ControlCheck['source']): ControlCheck => ({
  check: 'evidence.chain-of-custody',
  role: 'required',
  decides: true,
  source,
  built: false,
  population: 1,
  tested: 1,
  satisfied: 1,
  notSatisfied: 0,
  inconclusive: 0,
  notApplicable: 0,
  informational: 0,
  notTested: 0,
  accepted: 0,
  answeredByDocument: 0,
  notRetested: 0,
})

test('what only the pack shows is not printed as a test with a result, since the report precedes its verification', () => {
  const [line] = resultCell(answeredOnce('pack'), undefined, 0)
  expect(line?.mark).toBe('dot')
  expect(`${SOURCES.pack} ${line?.text}`).not.toMatch(/perform|no deviations/i)
  expect(resultCell(answeredOnce('population'), undefined, 0)[0]?.mark).toBe('ring-tick')
})
