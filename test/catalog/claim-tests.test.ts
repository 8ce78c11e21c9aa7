import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CLAIM_TESTS } from '../../main/catalog/definition/claims/tests.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { redundancyState } from '../../main/catalog/hardware/redundancy/index.ts'
import { SIGNAL_PROBES } from '../../main/catalog/single-tenancy/isolation/signals.ts'
import { canonicalJson } from '../../main/core/base/canonical-json.ts'
import { captureKey, type Parsed, readProbe } from '../../main/core/recording/probe.ts'
import { type Check, type Conclusion, type Context, conclude } from '../../main/core/rules/check.ts'
import { thresholdValues } from '../../main/core/rules/profile.ts'
import { BANNED } from '../../schemas/words.ts'
import { reading } from '../support/device-facts.ts'
import { FIXTURE_TIME, fixtureNames, fixtureRecording } from '../support/fixtures.ts'

/** Rules that hold for every reading that a promise can be compared with, over the recorded nodes. A new one is covered by its line here. */

/** Values that someone can promise, by reading. */
const PROMISED: Readonly<Record<string, readonly (string | number | null)[]>> = {
  'gpu.model': ['H100', 'A100', 'H200 or H100'],
  'gpu.count': [1, 8],
  'gpu.present': [null],
  'gpu.whole': [null],
  'gpu.board': ['sxm', 'hopper-sxm'],
  'gpu.memory-gib': [40, 80, 141],
  'gpu.pcie-width': [1, 16, 32],
  'gpu.pcie-generation': [1, 5, 6],
  'gpu.nvlink-links': [3, 4, 5],
  'gpu.nvlink-bandwidth': [400, 900, 1800],
  'gpu.nvswitch': [null],
  'gpu.mig': [null],
  'gpu.direct-path': ['rdma', 'storage'],
  'network.ethernet-rate': [1, 25, 100],
  'network.infiniband-rate': [200, 400],
  'network.fabric-kind': ['infiniband', 'roce'],
  'network.rdma': ['roce-v2', 'infiniband', 'either'],
  'network.own-port': [null],
  'storage.local-nvme': [null],
  'storage.nvme-raid': [null],
  'storage.nvme-of': [null],
  'software.scheduler': ['kubernetes', 'slurm'],
  'memory.gib': [64, 2048],
  'location.country': ['US', 'DE'],
  'access.provider-agents': [null],
}

/** Readings that recorded nodes do not answer each way. */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  'storage.nvme-of': ['inconclusive', 'not-satisfied'],
  'access.provider-agents': ['inconclusive', 'satisfied'],
}

const promises: readonly (readonly [string, Check])[] = CLAIM_TESTS.flatMap((one) =>
  (PROMISED[one.id] ?? []).flatMap((value) => {
    const check = one.of(value)
    return check === null ? [] : [[`${one.id} ${value}`, check] as const]
  }),
)
const probesOf = ({ requires, optional }: Check) => [...Object.values(requires), ...Object.values(optional ?? {})]
const read = [...new Map(promises.flatMap(([, check]) => probesOf(check)).map((probe) => [probe.id, probe])).values()]

interface Node {
  readonly name: string
  readonly readings: ReadonlyMap<string, Parsed<unknown>>
  readonly context: Context
}

const nodes: readonly Node[] = fixtureNames()
  .filter((name) => /^(demo|fx-iso|fx-operations|fx-enc-covered$|vm-)/.test(name))
  .map((name) => {
    const { recording, captures } = fixtureRecording(name, read)
    const byKey = new Map(captures.map((one) => [captureKey(one.meta.probe, one.meta.command), one]))
    const thresholds = thresholdValues(catalog.thresholds, undefined)
    return {
      name,
      readings: new Map(read.map((probe) => [probe.id, readProbe(probe, byKey)])),
      context: { node: recording.node, asOf: FIXTURE_TIME, observedAt: FIXTURE_TIME, thresholds },
    }
  })
const concluded = (check: Check, { readings, context }: Node): Conclusion => conclude(check, readings, context)
const seen = new Map(promises.map(([name, check]) => [name, nodes.map((node) => concluded(check, node))]))
const ours = (text: string): string => text.replace(/“[^”]*”/g, '')

