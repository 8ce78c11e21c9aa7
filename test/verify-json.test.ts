import { expect, test } from 'vitest'
import { inJson } from '../main/cli/commands/verify.ts'
import { MOST_PROBLEMS } from '../main/core/budgets.ts'
import type { VerificationReport } from '../schemas/verification.ts'

test('of many verdicts that come out differently, --json lists as many as of any problem, and counts all', () => {
  const differences = Array.from({ length: 3 * MOST_PROBLEMS }, (_, at) => ({
    node: `node-${at}`,
    check: 'a.b',
    stated: 'satisfied' as const,
    derived: 'not-satisfied' as const,
  }))
  const rules = { status: 'same', version: '1', results: 500, unconfirmed: differences.length } as const
  const report = { ok: false, differences, rules } as unknown as VerificationReport
  const printed = inJson(report, ['reproducibility'])
  expect(printed.differences).toEqual(differences.slice(0, MOST_PROBLEMS))
  expect(printed).toMatchObject({ ok: false, lacking: ['reproducibility'], rules: { unconfirmed: differences.length } })
})
