import { describe, expect, test } from 'vitest'
import { contradicts } from '../../main/catalog/base/steps.ts'
import { decide } from '../../main/catalog/single-tenancy/isolation/rules.ts'
import {
  type Family,
  type Observed,
  type Signal,
  sign,
  type Weight,
} from '../../main/catalog/single-tenancy/isolation/signal.ts'
import { SIGNALS } from '../../main/catalog/single-tenancy/isolation/signals.ts'
import { virtBuses } from '../../main/catalog/single-tenancy/virtualization/index.ts'
import type { Parsed } from '../../main/core/recording/probe.ts'
import { readFrom } from '../../main/core/recording/readings.ts'
import type { Isolation } from '../../schemas/types.ts'
import { capturesOf, readingsFrom } from './isolation-readings.ts'

/** The rules R1 to R8 and their order, over made-up observations: what decides is the table below, not a fixture. */

const signal = (id: string, family: Family): Signal => ({
  ...(SIGNALS[0] as Signal),
  id,
  family,
  title: `Title of ${id}`,
})
const familyOf = (id: string): Family => SIGNALS.find((one) => one.id === id)?.family ?? 'cpu-identity'
const virtual = (id: string, weight: Weight, family = familyOf(id)): Observed => ({
  signal: signal(id, family),
  found: {
    indicates: 'virtual',
    value: 'seen',
    signs: [sign(weight, null, contradicts('A sign.', virtBuses))],
    steps: [],
  },
})
const metal = (id: string): Observed => ({
  signal: signal(id, familyOf(id)),
  found: { indicates: 'bare-metal', value: 'seen', signs: [], steps: [] },
})
const unreadable = (id: string): Observed => ({
  signal: signal(id, familyOf(id)),
  found: { indicates: 'unreadable', reason: 'not read', probe: virtBuses },
})
/** Every signal reads as on hardware, but for those given. */
const others = (...given: readonly Observed[]): readonly Observed[] => [
  ...given,
  ...SIGNALS.filter(({ id }) => given.every((one) => one.signal.id !== id)).map(({ id }) => metal(id)),
]

type Items = Readonly<Partial<Record<Isolation['minimum'][number]['item'], 'yes' | 'no' | 'not-applicable'>>>
const minimum = (items: Items): Isolation['minimum'] =>
  (['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const).map((item) => ({
    item,
    title: `Part ${item}`,
    holds: items[item] ?? 'yes',
    text: 'Said.',
  }))
const WHOLE = minimum({})

const NOTHING: ReadonlyMap<string, Parsed<unknown>> = new Map()
const buses = (fact: object): ReadonlyMap<string, Parsed<unknown>> =>
  new Map([
    [virtBuses.id, { ok: true, fact: { isControlDomain: false, isPartition: false, ...fact } } as Parsed<unknown>],
  ])
const DOM0 = buses({ isControlDomain: true })
const PARTITION = buses({ isPartition: true })
const CONTAINER = readingsFrom(capturesOf('fx-iso-container').captures)
/** A processor with every feature of a host. */
const HOST_CPU = readingsFrom(capturesOf('demo-gpu-01').captures)

const NAMES = virtual('dmi.strings', 'names')
const IMPOSSIBLE = virtual('time.delta', 'impossible')
const [ODD_PCI, ODD_BLOCK] = [virtual('pci.vendors', 'odd'), virtual('blk.path', 'odd')]
const ODD_PCI_TOO = virtual('pci.hostbridge', 'odd')
const HINT = virtual('net.driver', 'hint')
const WEAK_CPU = virtual('cpu.powerbits', 'hint')
const NO_PMU = virtual('cpu.pmu', 'hint')

