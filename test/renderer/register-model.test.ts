import { describe, expect, test } from 'vitest'
import {
  acceptancesShown,
  decisionChoices,
  decisionsFor,
  rolesToSign,
  signedLine,
  stateReasons,
} from '../../renderer/models/register-model.ts'
import { decisionInput, decisionLacks, EMPTY_DECISION } from '../../renderer/parts/WhyState.tsx'
import type { DecisionView } from '../../schemas/ipc-register.ts'
import type { ControlAssessment, EntrySignature, ServerPart } from '../../schemas/types.ts'
import { acceptanceRequestOf, decisionOf, riskAcceptanceOf } from '../support/register.ts'
import { concludedOf, countOf } from './made-up-view.ts'

const SETTLED = { at: '2026-11-02T00:00:00.000Z', by: 'M. Ortiz', as: 'approved', reason: null } as const

describe('signatures', () => {
  test('each role signs once', () => {
    const signed = (role: EntrySignature['role']) => ({ role }) as EntrySignature
    expect(rolesToSign([])).toEqual(['approver', 'requester'])
    expect(rolesToSign([signed('approver')])).toEqual(['requester'])
    expect(rolesToSign([signed('approver'), signed('requester')])).toEqual([])
  })
})

describe('exceptions and requests', () => {
  const register = {
    riskAcceptances: [
      { ...riskAcceptanceOf({ id: '1'.repeat(32), nodes: ['gpu-01'] }), status: 'in-force' as const },
      { ...riskAcceptanceOf({ id: '2'.repeat(32) }), status: 'expired' as const },
      { ...riskAcceptanceOf({ id: '3'.repeat(32) }), status: 'withdrawn' as const },
    ],
    acceptanceRequests: [
      { ...acceptanceRequestOf({ id: '4'.repeat(32) }), status: 'lapsed' as const },
      { ...acceptanceRequestOf({ id: '5'.repeat(32) }), status: 'open' as const },
      { ...acceptanceRequestOf({ id: '1'.repeat(32), resolved: SETTLED }), status: 'approved' as const },
    ],
  }
  test('open requests come first, ended exceptions before those in force, and one that was approved is listed once', () => {
    const { pending, groups, count, total } = acceptancesShown(register, '', 'all')
    expect(pending.map(({ status }) => status)).toEqual(['open', 'lapsed'])
    expect(groups.map(({ status }) => status)).toEqual(['expired', 'in-force', 'withdrawn'])
    expect([count, total]).toEqual([5, 5])
  })
  test.each([
    ['', 'pending', 2],
    ['', 'expired', 1],
    ['GPU-01', 'all', 1],
    ['nobody wrote this', 'all', 0],
  ] as const)('text %j, shown %s', (text, shown, count) =>
    expect(acceptancesShown(register, text, shown).count).toBe(count),
  )
  test('an entry is found by the title of its check', () => {
    const check = register.riskAcceptances[0]?.check ?? ''
    const titles = new Map([[check, 'SSH requires two factors']])
    expect(acceptancesShown(register, 'two factors', 'all').count).toBe(0)
    expect(acceptancesShown(register, 'two factors', 'all', titles).count).toBe(5)
  })
  test.each([
    [undefined, 'Not digitally signed.'],
    [['requester'], 'Digitally signed by requester.'],
    [['approver', 'requester'], 'Digitally signed by requester and by approver.'],
  ] as const)('keys of %j', (roles, line) =>
    expect(signedLine(roles?.map((role) => ({ role, fingerprint: '', at: '', cms: '', chain: [] })))).toBe(line),
  )
})

describe('decisions', () => {
  test('only an addressable specification leaves a choice', () => {
    expect(decisionChoices({ level: 'addressable' })).toHaveLength(4)
    expect(decisionChoices({ level: 'required' })).toEqual(['not-applicable'])
  })
  test('of a row, the latest first', () => {
    const one = (id: string, changes: Partial<DecisionView>): DecisionView => ({
      ...decisionOf({ id }),
      status: 'in-force',
      ...changes,
    })
    const decisions = [
      one('old', {}),
      one('new', { decidedAt: '2026-11-09T00:00:00.000Z' }),
      one('other', { control: 'hipaa:else' }),
    ]
    expect(decisionsFor({ decisions }, 'hipaa', 'hipaa:164.312(a)(2)(iv)').map(({ id }) => id)).toEqual(['new', 'old'])
  })
  const filled = {
    ...EMPTY_DECISION,
    reason: 'a locked room',
    owner: 'A',
    requestedBy: 'B',
    approvedBy: 'C',
    approverRole: 'D',
    factors: ' cost ',
  }
  test.each([
    ['implemented', filled, []],
    ['not-applicable', EMPTY_DECISION, ['reason', 'owner', 'requestedBy', 'approvedBy', 'approverRole']],
    ['not-implemented', { ...filled, factors: ' ' }, ['factors']],
    ['equivalent-alternative', filled, ['alternativeMeasure']],
  ] as const)('%s lacks', (decision, texts, lacks) =>
    expect(Object.keys(decisionLacks(decision, texts))).toEqual(lacks),
  )
  test('send only what their kind requires', () => {
    const row = { framework: 'hipaa', control: 'x', until: '2027-03-01' } as const
    expect(decisionInput({ ...row, decision: 'implemented' }, filled)).toMatchObject({
      factors: null,
      riskAnalysis: null,
    })
    expect(decisionInput({ ...row, decision: 'not-implemented' }, filled)).toMatchObject({ factors: 'cost' })
  })
})

