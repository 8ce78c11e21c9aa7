import { describe, expect, test } from 'vitest'
import { catalog } from '../main/catalog/definition/index.ts'
import { REMEDIATIONS } from '../main/catalog/definition/remediation.ts'
import { assess, withRegister } from '../main/core/conclusion/assess.ts'
import { tally } from '../main/core/conclusion/tally.ts'
import { POPULATION } from '../main/core/engagement/coverage.ts'
import { exampleOf, findingReference, findingsOf, HOST_IDENTITY, remediatedIn } from '../main/core/finding/finding.ts'
import { factsOf, rateSeverity } from '../main/core/finding/severity.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import type { CheckSeverity } from '../main/core/rules/catalog.ts'
import { leadingOf, presentationOf } from '../main/present/presentation.ts'
import { severityReasons } from '../main/present/report/findings.ts'
import { refusedNodes } from '../main/present/report/parts/refused.ts'
import type { Assessment, EphiStore, ManagementResponse, NodeAssessment, Register, Scope } from '../schemas/types.ts'
import type { Verdict } from '../schemas/words.ts'
import { engagementOf } from './support/engagement.ts'
import { riskAcceptanceOf } from './support/register.ts'

const AS_OF = '2026-11-20T12:00:00.000Z'

type Verdicts = Readonly<Record<string, Readonly<Record<string, Verdict>>>>

/** An assessment of nodes with these verdicts by node and check; every other check is satisfied there. */
function assessmentOf(
  verdicts: Verdicts,
  {
    register = EMPTY_REGISTER,
    silent = [],
    ...scope
  }: Partial<Scope> & { register?: Register; silent?: string[] } = {},
): Assessment {
  const nodes = Object.keys(verdicts)
  const empty = assess({
    catalog,
    scope: { fleet: 'f', population: [...nodes, ...silent], frameworks: ['hipaa', 'soc2'], ...scope },
    recordings: [],
    asOf: AS_OF,
  })
  const tested = empty.nodes.map((node) => {
    const own = verdicts[node.node]
    return own === undefined
      ? node
      : {
          ...node,
          status: 'complete' as const,
          recording: { id: node.node, digest: 'a'.repeat(64) },
          observedAt: '2026-11-20T09:00:00.000Z',
          results: node.results.map((one) => ({ ...one, verdict: own[one.check] ?? ('satisfied' as const) })),
        }
  })
  return withRegister(catalog, { ...empty, nodes: tested }, register)
}

const matter = (assessment: Assessment, register: Register = EMPTY_REGISTER) => ({
  assessment,
  catalog,
  register,
  recordings: [],
  remediations: REMEDIATIONS,
  tally: tally(assessment, catalog.checks),
})
const found = (assessment: Assessment, register?: Register) => findingsOf(matter(assessment, register))

const responseOf = (changes: Partial<ManagementResponse> = {}): ManagementResponse => ({
  id: '1'.repeat(32),
  check: 'access.sudo-policy',
  status: 'in-progress',
  owner: 'K. Adeyemi',
  due: '2026-12-01T23:59:59.999Z',
  plan: 'Remove the rule.',
  statedBy: 'M. Ortiz',
  statedAt: '2026-11-10T08:00:00.000Z',
  withdrawn: null,
  ...changes,
})
const withResponses = (...responses: ManagementResponse[]): Register => ({ ...EMPTY_REGISTER, responses })

