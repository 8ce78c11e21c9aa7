import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson } from '../main/core/base/canonical-json.ts'
import { tally } from '../main/core/conclusion/tally.ts'
import { findingsOf } from '../main/core/finding/finding.ts'
import { RESPONSE_STATUSES } from '../main/core/register/responses.ts'
import { presentationOf } from '../main/present/presentation.ts'
import type { ManagementResponse } from '../schemas/types.ts'
import { registerOf, responseOf } from './support/register.ts'
import { bigInput } from './support/report/sample.ts'
import { times } from './support/thorough.ts'

const inputOf = (size: number, responses: readonly ManagementResponse[]) => {
  const input = bigInput(size, { register: registerOf({ responses }) })
  return { ...input, tally: tally(input.assessment, input.catalog.checks) }
}

test('a response changes no verdict, no control and no count of deviations, whatever it states', () => {
  const checks = bigInput(1).catalog.checks.map(({ id }) => id)
  const responses = fc.array(
    fc.record({
      check: fc.constantFrom(...checks),
      status: fc.constantFrom(...RESPONSE_STATUSES),
      owner: fc.option(fc.constant('K. Adeyemi')),
      due: fc.option(fc.constant('2026-11-12T23:59:59.999Z')),
    }),
    { minLength: 1, maxLength: 6 },
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), responses, (size, some) => {
      const stated = some.map((one, at) => responseOf({ ...one, id: String(at).padStart(32, '7') }))
      const [with_, without] = [inputOf(size, stated), inputOf(size, [])]
      expect(canonicalJson(with_.assessment)).toBe(canonicalJson(without.assessment))
      const [found, plain] = [findingsOf(with_), findingsOf(without)]
      expect(
        found.map(({ reference, severity, deviations, tested }) => [reference, severity, deviations, tested]),
      ).toEqual(plain.map(({ reference, severity, deviations, tested }) => [reference, severity, deviations, tested]))
      const figures = presentationOf(with_).figures
      expect({ ...figures, owned: null }).toEqual({ ...presentationOf(without).figures, owned: null })
      for (const { check, status, isOverdue, response } of found) {
        const last = stated.filter((one) => one.check === check).at(-1)
        expect(response?.id).toBe(last?.id)
        expect(status).toBe(last?.status ?? 'open')
        expect(isOverdue).toBe(last?.due != null)
      }
    }),
    { numRuns: times(20, 200) },
  )
})
