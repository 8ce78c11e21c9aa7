import { describe, expect, test } from 'vitest'
import { claimsView } from '../main/app/engine/declared/provider-methods.ts'
import { claimsTable } from '../main/app/export/output-files.ts'
import { PROVIDERS } from '../main/catalog/definition/claims/tests.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { inventoryMemory } from '../main/catalog/hardware/machine/memory.ts'
import { type Conclusion, type Context, defineCheck } from '../main/core/rules/check.ts'
import { answerClaims, type ClaimMatter, type ClaimTest, claimsOf, unansweredClaims } from '../main/core/rules/claim.ts'
import { conflictWords, sourceCitation } from '../main/core/rules/provider.ts'
import type { CheckResult, ClaimResult, ClaimTestReference, ProviderClaim, ProviderProfile } from '../schemas/types.ts'
import { BANNED, VERDICTS, type Verdict } from '../schemas/words.ts'
import { FIXTURE_TIME } from './support/fixtures.ts'

const context: Context = {
  node: { name: 'gpu-01', address: '192.0.2.1', port: 22, user: 'bwaudit', sudo: true },
  asOf: FIXTURE_TIME,
  observedAt: FIXTURE_TIME,
  thresholds: {} as Context['thresholds'],
}

/** A reading that concludes what was promised, so that each answer can be asked for. */
const echo: ClaimTest = {
  id: 'test.echo',
  title: 'It says what it is told.',
  takes: { kind: 'text' },
  limitations: 'It shows nothing at all of any node.',
  of: (value) =>
    typeof value !== 'string'
      ? null
      : defineCheck({
          id: 'test.echo',
          property: 'operations',
          expected: 'It is so.',
          limitations: 'It shows nothing at all of any node.',
          requires: value === 'needs' ? { memory: inventoryMemory } : {},
          evaluate: (): Conclusion => ({
            verdict: value as Conclusion['verdict'],
            observations: [{ direction: 'supports', text: `said ${value}`, probe: null }],
          }),
        }),
}

const finding = (verdict: Verdict): CheckResult => ({
  check: `check.${verdict}`,
  property: 'operations',
  verdict,
  observations: [{ direction: 'supports', text: `found ${verdict}`, probe: 'p', captures: [] }],
})

const matter: ClaimMatter = {
  tests: [echo],
  results: VERDICTS.map(finding),
  readings: new Map(),
  context,
  stale: false,
  cite: ({ direction, text, probe }) => ({ direction: direction, text, probe, captures: [] }),
}

