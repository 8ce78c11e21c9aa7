import { describe, expect, test } from 'vitest'
import { listRegister } from '../main/app/register/named.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import {
  acceptanceRequestStatus,
  approveRequest,
  decide,
  levelsIn,
  requestAcceptance,
  resolveRequest,
  withdrawDecision,
} from '../main/core/register/decisions.ts'
import { EMPTY_REGISTER, registerFor, statusOf } from '../main/core/register/register.ts'
import type { AcceptanceRequestDraft, DecisionDraft } from '../schemas/ipc-register.ts'
import type { Assessment, Register } from '../schemas/types.ts'
import { validator } from './support/deps.ts'
import { must } from './support/outcomes.ts'
import { acceptanceRequestOf, decisionOf, registerOf, riskAcceptanceOf } from './support/register.ts'
import { controlOf, frameworkOf } from './support/rollup-kit.ts'
import { AS_OF, sampleCatalog, sampleRecording, sealing } from './support/sample-pack.ts'

const NOW = '2026-11-21T15:00:00.000Z'
const ID = '0123456789abcdef'.repeat(2)
const LATER = '2026-11-25T09:00:00.000Z'

const answerOf = (outcome: { readonly ok: boolean; readonly error?: { readonly detail: string } }): string =>
  outcome.ok ? 'accepted' : (outcome.error?.detail ?? '')
describe('decisions about rows', () => {
  const levelOf = levelsIn([
    frameworkOf([controlOf({ key: 'free', level: 'addressable' }), controlOf({ key: 'bound', level: 'required' })]),
  ])
  const draft = (changes: Partial<DecisionDraft> = {}): DecisionDraft => ({
    framework: 'hipaa',
    control: 'free',
    decision: 'implemented',
    reason: ' Every data volume is encrypted. ',
    factors: null,
    alternativeMeasure: null,
    riskAnalysis: ' RA-2026, item 12 ',
    owner: 'K. Adeyemi',
    requestedBy: 'K. Adeyemi',
    approvedBy: 'M. Ortiz',
    approverRole: 'Security officer',
    until: '2027-03-01',
    ...changes,
  })
  const make = (changes: Partial<DecisionDraft> = {}, now = NOW) =>
    decide(EMPTY_REGISTER, draft(changes), { now, id: ID, levelOf })

  test('are kept as they were made, and fit the schema', () => {
    const register = must(make())
    expect(register.decisions).toEqual([
      {
        id: ID,
        framework: 'hipaa',
        control: 'free',
        decision: 'implemented',
        reason: 'Every data volume is encrypted.',
        factors: null,
        alternativeMeasure: null,
        riskAnalysis: 'RA-2026, item 12',
        owner: 'K. Adeyemi',
        requestedBy: 'K. Adeyemi',
        approvedBy: 'M. Ortiz',
        approverRole: 'Security officer',
        decidedAt: NOW,
        expiresAt: '2027-03-01T23:59:59.999Z',
        withdrawn: null,
      },
    ])
    expect(validator.problems('register', register)).toEqual([])
  })

  const weighed = { factors: 'Two people, one rack.' }
  test.each<[Partial<DecisionDraft>, string | RegExp]>([
    [{}, 'accepted'],
    [{ control: 'bound' }, /^only an addressable specification/],
    [{ control: 'bound', decision: 'not-implemented', ...weighed }, /^only an addressable specification/],
    [{ control: 'bound', decision: 'not-applicable' }, 'accepted'],
    [{ decision: 'not-applicable' }, 'accepted'],
    [{ control: 'gone', decision: 'not-applicable' }, 'there is no such control'],
    [{ framework: 'soc2' }, 'there is no such control'],
    [{ decision: 'not-implemented' }, /^the factors considered must be entered/],
    [{ decision: 'not-implemented', factors: ' \n ' }, /^the factors considered must be entered/],
    [{ decision: 'not-implemented', ...weighed }, 'accepted'],
    [{ decision: 'equivalent-alternative', ...weighed }, /^the equivalent alternative measure must be entered/],
    [
      { decision: 'equivalent-alternative', ...weighed, alternativeMeasure: ' ' },
      /^the equivalent alternative measure/,
    ],
    [{ decision: 'equivalent-alternative', alternativeMeasure: 'A locked room.' }, /^the factors/],
    [{ decision: 'equivalent-alternative', ...weighed, alternativeMeasure: 'A locked room.' }, 'accepted'],
    [{ approverRole: ' ' }, 'the approver’s role must be entered'],
    [{ approvedBy: '' }, 'the approver must be entered'],
    [{ reason: '' }, 'the reason must be entered'],
    [{ until: '2026-11-20' }, 'the expiry of the decision is in the past'],
    [{ until: '2027-11-22' }, 'accepted'],
    [{ until: '2027-11-23' }, 'the expiry of the decision must be at most 366 days from today'],
    [{ until: '2027-02-29' }, 'the expiry of the decision must be a date such as 2027-03-01'],
  ])('%j: %s', (changes, expected) => {
    expect(answerOf(make(changes))).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected))
  })

  test('end with their last millisecond, stay listed, and are taken back once', () => {
    const entry = decisionOf()
    expect(statusOf(entry, '2027-03-01T23:59:59.999Z')).toBe('in-force')
    expect(statusOf(entry, '2027-03-02T00:00:00.000Z')).toBe('expired')
    const draftOf = { id: entry.id, by: ' L. Sato ', reason: 'Replaced.' }
    const once = must(withdrawDecision(registerOf({ decisions: [entry] }), draftOf, LATER))
    expect(once.decisions).toEqual([{ ...entry, withdrawn: { at: LATER, by: 'L. Sato', reason: 'Replaced.' } }])
    expect(answerOf(withdrawDecision(once, draftOf, LATER))).toBe('this decision was already withdrawn')
    expect(answerOf(withdrawDecision(EMPTY_REGISTER, draftOf, LATER))).toBe('there is no such decision')
  })
})

