import { describe, expect, test } from 'vitest'
import type { Control } from '../main/core/framework.ts'
import { RATIONALE_NEEDED, rollUp } from '../main/core/rollup.ts'
import type { Attachment, Decision, Register } from '../schemas/types.ts'
import { CONTROL_STATES, type ControlState, type Verdict } from '../schemas/words.ts'
import { attachmentOf, decisionOf, exceptionOf, pendingOf, registerOf } from './support/register.ts'
import { catalogWith, controlOf, frameworkOf, nodeWith } from './support/rollup-kit.ts'

const AS_OF = '2026-11-21T12:00:00.000Z'
const NEED = 'The agreement'
const DECISION_NEED = 'Addressable decision: implemented, equivalent alternative, or documented reason'

const held = (changes: Partial<Attachment> = {}): Attachment =>
  attachmentOf({
    controls: [{ framework: 'hipaa', control: 'k' }],
    need: NEED,
    method: 'examined',
    ...changes,
  })
const decided = (changes: Partial<Decision> = {}): Decision => decisionOf({ control: 'k', ...changes })
const excepted = (changes: Parameters<typeof exceptionOf>[0] = {}) =>
  exceptionOf({ check: 'a', nodes: ['n0'], ...changes })
const GONE = { at: AS_OF, by: 'x', reason: 'y' }

const roll = (
  row: Partial<Control>,
  verdicts: readonly Verdict[],
  parts: Partial<Register>,
  { uncovered = 0, asOf = AS_OF }: { readonly uncovered?: number; readonly asOf?: string } = {},
) => {
  const nodes = verdicts.map((verdict, at) => nodeWith(`n${at}`, verdict))
  const register = { ...registerOf({}), ...parts }
  const [found] = rollUp(catalogWith([frameworkOf([controlOf(row)])]), ['hipaa'], nodes, { register, asOf, uncovered })
  if (found === undefined) throw new Error('no row')
  return found
}

describe('precedence', () => {
  // What makes each state of the model appear by itself, over one row that needs one record.
  const causes: Readonly<
    Partial<Record<ControlState, { readonly verdict: Verdict; readonly parts: Partial<Register> }>>
  > = {
    'not-supported': { verdict: 'not-met', parts: { attachments: [held()] } },
    'insufficient-evidence': { verdict: 'inconclusive', parts: { attachments: [held()] } },
    'manual-evidence-required': { verdict: 'met', parts: {} },
    'supported-with-exceptions': { verdict: 'not-met', parts: { attachments: [held()], exceptions: [excepted()] } },
    supported: { verdict: 'met', parts: { attachments: [held()] } },
  }
  const order = CONTROL_STATES.filter((state) => causes[state] !== undefined)
  const rank: readonly ControlState[] = [
    'not-supported',
    'insufficient-evidence',
    'manual-evidence-required',
    'supported-with-exceptions',
    'supported',
  ]

  test('every state of the model but the two that no evidence makes has a cause', () =>
    expect([...order].sort()).toEqual([...rank].sort()))

  test.each(rank.flatMap((one, at) => rank.slice(at).map((other) => [one, other] as const)))(
    '%s beats %s',
    (worse, better) => {
      const [a, b] = [causes[worse], causes[better]]
      if (a === undefined || b === undefined) throw new Error('no cause')
      // The better cause is on the node that an exception may name; the worse one on a node of its own. A third is met.
      const attachments = worse === 'manual-evidence-required' || better === 'manual-evidence-required' ? [] : [held()]
      const exceptions = [
        ...(better === 'supported-with-exceptions' ? [excepted({ nodes: ['n0'] })] : []),
        ...(worse === 'supported-with-exceptions' ? [excepted({ id: '9'.repeat(32), nodes: ['n1'] })] : []),
      ]
      const found = roll({ needsAlso: [NEED] }, [b.verdict, a.verdict, 'met'], { attachments, exceptions })
      expect(found.state).toBe(worse)
    },
  )
})

