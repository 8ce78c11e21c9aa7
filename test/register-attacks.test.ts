import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listRegister } from '../main/app/register/named.ts'
import { jsonBytes } from '../main/core/base/canonical-json.ts'
import { endOfDay, millisOf } from '../main/core/base/days.ts'
import { concludeControls } from '../main/core/conclusion/conclude.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import { registerProblems } from '../main/core/register/problems.ts'
import { isOnePerson, lastMade, registerFor, statusOf } from '../main/core/register/register.ts'
import { catalogSnapshot } from '../main/core/rules/catalog.ts'
import type { Control } from '../main/core/rules/framework.ts'
import { registerOfPack } from '../main/verify/steps/register.ts'
import type { ControlDecision, EvidenceDocument, Register, RiskAcceptance } from '../schemas/types.ts'
import type { Verdict } from '../schemas/words.ts'
import { validator } from './support/deps.ts'
import { acceptanceRequestOf, decisionOf, documentOf, registerOf, riskAcceptanceOf } from './support/register.ts'
import { catalogWith, controlOf, frameworkOf, nodeWith } from './support/rollup-kit.ts'
import { AS_OF as PACKED_AT, sampleCatalog, sealing, sourceOf } from './support/sample-pack.ts'

/** Registers by people who want a better state than the evidence gives: none of it may help, and it must be said. */

const AS_OF = '2026-11-21T12:00:00.000Z'
const LATER = '2026-11-21T12:00:00.001Z'
const NEED = 'The agreement'
const CHOICE = 'Addressable decision: implemented, equivalent alternative, or documented reason'
const ROW = { framework: 'hipaa', control: 'k' }
const INSPECTED = { by: 'Bea', at: '2026-01-02T00:00:00.000Z', lookedAt: 'all of it', conclusion: 'supports' } as const

const concluded = (row: Partial<Control>, verdicts: readonly Verdict[], parts: Partial<Register>, asOf = AS_OF) => {
  const nodes = verdicts.map((verdict, at) => nodeWith(`n${at}`, verdict))
  const register = { ...registerOf({}), ...parts }
  const catalog = catalogWith([frameworkOf([controlOf(row)])])
  return concludeControls(catalog, ['hipaa'], nodes, { register, asOf, engagement: undefined, uncovered: 0 })[0]
}

const roll = (...asked: Parameters<typeof concluded>) => concluded(...asked)?.state
const excepted = (changes: Partial<RiskAcceptance>) => riskAcceptanceOf({ check: 'a', nodes: ['n0'], ...changes })
const held = (changes: Partial<EvidenceDocument>) =>
  documentOf({ controls: [ROW], need: NEED, level: 'inspected', inspection: INSPECTED, ...changes })
const decided = (changes: Partial<ControlDecision>) => decisionOf({ control: 'k', ...changes })

describe('a risk acceptance removes no deviation', () => {
  test.each<[string, Partial<RiskAcceptance>]>([
    ['accepted a millisecond after the moment', { acceptedAt: LATER }],
    ['accepted at no moment', { acceptedAt: '2026-99-01T00:00:00.000Z' }],
    ['accepted on a day that is none', { acceptedAt: '2026-02-30T00:00:00.000Z' }],
    ['accepted in a leap second', { acceptedAt: '2026-06-30T23:59:60.000Z' }],
    ['until a day that is none', { expiresAt: '2027-02-30T00:00:00.000Z' }],
    ['until 24:00', { expiresAt: '2026-12-01T24:00:00.000Z' }],
    [
      'until the end of time, by now over a year old',
      { acceptedAt: '2025-11-19T23:59:59.999Z', expiresAt: '9999-12-31T23:59:59.999Z' },
    ],
  ])('%s', (_, changes) => {
    expect(concluded({}, ['not-satisfied', 'satisfied'], { riskAcceptances: [excepted(changes)] })).toMatchObject({
      state: 'deviations',
      server: { deviating: 1, accepted: 0 },
    })
  })

  test('beyond the longest term, though it claims one itself; within it, it counts', () => {
    const forever = { acceptedAt: '2025-11-20T23:59:59.999Z', expiresAt: '9999-12-31T23:59:59.999Z' }
    const accepted = ['2026-11-21T23:59:59.999Z', '2026-11-22T00:00:00.000Z'].map((asOf) => {
      const found = concluded({}, ['not-satisfied', 'satisfied'], { riskAcceptances: [excepted(forever)] }, asOf)
      return [found?.state, found?.server.accepted]
    })
    expect(accepted).toEqual([
      ['deviations', 1],
      ['deviations', 0],
    ])
  })

  test.each<Verdict>(['inconclusive', 'not-tested'])('of a finding that is %s', (verdict) => {
    expect(roll({}, [verdict, 'satisfied'], { riskAcceptances: [excepted({})] })).toBe('unable-to-conclude')
  })
})

