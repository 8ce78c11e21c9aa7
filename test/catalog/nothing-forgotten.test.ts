import { beforeAll, describe, expect, test } from 'vitest'
import type { CheckData, Subject } from '../../main/catalog/base/subject.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { SUBJECTS } from '../../main/catalog/definition/subjects.ts'
import { assess } from '../../main/core/conclusion/assess.ts'
import { checks, fixtures } from '../support/evaluated.ts'
import { FIXTURE_TIME } from '../support/fixtures.ts'
import { endings, forgotten, type Stated } from '../support/forgotten.ts'

const verdicts = new Map<string, Set<string>>()
const answered = new Set<string>()
const { probes, frameworks } = catalog
const stated: Stated = { subjects: SUBJECTS, checks, frameworks, probes, answered, verdicts }

beforeAll(() => {
  const see = (check: string, verdict: string): void => {
    verdicts.set(check, (verdicts.get(check) ?? new Set()).add(verdict))
  }
  for (const { loaded } of fixtures) for (const { meta } of loaded.captures) answered.add(meta.probe)
  for (const { conclusions } of fixtures) for (const [check, { verdict }] of conclusions) see(check, verdict)
  // Checks that compare nodes are decided among all fixtures as one population, and where each is alone.
  const comparing = new Set(checks.filter(({ amongNodes }) => amongNodes !== undefined).map(({ id }) => id))
  const { nodes } = assess({
    catalog,
    scope: { fleet: 'fixtures', population: fixtures.map(({ name }) => name), frameworks: [] },
    recordings: fixtures.map(({ loaded }) => loaded),
    asOf: FIXTURE_TIME,
  })
  for (const { check, verdict } of nodes.flatMap(({ results }) => results))
    if (comparing.has(check)) see(check, verdict)
})

// That the version was raised: test/rules-module.test.ts.
test('nothing was forgotten of any check', () => expect(forgotten(stated)).toEqual([]))

test('a check ends in no way that it excludes', () => {
  const decided = ['satisfied', 'not-satisfied'] as const
  const wrong = checks.flatMap((check) =>
    decided
      .filter((verdict) => !endings(check).includes(verdict) && verdicts.get(check.id)?.has(verdict) === true)
      .map((verdict) => `${check.id}: ${verdict}`),
  )
  expect(wrong).toEqual([])
})

describe('what is forgotten is named', () => {
  const CHECK = 'access.session-timeout'
  const changed = (change: (entry: CheckData) => readonly CheckData[]): Stated => ({
    ...stated,
    subjects: SUBJECTS.map(
      ({ id, data }): Pick<Subject, 'id' | 'data'> => ({
        id,
        data: { checks: (data?.checks ?? []).flatMap((one) => (one.check === CHECK ? change(one) : [one])) },
      }),
    ),
  })
  /** Without what is forgotten in any case, which the test above names. */
  const newlyForgotten = (one: Stated): readonly string[] => {
    const anyway = new Set(forgotten(stated))
    return forgotten(one)
      .filter((text) => !anyway.has(text))
      .map((text) => text.replace(CHECK, 'the check'))
  }
  const FILE = 'main/catalog/access/session-timeout/checks.json'

  test.each<[string, (entry: CheckData) => readonly CheckData[], string]>([
    ['the entry', () => [], 'the check has no entry in checks.json of its subject'],
    ['the severity', ({ severity: _, ...one }) => [one], `the check has no severity in ${FILE}`],
    ['the remediation', ({ remediation: _, ...one }) => [one], `the check has no remediation in ${FILE}`],
    [
      'the mappings',
      ({ mappings: _, ...one }) => [one],
      `the check has neither mappings nor the reason why it is unmapped, in ${FILE}`,
    ],
    ['a second entry', (one) => [one, one], `the check has another entry in ${FILE}`],
    [
      'a control',
      (one) => [{ ...one, related: ['nist-800-53:AC-99'] }],
      `the check names nist-800-53:AC-99 in ${FILE}, which no framework has`,
    ],
    [
      'where it is answered',
      (one) => [{ ...one, offNode: { source: 'document', why: 'It is not.' } }],
      `the check is built, and answered elsewhere by ${FILE}`,
    ],
    [
      'the check of an entry',
      (one) => [one, { ...one, check: 'access.no-such-check' }],
      `access.no-such-check of ${FILE} is in checks of no subject`,
    ],
  ])('%s', (_name, change, text) => expect(newlyForgotten(changed(change))).toEqual([text]))

  test('a reason for no mappings takes their place', () =>
    expect(
      newlyForgotten(changed(({ mappings: _, ...one }) => [{ ...one, unmapped: 'No control names it.' }])),
    ).toEqual([]))

  test('a probe that no node answers', () => {
    const others = new Set([...answered].filter((one) => one !== 'session.timeout'))
    expect(newlyForgotten({ ...stated, answered: others })).toEqual([
      'session.timeout has no section in test/fixtures/nodes; demo-gpu-01, demo-guest-03, demo-metal-04 need one',
    ])
  })

  test.each(['satisfied', 'not-satisfied', 'inconclusive'])('a fixture that is %s', (verdict) => {
    const others = new Set([...(verdicts.get(CHECK) ?? [])].filter((one) => one !== verdict))
    expect(newlyForgotten({ ...stated, verdicts: new Map([...verdicts, [CHECK, others]]) })).toEqual([
      `the check is ${verdict} on no node of test/fixtures/nodes`,
    ])
  })
})