describe('exceptions', () => {
  const day = '2026-11-21T23:59:59.999Z'
  test.each<[string, readonly Verdict[], Partial<Register>, string, ControlState, number]>([
    ['in force', ['not-met', 'met'], { exceptions: [excepted()] }, AS_OF, 'supported-with-exceptions', 1],
    [
      'in its last millisecond',
      ['not-met', 'met'],
      { exceptions: [excepted({ expiresAt: day })] },
      day,
      'supported-with-exceptions',
      1,
    ],
    [
      'a millisecond after',
      ['not-met', 'met'],
      { exceptions: [excepted({ expiresAt: day })] },
      '2026-11-22T00:00:00.000Z',
      'not-supported',
      0,
    ],
    ['withdrawn', ['not-met', 'met'], { exceptions: [excepted({ withdrawn: GONE })] }, AS_OF, 'not-supported', 0],
    ['on another node', ['not-met', 'met'], { exceptions: [excepted({ nodes: ['n1'] })] }, AS_OF, 'not-supported', 0],
    ['of another check', ['not-met', 'met'], { exceptions: [excepted({ check: 'b' })] }, AS_OF, 'not-supported', 0],
    ['on one of two', ['not-met', 'not-met', 'met'], { exceptions: [excepted()] }, AS_OF, 'not-supported', 1],
    [
      'on both of two',
      ['not-met', 'not-met', 'met'],
      { exceptions: [excepted({ nodes: ['n0', 'n1'] })] },
      AS_OF,
      'supported-with-exceptions',
      2,
    ],
    [
      'on an inconclusive finding',
      ['inconclusive', 'met'],
      { exceptions: [excepted()] },
      AS_OF,
      'insufficient-evidence',
      0,
    ],
    [
      'on a finding that was not tested',
      ['not-tested', 'met'],
      { exceptions: [excepted()] },
      AS_OF,
      'insufficient-evidence',
      0,
    ],
    ['where it is met by now', ['met', 'met'], { exceptions: [excepted()] }, AS_OF, 'supported', 0],
    [
      'where nothing at all is met',
      ['not-met', 'not-applicable'],
      { exceptions: [excepted()] },
      AS_OF,
      'not-supported',
      1,
    ],
    [
      'with something missing beside it',
      ['not-met', 'met', 'not-tested'],
      { exceptions: [excepted()] },
      AS_OF,
      'insufficient-evidence',
      1,
    ],
    [
      'only asked for',
      ['not-met', 'met'],
      { pending: [pendingOf({ check: 'a', nodes: ['n0'] })] },
      AS_OF,
      'not-supported',
      0,
    ],
  ])('%s', (_name, verdicts, parts, asOf, state, count) => {
    const found = roll({}, verdicts, parts, { asOf })
    expect([found.state, found.nodePart, found.checks[0]?.excepted]).toEqual([state, state, count])
    expect(found.checks[0]?.notMet).toBe(verdicts.filter((verdict) => verdict === 'not-met').length)
  })
})

describe('records', () => {
  const row = { needsAlso: [NEED, 'The log'] }
  const both = [held(), held({ id: 'c'.repeat(32), need: 'The log' })]
  test.each<[string, Partial<Control>, readonly Attachment[], ControlState, readonly string[]]>([
    ['all held', row, both, 'supported', []],
    ['one held', row, [held()], 'manual-evidence-required', ['The log']],
    [
      'received and not examined',
      { needsAlso: [NEED] },
      [held({ method: 'received' })],
      'manual-evidence-required',
      [NEED],
    ],
    ['asked for and answered', { needsAlso: [NEED] }, [held({ method: 'asked' })], 'supported', []],
    ['withdrawn', { needsAlso: [NEED] }, [held({ withdrawn: GONE })], 'manual-evidence-required', [NEED]],
    [
      'past its last day',
      { needsAlso: [NEED] },
      [held({ validUntil: '2026-11-20T23:59:59.999Z' })],
      'manual-evidence-required',
      [NEED],
    ],
    [
      'without an end, a period old',
      { needsAlso: [NEED] },
      [held({ attachedAt: '2025-11-20T12:00:00.000Z' })],
      'supported',
      [],
    ],
    [
      'without an end, older',
      { needsAlso: [NEED] },
      [held({ attachedAt: '2025-11-20T11:59:59.999Z' })],
      'manual-evidence-required',
      [NEED],
    ],
    [
      'of another row',
      { needsAlso: [NEED] },
      [held({ controls: [{ framework: 'soc2', control: 'k' }] })],
      'manual-evidence-required',
      [NEED],
    ],
    ['of no need', { needsAlso: [NEED] }, [held({ need: null })], 'manual-evidence-required', [NEED]],
    [
      'of a row that people bear',
      { evidenceClass: 'manual', nodeEvidence: 'none', supports: [], needsAlso: [NEED] },
      [held()],
      'supported',
      [],
    ],
    ['of a background row', { nodeEvidence: 'context', needsAlso: [NEED] }, [held()], 'supported', []],
  ])('%s', (_name, control, attachments, state, outstanding) => {
    const found = roll(control, ['met'], { attachments })
    expect([found.state, found.outstanding]).toEqual([state, outstanding])
    const needed = control.needsAlso?.length ?? 0
    expect(found.records).toEqual({ needed, held: needed - outstanding.length })
  })

  test('no record turns a contradiction, or something missing, into more', () => {
    expect(roll(row, ['not-met'], { attachments: both }).state).toBe('not-supported')
    expect(roll(row, ['not-tested'], { attachments: both }).state).toBe('insufficient-evidence')
  })
})

