import { expect, test } from 'vitest'
import { inJson, restOf } from '../main/cli/commands/verify.ts'
import { atMost, MOST_PROBLEMS } from '../main/core/base/budgets.ts'
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

test('what is printed of many details counts those that the report itself does not list', () => {
  const details = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `Detail ${at}.`)
  expect(restOf(details(45))).toBe('… and 5 more (use --json)')
  expect(MOST_PROBLEMS).toBe(50)
  expect(restOf(atMost(details(960)))).toBe('… and 920 more; --json lists 10 of them')
})