describe('severity', () => {
  const severity = (changes: Partial<CheckSeverity>): CheckSeverity => ({
    ...(catalog.severities.find(({ check }) => check === 'access.sudo-policy') as CheckSeverity),
    severity: 'medium',
    raisesWhen: [
      { text: 'r', facts: ['ephi', 'public-address'] },
      { text: 'person', facts: [] },
    ],
    lowersWhen: [{ text: 'l', facts: ['satisfied x'] }],
    ...changes,
  })

  test.each([
    ['nothing holds', {}, 'medium'],
    ['one of two facts holds', { ephi: ['a'] }, 'medium'],
    ['both hold, on different nodes', { ephi: ['a'], 'public-address': ['b'] }, 'medium'],
    ['both hold on one node', { ephi: ['a'], 'public-address': ['a'] }, 'high'],
    ['a lowering fact holds on one of two nodes', { 'satisfied x': ['a'] }, 'medium'],
    ['a lowering fact holds on both', { 'satisfied x': ['a', 'b'] }, 'low'],
    ['both ways', { ephi: ['a'], 'public-address': ['a'], 'satisfied x': ['a', 'b'] }, 'medium'],
  ] as const)('where %s', (_, facts: Readonly<Record<string, readonly string[]>>, level) => {
    const rated = rateSeverity(severity({}), ['a', 'b'], (fact, node) => facts[fact]?.includes(node) === true)
    expect(rated.level).toBe(level)
    expect(rated.notEvaluated).toEqual(['person'])
  })

  test.each([
    ['critical', 'ephi', 'critical'],
    ['info', 'ephi', 'low'],
    ['info', 'satisfied x', 'info'],
    ['low', 'satisfied x', 'info'],
  ] as const)('%s with %s is %s', (base, fact, level) => {
    const rule = severity({ severity: base, raisesWhen: [{ text: 'r', facts: ['ephi'] }] })
    expect(rateSeverity(rule, ['a'], (one) => one === fact).level).toBe(level)
  })

  test.each([
    ['medium', 'ephi', ['Raised from moderate because r: a.']],
    ['critical', 'ephi', ['A reason to raise it: r: a. It remains critical, the highest severity.']],
    ['info', 'satisfied x', ['A reason to lower it: l. It remains informational, the lowest severity.']],
    ['medium', 'satisfied x', ['Lowered from moderate because l.']],
    [
      'critical',
      'either',
      ['A reason to raise it: r: a. A reason to lower it: l. Both apply, so it remains critical.'],
    ],
  ] as const)('%s with %s states why it is what it is', (base, fact, sentences) => {
    const rule = severity({ severity: base, raisesWhen: [{ text: 'r', facts: ['ephi'] }] })
    const rated = rateSeverity(rule, ['a'], (one) => fact === 'either' || one === fact)
    expect(severityReasons({ severity: rated })).toEqual(sentences)
  })

  test('without a node nothing raises or lowers it', () =>
    expect(rateSeverity(severity({}), [], () => true).level).toBe('medium'))
})

describe('facts', () => {
  const recording = (name: string, address: string, ephiPaths?: string[]) =>
    ({ recording: { node: { name, address, ...(ephiPaths && { ephiPaths }) } } }) as never
  const store = (path: string, ...nodes: string[]): EphiStore => ({ name: 's', path, nodes, what: 'w' })
  const holds = (changes: Partial<Parameters<typeof factsOf>[0]> = {}) =>
    factsOf({
      nodes: assessmentOf({ a: { 'access.sudo-policy': 'not-satisfied' }, b: {} }).nodes,
      recordings: [recording('a', '192.0.2.1', ['/e']), recording('b', '10.0.0.1'), recording('c', '8.8.8.8')],
      engagement: undefined,
      residency: [],
      provider: undefined,
      register: EMPTY_REGISTER,
      requests: catalog.requests,
      asOf: AS_OF,
      ...changes,
    })

  test.each([
    ['ephi', 'a', true],
    ['ephi', 'b', false],
    ['public-address', 'c', true],
    ['public-address', 'b', false],
    ['not-satisfied access.sudo-policy', 'a', true],
    ['not-satisfied access.sudo-policy', 'b', false],
    ['satisfied access.sudo-policy', 'b', true],
    ['satisfied access.sudo-policy', 'x', false],
    ['inspected ER-18', 'a', false],
    ['residency', 'a', false],
    ['claimed tenancy.no-hypervisor', 'a', false],
    ['something else', 'a', false],
  ])('%s on %s: %s', (fact, node, expected) => expect(holds()(fact, node)).toBe(expected))

  test('the data map names the nodes that hold ePHI, and then the fleet file does not', () => {
    const engagement = engagementOf({ nodes: ['a', 'b'], stores: [store('/e', 'b')] })
    const mapped = holds({ engagement })
    expect([mapped('ephi', 'a'), mapped('ephi', 'b')]).toEqual([false, true])
  })

  test('a commitment for some nodes is none for others', () => {
    const committed = holds({ residency: [{ region: 'EU', nodes: ['a'] }] })
    expect([committed('residency', 'a'), committed('residency', 'b')]).toEqual([true, false])
  })
})

