import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeIdentity } from '../main/adapters/identity/certificates.ts'
import { signerOf } from '../main/adapters/identity/folder.ts'
import { outcomeOf } from '../main/app/collect/run.ts'
import { summaryText } from '../main/app/evaluate/summary.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { canonicalJson } from '../main/core/base/canonical-json.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { assess, withNodesCompared } from '../main/core/conclusion/assess.ts'
import { answeredIn } from '../main/core/history/trace.ts'
import type { LoadedRecording } from '../main/core/recording/recording.ts'
import { amongNodes, sharedAmong, surplusNames } from '../main/core/recording/same-machine.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import type { Catalog } from '../main/core/rules/catalog.ts'
import { populationGrid } from '../main/present/formats/grids/population.ts'
import type { MachineIdentity } from '../schemas/types.ts'
import type { Verdict } from '../schemas/words.ts'
import { realEntropy } from './support/deps.ts'
import { FIXTURE_TIME, fixtureRecording } from './support/fixtures.ts'
import {
  outcomes,
  type SampleOptions,
  sampleCatalog,
  samplePack,
  sourceOf,
  verifySource,
} from './support/sample-pack.ts'

const [B1, B2, B3] = ['b0000000-0000-4000-8000-000000000001', 'b0000000-0000-4000-8000-000000000002', null]
const day = (hours: number, lasts = 100): MachineIdentity['ran'] => ({
  from: new Date(Date.UTC(2026, 10, 1, hours)).toISOString(),
  to: new Date(Date.UTC(2026, 10, 1, hours + lasts)).toISOString(),
})
const serial = (value: string): MachineIdentity['marks'][number] => ({ part: 'board-serial', value })
const system = (value: string): MachineIdentity['marks'][number] => ({ part: 'system-serial', value })
const node = (name: string, told: Partial<MachineIdentity>) => ({
  node: name,
  machine: {
    address: '192.0.2.1',
    serials: [],
    identity: { boot: null, marks: [], hostKey: null, ran: null, container: false, ...told },
  },
})
const groups = (nodes: Parameters<typeof sharedAmong>[0]) => sharedAmong(nodes).machines.map((one) => one.nodes)

describe('which names are one machine', () => {
  test.each<[string, Partial<MachineIdentity>, Partial<MachineIdentity>, boolean]>([
    ['the same boot', { boot: B1 }, { boot: B1 }, true],
    ['another boot', { boot: B1 }, { boot: B2 }, false],
    ['no boot on either', { boot: B3 }, { boot: B3 }, false],
    [
      'the same board, restarted in between',
      { boot: B1, marks: [serial('S1')] },
      { boot: B2, marks: [serial('S1')] },
      true,
    ],
    ['the same board, no boot read', { marks: [serial('S1')] }, { boot: B2, marks: [serial('S1')] }, true],
    [
      'the same board, and both boots ran at the same time',
      { boot: B1, marks: [serial('S1')], ran: day(0) },
      { boot: B2, marks: [serial('S1')], ran: day(50) },
      false,
    ],
    [
      'the same board, one boot after the other',
      { boot: B1, marks: [serial('S1')], ran: day(0, 10) },
      { boot: B2, marks: [serial('S1')], ran: day(11) },
      true,
    ],
    [
      'one chassis gives one system serial to boards that differ',
      { boot: B1, marks: [system('C1'), serial('S1')] },
      { boot: B2, marks: [system('C1'), serial('S2')] },
      false,
    ],
    ['a container of it, by the boot', { boot: B1, container: true }, { boot: B1, marks: [serial('S1')] }, true],
    ['nothing but the same host key', { hostKey: 'SHA256:x' }, { hostKey: 'SHA256:x' }, false],
  ])('%s', (_, one, other, isOne) => {
    expect(groups([node('a', one), node('b', other)])).toEqual(isOne ? [['a', 'b']] : [])
  })

  test('a node that was not collected is compared with nothing', () => {
    expect(sharedAmong([{ node: 'a' }, node('b', { boot: B1 })])).toEqual({ compared: 0, machines: [], hostKeys: [] })
  })

  test('names are joined over others, and what they share is named', () => {
    const shared = sharedAmong([
      node('c', { boot: B2, marks: [serial('S1')] }),
      node('b', { boot: B1, marks: [serial('S1')] }),
      node('a', { boot: B1 }),
    ])
    expect(shared.machines).toEqual([
      { nodes: ['a', 'b', 'c'], by: [serial('S1'), { part: 'boot', value: B1 }], container: false },
    ])
    expect(surplusNames(shared)).toBe(2)
  })

  test('the order of nodes carries no meaning, and every name is in one machine at most', () => {
    const told = fc.record({
      boot: fc.constantFrom(null, B1, B2),
      marks: fc.subarray([serial('S1'), system('C1')]),
      hostKey: fc.constantFrom(null, 'SHA256:x', 'SHA256:y'),
      ran: fc.constantFrom(null, day(0, 10), day(11)),
    })
    fc.assert(
      fc.property(fc.array(told, { maxLength: 8 }), fc.infiniteStream(fc.nat()), (all, random) => {
        const nodes = all.map((one, place) => node(`n${place}`, one))
        const shared = sharedAmong(nodes)
        const shuffled = nodes.map((one) => [random.next().value ?? 0, one] as const).sort(([a], [b]) => a - b)
        expect(sharedAmong(shuffled.map(([, one]) => one))).toEqual(shared)
        const names = shared.machines.flatMap((one) => one.nodes)
        expect(new Set(names).size).toBe(names.length)
      }),
      { numRuns: 200 },
    )
  })
})

