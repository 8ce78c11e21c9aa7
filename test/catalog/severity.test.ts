import { describe, expect, test } from 'vitest'
import { REQUESTS } from '../../main/catalog/definition/frameworks/frameworks.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { SEVERITIES } from '../../main/catalog/definition/subjects.ts'
import type { SeverityCondition } from '../../main/core/rules/catalog.ts'
import schema from '../../schemas/catalog-data.schema.json' with { type: 'json' }
import { RISK_AREAS } from '../../schemas/conclusion-words.ts'
import { catalogData, catalogDataProblems } from '../support/catalog-data.ts'

const conditions = SEVERITIES.flatMap(({ check, raisesWhen, lowersWhen }) =>
  [...raisesWhen, ...lowersWhen].map((condition: SeverityCondition) => ({ check, ...condition })),
)
const facts = conditions.flatMap(({ check, facts }) => facts.map((fact) => ({ check, fact: fact.split(' ') })))
/** Findings are made of deviations of checks, and of unreconciled rows of the provider's inventory. */
const ends = new Map([
  ...catalog.checks.map(({ id, ends }) => [id, ends ?? 'decided'] as const),
  ['inventory.population', 'decided'] as const,
])

describe('the severities of checks', () => {
  test('risk areas are those of the schema, in their order', () =>
    expect(schema.$defs.RiskArea.enum).toEqual(RISK_AREAS))

  test('a fact names a result that another check of the catalog can have', () => {
    const named = facts.filter(({ fact: [kind] }) => kind === 'satisfied' || kind === 'not-satisfied')
    expect(named.length).toBeGreaterThan(0)
    const wrong = named.filter(({ check, fact: [kind, id = ''] }) => {
      const end = ends.get(id)
      return id === check || end === undefined || end === 'recorded' || (kind === 'not-satisfied' && end !== 'decided')
    })
    expect(wrong).toEqual([])
  })

  test('a fact or a text names a request of the catalog', () => {
    const known = new Set<string>(REQUESTS.map(({ id }) => id))
    const named = [
      ...facts.flatMap(({ fact: [kind, id = ''] }) => (kind === 'inspected' ? [id] : [])),
      ...conditions.flatMap(({ text }) => text.match(/ER-\w+/g) ?? []),
    ]
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((id) => !known.has(id))).toEqual([])
  })

  test('a check that never deviates is informational, and nothing raises or lowers that', () => {
    const never = SEVERITIES.filter(({ check }) => ends.get(check) !== 'decided')
    expect(never.length).toBeGreaterThan(0)
    expect(
      never.filter(
        ({ severity, raisesWhen, lowersWhen }) => severity !== 'info' || raisesWhen.length + lowersWhen.length > 0,
      ),
    ).toEqual([])
  })

  test('no condition is listed twice for a check, and no procedure for two', () => {
    const texts = conditions.map(({ check, text }) => `${check}: ${text}`)
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([])
    const procedures = SEVERITIES.map(({ procedure }) => procedure)
    expect(procedures.filter((text, at) => procedures.indexOf(text) !== at)).toEqual([])
  })
})

describe('the schema refuses', () => {
  const data = catalogData()
  const problems = (change: object): readonly string[] => {
    const firewall = {
      checks: (data.subjects.firewall?.checks ?? []).map(({ severity, ...check }) => ({
        ...check,
        severity: JSON.parse(JSON.stringify({ ...severity, ...change })),
      })),
    }
    return catalogDataProblems({ ...data, subjects: { ...data.subjects, firewall } })
  }
  const condition = (fact: string) => [{ text: 'the server is at risk', facts: [fact] }]

  test('nothing in an entry as it is', () => expect(problems({})).toEqual([]))

  test.each([
    'ephi',
    'public-address',
    'residency',
    'not-satisfied access.sshd.mfa',
    'satisfied a',
    'inspected ER-1x',
    '',
  ])('a severity that “%s” lowers', (fact) => expect(problems({ lowersWhen: condition(fact) })).not.toEqual([]))

  test.each(['internet', 'not-satisfied', 'not-satisfied  access.sshd.mfa', 'inspected 16', 'ephi '])(
    'a severity that “%s” raises',
    (fact) => expect(problems({ raisesWhen: condition(fact) })).not.toEqual([]),
  )

  test.each([
    'Looked at the server’s packet filter for incoming traffic that no rule allows.',
    'Inspected the packet filter.',
    'Inspected the server’s packet filter for incoming traffic that no rule allows',
    `Inspected ${'a '.repeat(25)}filter.`,
  ])('the procedure “%s”', (procedure) => expect(problems({ procedure })).not.toEqual([]))

  test('an entry without risk area or with another one', () => {
    expect(problems({ riskArea: undefined })).not.toEqual([])
    expect(problems({ riskArea: 'compliance' })).not.toEqual([])
  })
})