describe('findings', () => {
  const one = assessmentOf(
    {
      a: { 'access.sudo-policy': 'not-satisfied', 'tenancy.gpu-processes': 'not-satisfied' },
      b: { 'access.sudo-policy': 'not-satisfied' },
      c: { 'access.sudo-policy': 'inconclusive' },
    },
    { silent: ['d'] },
  )

  test('one for each check, the most severe first, with what was tested and what was not', () => {
    const [first, second, ...rest] = found(one)
    expect(rest).toEqual([])
    expect([first?.check, second?.check]).toEqual(['tenancy.gpu-processes', 'access.sudo-policy'])
    expect(second).toMatchObject({
      tested: 3,
      inconclusive: ['c'],
      untested: ['d'],
      status: 'open',
      response: null,
      isOverdue: false,
      what: 'nodes',
    })
    expect(second?.deviations.map(({ subject }) => subject)).toEqual(['a', 'b'])
  })

  test('are the same in the next run of the fleet, and others in another fleet', () => {
    const again = found({ ...one, asOf: '2027-01-01T00:00:00.000Z' })
    expect(again.map(({ reference }) => reference)).toEqual(found(one).map(({ reference }) => reference))
    expect(findingReference('f', 'x')).not.toBe(findingReference('g', 'x'))
    const all = catalog.checks.map(({ id }) => findingReference('f', id))
    expect(new Set(all).size).toBe(all.length)
  })

  test('name the controls that they concern, and which they settle', () => {
    const only = found(assessmentOf({ a: { 'encryption.at-rest.ephi-paths': 'not-satisfied' } }))[0]
    expect(only?.controls.length).toBeGreaterThan(0)
    expect(only?.controls.every(({ isSettled }) => isSettled)).toBe(true)
    const both = found(
      assessmentOf({
        a: { 'encryption.at-rest.ephi-paths': 'not-satisfied', 'encryption.at-rest.key-custody': 'inconclusive' },
      }),
    ).find(({ check }) => check === 'encryption.at-rest.ephi-paths')
    expect(both?.controls.filter(({ isSettled }) => isSettled).length).toBeLessThan(only?.controls.length ?? 0)
  })

  test.each([['inconclusive'], ['not-tested']] as const)(
    'settle no control while their own check is %s on another node',
    (verdict) => {
      const check = 'encryption.at-rest.ephi-paths'
      const [only] = found(assessmentOf({ a: { [check]: 'not-satisfied' }, b: { [check]: verdict } }))
      expect(only?.controls.length).toBeGreaterThan(0)
      expect(only?.controls.some(({ isSettled }) => isSettled)).toBe(false)
    },
  )

  test.each(['ssh.host-key-changed', 'ssh.host-key-revoked'])('%s is one, although the node was not tested', (code) => {
    const nodes = one.nodes.map((node) =>
      node.node === 'd' ? { ...node, failure: { code, detail: 'another key' } } : node,
    )
    const key = found({ ...one, nodes }).find(({ check }) => check === HOST_IDENTITY)
    expect(key?.deviations.map(({ subject }) => subject)).toEqual(['d'])
    // Refused before login, it is none of the nodes tested, and none of those without a result either.
    expect([key?.tested, key?.untested, refusedNodes(key ?? { deviations: [] })]).toEqual([3, [], ['d']])
    const unreachable = one.nodes.map((node) => ({ ...node, failure: { code: 'ssh.unreachable', detail: '' } }))
    expect(found({ ...one, nodes: unreachable }).some(({ check }) => check === HOST_IDENTITY)).toBe(false)
  })

  test('a row of the inventory that is neither declared nor excluded is one', () => {
    const row = { id: 'SRV-1', name: 'spare', serial: null, address: null }
    const reconciliation = {
      declared: 4,
      inFleet: 4,
      collected: 3,
      inventory: 2,
      nodes: [],
      conflicts: [],
      unreconciled: 1,
      inventoryOnly: [
        { row, excluded: null },
        { row: { ...row, id: 'NET-1' }, excluded: 'a switch' },
      ],
    } as never
    const finding = found({ ...one, reconciliation }).find(({ check }) => check === POPULATION)
    expect(finding?.what).toBe('inventory')
    expect(finding?.deviations.map(({ subject }) => subject)).toEqual(['SRV-1 spare'])
  })

  test('name the declaration by which ePHI is on a node', () => {
    const check = 'encryption.at-rest.ephi-paths'
    const assessment = assessmentOf({ a: { [check]: 'not-satisfied' }, b: { [check]: 'not-satisfied' } })
    const recordings = ['a', 'b'].map((name) => ({ recording: { node: { name, ephiPaths: ['/e'] } } })) as never
    const effectOf = (scope: object): string | undefined =>
      findingsOf({ ...matter({ ...assessment, scope: { ...assessment.scope, ...scope } }), recordings }).find(
        (one) => one.check === check,
      )?.effect[1]
    const engagement = engagementOf({
      nodes: ['a', 'b'],
      stores: [{ name: 'Images', path: '/e', nodes: ['b'], what: 'images' }],
    })
    expect(effectOf({})).toBe('ePHI is declared on a, b.')
    expect(effectOf({ engagement })).toBe('By the ePHI map, ePHI is on b.')
  })

  test('a deviation is never left out because its check is not rated', () => {
    const bare = { ...matter(one), catalog: { ...catalog, severities: [] } }
    expect(
      findingsOf(bare)
        .map(({ check }) => check)
        .sort(),
    ).toEqual(['access.sudo-policy', 'tenancy.gpu-processes'])
  })

  const accepted = (...nodes: string[]) =>
    riskAcceptanceOf({ check: 'access.sudo-policy', nodes, acceptedAt: '2026-11-01T08:00:00.000Z' })
  const expired = riskAcceptanceOf({
    id: 'b'.repeat(32),
    check: 'access.sudo-policy',
    nodes: ['a', 'b'],
    acceptedAt: '2026-01-01T08:00:00.000Z',
    expiresAt: '2026-11-01T23:59:59.999Z',
  })
  test.each<[string, Register, string, boolean]>([
    ['nothing', EMPTY_REGISTER, 'open', false],
    ['a response', withResponses(responseOf()), 'in-progress', false],
    ['an overdue one', withResponses(responseOf({ due: '2026-11-19T23:59:59.999Z' })), 'in-progress', true],
    ['one of another check', withResponses(responseOf({ check: 'vuln.eol' })), 'open', false],
    ['one from the future', withResponses(responseOf({ statedAt: '2027-01-01T00:00:00.000Z' })), 'open', false],
    ['one withdrawn', withResponses(responseOf({ withdrawn: { at: AS_OF, by: 'x', reason: 'y' } })), 'open', false],
    [
      'a later one',
      withResponses(
        responseOf(),
        responseOf({ id: '2'.repeat(32), status: 'disputed', statedAt: '2026-11-11T08:00:00.000Z' }),
      ),
      'disputed',
      false,
    ],
    [
      'an acceptance for all nodes',
      { ...EMPTY_REGISTER, riskAcceptances: [accepted('a', 'b')] },
      'risk-accepted',
      false,
    ],
    ['an acceptance for one node', { ...EMPTY_REGISTER, riskAcceptances: [accepted('a')] }, 'open', false],
    ['an expired acceptance', { ...EMPTY_REGISTER, riskAcceptances: [expired] }, 'acceptance-expired', false],
  ])('with %s', (_, register, status, isOverdue) => {
    const finding = found(one, register).find(({ check }) => check === 'access.sudo-policy')
    expect([finding?.status, finding?.isOverdue]).toEqual([status, isOverdue])
  })

  test('responses change no finding but its status', () => {
    const without = found(one)
    const withThem = found(one, withResponses(responseOf({ cause: 'An image of the provider.' })))
    const bare = withThem.map((finding) => ({
      ...finding,
      response: null,
      status: 'open',
      cause: null,
      isOverdue: false,
    }))
    expect(bare).toEqual(without)
  })

  test('what a later run shows satisfied is remediated, by that run', () => {
    const moment = (run: string) => ({ run, at: `2026-10-0${run}T00:00:00.000Z` })
    const deviation = (node: string, fixed: string | null) => ({
      node,
      check: 'vuln.eol',
      found: moment('1'),
      lastSeen: moment('1'),
      fixed: fixed === null ? null : moment(fixed),
      open: fixed === null,
      runs: 1,
      unknown: 0,
    })
    const earlier = { runs: [], deviations: [deviation('a', '2'), deviation('b', '2'), deviation('c', null)] } as never
    expect(remediatedIn({ catalog, assessment: one }, earlier)).toMatchObject([
      { check: 'vuln.eol', nodes: ['a', 'b'], run: '2' },
    ])
  })
})