describe('who shows the same host key', () => {
  const keyed = (told: Partial<MachineIdentity>): Partial<MachineIdentity> => ({ hostKey: 'SHA256:x', ...told })
  const among = (nodes: Parameters<typeof sharedAmong>[0], name: string) => {
    const { sameKey, perhapsSameKey } = amongNodes(sharedAmong(nodes))(name)
    return [sameKey.first, perhapsSameKey.first]
  }

  test('names of one machine have it by nature', () => {
    expect(sharedAmong([node('v4', keyed({ boot: B1 })), node('v6', keyed({ boot: B1 }))]).hostKeys).toEqual([])
  })

  test('two boots that ran at the same time are two machines', () => {
    const nodes = [node('a', keyed({ boot: B1, ran: day(0) })), node('b', keyed({ boot: B2, ran: day(0) }))]
    expect(among(nodes, 'a')).toEqual([['b'], []])
    expect(among(nodes, 'b')).toEqual([['a'], []])
  })

  test('two boots of which one may be the other, restarted, are not distinguished', () => {
    const nodes = [node('a', keyed({ boot: B1, ran: day(0, 1) })), node('b', keyed({ boot: B2, ran: day(2) }))]
    expect(among(nodes, 'a')).toEqual([[], ['b']])
  })

  test('without a boot id nothing is stated about another machine', () => {
    expect(among([node('a', keyed({})), node('b', keyed({ boot: B2 }))], 'b')).toEqual([[], ['a']])
  })

  test('other names of the same machine are never among them', () => {
    const nodes = [
      node('a', keyed({ boot: B1, ran: day(0) })),
      node('a6', keyed({ boot: B1, ran: day(0) })),
      node('b', keyed({ boot: B2, ran: day(0) })),
      node('c', keyed({})),
    ]
    expect(among(nodes, 'a')).toEqual([['b'], ['c']])
    expect(among(nodes, 'b')).toEqual([['a', 'a6'], ['c']])
    expect(among(nodes, 'c')).toEqual([[], ['a', 'a6', 'b']])
  })
})

/** A fixture under another name, with some answers of its own. */
function named(fixture: string, name: string, answers: Readonly<Record<string, string>> = {}): LoadedRecording {
  const { recording, captures } = fixtureRecording(fixture, catalog.probes)
  return {
    recording: { ...recording, id: name, node: { ...recording.node, name } },
    captures: captures.map((one) => {
      const text = answers[`${one.meta.probe}/${one.meta.command}`]
      if (text === undefined) return one
      const stdout = new TextEncoder().encode(text)
      return { ...one, stdout, meta: { ...one.meta, stdout: { sha256: sha256(stdout), size: stdout.length } } }
    }),
  }
}

