import { describe, expect, test } from 'vitest'
import {
  answersIn,
  attachedFor,
  attachmentsBy,
  documentPart,
  isCurrent,
  levelOf,
  REQUESTS,
  stateOf,
} from '../../main/core/register/documents.ts'
import { type ControlDocument, documentsOf, type EvidenceRequest } from '../../main/core/rules/requests.ts'
import type { EvidenceLevel } from '../../schemas/conclusion-words.ts'
import type { EvidenceDocument } from '../../schemas/types.ts'
import { AS_OF, documentFor, registerWith } from '../support/conclusion-documents.ts'
import { controlOf, evidenceRequestOf } from '../support/rollup-kit.ts'

/** The functions that decide about documents, one by one. */
const requestOf = (id: string, changes: Partial<EvidenceRequest> = {}): EvidenceRequest =>
  evidenceRequestOf({ id, title: `Title of ${id}`, ...changes })
const documentOf = (request: EvidenceRequest | null, changes: Partial<ControlDocument> = {}): ControlDocument => ({
  request,
  title: request?.title ?? 'A need',
  needs: ['A need'],
  checks: [],
  mandatory: true,
  ...changes,
})
const inspection = (at: string, conclusion: 'supports' | 'does-not-support' = 'supports') => ({
  by: 'Bea',
  at,
  lookedAt: 'all of it',
  conclusion,
})
const ENDED = { validUntil: '2026-11-21T23:59:59.999Z' }
const GONE = { at: AS_OF, by: 'x', reason: 'y' }
const [FIRST, SECOND] = ['2026-11-20T10:00:00.000Z', '2026-11-21T10:00:00.000Z'] as const

describe('the level at which a document counts', () => {
  const looked = inspection(FIRST)
  test.each<[EvidenceLevel | undefined, boolean, EvidenceLevel]>([
    [undefined, false, 'received'],
    [undefined, true, 'received'],
    ['inquiry', false, 'inquiry'],
    ['received', true, 'received'],
    ['inspected', true, 'inspected'],
    ['reperformed', true, 'reperformed'],
    ['inspected', false, 'received'],
    ['reperformed', false, 'received'],
  ])('stated %s, inspected by a named person %s: %s', (level, isLooked, expected) =>
    expect(levelOf({ ...(level === undefined ? {} : { level }), ...(isLooked ? { inspection: looked } : {}) })).toBe(
      expected,
    ),
  )
})

describe('whether a document is current', () => {
  test.each<[string, Partial<EvidenceDocument>, string, boolean]>([
    ['as attached', {}, AS_OF, true],
    ['withdrawn', { withdrawn: GONE }, AS_OF, false],
    ['in its last millisecond', { validUntil: AS_OF }, AS_OF, true],
    ['a millisecond after its end', { validUntil: '2026-11-22T11:59:59.999Z' }, AS_OF, false],
    ['attached later', { attachedAt: '2026-11-22T12:00:00.001Z' }, AS_OF, false],
    ['without an end, 366 days old', {}, '2027-11-21T00:00:00.000Z', true],
    ['without an end, older', {}, '2027-11-21T00:00:00.001Z', false],
    ['with an end, older than a year', { validUntil: '2028-12-31T23:59:59.999Z' }, '2028-01-01T00:00:00.000Z', true],
    ['inspected at this moment', { inspection: inspection(AS_OF) }, AS_OF, true],
    ['inspected later', { inspection: inspection('2026-11-22T12:00:00.001Z') }, AS_OF, false],
    ['not inspected', { inspection: undefined } as never, AS_OF, true],
  ])('%s', (_name, changes, asOf, expected) =>
    expect(isCurrent({ ...documentFor('ER-01'), ...changes }, asOf)).toBe(expected),
  )
})