test('the example of a finding is the node that conceals its condition', () => {
  const check = 'tenancy.no-hypervisor'
  const deviations = ['a', 'b'].map((subject) => ({
    subject,
    observations: [],
    accepted: null,
    acceptanceExpired: null,
    observedAt: null,
    isStale: false,
  }))
  const nodes = ['a', 'b'].map((node) => ({ node, isolation: { concealed: node === 'b' } }) as NodeAssessment)
  expect(exampleOf({ check, deviations }, { nodes })?.subject).toBe('b')
  expect(exampleOf({ check: 'sshd.root', deviations }, { nodes })?.subject).toBe('a')
  expect(exampleOf({ check, deviations }, { nodes: [] })?.subject).toBe('a')
})

describe('the findings that lead', () => {
  const check = (id: string, level: 'critical' | 'high', riskArea: string, status = 'open') =>
    ({ check: id, riskArea, status, severity: { level } }) as never
  const ids = (list: readonly { readonly check: string }[]) => list.map((one) => one.check)

  test('one of each area before a second of any', () => {
    const list = ['a', 'a', 'b', 'b', 'c', 'd', 'e', 'f'].map((area, at) => check(`${area}${at}`, 'high', area))
    expect(ids(leadingOf(list))).toEqual(['a0', 'a1', 'b2', 'c4', 'd5', 'e6', 'f7'])
  })

  test('accepted ones come after all others', () => {
    const list = [check('a', 'critical', 'a', 'risk-accepted'), ...['b', 'c'].map((area) => check(area, 'high', area))]
    expect(ids(leadingOf(list))).toEqual(['b', 'c', 'a'])
  })

  test('more areas than there is room for', () => {
    const list = [...'abcdefghij'].map((area) => check(area, 'high', area))
    expect(ids(leadingOf(list))).toEqual([...'abcdefg'])
  })
})

