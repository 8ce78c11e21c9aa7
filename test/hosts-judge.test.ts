import { describe, expect, test } from 'vitest'
import type { Verdict } from '../schemas/words.ts'
import { judge, type Outcome, type Statement, statementsOf } from './support/hosts/judge.ts'

const statement = (truth: Statement['truth'], undecidedIf?: string): Statement => ({
  check: 'access.example',
  truth,
  because: 'configured so',
  ...(undecidedIf === undefined ? {} : { undecidedIf }),
})

describe('a verdict compared with what was configured on a real host', () => {
  const table: readonly [Statement['truth'], Verdict | undefined, Outcome][] = [
    ['holds', 'satisfied', 'right'],
    ['holds', 'not-applicable', 'right'],
    ['holds', 'not-satisfied', 'false deviation'],
    ['holds', 'inconclusive', 'missing answer'],
    ['fails', 'not-satisfied', 'right'],
    ['fails', 'satisfied', 'false support'],
    ['fails', 'not-applicable', 'false support'],
    ['fails', 'inconclusive', 'missing answer'],
    ['open', 'inconclusive', 'right'],
    ['open', 'satisfied', 'false support'],
    ['open', 'not-applicable', 'false support'],
    ['open', 'not-satisfied', 'false deviation'],
    ['holds', 'not-tested', 'missing answer'],
    ['fails', 'informational', 'missing answer'],
    ['open', undefined, 'missing answer'],
  ]
  test.each(table)('%s, judged %s: %s', (truth, verdict, outcome) =>
    expect(judge(statement(truth), verdict)).toBe(outcome),
  )
  test.each(['holds', 'fails'] as const)('undecided only where a reason is written down: %s', (truth) =>
    expect(judge(statement(truth, 'cannot be asked'), 'inconclusive')).toBe('undecided'),
  )
  test('a reason for no decision excuses no wrong one', () => {
    expect(judge(statement('fails', 'cannot be asked'), 'satisfied')).toBe('false support')
    expect(judge(statement('holds', 'cannot be asked'), 'not-satisfied')).toBe('false deviation')
  })
  test('a host’s own statement takes the place of the shared one', () => {
    const own = statement('fails')
    expect(statementsOf([statement('holds'), { ...statement('holds'), check: 'time.example' }], [own])).toEqual([
      { ...statement('holds'), check: 'time.example' },
      own,
    ])
  })
})