describe('the state of one document', () => {
  const at = (level: EvidenceLevel, changes: Partial<EvidenceDocument> = {}): EvidenceDocument => ({
    ...documentFor('ER-01', { level }),
    ...changes,
  })
  const yes = (when: string, level: EvidenceLevel = 'inspected') => at(level, { inspection: inspection(when) })
  const no = (when: string, changes: Partial<EvidenceDocument> = {}) =>
    at('inspected', { inspection: inspection(when, 'does-not-support'), ...changes })
  test.each<[string, readonly EvidenceDocument[], EvidenceLevel, ReturnType<typeof stateOf>]>([
    ['nothing', [], 'inspected', { level: null, conclusion: null }],
    ['asked', [at('inquiry')], 'inspected', { level: 'inquiry', conclusion: null }],
    ['the highest level counts', [at('received'), at('inquiry')], 'inspected', { level: 'received', conclusion: null }],
    ['in any order', [at('inquiry'), at('received')], 'inspected', { level: 'received', conclusion: null }],
    ['withdrawn', [at('inspected', { withdrawn: GONE })], 'inspected', { level: null, conclusion: null }],
    ['at its minimum', [yes(FIRST)], 'inspected', { level: 'inspected', conclusion: 'supports' }],
    ['above it', [yes(FIRST, 'reperformed')], 'inspected', { level: 'reperformed', conclusion: 'supports' }],
    ['below it', [yes(FIRST)], 'reperformed', { level: 'inspected', conclusion: null }],
    ['a deviation below it', [no(FIRST)], 'reperformed', { level: 'inspected', conclusion: 'does-not-support' }],
    ['a repeated test', [no(FIRST), yes(SECOND)], 'inspected', { level: 'inspected', conclusion: 'supports' }],
    [
      'a repeated test below its minimum',
      [no(FIRST), yes(SECOND)],
      'reperformed',
      { level: 'inspected', conclusion: 'does-not-support' },
    ],
    ['a later failure', [no(SECOND), yes(FIRST)], 'inspected', { level: 'inspected', conclusion: 'does-not-support' }],
    ['two of one moment', [no(FIRST), yes(FIRST)], 'inspected', { level: 'inspected', conclusion: 'does-not-support' }],
    [
      'two of one moment, turned',
      [yes(FIRST), no(FIRST)],
      'inspected',
      { level: 'inspected', conclusion: 'does-not-support' },
    ],
    [
      'a failure that was withdrawn',
      [yes(FIRST), no(SECOND, { withdrawn: GONE })],
      'inspected',
      { level: 'inspected', conclusion: 'supports' },
    ],
    [
      'a later failure that expired: what it overtook does not come back',
      [yes(FIRST), no(SECOND, ENDED)],
      'inspected',
      { level: 'inspected', conclusion: null },
    ],
    [
      'a failure of the same moment that expired',
      [yes(FIRST), no(FIRST, ENDED)],
      'inspected',
      { level: 'inspected', conclusion: null },
    ],
    [
      'a failure of this very moment that expired',
      [yes(AS_OF), no(AS_OF, ENDED)],
      'inspected',
      { level: 'inspected', conclusion: null },
    ],
    [
      'a failure inspected later than now',
      [yes(FIRST), no('2026-11-22T12:00:00.001Z')],
      'inspected',
      { level: 'inspected', conclusion: 'supports' },
    ],
    [
      'a failure attached later than now',
      [yes(FIRST), no(SECOND, { attachedAt: '2026-11-22T12:00:00.001Z' })],
      'inspected',
      { level: 'inspected', conclusion: 'supports' },
    ],
    [
      'a later support that expired overtakes nothing',
      [yes(FIRST), at('inspected', { inspection: inspection(SECOND), ...ENDED })],
      'inspected',
      { level: 'inspected', conclusion: 'supports' },
    ],
    [
      'an earlier failure that expired',
      [yes(SECOND), no(FIRST, ENDED)],
      'inspected',
      { level: 'inspected', conclusion: 'supports' },
    ],
  ])('%s', (_name, attached, minimum, expected) => expect(stateOf(attached, minimum, AS_OF)).toEqual(expected))
})