describe('every claim test', () => {
  test('has an id of its own, values to try, and words that do not over-claim', () => {
    expect(new Set(CLAIM_TESTS.map(({ id }) => id)).size).toBe(CLAIM_TESTS.length)
    expect(Object.keys(PROMISED).sort()).toEqual(CLAIM_TESTS.map(({ id }) => id).sort())
    expect(promises.length).toBe(Object.values(PROMISED).flat().length)
    for (const { id, title, limitations } of CLAIM_TESTS)
      expect([id, /\.$/.test(title), /\.$/.test(limitations), limitations.length > 20]).toEqual([id, true, true, true])
    const said = promises.flatMap(([name, check]) => [
      check.expected,
      check.limitations,
      ...(seen.get(name) ?? []).flatMap(({ observations }) => observations.map(({ text }) => ours(text))),
    ])
    const texts = [...new Set([...said, ...CLAIM_TESTS.flatMap(({ title, limitations }) => [title, limitations])])]
    expect(texts.filter((text) => BANNED.some((word) => word.test(text)) || /—|–/.test(text))).toEqual([])
  })

  test('reads only probes that the catalog collects, and cites what it reads', () => {
    const known = new Set(catalog.probes.map(({ id }) => id))
    expect(read.filter(({ id }) => !known.has(id)).map(({ id }) => id)).toEqual([])
    const stray = promises.flatMap(([name, check]) => {
      const own = new Map(probesOf(check).map((probe) => [probe.id, probe]))
      return (seen.get(name) ?? []).flatMap(({ observations }) =>
        observations.length === 0
          ? [`${name}: no reason`]
          : observations
              .filter(
                ({ probe, commands = [] }) =>
                  probe !== null &&
                  (own.get(probe) === undefined || commands.some((one) => !(one in (own.get(probe)?.commands ?? {})))),
              )
              .map(({ probe }) => `${name}: ${probe}`),
      )
    })
    expect(stray).toEqual([])
  })

  // A provider's agents can agree with a claim and never contradict it. storage.nvme-of is observed in claim-readings.test.ts: no recorded node has such a drive. A country is never observed.
  test.each(CLAIM_TESTS.map(({ id }) => [id]))('%s ends each way on recorded nodes', (id) => {
    const verdicts = new Set(
      promises.flatMap(([name]) =>
        name.startsWith(`${id} `) ? (seen.get(name) ?? []).map(({ verdict }) => verdict) : [],
      ),
    )
    const ways = WAYS[id] ?? ['inconclusive', 'not-satisfied', 'satisfied']
    expect([...verdicts].sort()).toEqual(ways)
  })

  test('without a probe it needs it is undecided, and without any probe it neither supports nor contradicts anew', () => {
    const missing: Parsed<unknown> = { ok: false, reason: 'this was not collected' }
    const turned: unknown[] = []
    // Signals are many, and the argument from them has tests of its own; a few nodes are enough for those.
    const few = new Set(['demo-gpu-01', 'demo-guest-03', 'demo-metal-04', 'fx-iso-graviton-metal'])
    for (const [name, check] of promises) {
      const needed = new Set(Object.values(check.requires).map(({ id }) => id))
      for (const [index, node] of nodes.entries()) {
        const before = seen.get(name)?.[index]?.verdict
        for (const { id } of probesOf(check)) {
          if (node.readings.get(id)?.ok !== true) continue
          if (id in SIGNAL_PROBES && !needed.has(id) && !few.has(node.name)) continue
          const readings = new Map([...node.readings, [id, missing]])
          const { verdict } = conclude(check, readings, node.context)
          const isNew = verdict !== 'inconclusive' && verdict !== before
          if (isNew || (needed.has(id) && verdict !== 'inconclusive')) turned.push([name, node.name, id, verdict])
        }
      }
    }
    expect(turned).toEqual([])
  })

  test.each<[string, string, string, Conclusion['verdict']]>([
    ['an emulated drive', 'vm-dressed-tables', 'storage.local-nvme null', 'inconclusive'],
    ['a machine whose layer is not decided', 'fx-iso-dpu', 'storage.local-nvme null', 'inconclusive'],
    ['volumes of the provider’s service', 'fx-iso-graviton-metal', 'storage.local-nvme null', 'not-satisfied'],
    ['an array that lacks a member', 'fx-operations-failing', 'storage.nvme-raid null', 'inconclusive'],
    ['a guest’s paravirtual adapter', 'fx-iso-vmware', 'network.own-port null', 'inconclusive'],
    ['a virtual function', 'demo-metal-04', 'network.own-port null', 'not-satisfied'],
    ['a guest with one GPU handed over', 'demo-metal-04', 'gpu.whole null', 'satisfied'],
    ['a whole server', 'demo-gpu-01', 'gpu.nvlink-bandwidth 900', 'satisfied'],
    ['a whole server', 'demo-gpu-01', 'gpu.nvlink-bandwidth 1800', 'not-satisfied'],
    ['a whole server', 'demo-gpu-01', 'gpu.board hopper-sxm', 'satisfied'],
    ['a whole server', 'demo-gpu-01', 'gpu.memory-gib 80', 'satisfied'],
    ['a whole server', 'demo-gpu-01', 'gpu.memory-gib 141', 'not-satisfied'],
    ['a whole server', 'demo-gpu-01', 'gpu.pcie-generation 6', 'not-satisfied'],
    ['a whole server with InfiniBand', 'demo-gpu-01', 'network.fabric-kind infiniband', 'satisfied'],
    ['a guest without a fabric', 'demo-guest-03', 'network.fabric-kind infiniband', 'not-satisfied'],
    ['a loaded module', 'demo-gpu-01', 'gpu.direct-path rdma', 'satisfied'],
    ['no module of its own', 'demo-gpu-01', 'gpu.direct-path storage', 'inconclusive'],
    ['a server without agents of a provider', 'demo-gpu-01', 'access.provider-agents null', 'inconclusive'],
    ['a country that the time contradicts', 'demo-metal-04', 'location.country DE', 'not-satisfied'],
    ['a region elsewhere by the provider’s own word', 'fx-iso-cloud-abroad', 'location.country US', 'inconclusive'],
    ['a time that reaches no land of the country', 'demo-gpu-01', 'location.country DE', 'not-satisfied'],
    ['a time that reaches no land of another', 'demo-gpu-01', 'location.country US', 'satisfied'],
    ['a time that reaches several countries', 'demo-gpu-02', 'location.country US', 'inconclusive'],
  ])('of %s (%s), %s is %s', (_, name, promise, verdict) => {
    const index = nodes.findIndex((node) => node.name === name)
    expect(seen.get(promise)?.[index]?.verdict).toBe(verdict)
  })

  test.each<[string, string, Conclusion['verdict']]>([
    ['and nothing joins them', '', 'not-satisfied'],
    ['and a ZFS pool may', '/proc/spl/kstat/zfs/tank/state:ONLINE', 'inconclusive'],
    [
      'and a btrfs volume has two devices',
      '/sys/fs/btrfs/1/devinfo/1/missing:0\n/sys/fs/btrfs/1/devinfo/2/missing:0',
      'inconclusive',
    ],
    ['and an array names a device that is not listed', '/proc/mdstat:md77 : active raid1 x[0] y[1]', 'inconclusive'],
  ])('of local NVMe drives without md arrays %s, storage.nvme-raid is %s', (_, text, verdict) => {
    const node = nodes.find(({ name }) => name === 'demo-gpu-01')
    const check = promises.find(([name]) => name === 'storage.nvme-raid null')?.[1]
    if (node === undefined || check === undefined) throw new Error('no such node or reading')
    const [probe, found] = reading(redundancyState, { state: `/proc/sys/kernel/random/boot_id:x\n${text}` })
    expect(conclude(check, new Map([...node.readings, [probe.id, found]]), node.context).verdict).toBe(verdict)
  })

  test('gives the same answer twice', () => {
    for (const [name, check] of promises)
      expect(canonicalJson(nodes.map((node) => concluded(check, node)))).toBe(canonicalJson(seen.get(name) ?? null))
  })

  test('takes a value that fits or refuses it, whatever it is', () => {
    const value = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.constant(null), fc.string({ unit: 'binary' }))
    const [node] = nodes
    fc.assert(
      fc.property(fc.constantFrom(...CLAIM_TESTS), value, (one, promised) => {
        const check = one.of(promised)
        if (check === null || node === undefined) return
        expect(['satisfied', 'not-satisfied', 'inconclusive']).toContain(concluded(check, node).verdict)
        expect(check.expected.length).toBeLessThan(400)
      }),
      { numRuns: 150 },
    )
  })
})

