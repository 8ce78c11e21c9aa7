import { describe, expect, test } from 'vitest'
import { catalog } from '../../main/catalog/definition/index.ts'
import type { ServerState } from '../../schemas/conclusion-words.ts'
import { documentLine, serverLine } from '../../schemas/conclusion-words.ts'
import type { ControlAssessment } from '../../schemas/types.ts'
import type { Verdict } from '../../schemas/words.ts'
import {
  allDocuments,
  changes,
  concluded,
  documentFor,
  engagement,
  inState,
  PERIOD,
  registerWith,
  server,
  short,
  staled,
  statesOf,
  unreached,
} from '../support/conclusion-kit.ts'
import { decisionOf, riskAcceptanceOf } from '../support/register.ts'

/** The test fleets of the conclusion model, over the frameworks as they ship (docs/conclusions.md). */
const DOCUMENTS = registerWith(allDocuments())
const flawless = concluded({ nodes: [server('a')], register: DOCUMENTS })

/** One server that has its best result in every check but these, with every document. */
const except = (results: Readonly<Record<string, Verdict>>, register = DOCUMENTS) =>
  concluded({ nodes: [server('a', results)], register })

/** How many rows of a framework end in a state. */
const many = (rows: readonly ControlAssessment[], state: ControlAssessment['state']) =>
  [inState(rows, state, 'hipaa').length, inState(rows, state, 'soc2').length] as const

const serverRows = (rows: readonly ControlAssessment[], state: ServerState, framework: string) =>
  rows.filter((row) => row.framework === framework && row.state !== 'out-of-scope' && row.server.state === state)

const row = (rows: readonly ControlAssessment[], key: string): ControlAssessment => {
  const found = rows.find(({ control }) => short(control) === key)
  if (found === undefined) throw new Error(`no row ${key}`)
  return found
}

/** Rows that print a check as an observation: it is not satisfied there and does not decide. */
const observed = (rows: readonly ControlAssessment[], check: string): string[] =>
  rows
    .filter(
      ({ state, checks }) =>
        state !== 'out-of-scope' &&
        checks.some((one) => one.check === check && one.role === 'supporting' && !one.decides && one.notSatisfied > 0),
    )
    .map(({ control }) => short(control))

const to = (state: string, keys: readonly string[]): string[] => keys.map((key) => `${key}: supported → ${state}`)

/** Every document, one of them with changes of its own. */
const withDocument = (request: string, its: Parameters<typeof documentFor>[1]) =>
  registerWith([...allDocuments(undefined, [request]), documentFor(request, its)])

describe('one server', () => {
  test('F1: it was not reached, and there is no document', () => {
    const rows = concluded({ nodes: [unreached('a')] })
    expect(many(rows, 'supported')).toEqual([0, 0])
    expect(many(rows, 'unable-to-conclude')).toEqual([22, 12])
    expect(many(rows, 'documents-outstanding')).toEqual([44, 26])
    for (const key of ['312(b)', 'CC6.1'])
      expect(row(rows, key)).toMatchObject({ state: 'unable-to-conclude', server: { state: 'not-tested' } })
    expect(row(rows, '308(a)(2)').state).toBe('documents-outstanding')
  })

  test.each(['inquiry', 'received'] as const)('F2: it was not reached, and every document is at level %s', (level) => {
    const rows = concluded({ nodes: [unreached('a')], register: registerWith(allDocuments(level)) })
    expect(many(rows, 'supported')).toEqual([0, 0])
    expect(many(rows, 'unable-to-conclude')).toEqual([22, 12])
    expect(row(rows, '308(b)(3)')).toMatchObject({
      state: 'documents-outstanding',
      documents: { held: 0, outstanding: [{ level }, ...row(rows, '308(b)(3)').documents.outstanding.slice(1)] },
    })
  })

  test('F3: it is flawless, and there is no document', () => {
    const rows = concluded({ nodes: [server('a')] })
    expect(many(rows, 'documents-outstanding')).toEqual([66, 38])
    expect(row(rows, '312(a)(2)(iv)')).toMatchObject({
      state: 'documents-outstanding',
      server: { state: 'no-deviations', population: 1, tested: 1, deviating: 0 },
      documents: { state: 'outstanding' },
    })
  })

  test('F4: it is flawless, with every document', () => {
    expect(many(flawless, 'supported')).toEqual([66, 38])
    expect(many(flawless, 'out-of-scope')).toEqual([6, 23])
    for (const key of [
      ...['312(a)(2)(iv)', '312(a)(1)', '312(e)(1)', '312(e)(2)(ii)', '308(a)(8)', '316(b)(1)'],
      ...['CC4.1', 'CC6.1', 'CC6.6', 'CC7.1', 'CC8.1', 'C1.1'],
    ])
      expect(statesOf(flawless).get(key), key).toBe('supported')
    expect(serverRows(flawless, 'no-deviations', 'hipaa')).toHaveLength(21)
    expect(serverRows(flawless, 'no-server-test', 'hipaa')).toHaveLength(45)
    // The one row that rests on counter checks alone.
    const onlyCounters = serverRows(flawless, 'no-server-test', 'hipaa').filter(({ checks }) =>
      checks.some(({ decides }) => decides),
    )
    expect(onlyCounters.map(({ control }) => short(control))).toEqual(['312(c)(1)'])
  })
})