describe('a presentation', () => {
  test('its figures close', () => {
    const verdicts: Verdicts = {
      a: { 'access.sudo-policy': 'not-satisfied', 'encryption.in-transit.fabric': 'not-satisfied' },
      b: { 'tenancy.gpu-processes': 'not-satisfied', 'vuln.eol': 'inconclusive' },
    }
    const assessment = assessmentOf(verdicts, { silent: ['c'] })
    const { figures, findings, informational, frameworks } = presentationOf(matter(assessment))
    expect(figures.tested + figures.untested).toBe(figures.declared)
    const { critical, high, medium, low, info } = figures.findings
    expect([critical + high + medium + low, info]).toEqual([findings.length, 0])
    expect(figures.deviations).toBe(findings.reduce((sum, { deviations }) => sum + deviations.length, 0))
    expect(informational.map((one) => one.check)).toEqual(['encryption.in-transit.fabric'])
    for (const { rows, states } of frameworks)
      expect(states.reduce((sum, [, count]) => sum + count, 0)).toBe(rows.length)
  })

  test('of nothing at all states that there is nothing', () => {
    const { conclusion, inOrder, leading } = presentationOf(matter(assessmentOf({}, { silent: ['x'] })))
    expect(conclusion[0]).toBe('The declared node was not tested, and no finding was made.')
    expect([inOrder, leading]).toEqual([[], []])
  })
})