describe('decisions', () => {
  const MANUAL = { evidenceClass: 'manual', nodeEvidence: 'none', supports: [], needsAlso: [NEED] } as const
  const rationale = decided({ decision: 'not-applicable' })
  test.each<[string, Partial<Control>, readonly Verdict[], ControlState]>([
    ['over a contradiction: it stays', {}, ['not-met', 'met'], 'not-supported'],
    ['over something missing', {}, ['inconclusive'], 'not-applicable'],
    ['over support', {}, ['met'], 'not-applicable'],
    ['over what applies nowhere', {}, ['not-applicable'], 'not-applicable'],
    ['over a row that people bear', MANUAL, ['met'], 'not-applicable'],
    ['over a row that is out of scope', { evidenceClass: 'out-of-scope' }, ['met'], 'out-of-scope'],
  ])('a row does not apply, %s', (_name, control, verdicts, state) => {
    const found = roll(control, verdicts, { decisions: [rationale] })
    expect([found.state, found.rationale]).toEqual([state, rationale.id])
  })

  test.each<[string, readonly Decision[]]>([
    ['expired', [decided({ decision: 'not-applicable', expiresAt: '2026-11-21T11:59:59.999Z' })]],
    ['withdrawn', [decided({ decision: 'not-applicable', withdrawn: GONE })]],
    ['of another row', [decided({ decision: 'not-applicable', control: 'other' })]],
    ['of another framework', [decided({ decision: 'not-applicable', framework: 'soc2' })]],
    [
      'overtaken by a later one',
      [rationale, decided({ id: 'e'.repeat(32), decision: 'implemented', decidedAt: '2026-11-20T00:00:00.000Z' })],
    ],
  ])('a reason that is %s takes nothing out: without one it counts as not tested', (_name, decisions) => {
    const found = roll({}, ['not-applicable'], { decisions })
    expect([found.state, found.rationale, found.outstanding]).toEqual([
      'insufficient-evidence',
      null,
      [RATIONALE_NEEDED],
    ])
  })

  test.each<[Decision['decision'], ControlState]>([
    ['implemented', 'supported'],
    ['equivalent-alternative', 'supported'],
    ['not-implemented', 'supported'],
    ['not-applicable', 'not-applicable'],
  ])('%s holds the need for a decision', (decision, state) => {
    const row = { level: 'addressable', needsAlso: [DECISION_NEED] }
    expect(roll(row, ['met'], {}).state).toBe('manual-evidence-required')
    expect(roll(row, ['met'], { decisions: [decided({ decision })] })).toMatchObject({
      state,
      outstanding: [],
      records: { needed: 1, held: 1 },
    })
    expect(roll(row, ['not-met'], { decisions: [decided({ decision })] }).state).toBe('not-supported')
  })

  test('a decision holds no other record', () => {
    const row = { level: 'addressable', needsAlso: [DECISION_NEED, NEED] }
    expect(roll(row, ['met'], { decisions: [decided()] })).toMatchObject({
      state: 'manual-evidence-required',
      outstanding: [NEED],
    })
  })
})

test('a thousand nodes, 400 rows and a full register take well under a second', () => {
  const checks = Array.from({ length: 120 }, (_, at) => `check.${at}`)
  const controls = Array.from({ length: 400 }, (_, at) =>
    controlOf({
      key: `k${at}`,
      needsAlso: [NEED],
      supports: Array.from({ length: 8 }, (__, of) => ({ check: `check.${(at + of * 7) % 120}`, shows: 's' })),
    }),
  )
  const nodes = Array.from({ length: 1000 }, (_, at) => ({
    node: `node-${at}`,
    findings: checks.map((check, of) => ({
      check,
      verdict: (at + of) % 50 === 0 ? ('not-met' as const) : ('met' as const),
    })),
  }))
  const names = nodes.map(({ node }) => node)
  const register = {
    ...registerOf({}),
    exceptions: checks.map((check, at) => exceptionOf({ id: String(at).padStart(32, '0'), check, nodes: names })),
    attachments: Array.from({ length: 5000 }, (_, at) =>
      held({
        id: String(at).padStart(32, '0'),
        controls: controls.map(({ key }) => ({ framework: 'hipaa', control: key })).slice(0, at < 50 ? 400 : 4),
      }),
    ),
    decisions: Array.from({ length: 5000 }, (_, at) =>
      decided({ id: String(at).padStart(32, '0'), control: `k${at % 400}` }),
    ),
  }
  const catalog = catalogWith([frameworkOf(controls)], checks)
  const states = rollUp(catalog, ['hipaa'], nodes, { register, asOf: AS_OF, uncovered: 0 })
  expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['supported-with-exceptions']))
})