test('F5: three flawless servers, one not reached, every document', () => {
  const rows = concluded({
    nodes: [server('a'), server('b'), server('c'), unreached('d')],
    register: DOCUMENTS,
  })
  expect(many(rows, 'unable-to-conclude')).toEqual([22, 12])
  expect(many(rows, 'supported')).toEqual([44, 26])
  for (const key of inState(rows, 'unable-to-conclude')) expect(row(rows, key).server.state).toBe('scope-limitation')
  expect(serverLine(row(rows, '312(a)(1)').server)).toBe(
    'Scope limitation: no deviations on 3 nodes tested; 1 not tested',
  )
  expect(inState(rows, 'unable-to-conclude')).toEqual(expect.arrayContaining(['312(a)(1)', '308(a)(8)', 'CC6.1']))
  expect(inState(rows, 'supported')).toEqual(expect.arrayContaining(['308(b)(3)', '316(b)(1)']))
})

describe('a check that is not satisfied changes the rows that it decides, and no other', () => {
  test('F6: a weak key is an observation', () => {
    const rows = except({ 'access.authorized-keys': 'not-satisfied' })
    expect(changes(flawless, rows)).toEqual([])
    expect(observed(rows, 'access.authorized-keys')).toEqual(expect.arrayContaining(['312(d)', 'CC6.1']))
  })

  test('F7: a shared account', () => {
    const rows = except({ 'access.unique-accounts': 'not-satisfied' })
    expect(changes(flawless, rows)).toEqual(to('deviations', ['312(a)(1)', '312(a)(2)(i)', '312(d)', 'CC6.1']))
    expect(statesOf(rows).get('308(a)(3)(ii)(C)')).toBe('supported')
    expect(serverLine(row(rows, '312(d)').server)).toBe('Deviations noted: deviations on 1 of 1 node tested')
  })

  test('rights that differ from the roster are no failed termination', () => {
    const rows = except({ 'access.roster-match': 'not-satisfied' })
    expect(statesOf(rows).get('308(a)(3)(i)')).toBe('deviations')
    expect(statesOf(rows).get('308(a)(3)(ii)(C)')).toBe('supported')
    expect(observed(rows, 'access.roster-match')).toContain('308(a)(3)(ii)(C)')
    // An account outside of the roster that can be opened: whether its owner has left is not known.
    const open = except({ 'access.roster-match': 'not-satisfied', 'access.leaver-accounts': 'inconclusive' })
    expect(statesOf(open).get('308(a)(3)(ii)(C)')).toBe('unable-to-conclude')
  })

  test('F10: what a server with GPUDirect has switched off decides nothing', () =>
    expect(
      changes(
        flawless,
        except({
          'tenancy.iommu': 'not-satisfied',
          'encryption.in-transit.fabric': 'not-satisfied',
          'integrity.secure-boot': 'not-satisfied',
          'integrity.kernel-lockdown': 'not-satisfied',
          'access.sshd.mfa': 'not-satisfied',
        }),
      ),
    ).toEqual([]))

  // No criterion asks for single tenancy. A commitment to it is compared with the claims of the provider, under CC9.2.
  test.each(['not-satisfied', 'inconclusive'] as const)('shared GPUs, if %s, are an observation', (verdict) => {
    const rows = except({ 'tenancy.gpu-exclusive': verdict })
    expect(changes(flawless, rows)).toEqual([])
    if (verdict === 'not-satisfied')
      expect(observed(rows, 'tenancy.gpu-exclusive')).toEqual(['312(a)(1)', 'CC6.1', 'CC9.2', 'C1.1'])
  })

  test('F14: another mount in clear is an observation', () => {
    const rows = except({ 'encryption.at-rest.other-mounts': 'not-satisfied' })
    expect(changes(flawless, rows)).toEqual([])
    expect(observed(rows, 'encryption.at-rest.other-mounts')).toEqual(['312(a)(2)(iv)', 'CC6.1', 'C1.1'])
  })

  test('F16: a foreign tenant', () => {
    const foreign = {
      'tenancy.gpu-processes': 'not-satisfied',
      'tenancy.gpu-exclusive': 'not-satisfied',
      'tenancy.user-census': 'not-satisfied',
    } as const
    expect(changes(flawless, except(foreign))).toEqual(to('deviations', ['312(a)(1)', 'CC6.1', 'C1.1']))
    // Its finding comes first on page 1.
    const severities = catalog.severities.filter(({ check }) => check in foreign)
    expect(severities.map(({ severity }) => severity)).toContain('critical')
  })
})

