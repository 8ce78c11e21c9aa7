import { describe, expect, test } from 'vitest'
import { claimsTable } from '../main/app/claims-table.ts'
import { PROVIDERS } from '../main/catalog/claims/providers.ts'
import { inventoryMemory } from '../main/catalog/probes/inventory-memory.ts'
import { type Conclusion, type Context, defineCheck } from '../main/core/check.ts'
import { answerClaims, type ClaimMatter, type ClaimTest, claimsOf, unansweredClaims } from '../main/core/claim.ts'
import type { Bearing, ClaimAnswer, Finding, ProviderClaim, ProviderProfile } from '../schemas/types.ts'
import { BANNED, VERDICTS, type Verdict } from '../schemas/words.ts'
import { FIXTURE_TIME } from './support/fixtures.ts'

const context: Context = {
  node: { name: 'gpu-01', address: '192.0.2.1', port: 22, user: 'bwaudit', sudo: true },
  asOf: FIXTURE_TIME,
  observedAt: FIXTURE_TIME,
  limits: {} as Context['limits'],
}

/** A reading that concludes what was promised, so that each answer can be asked for. */
const echo: ClaimTest = {
  id: 'test.echo',
  title: 'It says what it is told.',
  takes: { kind: 'text' },
  limits: 'It shows nothing at all of any node.',
  of: (value) =>
    typeof value !== 'string'
      ? null
      : defineCheck({
          id: 'test.echo',
          property: 'operations',
          claim: 'It is so.',
          limits: 'It shows nothing at all of any node.',
          needs: value === 'needs' ? { memory: inventoryMemory } : {},
          evaluate: (): Conclusion => ({
            verdict: value as Conclusion['verdict'],
            because: [{ says: 'for', text: `said ${value}`, probe: null }],
          }),
        }),
}

const finding = (verdict: Verdict): Finding => ({
  check: `check.${verdict}`,
  property: 'operations',
  verdict,
  reasons: [{ says: 'for', text: `found ${verdict}`, probe: 'p', captures: [] }],
})

const matter: ClaimMatter = {
  tests: [echo],
  findings: VERDICTS.map(finding),
  readings: new Map(),
  context,
  stale: false,
  cite: ({ says, text, probe }) => ({ says, text, probe, captures: [] }),
}

const claim = (bears: readonly Bearing[], rest: Partial<ProviderClaim> = {}): ProviderClaim => ({
  id: 'c',
  says: 'It is so.',
  source: 's',
  bears,
  otherwise: null,
  why: null,
  bring: null,
  ...rest,
})
const profile = (...claims: readonly ProviderClaim[]): ProviderProfile => ({
  schema: 'barewitness.provider/1',
  id: 'own',
  name: 'Own',
  asOf: '2026-11-01',
  notes: [],
  sources: [{ id: 's', kind: 'contract', title: 'Contract 1', where: 'Schedule A', on: '2026-01-01' }],
  claims,
})
const answer = (bears: readonly Bearing[], rest: Partial<ClaimMatter> = {}): ClaimAnswer | undefined =>
  answerClaims(profile(claim(bears)), { ...matter, ...rest })[0]

describe('one reading', () => {
  test.each<[Verdict, ClaimAnswer['answer']]>([
    ['met', 'observed'],
    ['not-met', 'contradicted'],
    ['inconclusive', 'not-decided'],
    ['not-tested', 'not-decided'],
    ['not-applicable', 'not-decided'],
    ['informational', 'not-decided'],
  ])('%s is answered with %s, from a check and from a claim test alike', (verdict, said) => {
    expect(answer([{ check: `check.${verdict}` }])?.answer).toBe(said)
    expect(answer([{ test: 'test.echo', value: verdict }])?.answer).toBe(said)
  })

  test('a missing need leaves it undecided and says which', () => {
    expect(answer([{ test: 'test.echo', value: 'needs' }])).toMatchObject({
      answer: 'not-decided',
      reasons: [{ says: 'unclear', text: 'Memory in use by the system: this was not collected.' }],
    })
  })

  test('old evidence supports nothing, and still contradicts', () => {
    expect(answer([{ test: 'test.echo', value: 'met' }], { stale: true })).toMatchObject({
      answer: 'not-decided',
      reasons: [{ says: 'unclear', text: expect.stringContaining('supports nothing') }, { text: 'said met' }],
    })
    expect(answer([{ test: 'test.echo', value: 'not-met' }], { stale: true })?.answer).toBe('contradicted')
  })

  test.each<[string, Bearing]>([
    ['a check', { check: 'check.\u202egone' }],
    ['a reading', { test: 'test.\u202egone', value: null }],
    ['a value', { test: 'test.echo', value: 8 }],
  ])('%s that this catalog does not have leaves it undecided, shown safely', (_, bearing) => {
    const found = answer([bearing])
    expect(found?.answer).toBe('not-decided')
    expect(found?.reasons[0]?.text).toMatch(/^This catalog has no .*[.]$/)
    expect(found?.reasons[0]?.text).not.toContain('\u202e')
  })
})