const ids = (boot: string): string => `/proc/sys/kernel/hostname:n\n/proc/sys/kernel/random/boot_id:${boot}\n`
const SERIALS = (board: string): string =>
  `/sys/class/dmi/id/product_serial:Default string\n/sys/class/dmi/id/board_serial:${board}\n`

function judged(recordings: readonly LoadedRecording[]) {
  const population = recordings.map(({ recording }) => recording.node.name)
  const scope = { fleet: 'test', population, frameworks: ['hipaa' as const] }
  const assessment = assess({ catalog, scope, recordings, asOf: FIXTURE_TIME })
  const verdict = (name: string, check: string): Verdict | undefined =>
    assessment.nodes.find((one) => one.node === name)?.results.find((found) => found.check === check)?.verdict
  return {
    assessment,
    identity: population.map((name) => verdict(name, 'evidence.host-identity')),
    key: population.map((name) => verdict(name, 'evidence.host-key-unique')),
    outcome: outcomeOf(assessment, EMPTY_REGISTER),
  }
}

describe('an assessment', () => {
  const clone = { 'host.identity/ids': ids(B2), 'host.serials/serials': SERIALS('OTHER-BOARD') }

  test('of one machine under two names supports neither, and counts it once', () => {
    const { assessment, identity, key, outcome } = judged([named('demo-gpu-01', 'a'), named('demo-gpu-01', 'b')])
    expect(assessment.shared?.machines.map(({ nodes }) => nodes)).toEqual([['a', 'b']])
    expect(identity).toEqual(['inconclusive', 'inconclusive'])
    expect(key).toEqual(['not-applicable', 'not-applicable'])
    expect(outcome.incomplete).toBe(true)
    const tested = assessment.controls.filter(({ server }) => server.population > 0)
    expect(tested.length).toBeGreaterThan(20)
    expect(tested.filter(({ server }) => server.state === 'no-deviations')).toEqual([])
    for (const { server } of tested) expect(server).toMatchObject({ population: 2, tested: 1 })
    expect(summaryText({ assessment, catalog, register: EMPTY_REGISTER, recordings: [] })).toContain(
      '1 of 2 declared nodes collected',
    )
    const { columns, rows } = populationGrid(assessment)
    const at = columns.findIndex(({ title }) => title === 'same machine as')
    expect(rows.map((row) => row[at])).toEqual(['b', 'a'])
    const reason = assessment.nodes[0]?.results
      .find(({ check }) => check === 'evidence.host-identity')
      ?.observations.at(-1)
    expect([reason?.direction, reason?.captures.length]).toEqual(['unclear', 1])
  })

  test('of one machine alone states nothing about others', () => {
    const { assessment, identity, key, outcome } = judged([named('demo-gpu-01', 'a')])
    expect([identity, key]).toEqual([['satisfied'], ['not-applicable']])
    expect(assessment.shared?.machines).toEqual([])
    expect(outcome.incomplete).toBe(false)
  })

  test('of a cloned image is contradicted on both, and counts as a gap', () => {
    const { assessment, identity, key, outcome } = judged([named('demo-gpu-01', 'a'), named('demo-gpu-01', 'b', clone)])
    expect(assessment.shared?.machines).toEqual([])
    expect(identity).toEqual(['satisfied', 'satisfied'])
    expect(key).toEqual(['not-satisfied', 'not-satisfied'])
    expect(outcome.gaps).toBe(true)
  })

  test('of machines with keys of their own is supported', () => {
    expect(judged([named('demo-gpu-01', 'a'), named('demo-gpu-02', 'b')]).key).toEqual(['satisfied', 'satisfied'])
  })

  test('placeholders of firmware make no two servers one', () => {
    const default_ = { 'host.serials/serials': SERIALS('To be filled by O.E.M.') }
    const { assessment } = judged([
      named('demo-gpu-01', 'a', { ...default_, 'system.load/uptime': 'unreadable' }),
      named('demo-gpu-02', 'b', { ...default_, 'system.load/uptime': 'unreadable' }),
    ])
    expect(assessment.shared?.machines).toEqual([])
  })

  test('without the boot id of one, neither is called another machine', () => {
    const silent = { 'host.identity/ids': '', 'host.serials/serials': SERIALS('None') }
    const { assessment, identity, key } = judged([named('demo-gpu-01', 'a'), named('demo-gpu-01', 'b', silent)])
    expect(assessment.shared?.machines).toEqual([])
    expect(identity).toEqual(['satisfied', 'inconclusive'])
    expect(key).toEqual(['inconclusive', 'inconclusive'])
  })

  test('evidence that is too old supports no comparison', () => {
    const recordings = [named('demo-gpu-01', 'a'), named('demo-gpu-02', 'b')]
    const scope = { fleet: 'test', population: ['a', 'b'], frameworks: [] }
    const { nodes } = assess({ catalog, scope, recordings, asOf: '2027-03-01T00:00:00.000Z' })
    const verdicts = nodes.flatMap(({ results }) =>
      results.flatMap(({ check, verdict }) => (check === 'evidence.host-key-unique' ? [verdict] : [])),
    )
    expect(verdicts).toEqual(['inconclusive', 'inconclusive'])
  })

  test('two recordings of one name are no two machines', () => {
    const again = named('demo-gpu-01', 'a')
    const recordings = [named('demo-gpu-01', 'a'), { ...again, recording: { ...again.recording, id: 'later' } }]
    const scope = { fleet: 'test', population: ['a'], frameworks: [] }
    const one = assess({ catalog, scope, recordings, asOf: FIXTURE_TIME })
    const other = assess({ catalog, scope, recordings: [...recordings].reverse(), asOf: FIXTURE_TIME })
    expect(one.shared?.machines).toEqual([])
    expect(canonicalJson(one)).toBe(canonicalJson(other))
  })
})