describe('documents that answer results', () => {
  const weak = { 'access.sshd.password-auth': 'not-satisfied', 'access.sshd.mfa': 'not-satisfied' } as const

  test('F8: single-factor SSH, and the bastion’s document names no check', () => {
    const rows = except(weak)
    expect(changes(flawless, rows)).toEqual(to('deviations', ['CC6.1', 'CC6.6']))
    expect(observed(rows, 'access.sshd.password-auth')).toContain('312(d)')
  })

  test('F9: the same, and the document names both checks: the results stay as observed', () => {
    const register = withDocument('ER-18', {
      answers: { checks: ['access.sshd.password-auth', 'access.sshd.mfa'], nodes: ['a'] },
    })
    const rows = except(weak, register)
    expect(changes(flawless, rows)).toEqual([])
    for (const check of Object.keys(weak))
      for (const { control, checks } of rows)
        for (const one of checks.filter((each) => each.check === check))
          expect(one, short(control)).toMatchObject({ notSatisfied: 1, answeredByDocument: 1, satisfied: 0 })
  })

  test('F21: the patch level is undecided, and then answered by a scan', () => {
    const undecided = { 'vuln.patch-level': 'inconclusive' } as const
    expect(changes(flawless, except(undecided))).toEqual(to('unable-to-conclude', ['CC7.1']))
    const register = withDocument('ER-29', { answers: { checks: ['vuln.patch-level'], nodes: ['a'] } })
    expect(changes(flawless, except(undecided, register))).toEqual([])
  })
})

describe('a declared path in clear', () => {
  const open = { 'encryption.at-rest.ephi-paths': 'not-satisfied' } as const
  const rows = ['312(a)(2)(iv)', 'CC6.1', 'C1.1']

  test('F11: three rows', () => {
    const found = except(open)
    expect(changes(flawless, found)).toEqual(to('deviations', rows))
    for (const key of ['310(d)(2)(i)', '308(a)(1)(ii)(B)', 'CC5.2'])
      expect(statesOf(found).get(key), key).toBe('supported')
  })

  test('F12: with an approved equivalent alternative', () => {
    const decisions = [decisionOf({ decision: 'equivalent-alternative' })]
    expect(changes(flawless, except(open, registerWith(allDocuments(), { decisions })))).toEqual([
      ...to('addressable-decision', ['312(a)(2)(iv)']),
      ...to('deviations', ['CC6.1', 'C1.1']),
    ])
  })

  test.each([
    ['in force', '2027-03-01T23:59:59.999Z', 1],
    ['expired', '2026-11-21T23:59:59.999Z', 0],
  ])('F13: with a risk acceptance that is %s', (_name, expiresAt, accepted) => {
    const riskAcceptances = [riskAcceptanceOf({ check: 'encryption.at-rest.ephi-paths', nodes: ['a'], expiresAt })]
    const found = except(open, registerWith(allDocuments(), { riskAcceptances }))
    expect(changes(flawless, found)).toEqual(to('deviations', rows))
    for (const key of rows)
      expect(row(found, key).server).toMatchObject({ state: 'deviations', deviating: 1, accepted })
  })
})

test('F15: one row of the provider’s listing is not reconciled', () =>
  expect(changes(flawless, concluded({ nodes: [server('a')], register: DOCUMENTS, matter: { uncovered: 1 } }))).toEqual(
    to('unable-to-conclude', ['308(a)(8)', 'CC2.1', 'CC4.1']),
  ))

test('F17: the restore test failed', () => {
  const register = withDocument('ER-25', { conclusion: 'does-not-support' })
  const rows = concluded({ nodes: [server('a')], register })
  // CC7.5 maps the restore test as supporting alone: there the document is optional, and no state changes.
  const failing = ['308(a)(7)(ii)(B)', '308(a)(7)(ii)(D)', 'A1.3']
  expect(changes(flawless, rows)).toEqual(to('deviations', failing))
  for (const key of failing) {
    expect(row(rows, key).documents).toMatchObject({ state: 'deviations', deviations: ['ER-25'] })
    expect(row(rows, key).server.state).not.toBe('deviations')
  }
})