const claim = (tests: readonly ClaimTestReference[], rest: Partial<ProviderClaim> = {}): ProviderClaim => ({
  id: 'c',
  text: 'It is so.',
  source: 's',
  tests,
  otherwise: null,
  why: null,
  documentRequired: null,
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
const answer = (bears: readonly ClaimTestReference[], rest: Partial<ClaimMatter> = {}): ClaimResult | undefined =>
  answerClaims(profile(claim(bears)), { ...matter, ...rest })[0]

describe('one reading', () => {
  test.each<[Verdict, ClaimResult['result']]>([
    ['satisfied', 'corroborated'],
    ['not-satisfied', 'contradicted'],
    ['inconclusive', 'inconclusive'],
    ['not-tested', 'inconclusive'],
    ['not-applicable', 'inconclusive'],
    ['informational', 'inconclusive'],
  ])('%s is answered with %s, from a check and from a claim test alike', (verdict, said) => {
    expect(answer([{ check: `check.${verdict}` }])?.result).toBe(said)
    expect(answer([{ test: 'test.echo', value: verdict }])?.result).toBe(said)
  })

  test('a missing need leaves it undecided and is named', () => {
    expect(answer([{ test: 'test.echo', value: 'needs' }])).toMatchObject({
      result: 'inconclusive',
      observations: [{ direction: 'unclear', text: 'Memory in use by the system: this was not collected.' }],
    })
  })

  test('old evidence supports nothing, and still contradicts', () => {
    expect(answer([{ test: 'test.echo', value: 'satisfied' }], { stale: true })).toMatchObject({
      result: 'inconclusive',
      observations: [
        { direction: 'unclear', text: expect.stringContaining('not counted as support') },
        { text: 'said satisfied' },
      ],
    })
    expect(answer([{ test: 'test.echo', value: 'not-satisfied' }], { stale: true })?.result).toBe('contradicted')
  })

  test.each<[string, ClaimTestReference]>([
    ['a check', { check: 'check.\u202egone' }],
    ['a reading', { test: 'test.\u202egone', value: null }],
    ['a value', { test: 'test.echo', value: 8 }],
  ])('%s that this catalog does not have leaves it undecided, shown safely', (_, bearing) => {
    const found = answer([bearing])
    expect(found?.result).toBe('inconclusive')
    expect(found?.observations[0]?.text).toMatch(/^This catalog has no .*[.]$/)
    expect(found?.observations[0]?.text).not.toContain('\u202e')
  })
})

describe('several readings', () => {
  const of = (...verdicts: readonly string[]): ClaimTestReference[] =>
    verdicts.map((value) => ({ test: 'test.echo', value }))

  test.each<[readonly string[], ClaimResult['result']]>([
    [['satisfied', 'satisfied'], 'corroborated'],
    [['satisfied', 'inconclusive'], 'inconclusive'],
    [['satisfied', 'not-satisfied'], 'contradicted'],
    [['inconclusive', 'not-satisfied'], 'contradicted'],
    [['inconclusive', 'informational'], 'inconclusive'],
  ])('%s are %s', (verdicts, said) => {
    const found = answer(of(...verdicts))
    expect(found?.result).toBe(said)
    expect(found?.observations.map(({ text }) => text)).toEqual(verdicts.map((verdict) => `said ${verdict}`))
  })
})

describe('a condition', () => {
  const on = (
    verdicts: readonly string[],
    bears: readonly ClaimTestReference[],
    rest: Partial<ClaimMatter> = {},
    more = {},
  ) =>
    answerClaims(
      profile(
        claim(bears, {
          condition: { text: 'Where it is so.', tests: verdicts.map((value) => ({ test: 'test.echo', value })) },
          ...more,
        }),
      ),
      { ...matter, ...rest },
    )[0]
  const MET: ClaimTestReference = { check: 'check.satisfied' }
  const BROKEN: ClaimTestReference = { check: 'check.not-satisfied' }

  test.each<[readonly string[], ClaimTestReference, ClaimResult['result'], readonly string[]]>([
    [['satisfied'], MET, 'corroborated', ['said satisfied', 'found satisfied']],
    [['satisfied', 'satisfied'], BROKEN, 'contradicted', ['said satisfied', 'said satisfied', 'found not-satisfied']],
    [['not-satisfied'], BROKEN, 'not-applicable', ['said not-satisfied']],
    [['satisfied', 'not-satisfied'], MET, 'not-applicable', ['said not-satisfied']],
    [['inconclusive', 'not-satisfied'], MET, 'not-applicable', ['said not-satisfied']],
    [['inconclusive'], MET, 'inconclusive', ['said inconclusive']],
    [['inconclusive'], BROKEN, 'inconclusive', ['said inconclusive']],
    [['informational'], MET, 'inconclusive', ['said informational']],
    [['not-applicable'], MET, 'inconclusive', ['said not-applicable']],
    [[], MET, 'inconclusive', []],
  ])('of %s over %o is answered with %s, by the facts that show it', (verdicts, bearing, said, texts) => {
    const found = on(verdicts, [bearing])
    expect(found?.result).toBe(said)
    expect(found?.observations.map(({ text }) => text)).toEqual(texts)
  })

  test('that was not read, or read too long ago, is not absent', () => {
    expect(on(['needs'], [MET])?.result).toBe('inconclusive')
    expect(on(['not-satisfied'], [MET], { stale: true })).toMatchObject({
      result: 'inconclusive',
      observations: [
        { direction: 'unclear', text: expect.stringContaining('not counted as support') },
        { text: 'said not-satisfied' },
      ],
    })
  })

  test('that is absent spares the record, and else asks for it', () => {
    const record = { otherwise: 'document-required', why: 'It lies elsewhere.' } as const
    expect(on(['not-satisfied'], [], {}, record)?.result).toBe('not-applicable')
    expect(on(['satisfied'], [], {}, record)?.result).toBe('document-required')
    expect(on(['inconclusive'], [], {}, record)?.result).toBe('document-required')
  })

  test('of a node that gave no evidence is not decided', () => {
    const own = profile(
      claim([MET], { condition: { text: 'W.', tests: [{ test: 'test.echo', value: 'not-satisfied' }] } }),
    )
    expect(unansweredClaims(own, 'gpu-01', 'Nothing came.')[0]?.result).toBe('inconclusive')
  })
})

describe('a check that rests on the customer’s declarations too', () => {
  test.each<[Verdict, ClaimResult['result']]>([
    ['satisfied', 'corroborated'],
    ['not-satisfied', 'inconclusive'],
    ['inconclusive', 'inconclusive'],
  ])('%s is answered with %s', (verdict, said) => {
    expect(answer([{ check: `check.${verdict}`, supportsOnly: true }])?.result).toBe(said)
  })

  test('shows its deviation, and does not soften another reading', () => {
    expect(
      answer([{ check: 'check.not-satisfied', supportsOnly: true }])?.observations.map(({ text }) => text),
    ).toEqual([expect.stringContaining('does not contradict the provider'), 'found not-satisfied'])
    expect(
      answer([{ check: 'check.not-satisfied', supportsOnly: true }, { check: 'check.not-satisfied' }])?.result,
    ).toBe('contradicted')
  })
})

describe('a claim that a document decides where the node does not', () => {
  const own = (verdict: Verdict) =>
    profile(claim([{ check: `check.${verdict}` }], { whenUndecided: 'document-required' }))

  test.each<[Verdict, ClaimResult['result']]>([
    ['satisfied', 'corroborated'],
    ['not-satisfied', 'contradicted'],
    ['inconclusive', 'document-required'],
    ['not-tested', 'document-required'],
  ])('%s is answered with %s, and keeps its observations', (verdict, said) => {
    expect(answerClaims(own(verdict), matter)[0]).toMatchObject({
      result: said,
      observations: [{ text: `found ${verdict}` }],
    })
  })

  test('needs the document where the node gave no evidence, or evidence that is too old', () => {
    expect(unansweredClaims(own('satisfied'), 'gpu-01', 'Nothing came.')[0]?.result).toBe('document-required')
    const old = profile(claim([{ test: 'test.echo', value: 'satisfied' }], { whenUndecided: 'document-required' }))
    expect(answerClaims(old, { ...matter, stale: true })[0]?.result).toBe('document-required')
  })
})

describe('what no node answers', () => {
  test.each(['document-required', 'not-observable'] as const)(
    '%s is the answer, also where no evidence came',
    (otherwise) => {
      const own = profile(claim([], { otherwise, why: 'It lies elsewhere.' }))
      expect(answerClaims(own, matter)).toEqual([{ claim: 'c', result: otherwise, observations: [] }])
      expect(unansweredClaims(own, 'gpu-01', 'Nothing came.')).toEqual([
        { claim: 'c', result: otherwise, observations: [] },
      ])
    },
  )

  test('without a relevant reading and without a reason it is undecided', () => {
    expect(answer([])).toEqual({ claim: 'c', result: 'inconclusive', observations: [] })
  })

  test('of a node that gave no evidence, nothing is observed', () => {
    expect(unansweredClaims(profile(claim([{ check: 'check.satisfied' }])), 'gpu-01', 'Nothing came.')).toEqual([
      {
        claim: 'c',
        result: 'inconclusive',
        observations: [{ direction: 'unclear', text: 'Nothing came.', probe: null, captures: [] }],
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

describe('a profile', () => {
  const source = { id: 's', kind: 'page', title: 'Servers', where: 'Top', on: '2026-01-01' } as const

  test('cites a source with what is on record, and states whether a copy is kept', () => {
    expect(sourceCitation(source, '1 Jan 2026')).toBe(
      'source: Servers, retrieved on 1 Jan 2026; no copy of the page is retained',
    )
    expect(sourceCitation({ ...source, kind: 'contract' }, '1 Jan 2026')).toContain(
      'no copy of the document is retained',
    )
    const { title: _, ...untitled } = source
    expect(sourceCitation(untitled, '1 Jan 2026')).toBe(
      'source: Top (title not recorded), retrieved on 1 Jan 2026; no copy of the page is retained',
    )
    const whole = { ...source, publisher: 'Own', address: 'https://own.example', sha256: 'a'.repeat(64) }
    expect(sourceCitation(whole, '1 Jan 2026')).toBe(
      `source: Servers, Own, https://own.example, retrieved on 1 Jan 2026; SHA-256 of the retained copy: ${'a'.repeat(64)}`,
    )
  })

  test('shows conditions and statements that do not agree in the window, and none as an answer of a node', () => {
    const conflict = {
      text: 'A.',
      source: 's',
      against: 'B.',
      againstSource: 's',
      why: 'W.',
      documentRequired: 'the list',
    }
    const own = {
      ...profile(
        claim([{ check: 'tenancy.no-hypervisor' }], {
          condition: { text: 'Where.', tests: [{ test: 'network.fabric-kind', value: 'roce' }] },
        }),
      ),
      conflicts: [conflict],
    }
    const view = claimsView(catalog, own, null)
    expect(view.profile.notes).toEqual([conflictWords(conflict)])
    expect(conflictWords(conflict)).toContain('Statement: A. Conflicting statement: B. W. Request: the list.')
    expect(view.claims).toHaveLength(1)
    expect(view.claims[0]?.tests.map(({ title }) => title)).toEqual([
      'Condition: The node has a port of the named kind of RDMA fabric. Claimed: roce.',
      expect.any(String),
    ])
  })
})

describe('the table', () => {
  const node = (name: string, claims?: readonly ClaimResult[]) =>
    ({
      node: name,
      status: 'complete',
      recording: { id: name, digest: 'b'.repeat(64) },
      observedAt: FIXTURE_TIME,
      ...(claims === undefined ? {} : { claims }),
    }) as never

  test('has a row for each node and promise, with its source', () => {
    const bare = profile(
      claim([{ check: 'check.satisfied' }]),
      claim([], {
        id: 'r',
        text: 'Kept.',
        source: 'cited',
        why: 'It lies \u202eelsewhere.',
        condition: { text: 'Where it is so.', tests: [] },
      }),
    )
    const cited = {
      id: 'cited',
      kind: 'page',
      title: 'Contract 1',
      where: 'Schedule A',
      on: '2026-01-01',
      publisher: 'Own Ltd',
      address: 'https://own.example/terms',
      sha256: 'a'.repeat(64),
    } as const
    const provider = { ...bare, sources: [...bare.sources, cited] }
    const rows = [
      ...claimsTable({
        scope: { provider } as never,
        nodes: [
          node('gpu-01', [
            ...answerClaims(provider, matter),
            { claim: 'gone', result: 'inconclusive', observations: [] },
          ]),
          node('gpu-02'),
        ],
      }),
    ]
    expect(rows.slice(1)).toEqual([
      [
        'gpu-01',
        'c',
        'It is so.',
        'corroborated',
        'supports: found satisfied',
        'Contract 1',
        'Schedule A',
        '2026-01-01',
        '',
        '',
        '',
        '',
        FIXTURE_TIME,
        'yes',
      ],
      [
        'gpu-01',
        'r',
        'Kept.',
        'inconclusive',
        'It lies \\u{202e}elsewhere.',
        'Contract 1',
        'Schedule A',
        '2026-01-01',
        'Own Ltd',
        'https://own.example/terms',
        'a'.repeat(64),
        'Where it is so.',
        FIXTURE_TIME,
        'yes',
      ],
      ['gpu-01', 'gone', '', 'inconclusive', '', '', '', '', '', '', '', '', FIXTURE_TIME, 'yes'],
    ])
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([14]))
  })

  test('is its heading alone where no provider was declared', () => {
    expect([...claimsTable({ scope: {} as never, nodes: [node('gpu-01')] })]).toHaveLength(1)
  })
})

describe.each(PROVIDERS.map((one) => [one.id, one] as const))(
  'the profile %s',
  (_, { claims, notes, sources, asOf, conflicts = [] }) => {
    test('states what it rests on, in words that do not over-claim', () => {
      const texts = [
        ...notes,
        ...sources.flatMap(({ title, where }) => [title ?? '', where]),
        ...claims.flatMap(({ text: says, why, documentRequired, condition }) => [
          says,
          why ?? '',
          documentRequired ?? '',
          condition?.text ?? '',
        ]),
        ...conflicts.flatMap(({ text: says, against, why, documentRequired: bring }) => [says, against, why, bring]),
      ]
      expect(texts.filter((text) => BANNED.some((word) => word.test(text)) || /[—–]/.test(text))).toEqual([])
      expect(claims.map(({ text: says }) => says).filter((says) => !says.endsWith('.'))).toEqual([])
      expect(notes.join(' ')).toContain('Compare each line with your contract')
      expect(sources.every(({ on }) => on <= asOf)).toBe(true)
      expect(claims.length).toBeGreaterThan(4)
    })

    // What a tenant declares or decides, such as a roster, encryption or accounts, never contradicts a provider.
    test('is contradicted by checks of the machine only', () => {
      const used = claims.flatMap(({ tests }) =>
        tests.flatMap((bearing) => ('check' in bearing && bearing.supportsOnly !== true ? [bearing.check] : [])),
      )
      expect(used.filter((id) => !['tenancy.no-hypervisor', 'tenancy.pcie-inventory'].includes(id))).toEqual([])
    })

    test('quotes nothing and keeps no digest, since no page is kept, and cites a page by its address alone where it has one', () => {
      expect(claims.filter(({ quote }) => quote !== undefined)).toEqual([])
      expect(sources.filter(({ sha256 }) => sha256 !== undefined)).toEqual([])
      for (const { address, title, where, publisher } of sources) {
        // Neither is ever made up: a page is named by both or by neither.
        expect(address === undefined).toBe(title === undefined)
        if (address !== undefined)
          expect([new URL(address).protocol, publisher, where.length > 3]).toEqual(['https:', expect.any(String), true])
      }
      const cited = [
        ...claims.map(({ source }) => source),
        ...conflicts.flatMap((one) => [one.source, one.againstSource]),
      ]
      expect([...new Set(cited)].sort()).toEqual(sources.map(({ id }) => id).sort())
    })
  },
)