describe('a document supports nothing', () => {
  test.each<[string, Partial<EvidenceDocument>]>([
    ['attached a millisecond after the moment', { attachedAt: LATER }],
    ['attached later, with an end', { attachedAt: '2027-01-01T00:00:00.000Z', validUntil: '2027-12-31T23:59:59.999Z' }],
    [
      'attached at no moment, with an end',
      { attachedAt: '2026-00-00T00:00:00.000Z', validUntil: '2099-01-01T00:00:00.000Z' },
    ],
    ['valid until a day that is none', { validUntil: '2027-02-30T00:00:00.000Z' }],
    ['for the words of another need', { need: 'The agreement.' }],
    ['received, however often', { level: 'received' }],
    ['by inquiry alone', { level: 'inquiry' }],
    ['inspected after the moment', { inspection: { ...INSPECTED, at: LATER } }],
    ['without a level, as earlier registers have it', { level: undefined as never, method: 'examined' }],
  ])('%s', (_, changes) => {
    expect(roll({ documentsRequired: [NEED] }, ['satisfied'], { documents: [held(changes)] })).toBe(
      'documents-outstanding',
    )
  })
})

describe('a decision takes out nothing', () => {
  const out = decided({ decision: 'not-applicable' })
  test('over a contradiction that was accepted', () => {
    const riskAcceptances = [excepted({})]
    expect(roll({}, ['not-satisfied', 'satisfied'], { riskAcceptances, decisions: [out] })).toBe('deviations')
    expect(roll({}, ['not-satisfied', 'not-tested', 'satisfied'], { riskAcceptances, decisions: [out] })).toBe(
      'deviations',
    )
  })
  test.each<[string, readonly ControlDecision[]]>([
    ['made after the moment', [{ ...out, decidedAt: LATER }]],
    ['made at no moment', [{ ...out, decidedAt: '2026-99-01T00:00:00.000Z' }]],
    ['beside another of the same moment, first', [out, decided({ decision: 'implemented' })]],
    ['beside another of the same moment, last', [decided({ decision: 'implemented' }), out]],
    [
      'when the one that took its place has ended',
      [out, decided({ decidedAt: '2026-11-10T00:00:00.000Z', expiresAt: '2026-11-20T23:59:59.999Z' })],
    ],
  ])('%s', (_, decisions) => {
    expect(roll({}, ['satisfied'], { decisions })).toBe('supported')
    const choice = { level: 'addressable', documentsRequired: [CHOICE] }
    expect(['documents-outstanding', 'supported']).toContain(roll(choice, ['satisfied'], { decisions }))
  })
  test('and holds no choice before it was made', () => {
    const decisions = [decided({ decidedAt: LATER })]
    expect(roll({ level: 'addressable', documentsRequired: [CHOICE] }, ['satisfied'], { decisions })).toBe(
      'documents-outstanding',
    )
  })
})

const moment = fc
  .date({ min: new Date('2025-01-01'), max: new Date('2028-01-01'), noInvalidDate: true })
  .map((at) => at.toISOString())
