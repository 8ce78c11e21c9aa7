import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { catalog } from '../../main/catalog/definition/index.ts'
import { canonicalJson } from '../../main/core/base/canonical-json.ts'
import type { NodeVerdicts } from '../../main/core/register/documents.ts'
import { RESPONSE_STATUSES } from '../../main/core/register/responses.ts'
import { EVIDENCE_LEVELS, ROW_STATES, type RowState } from '../../schemas/conclusion-words.ts'
import type { ControlAssessment, Engagement, EvidenceDocument, Register } from '../../schemas/types.ts'
import { VERDICTS, type Verdict } from '../../schemas/words.ts'
import {
  allDocuments,
  CONTROLS,
  concluded,
  documentFor,
  engagement,
  type Fleet,
  FRAMEWORKS,
  MAPPED,
  PERIOD,
  REQUEST_IDS,
  registerWith,
  server,
  staled,
  unreached,
} from '../support/conclusion-kit.ts'
import { decisionOf, responseOf, riskAcceptanceOf } from '../support/register.ts'
import { times } from '../support/thorough.ts'

/** The invariants I1 to I11 of the conclusion model, over random fleets and the frameworks as they ship. */
// BAREWITNESS_FLEETS=10000 takes some ten minutes; each run of the suites takes another sample.
const RUNS = { numRuns: Number(process.env.BAREWITNESS_FLEETS ?? times(30, 1_000)) }
const NODES = ['a', 'b', 'c'] as const

/** Worst first. A decision about a deviation leaves it one; a row that does not apply is as well off as a supported one. */
const RANK: Readonly<Record<RowState, number>> = {
  deviations: 0,
  'addressable-decision': 1,
  'unable-to-conclude': 2,
  'documents-outstanding': 3,
  supported: 4,
  'not-applicable': 4,
  'out-of-scope': 4,
}

const check = fc.constantFrom(...MAPPED)
const nodeName = fc.constantFrom(...NODES)
const request = fc.constantFrom(...REQUEST_IDS)
const conclusion = fc.constantFrom('supports' as const, 'does-not-support' as const)
const DAYS = ['2026-11-18T00:00:00.000Z', '2026-11-19T00:00:00.000Z', '2026-11-21T00:00:00.000Z'] as const
const ends = fc.constantFrom('2026-11-20T23:59:59.999Z', '2027-03-01T23:59:59.999Z')

const nodesArb: fc.Arbitrary<readonly NodeVerdicts[]> = fc
  .tuple(
    ...NODES.map((name) =>
      fc.record({
        name: fc.constant(name),
        kind: fc.constantFrom(
          'reached' as const,
          'reached' as const,
          'reached' as const,
          'unreached' as const,
          'stale' as const,
        ),
        results: fc.dictionary(check, fc.constantFrom<Verdict>(...VERDICTS), { maxKeys: 5 }),
      }),
    ),
    fc.integer({ min: 0, max: 3 }),
  )
  .map((parts) => {
    const many = parts.at(-1) as number
    return parts.slice(0, many).map((one) => {
      const { name, kind, results } = one as { name: string; kind: string; results: Record<string, Verdict> }
      if (kind === 'unreached') return unreached(name)
      return kind === 'stale' ? staled(server(name, results)) : server(name, results)
    })
  })

const documentArb: fc.Arbitrary<EvidenceDocument> = fc
  .record({
    request,
    level: fc.constantFrom(...EVIDENCE_LEVELS),
    conclusion,
    inspectedAt: fc.constantFrom(...DAYS),
    validUntil: fc.option(ends),
    answers: fc.option(fc.record({ check, node: nodeName })),
  })
  .map(({ request: id, level, conclusion: found, inspectedAt, validUntil, answers }) => {
    const made = documentFor(id, { level, conclusion: found, validUntil, attachedAt: DAYS[0] })
    return {
      ...made,
      ...(made.inspection === undefined ? {} : { inspection: { ...made.inspection, at: inspectedAt } }),
      ...(answers === null ? {} : { answers: { checks: [answers.check], nodes: [answers.node] } }),
    }
  })