describe('requests for exceptions', () => {
  const draft = (changes: Partial<AcceptanceRequestDraft> = {}): AcceptanceRequestDraft => ({
    check: 'swap',
    nodes: ['a', 'b', 'a'],
    reason: ' cleared at start ',
    compensatingControl: 'weekly look',
    owner: 'K. Adeyemi',
    requestedBy: 'K. Adeyemi',
    until: '2027-03-01',
    ...changes,
  })
  const ask = (changes: Partial<AcceptanceRequestDraft> = {}, now = NOW) =>
    requestAcceptance(EMPTY_REGISTER, draft(changes), {
      now,
      id: ID,
      hasCheck: (check) => check === 'swap',
      hasNode: (node) => node !== 'z',
    })
  const approval = { id: ID, approvedBy: ' M. Ortiz ', approverRole: ' Security officer ' }

  test('accept nothing, and are approved on their own terms; the request stays beside the exception', () => {
    const asked = must(ask())
    expect(asked.riskAcceptances).toEqual([])
    expect(asked.acceptanceRequests).toEqual([
      {
        id: ID,
        check: 'swap',
        nodes: ['a', 'b'],
        run: null,
        reason: 'cleared at start',
        compensatingControl: 'weekly look',
        owner: 'K. Adeyemi',
        requestedBy: 'K. Adeyemi',
        requestedAt: NOW,
        expiresAt: '2027-03-01T23:59:59.999Z',
      },
    ])
    const approved = must(approveRequest(asked, approval, LATER))
    const [request] = asked.acceptanceRequests ?? []
    expect(approved.acceptanceRequests).toEqual([
      { ...request, resolved: { at: LATER, by: 'M. Ortiz', as: 'approved', reason: null } },
    ])
    const { requestedAt: _, ...terms } = request ?? acceptanceRequestOf()
    expect(approved.riskAcceptances).toEqual([
      { ...terms, approvedBy: 'M. Ortiz', approverRole: 'Security officer', acceptedAt: LATER, withdrawn: null },
    ])
    expect(validator.problems('register', approved)).toEqual([])
    expect(answerOf(approveRequest(approved, approval, LATER))).toBe('this request was already approved')
  })

  test.each<[Partial<AcceptanceRequestDraft>, string]>([
    [{}, 'accepted'],
    [{ check: 'gone' }, 'there is no check “gone”'],
    [{ nodes: [] }, 'name at least one node'],
    [{ nodes: ['a', 'z'] }, 'there is no node “z”'],
    [{ compensatingControl: ' ' }, 'the compensating control must be entered'],
    [{ requestedBy: '' }, 'the requester must be entered'],
    [{ until: '2027-11-23' }, 'the expiry of the risk acceptance must be at most 366 days from today'],
    [{ until: '2026-11-20' }, 'the expiry of the risk acceptance is in the past'],
  ])('%j: %s', (changes, expected) => {
    expect(answerOf(ask(changes))).toBe(expected)
  })

  test.each(['rejected', 'withdrawn'] as const)('%s, they stay listed and can no longer be approved', (as) => {
    const asked = must(ask())
    const settled = must(resolveRequest(asked, { id: ID, by: 'M. Ortiz', reason: 'Fix it.', as }, LATER))
    expect(settled.acceptanceRequests).toEqual([
      { ...asked.acceptanceRequests?.[0], resolved: { at: LATER, by: 'M. Ortiz', as, reason: 'Fix it.' } },
    ])
    expect(settled.riskAcceptances).toEqual([])
    expect(validator.problems('register', settled)).toEqual([])
    expect(answerOf(approveRequest(settled, approval, LATER))).toBe(`this request was already ${as}`)
    expect(answerOf(resolveRequest(settled, { id: ID, by: 'x', reason: 'again', as }, LATER))).toContain('already')
    expect(answerOf(resolveRequest(asked, { id: ID, by: 'x', reason: '  ', as }, LATER))).toBe(
      'the reason must be entered',
    )
    expect(answerOf(resolveRequest(EMPTY_REGISTER, { id: ID, by: 'x', reason: 'y', as }, LATER))).toBe(
      'there is no such request',
    )
  })

  test('none is approved whose end has passed, or without a role', () => {
    const asked = must(ask())
    expect(answerOf(approveRequest(asked, approval, '2027-03-01T23:59:59.999Z'))).toBe('accepted')
    expect(answerOf(approveRequest(asked, approval, '2027-03-02T00:00:00.000Z'))).toContain('is in the past')
    expect(answerOf(approveRequest(asked, { ...approval, approverRole: ' ' }, LATER))).toContain('role')
    expect(answerOf(approveRequest(asked, { ...approval, id: 'f'.repeat(32) }, LATER))).toBe('there is no such request')
  })

  test.each([
    ['2027-03-01T23:59:59.999Z', 'open'],
    ['2027-03-02T00:00:00.000Z', 'lapsed'],
  ])('at %s a request is %s', (asOf, status) => {
    expect(acceptanceRequestStatus(acceptanceRequestOf(), asOf)).toBe(status)
    const resolved = { at: NOW, by: 'x', as: 'rejected', reason: 'y' } as const
    expect(acceptanceRequestStatus(acceptanceRequestOf({ resolved }), asOf)).toBe('rejected')
  })
})