const id = fc.integer({ min: 0, max: 9999 }).map((at) => String(at).padStart(32, '0'))
const gone = fc.constantFrom(null, { at: AS_OF, by: 'x', reason: 'y' })
const someRegister = fc.record({
  riskAcceptances: fc.array(
    fc
      .record({
        id,
        nodes: fc.uniqueArray(fc.constantFrom('n0', 'n1', 'n2', 'elsewhere')),
        check: fc.constantFrom('a', 'b', 'gone'),
        acceptedAt: moment,
        expiresAt: moment,
        withdrawn: gone,
      })
      .map(riskAcceptanceOf),
    { maxLength: 6 },
  ),
  documents: fc.array(
    fc
      .record({
        id,
        controls: fc.array(
          fc.record({ framework: fc.constantFrom('hipaa', 'soc2', 'pci'), control: fc.constantFrom('k', 'm') }),
        ),
        need: fc.constantFrom(null, NEED, CHOICE),
        level: fc.constantFrom('inspected' as const, 'received' as const),
        inspection: fc.constant(INSPECTED),
        attachedAt: moment,
        validUntil: fc.oneof(fc.constant(null), moment),
        withdrawn: gone,
      })
      .map(documentOf),
    { maxLength: 6 },
  ),
  decisions: fc.array(
    fc
      .record({
        id,
        framework: fc.constantFrom('hipaa', 'soc2', 'pci'),
        control: fc.constantFrom('k', 'm'),
        decision: fc.constantFrom('implemented' as const, 'not-applicable' as const),
        decidedAt: moment,
        expiresAt: moment,
        withdrawn: gone,
      })
      .map(decisionOf),
    { maxLength: 6 },
  ),
})
const verdicts = fc.array(
  fc.constantFrom<Verdict>('satisfied', 'not-satisfied', 'inconclusive', 'not-tested', 'not-applicable'),
  {
    minLength: 1,
    maxLength: 3,
  },
)

describe('whatever a register holds', () => {
  const catalog = catalogWith([
    frameworkOf([
      controlOf({ documentsRequired: [NEED] }),
      controlOf({
        key: 'm',
        evidenceType: 'documentary',
        nodeEvidence: 'none',
        mappings: [],
        documentsRequired: [NEED, CHOICE],
      }),
    ]),
    frameworkOf([controlOf()], { id: 'soc2' }),
    frameworkOf([controlOf()], { id: 'pci' }),
  ])
  const states = (register: Register, found: readonly Verdict[], asOf: string) =>
    concludeControls(
      catalog,
      ['hipaa', 'soc2'],
      found.map((verdict, at) => nodeWith(`n${at}`, verdict)),
      { register, asOf, engagement: undefined, uncovered: 0 },
    )

  test('the whole of it and the part in a pack make the same states, in any order', () => {
    fc.assert(
      fc.property(someRegister, verdicts, moment, (parts, found, asOf) => {
        const whole = registerOf(parts)
        const part = registerFor(whole, {
          nodes: found.map((_, at) => `n${at}`),
          checks: ['a', 'b'],
          frameworks: ['hipaa', 'soc2'],
        })
        const turned = registerOf({
          riskAcceptances: parts.riskAcceptances.toReversed(),
          documents: parts.documents.toReversed(),
          decisions: parts.decisions.toReversed(),
        })
        expect(states(part, found, asOf)).toEqual(states(whole, found, asOf))
        expect(states(turned, found, asOf).map(({ state }) => state)).toEqual(
          states(whole, found, asOf).map(({ state }) => state),
        )
      }),
    )
  })

  test('what was made after the moment, or taken back, changes no state', () => {
    fc.assert(
      fc.property(someRegister, verdicts, moment, (parts, found, asOf) => {
        const known = <T extends RiskAcceptance | EvidenceDocument | ControlDecision>(
          entries: readonly T[],
        ): readonly T[] => entries.filter((entry) => !['not-begun', 'withdrawn'].includes(statusOf(entry, asOf)))
        const rest = registerOf({
          riskAcceptances: known(parts.riskAcceptances),
          documents: known(parts.documents),
          decisions: known(parts.decisions),
        })
        expect(states(registerOf(parts), found, asOf)).toEqual(states(rest, found, asOf))
      }),
    )
  })

  test('no deviation, and nothing undecided, is ever called supported', () => {
    fc.assert(
      fc.property(someRegister, verdicts, moment, (parts, found, asOf) => {
        const [row] = states(registerOf(parts), found, asOf)
        const [check] = row?.checks ?? []
        if (check === undefined) throw new Error('no check')
        if (check.notSatisfied > 0) expect(row?.state).toBe('deviations')
        if (check.inconclusive + check.notTested > 0) expect(row?.state).not.toBe('supported')
      }),
    )
  })
})