test('F18: all evidence is 31 days old, and the firewall was not satisfied', () => {
  const rows = concluded({
    nodes: [staled(server('a', { 'network.host-firewall': 'not-satisfied' }))],
    register: DOCUMENTS,
  })
  expect(inState(rows, 'deviations')).toEqual(['CC6.6'])
  expect(serverLine(row(rows, 'CC6.6').server)).toBe(
    'Deviations noted: deviations on 1 of 1 node tested; 1 not retested since',
  )
  expect(many(rows, 'unable-to-conclude')).toEqual([22, 11])
  expect(statesOf(rows).get('308(a)(2)')).toBe('supported')
})

describe('F19: one run', () => {
  // One run shows nothing about disks that were exchanged.
  const nodes = [server('a', { 'lifecycle.disk-swap-detection': 'inconclusive' })]

  test('in a period engagement', () =>
    expect(
      changes(flawless, concluded({ nodes, register: DOCUMENTS, matter: { engagement: engagement(PERIOD) } })),
    ).toEqual(
      to('unable-to-conclude', [
        ...['308(a)(8)', '310(d)(1)', '310(d)(2)(iii)', '316(b)(1)'],
        ...['CC4.1', 'CC7.1', 'CC8.1'],
      ]),
    ))

  test('at a point in time', () => expect(changes(flawless, concluded({ nodes, register: DOCUMENTS }))).toEqual([]))

  test('once the chain of runs covers the period', () =>
    expect(
      changes(
        flawless,
        concluded({
          nodes: [server('a')],
          register: DOCUMENTS,
          matter: { engagement: engagement(PERIOD), chainCoversPeriod: true },
        }),
      ),
    ).toEqual([]))
})

describe('F20: a second server without ePHI has open disks and no backup tool', () => {
  const nodes = [
    server('a'),
    server('b', {
      'encryption.at-rest.block-graph': 'not-satisfied',
      'encryption.at-rest.other-mounts': 'not-satisfied',
      'encryption.at-rest.ephi-paths': 'inconclusive',
      // As on every server without a declared path.
      'inventory.ephi-paths': 'inconclusive',
      'backup.job-status': 'inconclusive',
      'backup.freshness': 'inconclusive',
    }),
  ]
  const ephi = { ...engagement().ephi, stores: [{ name: 's', path: '/data', nodes: ['a'], what: 'scans' }] }
  const matter = { engagement: engagement({ ephi }) }

  test('with the data map inspected', () =>
    expect(changes(flawless, concluded({ nodes, register: DOCUMENTS, matter }))).toEqual([]))

  test('without it', () => {
    const rows = concluded({ nodes, register: registerWith(allDocuments(undefined, ['ER-12'])), matter })
    expect(inState(rows, 'unable-to-conclude')).toEqual([
      ...['308(a)(7)(ii)(A)', '312(a)(2)(iv)', 'CC6.1', 'A1.2', 'C1.1'],
    ])
    expect(inState(rows, 'documents-outstanding')).toEqual(['308(a)(4)(i)', 'CC2.1'])
    expect(many(rows, 'deviations')).toEqual([0, 0])
  })
})

test('F22: three servers, one with the audit service off, one not reached', () => {
  const rows = concluded({
    nodes: [server('a'), server('b', { 'audit.auditd-running': 'not-satisfied' }), unreached('c')],
    register: DOCUMENTS,
  })
  expect(serverLine(row(rows, '312(b)').server)).toBe(
    'Deviations noted: deviations on 1 of 2 nodes tested; 1 not tested',
  )
  expect(row(rows, '312(d)')).toMatchObject({ state: 'unable-to-conclude', server: { state: 'scope-limitation' } })
  expect(inState(rows, 'deviations')).toEqual(['308(a)(1)(ii)(D)', '312(b)', 'CC7.2'])
  expect(many(rows, 'unable-to-conclude')).toEqual([20, 11])
})

test('F23: Security alone', () => {
  const rows = concluded({
    nodes: [server('a')],
    register: DOCUMENTS,
    matter: { engagement: engagement({ categories: [] }) },
  })
  expect(many(rows, 'supported')).toEqual([66, 33])
  const outside = inState(rows, 'out-of-scope', 'soc2')
  expect(outside).toEqual(expect.arrayContaining(['A1.1', 'A1.2', 'A1.3', 'C1.1', 'C1.2']))
  expect(outside.every((key) => /^(A|C|PI|P)\d/.test(key))).toBe(true)
  expect(changes(flawless, rows)).toEqual(to('out-of-scope', ['A1.1', 'A1.2', 'A1.3', 'C1.1', 'C1.2']))
})

test('documents are counted out of those that the row needs', () => {
  expect(documentLine(row(flawless, '308(b)(3)').documents)).toMatch(/^Documents inspected: (\d+) of \1 held$/)
  expect(documentLine(row(concluded({ nodes: [server('a')] }), '308(b)(3)').documents)).toMatch(
    /^Documents outstanding: 0 of \d+ held$/,
  )
})