describe('several readings', () => {
  const of = (...verdicts: readonly string[]): Bearing[] => verdicts.map((value) => ({ test: 'test.echo', value }))

  test.each<[readonly string[], ClaimAnswer['answer']]>([
    [['met', 'met'], 'observed'],
    [['met', 'inconclusive'], 'not-decided'],
    [['met', 'not-met'], 'contradicted'],
    [['inconclusive', 'not-met'], 'contradicted'],
    [['inconclusive', 'informational'], 'not-decided'],
  ])('%s are %s', (verdicts, said) => {
    const found = answer(of(...verdicts))
    expect(found?.answer).toBe(said)
    expect(found?.reasons.map(({ text }) => text)).toEqual(verdicts.map((verdict) => `said ${verdict}`))
  })
})

describe('what no node answers', () => {
  test.each(['needs-record', 'not-observable'] as const)(
    '%s is the answer, also where no evidence came',
    (otherwise) => {
      const own = profile(claim([], { otherwise, why: 'It lies elsewhere.' }))
      expect(answerClaims(own, matter)).toEqual([{ claim: 'c', answer: otherwise, reasons: [] }])
      expect(unansweredClaims(own, 'gpu-01', 'Nothing came.')).toEqual([{ claim: 'c', answer: otherwise, reasons: [] }])
    },
  )

  test('nothing that bears on it and no word why is undecided', () => {
    expect(answer([])).toEqual({ claim: 'c', answer: 'not-decided', reasons: [] })
  })

  test('of a node that gave no evidence, nothing is observed', () => {
    expect(unansweredClaims(profile(claim([{ check: 'check.met' }])), 'gpu-01', 'Nothing came.')).toEqual([
      {
        claim: 'c',
        answer: 'not-decided',
        reasons: [{ says: 'unclear', text: 'Nothing came.', probe: null, captures: [] }],
      },
    ])
  })
})

test('a promise for named nodes is answered for these and no others', () => {
  const own = profile(claim([], { nodes: ['gpu-02'] }), claim([], { id: 'all' }), claim([], { id: 'none', nodes: [] }))
  expect(claimsOf(own, 'gpu-01').map(({ id }) => id)).toEqual(['all'])
  expect(claimsOf(own, 'gpu-02').map(({ id }) => id)).toEqual(['c', 'all'])
  expect(answerClaims(own, matter).map(({ claim: id }) => id)).toEqual(['all'])
})

describe('the table', () => {
  const node = (name: string, claims?: readonly ClaimAnswer[]) =>
    ({ node: name, observedAt: FIXTURE_TIME, ...(claims === undefined ? {} : { claims }) }) as never

  test('has a row for each node and promise, with its source', () => {
    const provider = profile(
      claim([{ check: 'check.met' }]),
      claim([], { id: 'r', says: 'Kept.', why: 'It lies \u202eelsewhere.' }),
    )
    const rows = [
      ...claimsTable({
        scope: { provider } as never,
        nodes: [
          node('gpu-01', [...answerClaims(provider, matter), { claim: 'gone', answer: 'not-decided', reasons: [] }]),
          node('gpu-02'),
        ],
      }),
    ]
    expect(rows.slice(1)).toEqual([
      [
        'gpu-01',
        'c',
        'It is so.',
        'observed',
        'for: found met',
        'Contract 1',
        'Schedule A',
        '2026-01-01',
        FIXTURE_TIME,
      ],
      [
        'gpu-01',
        'r',
        'Kept.',
        'not-decided',
        'It lies \\u{202e}elsewhere.',
        'Contract 1',
        'Schedule A',
        '2026-01-01',
        FIXTURE_TIME,
      ],
      ['gpu-01', 'gone', '', 'not-decided', '', '', '', '', FIXTURE_TIME],
    ])
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([9]))
  })

  test('is its heading alone where no provider was declared', () => {
    expect([...claimsTable({ scope: {} as never, nodes: [node('gpu-01')] })]).toHaveLength(1)
  })
})

describe.each(PROVIDERS.map((one) => [one.id, one] as const))(
  'the profile %s',
  (_, { claims, notes, sources, asOf }) => {
    test('says what it rests on, in words that do not over-claim', () => {
      const texts = [
        ...notes,
        ...sources.map(({ title }) => title),
        ...claims.flatMap(({ says, why, bring }) => [says, why ?? '', bring ?? '']),
      ]
      expect(texts.filter((text) => BANNED.some((word) => word.test(text)) || /[—–]/.test(text))).toEqual([])
      expect(claims.map(({ says }) => says).filter((says) => !says.endsWith('.'))).toEqual([])
      expect(notes.join(' ')).toContain('Compare each line with your contract')
      expect(sources.every(({ on }) => on <= asOf)).toBe(true)
      expect(claims.length).toBeGreaterThan(4)
    })

    // What a tenant decides, such as encryption or accounts, never contradicts a provider.
    test('rests on checks of the machine and its place only', () => {
      const used = claims.flatMap(({ bears }) =>
        bears.flatMap((bearing) => ('check' in bearing ? [bearing.check] : [])),
      )
      expect(used.filter((id) => !['tenancy.no-hypervisor', 'tenancy.pcie-inventory'].includes(id))).toEqual([])
    })
  },
)
