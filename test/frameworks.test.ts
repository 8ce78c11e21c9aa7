import { describe, expect, test } from 'vitest'
import type { CheckData } from '../main/catalog/base/subject.ts'
import { CONCLUSIONS } from '../main/catalog/definition/definition.ts'
import { hipaa, loadFramework, nprm, REQUESTS, soc2 } from '../main/catalog/definition/frameworks/frameworks.ts'
import hipaaData from '../main/catalog/definition/frameworks/hipaa.json' with { type: 'json' }
import { catalog } from '../main/catalog/definition/index.ts'
import { CHECK_DATA, OFF_NODE_CHECKS, SEVERITIES, VOCABULARY } from '../main/catalog/definition/subjects.ts'
import { BANNED } from '../schemas/words.ts'
import { catalogData, catalogDataProblems } from './support/catalog-data.ts'

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
    const count = (name: string): number => hipaa.controls.filter(({ evidenceType }) => evidenceType === name).length
    expect([count('technical'), count('mixed'), count('documentary'), count('out-of-scope')]).toEqual([1, 38, 27, 6])
    expect(soc2.controls.some(({ evidenceType }) => evidenceType === 'technical')).toBe(false)
  })

  test('only the proposal is an overlay', () => {
    expect([hipaa, soc2, nprm].map(({ proposed }) => proposed)).toEqual([false, false, true])
  })
})

describe.each([hipaa, soc2, nprm])('$id', ({ controls }) => {
  test.each(controls.map((control) => [control.key, control] as const))(
    '%s states what is not shown, in allowed words',
    (_key, control) => {
      expect(control.notCovered.length).toBeGreaterThan(20)
      for (const text of [control.summary, control.notCovered, ...control.mappings.map(({ shows }) => shows)]) {
        for (const banned of BANNED) expect(text).not.toMatch(banned)
      }
    },
  )

  test('a row without mapped checks states that no server can show it', () => {
    for (const control of controls.filter(({ mappings }) => mappings.length === 0))
      expect(control.notCovered).toMatch(/^No server can show/)
  })
})

describe('bad data stops the program', () => {
  const [row] = hipaaData.controls
  const withRow = (changes: object) =>
    ({ ...hipaaData, controls: [{ ...row, ...changes }] }) as unknown as Parameters<typeof loadFramework>[0]

  const why = 'It asks for it.'
  const one = { control: row?.key ?? '', role: 'required', why }
  const mapped = (...mappings: readonly (typeof one)[]) => [{ ...(CHECK_DATA[0] as CheckData), mappings }]
  test('a mapping to a control that the framework does not have', () =>
    expect(() => loadFramework(withRow({}), mapped({ ...one, control: 'hipaa:164.999' }))).toThrow('hipaa:164.999'))
  test.each([
    ['without a role', { role: 'decisive' }],
    ['without a reason', { why: ' ' }],
  ])('a mapping %s', (_name, given) =>
    expect(() => loadFramework(withRow({}), mapped({ ...one, ...given }))).toThrow('no role'),
  )
  test('a check that is mapped twice', () =>
    expect(() => loadFramework(withRow({}), mapped(one, one))).toThrow('twice'))
  test('a mapping of another framework is left to that framework', () => {
    const [control] = loadFramework(withRow({}), mapped(one, { ...one, control: 'soc2:CC1.1' })).controls
    expect(control?.mappings.map(({ role }) => role)).toEqual(['required'])
  })
  test.each([
    ['a need that the row does not have', { 'No such need': ['ER-01'] }],
    ['no request', { [row?.documentsRequired[0] ?? '']: [] }],
    ['a request that there is not', { [row?.documentsRequired[0] ?? '']: ['ER-99'] }],
  ])('a request for %s', (_name, requests) =>
    expect(() => loadFramework(withRow({ requests }), [])).toThrow('answers a need'),
  )
  test('an empty limit', () => {
    expect(() => loadFramework(withRow({ notCovered: ' ' }), [])).toThrow('not shown')
  })
  test('a row listed twice', () => {
    const twice = { ...hipaaData, controls: [row, row] } as unknown as Parameters<typeof loadFramework>[0]
    expect(() => loadFramework(twice, [])).toThrow('twice')
  })
})

describe('the data that the catalog is built with', () => {
  const data = catalogData()

  test('is what its schema describes', () => expect(catalogDataProblems(data)).toEqual([]))

  const mapping = { control: 'hipaa:164.312(d)', role: 'required', why: 'It asks for it.' }
  test.each([
    ['a mapping without a role', { mappings: [{ ...mapping, role: undefined }] }],
    ['a mapping with an unknown role', { mappings: [{ ...mapping, role: 'decisive' }] }],
    ['a mapping without a reason', { mappings: [{ ...mapping, why: ' ' }] }],
    ['a mapping to an unknown framework', { mappings: [{ ...mapping, control: 'hipa:164.312(d)' }] }],
    ['neither mappings nor the reason why there are none', { mappings: undefined }],
    ['mappings and a reason why there are none', { unmapped: 'It is mapped.' }],
    ['no severity', { severity: undefined }],
    ['no remediation', { remediation: undefined }],
  ])('a check with %s is refused', (_name, changes) => {
    const [first, ...others] = data.subjects.accounts?.checks ?? []
    const changed = JSON.parse(JSON.stringify({ ...first, ...changes }))
    const accounts = { checks: [changed, ...others] }
    expect(catalogDataProblems({ ...data, subjects: { ...data.subjects, accounts } })).not.toEqual([])
  })

  test.each([
    ['mappings of its own', { mappings: [] }],
    ['a need that no request answers', { requests: { 'A need': [] } }],
    ['an unknown category', { category: 'safety' }],
    ['an unknown scope', { scope: 'all' }],
  ])('a control with %s is refused', (_name, changes) => {
    const [first, ...others] = data.frameworks as { controls: object[] }[]
    const controls = [{ ...first?.controls[0], ...changes }]
    expect(catalogDataProblems({ ...data, frameworks: [{ ...first, controls }, ...others] })).not.toEqual([])
  })
})