test.each([
  ['2026-11-21T12:00:00Z', Date.UTC(2026, 10, 21, 12)],
  ['2028-02-29T23:59:59.999Z', Date.UTC(2028, 1, 29, 23, 59, 59, 999)],
  ['2026-02-29T00:00:00.000Z', Number.NaN],
  ['2026-04-31T00:00:00.000Z', Number.NaN],
  ['2026-11-21T24:00:00.000Z', Number.NaN],
  ['2026-12-31T23:59:60Z', Number.NaN],
  ['2026-11-21T12:00:00+14:00', Number.NaN],
  ['2026-11-21T12:00:00', Number.NaN],
  ['2026-11-21', Number.NaN],
  ['', Number.NaN],
])('%s is the moment %d', (text, at) => expect(millisOf(text)).toBe(at))

test.each([
  ['M. Ortiz', 'm.  ORTIZ', true],
  ['M. Ortiz', 'M.\u00a0Ortiz\u200b', true],
  ['José', 'Jose\u0301', true],
  ['M. Ortiz', 'M Ortiz', true],
  ['M. Ortiz', 'M.Ortiz', true],
  ['M. Ortiz', '\u041c. \u041ertiz', true],
  ['Zo\u00eb Ortiz', 'Zoe Ortiz', true],
  ['\u738b\u82b3', '\u738b \u82b3', true],
  ['M. Ortiz', 'M. Ortis', false],
  ['M. Ortiz', 'N. Ortiz', false],
  ['\u738b\u82b3', '\u738b\u65b9', false],
  ['\u2605', '\u2606', false],
])('%j and %j: one person is %s', (requestedBy, approvedBy, one) =>
  expect(isOnePerson({ requestedBy, approvedBy })).toBe(one),
)

test('the last recorded entry, up to now', () => {
  const register = registerOf({
    riskAcceptances: [riskAcceptanceOf()],
    documents: [documentOf()],
    decisions: [decisionOf({ decidedAt: LATER })],
  })
  expect(lastMade(register, AS_OF)).toBe(documentOf().attachedAt)
  expect(lastMade(register, LATER)).toBe(LATER)
  expect(lastMade(registerOf({}), LATER)).toBe(null)
})

describe('a register that contradicts itself', () => {
  const exception = riskAcceptanceOf({ id: acceptanceRequestOf().id })
  const resolved = { at: exception.acceptedAt, by: exception.approvedBy, as: 'approved' as const, reason: null }
  const cases: readonly [string, Parameters<typeof registerOf>[0], readonly string[]][] = [
    [
      'nothing',
      {
        riskAcceptances: [riskAcceptanceOf()],
        documents: [documentOf()],
        decisions: [decisionOf()],
        acceptanceRequests: [acceptanceRequestOf()],
      },
      [],
    ],
    [
      'an approved request',
      { riskAcceptances: [{ ...exception, run: null }], acceptanceRequests: [acceptanceRequestOf({ resolved })] },
      [],
    ],
    [
      'one id twice',
      { riskAcceptances: [riskAcceptanceOf(), riskAcceptanceOf({ check: 'other' })] },
      ['two entries have the ID aaaa'],
    ],
    [
      'one id on two kinds',
      { riskAcceptances: [riskAcceptanceOf()], decisions: [decisionOf({ id: 'a'.repeat(32) })] },
      ['two entries have the ID aaaa'],
    ],
    [
      'an open request',
      { riskAcceptances: [exception], acceptanceRequests: [acceptanceRequestOf()] },
      ['a request of the same ID that was not approved'],
    ],
    [
      'a refused request',
      {
        riskAcceptances: [exception],
        acceptanceRequests: [acceptanceRequestOf({ resolved: { ...resolved, as: 'rejected' } })],
      },
      ['a request of the same ID that was not approved'],
    ],
    [
      'longer than was asked for',
      {
        riskAcceptances: [{ ...exception, run: null, expiresAt: endOfDay('2027-04-01') }],
        acceptanceRequests: [acceptanceRequestOf({ resolved })],
      },
      ['differs from the terms requested'],
    ],
    [
      'approved by another',
      {
        riskAcceptances: [{ ...exception, run: null, approvedBy: 'X. Y' }],
        acceptanceRequests: [acceptanceRequestOf({ resolved })],
      },
      ['differs from the terms requested'],
    ],
    [
      'no beginning',
      {
        riskAcceptances: [
          riskAcceptanceOf({ acceptedAt: '2026-99-99T00:00:00.000Z', expiresAt: '9999-12-31T23:59:59.999Z' }),
        ],
      },
      ['has the invalid creation time 2026-99-99T00:00:00.000Z'],
    ],
    [
      'no end',
      { decisions: [decisionOf({ expiresAt: '2027-01-01T23:59:60Z' })] },
      ['has the invalid expiry 2027-01-01T23:59:60Z'],
    ],
    [
      'too long',
      { acceptanceRequests: [acceptanceRequestOf({ expiresAt: '2027-11-03T00:00:00.000Z' })] },
      ['it must be at most 366 days from today'],
    ],
    [
      'ended before it began',
      { riskAcceptances: [riskAcceptanceOf({ expiresAt: '2026-10-01T23:59:59.999Z' })] },
      ['it is in the past'],
    ],
    [
      'a record of no moment',
      { documents: [documentOf({ attachedAt: '2026-02-30T00:00:00.000Z' })] },
      ['states the invalid time 2026-02-30T00:00:00.000Z'],
    ],
  ]
  test.each(cases)('%s', (_, parts, expected) => {
    const register = registerOf(parts)
    expect(validator.problems('register', register)).toEqual([])
    expect(registerProblems(register)).toEqual(expected.map((one) => expect.stringContaining(one)))
  })
  test('is listed as such', async () => {
    const register = registerOf({ riskAcceptances: [riskAcceptanceOf(), riskAcceptanceOf()] })
    const list = await listRegister(sealing.reader, register, { asOf: AS_OF, assessment: null })
    expect([list.broken, list.problems]).toEqual([true, [`two entries have the ID ${'a'.repeat(32)}.`]])
  })
})