describe('values', () => {
  const takes = (id: string, value: string | number | null): boolean =>
    CLAIM_TESTS.find((one) => one.id === id)?.of(value) != null

  test.each<[string, string | number | null]>([
    ['gpu.model', null],
    ['gpu.model', 8],
    ['gpu.model', ''],
    ['gpu.model', 'NVIDIA'],
    ['gpu.model', `H100${' '.repeat(60)}`],
    ['gpu.count', 0],
    ['gpu.count', 1.5],
    ['gpu.count', 1e9],
    ['gpu.count', '8'],
    ['gpu.nvlink-links', 0],
    ['gpu.nvlink-links', 6],
    ['gpu.nvlink-links', Number.NaN],
    ['gpu.nvswitch', 4],
    ['gpu.mig', ''],
    ['network.ethernet-rate', -100],
    ['network.ethernet-rate', Number.POSITIVE_INFINITY],
    ['network.infiniband-rate', 'HDR'],
    ['network.rdma', 'iwarp'],
    ['network.rdma', 'toString'],
    ['network.own-port', true as unknown as null],
    ['storage.local-nvme', 0],
    ['software.scheduler', 'constructor'],
    ['memory.gib', 0],
    ['gpu.model', 'H100 or NVIDIA'],
    ['gpu.board', 'pcie'],
    ['gpu.memory-gib', 0],
    ['gpu.pcie-width', 64],
    ['gpu.pcie-generation', 7],
    ['gpu.pcie-generation', 4.5],
    ['gpu.nvlink-bandwidth', Number.POSITIVE_INFINITY],
    ['gpu.direct-path', null],
    ['gpu.present', 1],
    ['gpu.whole', 1],
    ['network.fabric-kind', 'ethernet'],
    ['access.provider-agents', 'rack'],
    ['location.country', 'us'],
    ['location.country', 'USA'],
  ])('%s refuses %s', (id, value) => {
    expect(takes(id, value)).toBe(false)
  })

  test('a promised model is shown without what hides or turns text', () => {
    const check = CLAIM_TESTS.find(({ id }) => id === 'gpu.model')?.of('H100\u202e\u0007')
    expect(check?.expected).toContain('H100\\u{202e}\\u{7}')
  })
})
