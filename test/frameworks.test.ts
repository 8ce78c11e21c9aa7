import { describe, expect, test } from 'vitest'
import { hipaa, nprm, soc2 } from '../main/catalog/frameworks/frameworks.ts'
import hipaaData from '../main/catalog/frameworks/hipaa.json' with { type: 'json' }
import { loadFramework } from '../main/catalog/frameworks/load.ts'
import { BANNED } from '../schemas/words.ts'

describe('frameworks are complete', () => {
  // Counts checked against the CFR's own Appendix A matrix, the 2025 proposal's matrix, and two public lists of criteria.
  test.each([
    [hipaa, 72],
    [soc2, 61],
    [nprm, 143],
  ])('$id has $1 rows', (framework, rows) => {
    expect(framework.controls).toHaveLength(rows)
  })

  test('the evidence classes of the rule in force are honest', () => {
    const count = (name: string): number => hipaa.controls.filter(({ evidenceClass }) => evidenceClass === name).length
    expect([count('automatable'), count('partial'), count('manual'), count('out-of-scope')]).toEqual([4, 35, 27, 6])
    expect(soc2.controls.some(({ evidenceClass }) => evidenceClass === 'automatable')).toBe(false)
  })

  test('only the proposal is an overlay', () => {
    expect([hipaa, soc2, nprm].map(({ overlay }) => overlay)).toEqual([false, false, true])
  })
})

describe.each([hipaa, soc2, nprm])('$id', ({ controls }) => {
  test.each(controls.map((control) => [control.key, control] as const))(
    '%s says what is not shown, in allowed words',
    (_key, control) => {
      expect(control.notShown.length).toBeGreaterThan(20)
      for (const text of [control.summary, control.notShown, ...control.supports.map(({ shows }) => shows)]) {
        for (const banned of BANNED) expect(text).not.toMatch(banned)
      }
    },
  )

  test('a row without mapped checks says that no server can show it', () => {
    for (const control of controls.filter(({ supports }) => supports.length === 0))
      expect(control.notShown).toMatch(/^No server can show/)
  })
})

describe('bad data stops the program', () => {
  const [row] = hipaaData.controls
  const withRow = (changes: object) =>
    ({ ...hipaaData, controls: [{ ...row, ...changes }] }) as unknown as Parameters<typeof loadFramework>[0]

  test('a mapping to a check that is in no vocabulary', () => {
    expect(() => loadFramework(withRow({ supports: ['access.no-such-check'] }))).toThrow('access.no-such-check')
  })
  test('an empty limit', () => {
    expect(() => loadFramework(withRow({ notShown: ' ' }))).toThrow('not shown')
  })
  test('a row listed twice', () => {
    const twice = { ...hipaaData, controls: [row, row] } as unknown as Parameters<typeof loadFramework>[0]
    expect(() => loadFramework(twice)).toThrow('twice')
  })
})