describe('verifying a pack with it', () => {
  const read = (register: Register) => {
    const files = new Map([
      [PATHS.register, jsonBytes(register)],
      [PATHS.catalog, jsonBytes(catalogSnapshot(sampleCatalog))],
    ])
    const scope = { fleet: 'sample', population: ['node-a', 'node-b'], frameworks: ['soc2'], asOf: PACKED_AT }
    const assessment = { asOf: PACKED_AT } as Parameters<typeof registerOfPack>[1]['assessment'] & object
    return registerOfPack({ source: sourceOf(files), validator, seal: sealing.reader }, { scope, assessment })
  }

  test('names what contradicts itself, and what was only recorded later', async () => {
    const [at, expiresAt] = ['2026-11-20T10:00:00.001Z', endOfDay('2027-03-01')]
    const said = await read(
      registerOf({
        riskAcceptances: [riskAcceptanceOf({ acceptedAt: at, expiresAt })],
        documents: [documentOf({ attachedAt: at, withdrawn: { at, by: 'x', reason: 'y' } })],
        decisions: [1, 2].map((n) =>
          decisionOf({ id: String(n).repeat(32), framework: 'soc2', control: 'C1', decision: 'not-applicable' }),
        ),
      }),
    )
    expect(said.problems).toEqual([])
    expect(said.notes).toEqual(
      expect.arrayContaining([
        `Of these, 1 was made after ${PACKED_AT} and is not yet effective at that date.`,
        '1 control has more than one decision in effect. The latest applies.',
      ]),
    )
    expect((await read(registerOf({ riskAcceptances: [riskAcceptanceOf(), riskAcceptanceOf()] }))).problems).toEqual([
      `${PATHS.register}: two entries have the ID ${'a'.repeat(32)}.`,
    ])
  })

  test('of many exceptions and of one on thousands of nodes states what is wrong in few words', async () => {
    const many = Array.from({ length: 2000 }, (_, at) =>
      riskAcceptanceOf({ id: String(at).padStart(32, '0'), check: 'no.such' }),
    )
    const wide = riskAcceptanceOf({ nodes: Array.from({ length: 20_000 }, (_, at) => `strange-${at}`) })
    const said = await read(registerOf({ riskAcceptances: [wide, ...many] }))
    expect(said.problems).toHaveLength(201)
    expect(said.problems[2]).toContain('“strange-2” and 19997 more, which is not declared in the pack')
    expect(said.problems.at(-1)).toMatch(/more problems of this kind\.$/)
  })
})