describe('the document part', () => {
  const matter = (changes: Partial<Parameters<typeof documentPart>[1]> = {}) => ({
    attached: () => [] as readonly EvidenceDocument[],
    isDecided: false,
    population: false,
    declaration: false,
    chain: null,
    asOf: AS_OF,
    ...changes,
  })

  test.each<[EvidenceRequest['heldBy'], Partial<Parameters<typeof documentPart>[1]>, boolean]>([
    ['document', { isDecided: true, population: true, declaration: true, chain: true }, false],
    ['pack', {}, true],
    ['population', { population: true }, true],
    ['population', { isDecided: true, declaration: true, chain: true }, false],
    ['declaration', { declaration: true }, true],
    ['declaration', { isDecided: true, population: true, chain: true }, false],
    ['decision', { isDecided: true }, true],
    ['decision', { population: true, declaration: true, chain: true }, false],
    ['chain', { chain: true }, true],
    ['chain', { isDecided: true, population: true, declaration: true, chain: false }, false],
  ])('%s, with %j: held %s', (heldBy, changes, held) => {
    const part = documentPart([documentOf(requestOf('R', { heldBy }))], matter(changes))
    expect(part).toMatchObject({ state: held ? 'inspected' : 'outstanding', needed: 1, held: held ? 1 : 0 })
    expect(part.outstanding).toEqual(held ? [] : [{ request: 'R', title: 'Title of R', level: null }])
  })

  test('at a point in time, the chain of runs is not asked for', () =>
    expect(documentPart([documentOf(requestOf('R', { heldBy: 'chain' }))], matter())).toMatchObject({
      state: 'none-needed',
      needed: 0,
    }))

  test('a document that does not support outweighs what is held elsewhere', () => {
    const attached = () => [documentFor('R', { conclusion: 'does-not-support' })]
    const part = documentPart(
      [documentOf(requestOf('R', { heldBy: 'population' }))],
      matter({ population: true, attached }),
    )
    expect(part).toMatchObject({ state: 'deviations', held: 0, deviations: ['R'], outstanding: [] })
  })

  const [one, two] = [documentOf(requestOf('R1')), documentOf(requestOf('R2'))]
  const having = (...held: readonly [string, 'supports' | 'does-not-support'][]) =>
    matter({
      attached: ({ request, title }) =>
        held.filter(([id]) => id === (request?.id ?? title)).map(([id, conclusion]) => documentFor(id, { conclusion })),
    })
  test.each<[string, readonly ControlDocument[], ReturnType<typeof matter>, object]>([
    ['none', [], matter(), { state: 'none-needed', needed: 0, held: 0, outstanding: [], deviations: [] }],
    ['all', [one, two], having(['R1', 'supports'], ['R2', 'supports']), { state: 'inspected', needed: 2, held: 2 }],
    ['one of two', [one, two], having(['R1', 'supports']), { state: 'outstanding', needed: 2, held: 1 }],
    [
      'one fails, one is missing',
      [one, two],
      having(['R1', 'does-not-support']),
      { state: 'deviations', needed: 2, held: 0, deviations: ['R1'] },
    ],
    [
      'an optional one is missing',
      [one, { ...two, mandatory: false }],
      having(['R1', 'supports']),
      { state: 'inspected', needed: 1, held: 1 },
    ],
    ['optional ones alone', [{ ...two, mandatory: false }], having(), { state: 'none-needed', needed: 0 }],
    [
      'an optional one fails: as a supporting check, it changes no state',
      [one, { ...two, mandatory: false }],
      having(['R1', 'supports'], ['R2', 'does-not-support']),
      { state: 'inspected', needed: 1, held: 1, deviations: [] },
    ],
    [
      'a need without a request',
      [documentOf(null)],
      having(['A need', 'supports']),
      { state: 'inspected', needed: 1, held: 1 },
    ],
    [
      'a need without a request, missing',
      [documentOf(null)],
      having(),
      { state: 'outstanding', outstanding: [{ request: null, title: 'A need', level: null }] },
    ],
    [
      'a need without a request, failing',
      [documentOf(null)],
      having(['A need', 'does-not-support']),
      { state: 'deviations', deviations: ['A need'] },
    ],
  ])('%s', (_name, documents, given, expected) => expect(documentPart(documents, given)).toMatchObject(expected))

  test('a need without a request asks for an inspection', () => {
    const attached = () => [documentFor('ER-01', { level: 'received' })]
    expect(documentPart([documentOf(null)], matter({ attached })).outstanding).toEqual([
      { request: null, title: 'A need', level: 'received' },
    ])
  })
})