const registerArb: fc.Arbitrary<Register> = fc
  .record({
    base: fc.constantFrom('all' as const, 'all' as const, 'none' as const),
    left: fc.array(request, { maxLength: 2 }),
    more: fc.array(documentArb, { maxLength: 4 }),
    decisions: fc.array(
      fc.record({
        row: fc.constantFrom(...CONTROLS),
        decision: fc.constantFrom('implemented', 'equivalent-alternative', 'not-implemented', 'not-applicable'),
        decidedAt: fc.constantFrom(...DAYS),
        expiresAt: ends,
      }),
      { maxLength: 4 },
    ),
    riskAcceptances: fc.array(fc.record({ check, node: nodeName, expiresAt: ends }), { maxLength: 3 }),
  })
  .map(({ base, left, more, decisions, riskAcceptances }) =>
    registerWith([...(base === 'all' ? allDocuments(undefined, left) : []), ...more], {
      decisions: decisions.map(({ row, ...rest }, at) =>
        decisionOf({ ...rest, id: String(at).padStart(32, 'd'), framework: row.framework, control: row.key } as never),
      ),
      riskAcceptances: riskAcceptances.map((one, at) =>
        riskAcceptanceOf({
          id: String(at).padStart(32, 'e'),
          check: one.check,
          nodes: [one.node],
          expiresAt: one.expiresAt,
        }),
      ),
    }),
  )

const store = fc.subarray([...NODES, 'undeclared'], { minLength: 1 })
const flow = fc.constantFrom('a to the archive', 'b', 'the archive')
const engagementArb: fc.Arbitrary<Engagement | undefined> = fc
  .record({
    declared: fc.boolean(),
    categories: fc.subarray(['availability', 'confidentiality', 'processing-integrity', 'privacy']),
    period: fc.boolean(),
    listed: fc.boolean(),
    stores: fc.array(store, { maxLength: 2 }),
    flows: fc.array(flow, { maxLength: 1 }),
  })
  .map(({ declared, categories, period, listed, stores, flows }) => {
    const plain = engagement()
    return declared || listed
      ? engagement({
          categories: categories as NonNullable<Engagement['categories']>,
          ...(period ? PERIOD : {}),
          inventory: listed ? plain.inventory : null,
          ephi: {
            ...plain.ephi,
            stores: stores.map((nodes, at) => ({ name: `s${at}`, path: '/data', nodes, what: 'scans' })),
            flows: flows.map((from) => ({ name: 'f', from, to: 'outside', protection: 'TLS' })),
          },
        })
      : undefined
  })

const fleetArb: fc.Arbitrary<Fleet> = fc
  .record({
    nodes: nodesArb,
    register: registerArb,
    engagement: engagementArb,
    uncovered: fc.constantFrom(0, 0, 1),
    chainCoversPeriod: fc.boolean(),
    framework: fc.constantFrom(...FRAMEWORKS),
  })
  .map(({ nodes, register, framework, ...matter }) => ({ nodes, register, matter, frameworks: [framework] }))

const attachmentsOf = ({ register }: Fleet): readonly EvidenceDocument[] => register?.documents ?? []
const withAttachments = (fleet: Fleet, documents: readonly EvidenceDocument[]): Fleet => ({
  ...fleet,
  register: { ...(fleet.register ?? registerWith([])), documents },
})
const withResult = (fleet: Fleet, node: string, id: string, verdict: Verdict): Fleet => ({
  ...fleet,
  nodes: fleet.nodes.map((one) =>
    one.node === node
      ? { ...one, results: one.results.map((found) => (found.check === id ? { check: id, verdict } : found)) }
      : one,
  ),
})

/** Rows that are worse off afterwards; and those that are supported only afterwards. */
const worse = (before: readonly ControlAssessment[], after: readonly ControlAssessment[]): string[] =>
  before.flatMap(({ control, state }, at) => {
    const then = after[at]?.state ?? 'deviations'
    return RANK[then] < RANK[state] ? [`${control}: ${state} → ${then}`] : []
  })
const newlySupported = (before: readonly ControlAssessment[], after: readonly ControlAssessment[]): string[] =>
  after.flatMap(({ control, state }, at) => (state === 'supported' && before[at]?.state !== state ? [control] : []))