describe('mappings, requests and severities fit together', () => {
  const current = [hipaa, soc2]
  const rows = [hipaa, soc2, nprm].flatMap(({ controls }) => controls)
  const mappings = rows.flatMap(({ key, mappings: supports }) => supports.map((one) => ({ key, ...one })))
  const mapped = new Set(mappings.map(({ check }) => check))

  test('every mapping has a role and a reason', () =>
    expect(mappings.filter(({ role, why }) => role === undefined || (why ?? '').trim() === '')).toEqual([]))

  test('every document that a row in force needs has an evidence request', () =>
    expect(
      current.flatMap(({ controls }) =>
        controls.flatMap(({ key, documentsRequired, requests }) =>
          documentsRequired.filter((need) => (requests?.[need] ?? []).length === 0).map((need) => `${key}: ${need}`),
        ),
      ),
    ).toEqual([]))

  test('every request is asked for by a row, or answers a mapped check', () => {
    const asked = new Set(rows.flatMap(({ requests }) => Object.values(requests ?? {}).flat()))
    expect(REQUESTS.filter(({ id, serves }) => !asked.has(id) && !serves.some((one) => mapped.has(one)))).toEqual([])
  })

  test('requests are listed once, and name checks that there are', () => {
    const known = new Set(VOCABULARY.map(({ id }) => id))
    expect(new Set(REQUESTS.map(({ id }) => id)).size).toBe(REQUESTS.length)
    for (const { id, serves, mayAnswer } of REQUESTS)
      for (const check of [...serves, ...mayAnswer.map((one) => one.check)])
        expect(known.has(check), `${id}: ${check}`).toBe(true)
    expect(REQUESTS.map(({ id }) => id)).toContain(CONCLUSIONS.dataMap)
  })

  test('a document answers only what is tested on servers, and serves only what is not', () => {
    const elsewhere = new Set(OFF_NODE_CHECKS.map(({ id }) => id))
    expect(REQUESTS.flatMap(({ mayAnswer }) => mayAnswer).filter(({ check }) => elsewhere.has(check))).toEqual([])
    expect(REQUESTS.flatMap(({ serves }) => serves).filter((check) => !elsewhere.has(check))).toEqual([])
  })

  test('a reason that names an answer by a document states the results that one may answer', () => {
    const answers = new Map(
      REQUESTS.flatMap(({ mayAnswer }) => mayAnswer.map((one) => [one.check, one.answers] as const)),
    )
    const promising = mappings.filter(({ why = '' }) => /\bmay answer|\banswers\.$|evidence answers/.test(why))
    const onServers = promising.filter(({ check }) => catalog.checks.some(({ id }) => id === check))
    expect(onServers.length).toBeGreaterThan(4)
    expect(
      onServers
        // 45 CFR 164.306(d)(3): a decision answers there, not a document.
        .filter(({ why = '' }) => !why.includes('addressable decision'))
        .filter(({ check, why = '' }) => answers.get(check) !== 'any' && !why.includes('inconclusive result'))
        .map(({ key, check }) => `${key}: ${check}`),
    ).toEqual([])
  })

  test('every check that documents answer has a request that does', () => {
    const served = new Set(REQUESTS.flatMap(({ serves }) => serves))
    expect(OFF_NODE_CHECKS.filter(({ id, source }) => source === 'document' && !served.has(id))).toEqual([])
  })

  // The state of a row in every fleet: test/conclusion/invariants.test.ts.

  // That each has a severity, and mappings or a reason for none: test/catalog/nothing-forgotten.test.ts.

  test('every severity and every mapping is of one check, which servers answer or do not', () => {
    const built = new Set(catalog.checks.map(({ id }) => id))
    const elsewhere = new Set(OFF_NODE_CHECKS.map(({ id }) => id))
    const places = (id: string): number => [built, elsewhere].filter((some) => some.has(id)).length
    expect(SEVERITIES.map(({ check }) => check).filter((id) => places(id) !== 1)).toEqual([])
    expect([...mapped].filter((id) => places(id) !== 1)).toEqual([])
  })

  test('a check that ends satisfied or recorded decides no row: recorded would hide what is missing', () => {
    const either = new Set(catalog.checks.filter(({ ends }) => ends === 'supported-or-recorded').map(({ id }) => id))
    expect(either.size).toBeGreaterThan(0)
    expect(
      mappings
        .filter(({ check, role }) => either.has(check) && (role === 'required' || role === 'counter'))
        .map(({ key, check }) => `${key}: ${check}`),
    ).toEqual([])
  })
})