describe('which documents answer a request at a row', () => {
  const ROW = { framework: 'hipaa', control: 'k' } as const
  const on = (id: string, framework: string, control: string, need: string | null): EvidenceDocument => ({
    ...documentFor('R'),
    id,
    controls: [{ framework, control }],
    need,
  })
  const names = (document: ControlDocument, documents: readonly EvidenceDocument[], requests = {}) =>
    attachedFor(attachmentsBy({ documents }, AS_OF, null), ROW, document, requests).map(({ id }) => id)
  const document = documentOf(requestOf('R'), { needs: ['One', 'Two'] })

  test.each<[string, EvidenceDocument, Readonly<Record<string, readonly string[]>>, boolean]>([
    ['attached to the request', on('x', REQUESTS, 'R', null), {}, true],
    ['attached to another request', on('x', REQUESTS, 'S', null), {}, false],
    ['attached to the row’s need that this request alone answers', on('x', 'hipaa', 'k', 'One'), { One: ['R'] }, true],
    ['attached to a need that several requests answer', on('x', 'hipaa', 'k', 'One'), { One: ['R', 'S'] }, false],
    ['attached to another need', on('x', 'hipaa', 'k', 'Three'), { Three: ['R'] }, false],
    ['attached to the row without a need', on('x', 'hipaa', 'k', null), { One: ['R'] }, false],
    ['attached to another row', on('x', 'hipaa', 'j', 'One'), { One: ['R'] }, false],
    ['attached to another framework', on('x', 'soc2', 'k', 'One'), { One: ['R'] }, false],
  ])('%s', (_name, attachment, requests, expected) =>
    expect(names(document, [attachment], requests)).toEqual(expected ? ['x'] : []),
  )

  test('a need without a request is answered at its row', () => {
    const own = documentOf(null, { title: 'Own', needs: ['Own'] })
    expect(names(own, [on('x', 'hipaa', 'k', 'Own'), on('y', REQUESTS, 'Own', null)])).toEqual(['x'])
  })

  test('several of one request, all of them in their order', () =>
    expect(
      names(
        document,
        ['x', 'y', 'z'].map((id) => on(id, REQUESTS, 'R', null)),
      ),
    ).toEqual(['x', 'y', 'z']))

  test('one that names a row twice is there once', () => {
    const twice = {
      ...on('x', REQUESTS, 'R', null),
      controls: [1, 2].map(() => ({ framework: REQUESTS, control: 'R' })),
    }
    expect(names(document, [twice])).toEqual(['x'])
  })
})

describe('results that a document answers', () => {
  const SCAN = requestOf('R', {
    mayAnswer: [
      { check: 'c.any', answers: 'any' },
      { check: 'c.open', answers: 'undecided' },
    ],
  })
  const naming = (
    changes: Parameters<typeof documentFor>[1] = {},
    checks: readonly [string, ...string[]] = ['c.any', 'c.open'],
  ) =>
    documentFor('R', {
      level: 'inspected',
      answers: { checks: [...checks] as [string, ...string[]], nodes: ['n'] },
      ...changes,
    })
  const answer = (documents: readonly EvidenceDocument[], check = 'c.any', node = 'n', requests = [SCAN]) =>
    answersIn(requests, registerWith(documents), AS_OF, null)(check, node)

  test.each<[string, EvidenceDocument, 'any' | null]>([
    ['inspected', naming(), 'any'],
    ['reperformed', naming({ level: 'reperformed' }), 'any'],
    ['received', naming({ level: 'received' }), null],
    ['a level without an inspection', { ...naming(), inspection: undefined } as never, null],
    ['does not support', naming({ conclusion: 'does-not-support' }), null],
    ['expired', naming({ validUntil: '2026-11-21T23:59:59.999Z' }), null],
    ['withdrawn', naming({ withdrawn: GONE }), null],
    ['names another check', naming({}, ['c.open']), null],
    ['names none', documentFor('R', { level: 'inspected' }), null],
    [
      'attached to a row instead of the request',
      { ...naming(), controls: [{ framework: 'hipaa', control: 'R' }] },
      null,
    ],
  ])('%s', (_name, attachment, expected) => expect(answer([attachment])).toBe(expected))

  test('only as the request allows: any result, an open one, or none', () => {
    expect(answer([naming()], 'c.open')).toBe('undecided')
    expect(answer([naming({}, ['c.foreign'])], 'c.foreign')).toBeNull()
    expect(answer([naming()], 'c.any', 'm')).toBeNull()
    expect(answer([naming()], 'c.any', 'n', [requestOf('R')])).toBeNull()
    expect(answer([naming()], 'c.any', 'n', [{ ...SCAN, minimum: 'reperformed' }])).toBeNull()
  })

  test('the stronger of two requests', () => {
    const other = requestOf('S', { mayAnswer: [{ check: 'c.open', answers: 'any' }] })
    const both = [naming(), { ...naming(), controls: [{ framework: REQUESTS, control: 'S' }] }]
    expect(answer(both, 'c.open', 'n', [SCAN, other])).toBe('any')
    expect(answer(both, 'c.open', 'n', [other, SCAN])).toBe('any')
  })

  test('an older document does not answer once a later one of its request does not support', () => {
    const earlier = { ...naming(), inspection: inspection(FIRST) }
    const later = { ...documentFor('R', { level: 'inspected' }), inspection: inspection(SECOND, 'does-not-support') }
    expect(answer([earlier])).toBe('any')
    expect(answer([earlier, later])).toBeNull()
  })

  test('one that does not support answers nothing, though a later one supports', () => {
    const earlier = { ...naming(), inspection: inspection(FIRST, 'does-not-support') }
    const later = { ...documentFor('R', { level: 'inspected' }), inspection: inspection(SECOND) }
    expect(answer([earlier, later])).toBeNull()
  })
})