const holds = <T>(what: fc.Arbitrary<T>, property: (fleet: Fleet, one: T) => void): void =>
  fc.assert(fc.property(fleetArb, what, property), RUNS)

const results = fc.array(fc.record({ node: nodeName, check }), { minLength: 1, maxLength: 4 })

describe('more evidence', () => {
  test('I1: a result that turns satisfied worsens no row', () =>
    holds(results, (fleet, turned) => {
      const after = turned.reduce((one, { node, check: id }) => withResult(one, node, id, 'satisfied'), fleet)
      expect(worse(concluded(fleet), concluded(after))).toEqual([])
    }))

  test('I1: a further document that supports, or one at a higher level, worsens no row', () =>
    holds(fc.record({ request, at: fc.nat() }), (fleet, { request: id, at }) => {
      const before = concluded(fleet)
      const attachments = attachmentsOf(fleet)
      expect(worse(before, concluded(withAttachments(fleet, [...attachments, documentFor(id)])))).toEqual([])
      const raised = attachments.map((one, index) => {
        if (index !== at % attachments.length || one.inspection?.conclusion === 'does-not-support') return one
        const inspection = { by: 'Bea', at: DAYS[2], lookedAt: 'all of it', conclusion: 'supports' as const }
        return { ...one, level: 'reperformed' as const, inspection }
      })
      expect(worse(before, concluded(withAttachments(fleet, raised)))).toEqual([])
    }))
})

describe('less evidence', () => {
  test('I2: without a result, or without all evidence of a server, no row becomes supported', () =>
    holds(fc.record({ results, node: nodeName }), (fleet, { results: removed, node }) => {
      const before = concluded(fleet)
      const without: Fleet = {
        ...fleet,
        nodes: fleet.nodes.map((one) => ({
          ...one,
          results: one.results.filter(
            (found) => !removed.some((which) => which.node === one.node && which.check === found.check),
          ),
        })),
      }
      expect(newlySupported(before, concluded(without))).toEqual([])
      const silent = { ...fleet, nodes: fleet.nodes.map((one) => (one.node === node ? unreached(node) : one)) }
      expect(newlySupported(before, concluded(silent))).toEqual([])
    }))

  test('I2: without a satisfied result, or a document that supports, no row is better off', () =>
    holds(fc.record({ results, at: fc.nat() }), (fleet, { results: removed, at }) => {
      const before = concluded(fleet)
      const satisfied = removed.filter(({ node, check: id }) =>
        fleet.nodes.some(
          (one) => one.node === node && one.results.some((f) => f.check === id && f.verdict === 'satisfied'),
        ),
      )
      const after = satisfied.reduce((one, { node, check: id }) => withResult(one, node, id, 'not-tested'), fleet)
      expect(worse(concluded(after), before)).toEqual([])
      const attachments = attachmentsOf(fleet)
      const kept = attachments.filter(
        (one, index) => index !== at % attachments.length || one.inspection?.conclusion === 'does-not-support',
      )
      expect(worse(concluded(withAttachments(fleet, kept)), before)).toEqual([])
    }))

  test('I2: without the documents of a request that one of them does not support, no row becomes supported', () =>
    holds(fc.nat(), (fleet, at) => {
      // What the engagement, the comparison of lists or a decision answers by itself is held without any document.
      const failing = attachmentsOf(fleet).filter(
        ({ inspection, controls }) =>
          inspection?.conclusion === 'does-not-support' &&
          catalog.requests.find(({ id }) => id === controls[0]?.control)?.heldBy === 'document',
      )
      const gone = failing[at % Math.max(1, failing.length)]
      if (gone === undefined) return
      // All of them: a repeated test may settle a failed one, so that the latest inspection decides.
      const about = gone.controls[0]?.control
      const kept = attachmentsOf(fleet).filter(({ controls }) => controls[0]?.control !== about)
      expect(newlySupported(concluded(fleet), concluded(withAttachments(fleet, kept)))).toEqual([])
    }))

  test('I3: without any document that a named person inspected, no row is supported', () =>
    holds(fc.constant(null), (fleet) => {
      // A level without who inspected it, when and with what conclusion counts as received.
      const bare = attachmentsOf(fleet).map(({ inspection: _, ...one }) => one)
      expect(concluded(withAttachments(fleet, bare)).filter(({ state }) => state === 'supported')).toEqual([])
    }))
})