test('a trace counts machines, not names', () => {
  const whole = { status: 'complete' as const }
  const nodes = [whole, whole, whole, { status: 'failed' as const }] as unknown as Parameters<
    typeof answeredIn
  >[0]['nodes']
  expect(answeredIn({ nodes })).toBe(3)
  expect(answeredIn({ nodes, sameMachines: [['a', 'b']] })).toBe(2)
})

describe('a pack with one machine under two names', () => {
  const boot = '5d0c2e1a-7b44-4f0e-9a55-2f1c0de3a001'
  const oneMachine: Catalog = {
    ...sampleCatalog,
    checks: sampleCatalog.checks.map((check) => ({
      ...check,
      amongNodes: (alone, { machine }) => ({ verdict: machine === null ? alone : 'inconclusive', observations: [] }),
    })),
    identity: { probes: [], read: () => ({ boot, marks: [], hostKey: null, uptimeSeconds: null }) },
  }
  const made = makeIdentity({
    commonName: 'Owner',
    rootCommonName: 'Owner (root)',
    now: '2026-11-20T09:00:00.000Z',
    entropy: realEntropy,
  })
  const signer = signerOf({ ...made, subject: 'Owner', key: made.leafKey })
  const reproducible = async (forge?: SampleOptions['forge']): Promise<string | undefined> => {
    const files = await samplePack({ signer, catalog: oneMachine, ...(forge && { forge }) })
    const verified = await verifySource(sourceOf(files), [made.root], {
      verifiedAt: '2026-11-22T12:00:00.000Z',
      catalog: oneMachine,
    })
    return outcomes(verified).reproducibility
  }

  test('gives the same again, one node at a time', async () => {
    expect(await reproducible()).toBe('passed')
  })

  test('that states two machines, and verdicts to go with them, is found out', async () => {
    const two = { compared: 0, machines: [], hostKeys: [] }
    expect(
      await reproducible((honest) => ({
        ...honest,
        shared: two,
        nodes: honest.nodes.map(withNodesCompared(oneMachine, two, honest.asOf)),
      })),
    ).toBe('failed')
    expect(await reproducible(({ shared: _, ...honest }) => honest)).toBe('failed')
  })
})