describe('what a conclusion follows from', () => {
  const server = (state: ServerPart['state'], part: Partial<ServerPart> = {}): ServerPart => ({
    state,
    population: 4,
    tested: 4,
    deviating: 0,
    accepted: 0,
    notRetested: 0,
    ...part,
  })
  const row = (part: Partial<ControlAssessment>, category: string | null = null) => ({
    category,
    assessed: concludedOf('supported', part),
  })
  const NONE = { decisions: [] }
  const HELD = 'Required documents on file: 1 of 1.'
  test.each<[string, Partial<ControlAssessment>, readonly string[]]>([
    [
      'deviations of deciding checks, and none of supporting ones',
      {
        server: server('deviations', { deviating: 1 }),
        checks: [
          countOf('c', { satisfied: 3, notSatisfied: 1 }),
          countOf('quiet', { satisfied: 4 }),
          countOf('s', { role: 'supporting', decides: false, notSatisfied: 4 }),
        ],
      },
      ['c: deviations 1 of 4 tested; satisfied 3.', HELD],
    ],
    [
      'what is undecided',
      {
        server: server('unable-to-conclude'),
        checks: [
          countOf('c', { satisfied: 3, inconclusive: 1 }),
          countOf('d', { tested: 0, notTested: 4 }),
          countOf('e', { satisfied: 4 }),
        ],
      },
      ['c: deviations 0 of 4 tested; satisfied 3; inconclusive 1.', 'd: not tested on 4 nodes.', HELD],
    ],
    [
      'nodes that were not reached',
      {
        server: server('scope-limitation', { tested: 3 }),
        checks: [countOf('c', { tested: 3, satisfied: 3, notTested: 1 })],
      },
      ['1 node of 4 not reached. Collect evidence from them to conclude.', HELD],
    ],
    ['no node reached', { server: server('not-tested', { tested: 0 }) }, ['No node in scope was reached.', HELD]],
    ['no deviations', { checks: [countOf('c', { satisfied: 4 })] }, ['1 deciding check without deviations.', HELD]],
    [
      'results that a document answers',
      {
        checks: [
          countOf('c', { satisfied: 2, notSatisfied: 2, answeredByDocument: 2 }),
          countOf('d', { satisfied: 4 }),
        ],
      },
      [
        '2 deciding checks without deviations.',
        '2 results answered by an inspected document. The observed results are unchanged.',
        HELD,
      ],
    ],
    [
      'not applicable by observation',
      { server: server('not-applicable'), checks: [countOf('c', { notApplicable: 4 })] },
      ['Evidence shows that no required check applies on any node.', HELD],
    ],
    [
      'documents alone',
      { server: server('no-server-test', { population: 0, tested: 0 }) },
      ['No required check tests this control on servers.', HELD],
    ],
    [
      'counter checks alone',
      { server: server('no-server-test'), checks: [countOf('c', { role: 'counter', satisfied: 4 })] },
      ['1 counter check without deviations. No required check tests this control on servers.', HELD],
    ],
    [
      'documents outstanding and not supporting',
      {
        checks: [countOf('c', { satisfied: 4 })],
        documents: {
          state: 'deviations',
          needed: 3,
          held: 0,
          outstanding: [
            { request: 'ER-03', title: 'Risk analysis', level: null },
            { request: null, title: 'Badge list', level: 'received' },
          ],
          deviations: ['ER-25'],
        },
      },
      [
        '1 deciding check without deviations.',
        'Required documents on file: 0 of 3.',
        'Outstanding: ER-03, Badge list.',
        'Inspected, does not support the control: ER-25.',
      ],
    ],
    [
      'no document',
      {
        checks: [countOf('c', { satisfied: 4 })],
        documents: { state: 'none-needed', needed: 0, held: 0, outstanding: [], deviations: [] },
      },
      ['1 deciding check without deviations.', 'No documents required.'],
    ],
  ])('%s', (_, part, reasons) => expect(stateReasons(row(part), NONE)).toEqual(reasons))

  test.each([
    ['privacy', 'The engagement does not include the category Privacy.'],
    ['security', 'Outside the scope of this tool.'],
    [null, 'Outside the scope of this tool.'],
  ])('not in scope, category %s', (category, reason) =>
    expect(stateReasons(row({ state: 'out-of-scope' }, category), NONE)).toEqual([reason]),
  )
  test('who approved that it does not apply', () => {
    const decision: DecisionView = { ...decisionOf({ decision: 'not-applicable' }), status: 'in-force' }
    const said = stateReasons(row({ state: 'not-applicable', rationale: decision.id }), { decisions: [decision] })
    expect(said.join(' ')).toContain(
      'Approved decision that the control does not apply, by M. Ortiz, Security officer, until 1 Mar 2027: Every data volume is encrypted.',
    )
  })
  test('a row without a conclusion in this run has none', () =>
    expect(stateReasons({ assessed: null, category: null }, NONE)).toEqual([]))
})