describe('what a result changes', () => {
  test('I4, I5: only rows that it decides', () =>
    holds(fc.record({ node: nodeName, check, verdict: fc.constantFrom<Verdict>(...VERDICTS) }), (fleet, one) => {
      // A server that was not reached stays so, and a reached one stays reached.
      const isReached = fleet.nodes.some(
        ({ node, results: findings }) =>
          node === one.node && findings.filter(({ verdict }) => verdict !== 'not-tested').length > 1,
      )
      if (!isReached) return
      const before = concluded(fleet)
      const after = concluded(withResult(fleet, one.node, one.check, one.verdict))
      const touched = before.filter(
        (row, at) =>
          canonicalJson([row.state, row.server, row.documents]) !==
          canonicalJson([after[at]?.state, after[at]?.server, after[at]?.documents]),
      )
      for (const { checks, control } of touched)
        expect(checks.find(({ check: id }) => id === one.check)?.decides, control).toBe(true)
    }))

  test('I7: a risk acceptance changes no state', () =>
    holds(results, (fleet, accepted) => {
      const register = fleet.register ?? registerWith([])
      const riskAcceptances = accepted.map((one, at) =>
        riskAcceptanceOf({ id: String(at).padStart(32, 'f'), check: one.check, nodes: [one.node] }),
      )
      const after = concluded({
        ...fleet,
        register: { ...register, riskAcceptances: [...register.riskAcceptances, ...riskAcceptances] },
      })
      expect(after.map(({ state }) => state)).toEqual(concluded(fleet).map(({ state }) => state))
    }))
})

describe('what changes nothing', () => {
  test('I8: the order of servers, results, documents, decisions and acceptances', () =>
    holds(fc.constant(null), (fleet) => {
      const register = fleet.register ?? registerWith([])
      const turned: Fleet = {
        ...fleet,
        nodes: fleet.nodes.map((one) => ({ ...one, results: one.results.toReversed() })).toReversed(),
        register: {
          ...register,
          documents: register.documents.toReversed(),
          riskAcceptances: register.riskAcceptances.toReversed(),
          decisions: (register.decisions ?? []).toReversed(),
        },
      }
      expect(canonicalJson(concluded(turned))).toBe(canonicalJson(concluded(fleet)))
    }))

  test('I9: an overlay beside the rows in force', () =>
    holds(fc.constant(null), (fleet) => {
      const both = concluded({ ...fleet, frameworks: [...(fleet.frameworks ?? []), 'nprm'] })
      expect(both.filter(({ framework }) => framework !== 'nprm')).toEqual(concluded(fleet))
    }))
})

test('I10: every count adds up', () =>
  holds(fc.constant(null), (fleet) => {
    const rows = concluded(fleet)
    expect(rows).toHaveLength(CONTROLS.filter(({ framework }) => fleet.frameworks?.includes(framework)).length)
    const counts = ROW_STATES.map((state) => rows.filter((row) => row.state === state).length)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(rows.length)
    for (const { server: part, documents, checks, control } of rows) {
      expect(part.accepted <= part.deviating && part.deviating <= part.tested, control).toBe(true)
      expect(part.tested <= part.population && part.notRetested <= part.deviating, control).toBe(true)
      expect(documents.held + documents.outstanding.length <= documents.needed, control).toBe(true)
      expect(documents.needed, control).toBeLessThanOrEqual(
        documents.held + documents.outstanding.length + documents.deviations.length,
      )
      for (const one of checks) {
        const sum =
          one.satisfied + one.notSatisfied + one.inconclusive + one.notApplicable + one.informational + one.notTested
        expect(sum, one.check).toBe(one.population)
        expect(one.tested + one.notTested, one.check).toBeLessThanOrEqual(one.population)
        expect(one.accepted + one.notRetested <= 2 * one.notSatisfied, one.check).toBe(true)
      }
    }
  }))

