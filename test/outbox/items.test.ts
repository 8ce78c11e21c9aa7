import { describe, expect, test } from 'vitest'
import type { ItemSource } from '../../main/core/outbox/item.ts'
import { OUTBOX_KEY, outboxKey } from '../../main/core/outbox/item.ts'
import { absentItems, datesOf, findingItems, type ItemMatter, packItem } from '../../main/present/outbox/items.ts'
import { ocsfEvents } from '../../main/present/outbox/ocsf.ts'
import { headline, linesOf } from '../../main/present/outbox/text.ts'
import { BANNED } from '../../schemas/words.ts'
import { formatSample } from '../support/format-sample.ts'

const input = formatSample()
const source: ItemSource = {
  schema: 'barewitness.item/1',
  sender: 'clinic-2026',
  fleet: input.assessment.scope.fleet,
  run: input.run,
  pack: { name: input.packName, sha256: 'ab'.repeat(32) },
  asOf: input.assessment.asOf,
  demo: false,
}
const matter: ItemMatter = { ...input, source }
const findings = findingItems(matter)
const pack = packItem(matter)

describe('items of a pack', () => {
  test('one for each finding, in their order, each with a key of its own', () => {
    expect(findings.length).toBeGreaterThan(10)
    expect(findings.map(({ reference }) => reference)).toEqual(input.shown.findings.map(({ reference }) => reference))
    const keys = [...findings, pack].map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
    for (const key of keys) expect(key).toMatch(OUTBOX_KEY)
  })

  test('the key of a finding stays in another pack of the fleet; that of a pack does not', () => {
    const later = { ...matter, source: { ...source, run: 'later', pack: { name: 'later', sha256: 'cd'.repeat(32) } } }
    expect(findingItems(later).map(({ key }) => key)).toEqual(findings.map(({ key }) => key))
    expect(packItem(later).key).not.toBe(pack.key)
  })

  test.each([
    ['another sender', { ...source, sender: 'lab-2026' }],
    ['another fleet', { ...source, fleet: 'other' }],
  ])('%s has other keys', (_, other) => {
    const keys = findingItems({ ...matter, source: other }).map(({ key }) => key)
    expect(keys.filter((key) => findings.some((one) => one.key === key))).toEqual([])
  })

  test('a key separates its parts', () => {
    expect(outboxKey('a', 'b', 'c', 'd')).not.toBe(outboxKey('a', 'b', 'cd'))
  })

  test('every item has the dates of its evidence and the digest of the pack', () => {
    for (const item of [...findings.filter(({ what }) => what === 'nodes'), pack]) {
      expect(item.pack.sha256, item.key).toBe(source.pack.sha256)
      expect(item.evidence?.from, item.key).toMatch(/^\d{4}-\d\d-\d\dT/)
    }
    expect(datesOf([null, '2026-02-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'])).toEqual({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-02-01T00:00:00.000Z',
    })
    expect(datesOf([null])).toBeNull()
  })

  test('rows of the provider inventory are counted and not named', () => {
    const [first] = input.shown.findings
    const shown = { ...input.shown, findings: first === undefined ? [] : [{ ...first, what: 'inventory' as const }] }
    const [item] = findingItems({ ...matter, shown })
    expect(item).toMatchObject({ nodes: [], what: 'inventory', deviations: first?.deviations.length })
  })

  test('counts of check results include every result, missing evidence apart', () => {
    const all = input.assessment.nodes.flatMap(({ results }) => results.map(({ verdict }) => verdict))
    const count = (wanted: string): number => all.filter((one) => one === wanted).length
    const { satisfied, notSatisfied, inconclusive, notTested, other } = pack.results
    expect(satisfied + notSatisfied + inconclusive + notTested + other).toBe(all.length)
    expect({ satisfied, inconclusive, notTested }).toEqual({
      satisfied: count('satisfied'),
      inconclusive: count('inconclusive'),
      notTested: count('not-tested'),
    })
  })
})

describe('what a pack shows of checks without a finding', () => {
  const absent = absentItems(matter)
  const verdictsOf = (check: string): readonly string[] =>
    input.assessment.nodes.map(({ results }) => results.find((one) => one.check === check)?.verdict ?? 'not-tested')

  test('each check has a finding or is absent, under the same key', () => {
    const checks = [...input.shown.findings, ...input.shown.informational, ...absent].map(({ check }) => check)
    expect(new Set(checks).size).toBe(checks.length)
    expect(absent.length).toBeGreaterThan(10)
    for (const { key, check } of absent) expect(key).toBe(outboxKey('clinic-2026', source.fleet, 'finding', check))
  })

  test('a node without evidence leaves every check undetermined', () => {
    expect(input.assessment.nodes.some(({ recording }) => recording === null)).toBe(true)
    expect(new Set(absent.map(({ outcome }) => outcome))).toEqual(new Set(['undetermined']))
    for (const one of absent) expect(one.notTested.length, one.check).toBeGreaterThan(0)
  })

  test('no deviation is stated only where every node is satisfied or cannot apply', () => {
    const nodes = input.assessment.nodes.filter(({ recording }) => recording !== null)
    const whole = { ...matter, assessment: { ...matter.assessment, nodes } }
    const items = absentItems(whole)
    expect(new Set(items.map(({ outcome }) => outcome))).toEqual(new Set(['none', 'undetermined']))
    for (const { check, outcome } of items) {
      const verdicts = verdictsOf(check).filter((_, at) => input.assessment.nodes[at]?.recording != null)
      const isDecided = verdicts.every((verdict) => ['satisfied', 'not-applicable'].includes(verdict))
      if (outcome === 'none') expect({ check, isDecided }).toEqual({ check, isDecided: true })
    }
  })
})