describe('the documents of a row', () => {
  const requests = [
    requestOf('R1'),
    requestOf('R2'),
    requestOf('R3', { serves: ['c.paper'] }),
    requestOf('R4', { serves: ['c.paper', 'c.sealed'] }),
  ]
  const offNodeChecks = [
    { id: 'c.paper', source: 'document', why: 'w' },
    { id: 'c.sealed', source: 'pack', why: 'w' },
  ] as const
  const of = (changes: Parameters<typeof controlOf>[0]) =>
    documentsOf({ requests, offNodeChecks }, controlOf({ mappings: [], ...changes })).map(
      ({ request, title, needs, checks, mandatory }) => [request?.id ?? title, needs, checks, mandatory],
    )

  test('a need with several requests needs all of them; two needs of one request ask for it once', () =>
    expect(of({ documentsRequired: ['One', 'Two'], requests: { One: ['R1', 'R2'], Two: ['R2'] } })).toEqual([
      ['R1', ['One'], [], true],
      ['R2', ['One', 'Two'], [], true],
    ]))

  test('a need without a request, or with one that there is not, is a document of its own', () =>
    expect(of({ documentsRequired: ['One', 'Two'], requests: { Two: ['R9'] } })).toEqual([
      ['One', ['One'], [], true],
      ['Two', ['Two'], [], true],
    ]))

  test.each([
    ['required', true],
    [undefined, true],
    ['counter', true],
    ['supporting', false],
  ] as const)('a check that documents answer, as %s: mandatory %s', (role, mandatory) =>
    expect(of({ mappings: [{ check: 'c.paper', shows: 's', ...(role === undefined ? {} : { role }) }] })).toEqual([
      ['R3', [], ['c.paper'], mandatory],
      ['R4', [], ['c.paper'], mandatory],
    ]),
  )

  test('a check for context, on servers, or of the pack asks for no document', () =>
    expect(
      of({
        mappings: [
          { check: 'c.paper', shows: 's', role: 'context' },
          { check: 'c.sealed', shows: 's', role: 'required' },
          { check: 'a', shows: 's', role: 'required' },
        ],
      }),
    ).toEqual([]))

  test('what a need or a required check makes mandatory stays so', () => {
    const supporting = { check: 'c.paper', shows: 's', role: 'supporting' as const }
    expect(of({ documentsRequired: ['One'], requests: { One: ['R3'] }, mappings: [supporting] })).toEqual([
      ['R3', ['One'], ['c.paper'], true],
      ['R4', [], ['c.paper'], false],
    ])
  })
})