test('I11: management responses change no row and no count', () =>
  holds(
    fc.array(fc.record({ check, status: fc.constantFrom(...RESPONSE_STATUSES), due: fc.option(ends) }), {
      minLength: 1,
      maxLength: 5,
    }),
    (fleet, stated) => {
      const responses = stated.map((one, at) =>
        responseOf({ ...one, id: String(at).padStart(32, '7'), statedAt: '2026-11-01T08:00:00.000Z' }),
      )
      const after = { ...fleet, register: { ...(fleet.register ?? registerWith([])), responses } }
      expect(canonicalJson(concluded(after))).toBe(canonicalJson(concluded(fleet)))
    },
  ))

describe('I6: every state is reached', () => {
  const every = {
    engagement: engagement({ categories: ['availability', 'confidentiality', 'processing-integrity', 'privacy'] }),
  }
  const documents = registerWith(allDocuments())
  const all = (verdict: Verdict): NodeVerdicts => server('a', Object.fromEntries(MAPPED.map((id) => [id, verdict])))
  const of = (fleet: Fleet) => new Map(concluded({ matter: every, ...fleet }).map((row) => [row.control, row]))
  const best = of({ nodes: [server('a')], register: documents })
  const scoped = CONTROLS.filter(({ key }) => best.get(key)?.state !== 'out-of-scope')
  const onServers = scoped.filter(({ key }) => (best.get(key)?.server.population ?? 0) > 0)
  const missing = (rows: ReadonlyMap<string, ControlAssessment>, among: typeof scoped, state: RowState) =>
    among.filter(({ key }) => rows.get(key)?.state !== state).map(({ key }) => key)
  const serverStates = (rows: ReadonlyMap<string, ControlAssessment>) =>
    [...new Set(onServers.map(({ key }) => rows.get(key)?.server.state))].sort()

  test('by every row on servers: deviations, unable to conclude, scope limitation, and no deviations', () => {
    expect(onServers).toHaveLength(35)
    expect(missing(of({ nodes: [all('not-satisfied')], register: documents }), onServers, 'deviations')).toEqual([])
    expect(serverStates(of({ nodes: [all('inconclusive')] }))).toEqual(['unable-to-conclude'])
    expect(serverStates(of({ nodes: [server('a'), unreached('b')] }))).toEqual(['scope-limitation'])
    expect(serverStates(of({ nodes: [unreached('a')] }))).toEqual(['not-tested'])
    // These two rest on counter checks alone, so that a satisfied result adds nothing.
    expect(
      onServers.filter(({ key }) => best.get(key)?.server.state !== 'no-deviations').map(({ key }) => key),
    ).toEqual(['hipaa:164.312(c)(1)', 'soc2:PI1.5'])
  })

  test('by every row in scope: supported, documents outstanding, deviations, not applicable', () => {
    expect(missing(best, scoped, 'supported')).toEqual([])
    expect(missing(of({ nodes: [server('a')] }), scoped, 'documents-outstanding')).toEqual([])
    const failed = registerWith(
      allDocuments().map((one) => documentFor(one.controls[0]?.control ?? '', { conclusion: 'does-not-support' })),
    )
    expect(missing(of({ nodes: [server('a')], register: failed }), scoped, 'deviations')).toEqual([])
    const decisions = scoped.map(({ framework, key }, at) =>
      decisionOf({ id: String(at).padStart(32, '0'), framework, control: key, decision: 'not-applicable' }),
    )
    expect(
      missing(of({ nodes: [unreached('a')], register: registerWith([], { decisions }) }), scoped, 'not-applicable'),
    ).toEqual([])
  })

  test('by every addressable row on servers: a decision in place', () => {
    const addressable = onServers.filter(({ level }) => level === 'addressable')
    const decisions = addressable.map(({ framework, key }, at) =>
      decisionOf({ id: String(at).padStart(32, '0'), framework, control: key, decision: 'not-implemented' }),
    )
    const rows = of({ nodes: [all('not-satisfied')], register: registerWith(allDocuments(), { decisions }) })
    expect(addressable.length).toBeGreaterThan(5)
    expect(missing(rows, addressable, 'addressable-decision')).toEqual([])
  })

  test('and an empty fleet without documents supports nothing', () =>
    expect(concluded({ nodes: [] }).filter(({ state }) => state === 'supported')).toEqual([]))
})