describe('what leaves with items', () => {
  const sent = [
    ...[...findings, ...absentItems(matter), pack].flatMap((item) => [
      JSON.stringify(item),
      headline(item),
      ...linesOf(item),
    ]),
    ...[...ocsfEvents(matter, '0')].map((event) => JSON.stringify(event)),
  ].join('\n')

  test('no observation, no content of a capture and no name of an owner', () => {
    const CANARY = 'canary-7f3a-in-an-observation'
    const text = (one: object): object => ({ ...one, text: CANARY })
    const planted = {
      ...matter,
      assessment: {
        ...matter.assessment,
        nodes: matter.assessment.nodes.map((node) => ({
          ...node,
          failure: node.failure === null ? null : { ...node.failure, detail: CANARY },
          results: node.results.map((one) => ({ ...one, observations: one.observations.map(text) })),
        })),
      },
      shown: {
        ...matter.shown,
        findings: matter.shown.findings.map((one) => ({
          ...one,
          cause: CANARY,
          effect: [CANARY],
          response: { owner: CANARY, due: '2026-12-01T00:00:00.000Z' },
          deviations: one.deviations.map((two) => ({ ...two, observations: two.observations.map(text) })),
        })),
      },
    } as unknown as ItemMatter
    expect(JSON.stringify(planted).includes(CANARY)).toBe(true)
    const items = [...findingItems(planted), ...absentItems(planted), packItem(planted), ...ocsfEvents(planted, '0')]
    expect(JSON.stringify(items).includes(CANARY)).toBe(false)
  })

  test.each(BANNED.map((banned) => [banned]))('no over-claim: %s', (banned) => {
    // The members of a foreign schema are not words of ours.
    const texts = sent.replaceAll(/"[a-z_]+":/g, '')
    expect(texts.match(banned)?.[0]).toBeUndefined()
  })
})

describe('OCSF events', () => {
  const events = [...ocsfEvents(matter, '1.2.3')] as unknown as readonly {
    readonly compliance: { readonly status_id: number; readonly status_code: string; readonly standards: unknown[] }
    readonly severity_id: number
    readonly finding_info: { readonly uid: string }
    readonly metadata: { readonly uid: string }
  }[]

  test('one for each check result of each node', () => {
    const results = input.assessment.nodes.reduce((sum, { results: all }) => sum + all.length, 0)
    expect(events).toHaveLength(results)
    expect(new Set(events.map(({ finding_info }) => finding_info.uid)).size).toBe(results)
    expect(new Set(events.map(({ metadata }) => metadata.uid)).size).toBe(results)
  })

  test.each([
    ['satisfied', 1],
    ['inconclusive', 2],
    ['not-tested', 2],
    ['not-satisfied', 3],
    ['not-applicable', 99],
    ['informational', 99],
  ])('%s is state %i', (verdict, state) => {
    const of = events.filter(({ compliance }) => compliance.status_code === verdict)
    expect(of.length, verdict).toBeGreaterThan(0)
    expect(new Set(of.map(({ compliance }) => compliance.status_id))).toEqual(new Set([state]))
  })

  test('an event as a whole', () => {
    const at = events.findIndex(({ compliance }) => compliance.status_code === 'not-satisfied')
    const node = input.assessment.nodes.find(({ results }) =>
      results.some(({ verdict }) => verdict === 'not-satisfied'),
    )
    const check = node?.results.find(({ verdict }) => verdict === 'not-satisfied')?.check ?? ''
    expect(events[at]).toMatchObject({
      activity_id: 1,
      category_uid: 2,
      class_uid: 2003,
      type_uid: 200301,
      time: Date.parse(input.assessment.asOf),
      metadata: { version: '1.3.0', product: { name: 'Barewitness', vendor_name: 'Barewitness', version: '1.2.3' } },
      finding_info: {
        uid: outboxKey('clinic-2026', source.fleet, 'result', check, node?.node ?? ''),
        last_seen_time: Date.parse(node?.observedAt ?? ''),
      },
      compliance: { control: check, status: 'Fail', status_id: 3, status_code: 'not-satisfied' },
      resources: [{ name: node?.node, type: 'Server' }],
      unmapped: {
        barewitness_pack_sha256: source.pack.sha256,
        barewitness_evidence_date: node?.observedAt,
        barewitness_demo: false,
      },
    })
  })
})