test('an entry that is narrowed to one pack goes in without its signatures, which were over all of it', () => {
  const signature = {
    role: 'approver',
    fingerprint: 'f'.repeat(64),
    at: NOW,
    cms: 'AAAA',
    chain: [],
  } as const
  const signed = { signatures: [signature], nodes: ['node-b', 'other-customer'] }
  const whole = riskAcceptanceOf({ id: '1'.repeat(32), signatures: [signature] })
  const register = registerOf({
    riskAcceptances: [riskAcceptanceOf(signed), whole],
    acceptanceRequests: [acceptanceRequestOf(signed), acceptanceRequestOf({ check: 'gone' })],
    decisions: [decisionOf(), decisionOf({ framework: 'soc2' })],
  })
  const part = registerFor(register, { nodes: ['node-b'], checks: [whole.check], frameworks: ['hipaa'] })
  expect(part.riskAcceptances).toEqual([riskAcceptanceOf({ nodes: ['node-b'], signatures: [] }), whole])
  expect(part.acceptanceRequests).toEqual([acceptanceRequestOf({ nodes: ['node-b'], signatures: [] })])
  expect(part.decisions).toEqual([decisionOf()])
  expect(JSON.stringify(part)).not.toContain('other-customer')
  expect(validator.problems('register', part)).toEqual([])
})

describe('what is listed', () => {
  const asOf = AS_OF
  const recordings = [sampleRecording('node-a', ''), sampleRecording('node-b', '/dev/vda2 partition 1 0 -2\n')]
  const scope = { fleet: 'sample', population: ['node-a', 'node-b'], frameworks: ['soc2'] }
  const assessment = assess({ catalog: sampleCatalog, scope, recordings, asOf })
  const ended = '2026-11-01T23:59:59.999Z'
  const list = (register: Register, assessed: Assessment | null) =>
    listRegister(sealing.reader, register, { asOf, assessment: assessed })

  test('states for each finding whether there is anything to accept, where recordings are available', async () => {
    const register = registerOf({
      riskAcceptances: [riskAcceptanceOf({ nodes: ['node-a', 'node-b', 'node-c'] })],
      acceptanceRequests: [acceptanceRequestOf()],
    })
    const found = await list(register, assessment)
    expect(found.riskAcceptances[0]?.results).toEqual([
      { node: 'node-a', verdict: 'satisfied', accepts: false },
      { node: 'node-b', verdict: 'not-satisfied', accepts: true },
      { node: 'node-c', verdict: null, accepts: null },
    ])
    expect(found.acceptanceRequests).toMatchObject([{ status: 'open', results: [{ node: 'node-b', accepts: true }] }])
    expect((await list(register, null)).acceptanceRequests[0]?.results).toEqual([
      { node: 'node-b', verdict: null, accepts: null },
    ])
    expect([found.gaps, found.broken]).toEqual([false, false])
  })

  test.each<[string, Register, boolean]>([
    ['an exception that has ended', registerOf({ riskAcceptances: [riskAcceptanceOf({ expiresAt: ended })] }), true],
    [
      'one whose finding is met by now',
      registerOf({ riskAcceptances: [riskAcceptanceOf({ expiresAt: ended, nodes: ['node-a'] })] }),
      false,
    ],
    [
      'one that another follows',
      registerOf({
        riskAcceptances: [riskAcceptanceOf({ expiresAt: ended }), riskAcceptanceOf({ id: 'f'.repeat(32) })],
      }),
      false,
    ],
    [
      'a request that was not approved in time',
      registerOf({ acceptanceRequests: [acceptanceRequestOf({ expiresAt: ended })] }),
      false,
    ],
    ['a decision that has ended', registerOf({ decisions: [decisionOf({ expiresAt: ended })] }), true],
    [
      'one that another follows for the same row',
      registerOf({ decisions: [decisionOf({ expiresAt: ended }), decisionOf({ id: 'f'.repeat(32) })] }),
      false,
    ],
  ])('%s: a gap or not', async (_name, register, gaps) => {
    expect((await list(register, assessment)).gaps).toBe(gaps)
  })
})