type Row = readonly [
  what: string,
  readings: ReadonlyMap<string, Parsed<unknown>>,
  observed: readonly Observed[],
  minimum: Isolation['minimum'],
  rule: string,
  environment: string,
]
const ROWS: readonly Row[] = [
  [
    'nothing was read',
    NOTHING,
    SIGNALS.map(({ id }) => unreadable(id)),
    minimum({ a: 'no', e: 'no' }),
    'R7',
    'undetermined',
  ],
  ['a hypervisor names itself', NOTHING, others(NAMES), WHOLE, 'R1', 'virtual-machine'],
  ['a hypervisor names itself, in a container', CONTAINER, others(NAMES), WHOLE, 'R1', 'virtual-machine'],
  [
    'a hypervisor names itself, and something cannot be',
    NOTHING,
    others(NAMES, IMPOSSIBLE),
    WHOLE,
    'R1',
    'virtual-machine',
  ],
  ['Xen’s control domain', DOM0, others(), WHOLE, 'R2', 'hypervisor-host'],
  ['Xen’s control domain, though a hypervisor names itself', DOM0, others(NAMES), WHOLE, 'R2', 'hypervisor-host'],
  ['a session in a container', CONTAINER, others(), WHOLE, 'R3', 'container'],
  ['a session in a container, where something cannot be', CONTAINER, others(IMPOSSIBLE), WHOLE, 'R3', 'container'],
  ['something cannot be', NOTHING, others(IMPOSSIBLE), WHOLE, 'R4', 'virtual-machine'],
  ['something cannot be, on a partition', PARTITION, others(IMPOSSIBLE), WHOLE, 'R4', 'virtual-machine'],
  [
    'two families are odd, no host features',
    NOTHING,
    others(ODD_PCI, ODD_BLOCK, WEAK_CPU),
    WHOLE,
    'R4',
    'virtual-machine',
  ],
  [
    'one family is odd twice, no host features',
    NOTHING,
    others(ODD_PCI, ODD_PCI_TOO, WEAK_CPU),
    minimum({ g: 'no' }),
    'R7',
    'undetermined',
  ],
  [
    'two families are odd, and host features were not missed',
    NOTHING,
    others(ODD_PCI, ODD_BLOCK),
    minimum({ g: 'no' }),
    'R7',
    'undetermined',
  ],
  [
    'two families are odd, and the processor has a host’s features',
    HOST_CPU,
    others(ODD_PCI, ODD_BLOCK, WEAK_CPU),
    minimum({ g: 'no' }),
    'R7',
    'undetermined',
  ],
  [
    'no host features, and no instrument around the processor',
    NOTHING,
    others(WEAK_CPU, NO_PMU),
    WHOLE,
    'R5',
    'virtual-machine',
  ],
  [
    'no host features, and every instrument there',
    NOTHING,
    others(WEAK_CPU),
    minimum({ a: 'no' }),
    'R7',
    'undetermined',
  ],
  ['no instrument, and host features there', NOTHING, others(NO_PMU), minimum({ c: 'no' }), 'R7', 'undetermined'],
  [
    'no host features and no instrument, on a partition',
    PARTITION,
    others(WEAK_CPU, NO_PMU),
    WHOLE,
    'R5',
    'virtual-machine',
  ],
  ['a partition', PARTITION, others(), WHOLE, 'R1', 'logical-partition'],
  ['the minimum is there in full', NOTHING, others(), WHOLE, 'R6', 'bare-metal'],
  [
    'the minimum is there, live tests and GPUs do not apply',
    NOTHING,
    others(),
    minimum({ d: 'not-applicable', f: 'not-applicable' }),
    'R6',
    'bare-metal',
  ],
  ...(['a', 'b', 'c', 'd', 'f', 'g', 'h'] as const).map(
    (item): Row => [`part ${item} does not hold`, NOTHING, others(), minimum({ [item]: 'no' }), 'R8', 'undetermined'],
  ),
  ['the session is not the system’s own', NOTHING, others(), minimum({ e: 'no' }), 'R7', 'undetermined'],
  [
    'a hint of a guest, and a part that does not hold',
    NOTHING,
    others(HINT),
    minimum({ h: 'no' }),
    'R7',
    'undetermined',
  ],
  [
    'what every login reads was not read',
    NOTHING,
    others(unreadable('cpu.hvbit')),
    minimum({ h: 'no' }),
    'R7',
    'undetermined',
  ],
  [
    'what only root reads was not read',
    NOTHING,
    others(unreadable('cpu.rapl')),
    minimum({ c: 'no' }),
    'R8',
    'undetermined',
  ],
]

describe('which rule decides', () => {
  test.each(ROWS)('%s', (_, readings, observed, holds, rule, environment) => {
    const decided = decide(readFrom(readings), observed, holds)
    expect([decided.rule.id, decided.environment]).toEqual([rule, environment])
  })

  test('every rule is in the table', () => {
    expect([...new Set(ROWS.map(([, , , , rule]) => rule))].sort()).toEqual([
      'R1',
      'R2',
      'R3',
      'R4',
      'R5',
      'R6',
      'R7',
      'R8',
    ])
  })
})
