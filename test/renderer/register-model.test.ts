import { describe, expect, test } from 'vitest'
import { countedIn } from '../../main/app/views.ts'
import { countedCheck, joined } from '../../main/core/tally.ts'
import { decisionInput, decisionLacks, EMPTY_DECISION } from '../../renderer/decision-model.ts'
import {
  decisionChoices,
  decisionsFor,
  exceptionsShown,
  signedLine,
  stateReasons,
} from '../../renderer/register-model.ts'
import type { AttachmentView, DecisionView } from '../../schemas/ipc-packs.ts'
import type { ControlAssessment, ControlCheck } from '../../schemas/types.ts'
import { attachmentOf, decisionOf, exceptionOf, pendingOf } from '../support/register.ts'

const SETTLED = { at: '2026-11-02T00:00:00.000Z', by: 'M. Ortiz', as: 'approved', reason: null } as const

describe('exceptions and requests', () => {
  const register = {
    exceptions: [
      { ...exceptionOf({ id: '1'.repeat(32), nodes: ['gpu-01'] }), standing: 'in-force' as const },
      { ...exceptionOf({ id: '2'.repeat(32) }), standing: 'expired' as const },
      { ...exceptionOf({ id: '3'.repeat(32) }), standing: 'withdrawn' as const },
    ],
    pending: [
      { ...pendingOf({ id: '4'.repeat(32) }), standing: 'lapsed' as const },
      { ...pendingOf({ id: '5'.repeat(32) }), standing: 'open' as const },
      { ...pendingOf({ id: '1'.repeat(32), settled: SETTLED }), standing: 'approved' as const },
    ],
  }
  test('open requests come first, ended exceptions before those in force, and one that was approved is listed once', () => {
    const { pending, groups, count, total } = exceptionsShown(register, '', 'all')
    expect(pending.map(({ standing }) => standing)).toEqual(['open', 'lapsed'])
    expect(groups.map(({ standing }) => standing)).toEqual(['expired', 'in-force', 'withdrawn'])
    expect([count, total]).toEqual([5, 5])
  })
  test.each([
    ['', 'pending', 2],
    ['', 'expired', 1],
    ['GPU-01', 'all', 1],
    ['nobody wrote this', 'all', 0],
  ] as const)('text %j, shown %s', (text, shown, count) =>
    expect(exceptionsShown(register, text, shown).count).toBe(count),
  )
  test.each([
    [undefined, 'Unsigned: the names were typed.'],
    [['requester'], 'Signed with a key by who asked.'],
    [['approver', 'requester'], 'Signed with a key by who asked and by who approved.'],
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
      standing: 'in-force',
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
  test('send only what their kind asks for', () => {
    const row = { framework: 'hipaa', control: 'x', until: '2027-03-01' } as const
    expect(decisionInput({ ...row, decision: 'implemented' }, filled)).toMatchObject({
      factors: null,
      riskAnalysis: null,
    })
    expect(decisionInput({ ...row, decision: 'not-implemented' }, filled)).toMatchObject({ factors: 'cost' })
  })
})

describe('why a row has its state', () => {
  const counts = (changes: Partial<ControlCheck>): ControlCheck => ({
    check: 'c',
    built: true,
    population: 4,
    met: 0,
    notMet: 0,
    inconclusive: 0,
    notApplicable: 0,
    informational: 0,
    notTested: 0,
    excepted: 0,
    ...changes,
  })
  const row = (changes: Partial<ControlAssessment>) => ({
    key: 'k',
    needsAlso: ['Policy'],
    counted: countedIn(joined((changes.checks ?? []).map(countedCheck))),
    assessed: {
      framework: 'hipaa',
      control: 'k',
      state: 'not-supported',
      nodePart: 'not-supported',
      checks: [],
      outstanding: [],
      records: { needed: 1, held: 1 },
      rationale: null,
      ...changes,
    } satisfies ControlAssessment,
  })
  const NOBODY = { attachments: [], decisions: [] }
  const HELD = 'Records held: 1 of 1 needed.'
  test.each<[string, Partial<ControlAssessment>, readonly string[]]>([
    [
      'contradictions, of which exceptions cover some',
      { checks: [counts({ met: 1, notMet: 3, excepted: 2 })] },
      ['Supported: 1 of 4 findings.', 'Contradicted: 3 of 4 findings. Exceptions in force cover 2 of 3.', HELD],
    ],
    [
      'nothing to make an exception from',
      { checks: [counts({ notMet: 4, excepted: 4 })] },
      [
        'Supported: 0 of 4 findings.',
        'Contradicted: 4 of 4 findings. Exceptions in force cover 4 of 4.',
        'Nothing is supported on any node, so there is nothing to make an exception from.',
        HELD,
      ],
    ],
    [
      'what is missing',
      { nodePart: 'insufficient-evidence', checks: [counts({ met: 1, inconclusive: 1, notTested: 2 })] },
      ['Supported: 1 of 4 findings.', 'Not enough evidence: 1 of 4 findings.', 'Not collected: 2 of 4 findings.', HELD],
    ],
    [
      'what no node is asked for',
      {
        nodePart: 'insufficient-evidence',
        checks: [counts({ met: 3, notTested: 1 }), counts({ built: false, notTested: 4 })],
      },
      [
        'Supported: 3 of 8 findings.',
        'Not collected: 5 of 8 findings, 4 of them of 1 check that nodes are not asked for.',
        HELD,
      ],
    ],
    [
      'a list that is not covered',
      { nodePart: 'insufficient-evidence', checks: [counts({ met: 4 })] },
      [
        'Supported: 4 of 4 findings.',
        'The provider’s list holds rows that nobody accounts for, so the nodes may not be all.',
        HELD,
      ],
    ],
    [
      'nobody approved that it does not apply',
      { nodePart: 'not-applicable', checks: [counts({ notApplicable: 4 })], records: { needed: 0, held: 0 } },
      [
        'Besides: 4 not applicable. Together 4 findings.',
        'Every mapped check found that it does not apply to any node.',
        'Nobody has approved a reason why this row does not apply.',
        'It needs no record from people.',
      ],
    ],
    ['people alone', { nodePart: null }, ['Evidence of nodes decides nothing about it.', HELD]],
  ])('%s', (_, changes, reasons) => expect(stateReasons(row(changes), 'hipaa', NOBODY)).toEqual(reasons))

  test('a record that was only received counts as outstanding', () => {
    const received: AttachmentView = {
      ...attachmentOf({ need: 'Policy', method: 'received', controls: [{ framework: 'hipaa', control: 'k' }] }),
      standing: 'in-force',
      bears: false,
    }
    const changes = { nodePart: null, outstanding: ['Policy'], records: { needed: 1, held: 0 } }
    expect(stateReasons(row(changes), 'hipaa', { attachments: [received], decisions: [] }).slice(1)).toEqual([
      'Records held: 0 of 1 needed.',
      '1 record was received and not examined, and counts as outstanding.',
    ])
    expect(stateReasons(row(changes), 'soc2', { attachments: [received], decisions: [] })).toHaveLength(2)
  })
  test('who approved that it does not apply', () => {
    const decision: DecisionView = { ...decisionOf({ decision: 'not-applicable' }), standing: 'in-force' }
    const said = stateReasons(
      row({ state: 'not-applicable', nodePart: 'not-applicable', rationale: decision.id }),
      'hipaa',
      {
        attachments: [],
        decisions: [decision],
      },
    )
    expect(said.join(' ')).toContain(
      'That it does not apply was approved by M. Ortiz, Security officer, until 1 Mar 2027: Every data volume is encrypted.',
    )
  })
  test('a row that this run says nothing of has none', () =>
    expect(stateReasons({ ...row({}), assessed: null }, 'hipaa', NOBODY)).toEqual([]))
})
