import { describe, expect, test } from 'vitest'
import { cpuFeatures, parseCpuInfo } from '../../main/catalog/hardware/processors/features.ts'
import { steal } from '../../main/catalog/hardware/processors/instruments.ts'
import {
  LIVE_PROBES,
  liveAsked,
  livePassed,
} from '../../main/catalog/single-tenancy/isolation/processors/live-tests.ts'
import { timingSignals } from '../../main/catalog/single-tenancy/isolation/processors/timing.ts'
import type { Observation } from '../../main/catalog/single-tenancy/isolation/signal.ts'
import {
  liveCpuid,
  liveCpuidLong,
  liveEnergy,
  liveJitter,
  liveMsr,
  liveSteal,
  liveThermal,
} from '../../main/catalog/single-tenancy/live-tests/index.ts'
import {
  known,
  LIVE_NOT_ASKED,
  LIVE_UNANSWERED,
  type Probe,
  readProbe,
  unknown,
} from '../../main/core/recording/probe.ts'
import type { Read } from '../../main/core/recording/readings.ts'
import { BANNED } from '../../schemas/words.ts'
import { byKey } from '../support/evaluated.ts'
import { fixtureRecording } from '../support/fixtures.ts'
import { type Fact, observed, weightsOf } from '../support/signal-facts.ts'

type Facts = readonly Fact[]
const readOf = (...facts: Facts): Read => {
  const readings = new Map(facts.map(([probe, reading]) => [probe.id, reading]))
  return ((probe: Probe<unknown>) =>
    readings.get(probe.id) ?? unknown(probe.live === true ? LIVE_NOT_ASKED : 'this was not collected')) as Read
}

/** A test that our clock heard for as long as it takes. */
const heard = { least: 3, collectingComputer: 3.01 }
const of = (id: string, read: Read): Observation => observed(timingSignals, id, read)

const cpu = (vendor: string, family: number, model: number): Fact => [
  cpuFeatures,
  parseCpuInfo(
    `processor\t: 0\nvendor_id\t: ${vendor}\ncpu family\t: ${family}\nmodel\t\t: ${model}\nflags\t\t: fpu\n`,
  ),
]
const SAPPHIRE_RAPIDS = cpu('GenuineIntel', 6, 143)
const EPYC = cpu('AuthenticAMD', 25, 1)
const PRESCOTT = cpu('GenuineIntel', 15, 4)
const GRACE: Fact = [cpuFeatures, parseCpuInfo('processor\t: 0\nCPU implementer\t: 0x41\n')]
const times = (...micros: number[]) => known({ calls: 65536, micros })
const around = (micros: number) => times(micros * 0.98, micros * 0.99, micros, micros * 1.02, micros * 1.4)

describe('time.cpuid and time.delta', () => {
  const cpuid = (micros: number): Fact => [liveCpuid, around(micros)]
  const msr = (micros: number): Fact => [liveMsr, around(micros)]
  const both = (...facts: Facts) => ['time.cpuid', 'time.delta'].map((id) => of(id, readOf(...facts)))
  const reads = (...facts: Facts) => both(...facts).map((found) => found.indicates)

  test('hardware', () => expect(reads(SAPPHIRE_RAPIDS, cpuid(0.19), msr(0.11))).toEqual(['bare-metal', 'bare-metal']))
  test('a guest on Intel, quick or slow', () => {
    for (const micros of [0.7, 1.2, 3.8]) {
      const found = both(SAPPHIRE_RAPIDS, cpuid(micros), msr(0.12))
      expect(found.map((one) => one.indicates)).toEqual(['virtual', 'virtual'])
      expect(found.flatMap(weightsOf)).toEqual(['odd', 'odd'])
    }
  })
  test('without the control, CPUID is judged alone', () => {
    expect(reads(SAPPHIRE_RAPIDS, cpuid(3.8))).toEqual(['virtual', 'unreadable'])
    expect(reads(SAPPHIRE_RAPIDS, cpuid(0.2))).toEqual(['bare-metal', 'unreadable'])
    expect(reads(SAPPHIRE_RAPIDS, cpuid(0.35))).toEqual(['neutral', 'unreadable'])
  })
  test('a processor at its lowest clock is slow at both, and is not called a guest', () =>
    expect(reads(SAPPHIRE_RAPIDS, cpuid(0.55), msr(0.42))).toEqual(['neutral', 'neutral']))
  test('a hypervisor that steps in at both gains no “hardware”', () =>
    expect(reads(SAPPHIRE_RAPIDS, cpuid(1.3), msr(1.2))).toEqual(['neutral', 'neutral']))
  test('one undisturbed run among disturbed ones is enough not to be called a guest', () => {
    const busy: Fact = [liveCpuid, times(0.2, 0.6, 0.9, 1.4, 3)]
    expect(reads(SAPPHIRE_RAPIDS, busy, msr(0.11))).toEqual(['neutral', 'neutral'])
  })
  test.each([
    ['AMD', EPYC],
    ['Intel before 2009', PRESCOTT],
  ])('%s: only recorded, slow or quick', (_name, processor) => {
    expect(reads(processor, cpuid(3.8), msr(0.12))).toEqual(['neutral', 'neutral'])
    expect(reads(processor, cpuid(0.1), msr(0.1))).toEqual(['neutral', 'neutral'])
  })
  test('no CPUID elsewhere', () => expect(reads(GRACE, cpuid(0.1))).toEqual(['not-applicable', 'not-applicable']))
  test('not read', () => {
    expect(reads(SAPPHIRE_RAPIDS)).toEqual(['unreadable', 'unreadable'])
    expect(reads(cpuid(0.1), msr(0.1))).toEqual(['unreadable', 'unreadable'])
  })
})

describe('time.external', () => {
  const long = (dd: number, node: number | null, collectingComputer: number | null): Fact => [
    liveCpuidLong,
    known({ calls: 2097152, dd, node, collectingComputer }),
  ]
  const found = (processor: Fact, ...clocks: [number, number | null, number | null]) =>
    of('time.external', readOf(processor, long(...clocks)))

  test('hardware: quick by our clock as well', () =>
    expect(found(SAPPHIRE_RAPIDS, 0.4, 0.43, 0.44).indicates).toBe('bare-metal'))
  test('an honest guest: the clocks agree, and nothing is concluded', () => {
    expect(found(SAPPHIRE_RAPIDS, 2.4, 2.43, 2.45).indicates).toBe('neutral')
    expect(found(EPYC, 0.4, 0.43, 0.44).indicates).toBe('neutral')
  })
  test('a guest whose clock was slowed', () => {
    const slowed = found(SAPPHIRE_RAPIDS, 0.4, 0.43, 2.5)
    expect([slowed.indicates, weightsOf(slowed)]).toEqual(['virtual', ['odd']])
    expect(found(EPYC, 0.4, 0.43, 2.5).indicates).toBe('virtual')
  })
  test('a node that claims more time than we heard', () => {
    expect(found(EPYC, 8, 8, 3).indicates).toBe('virtual')
    expect(found(EPYC, 8, 3, 3).indicates).toBe('virtual')
  })
  test('sudo that took its time before the loop began is on both clocks', () =>
    expect(found(SAPPHIRE_RAPIDS, 0.4, 5.4, 5.42).indicates).toBe('neutral'))
  test('small differences are the network’s', () => {
    expect(found(SAPPHIRE_RAPIDS, 0.4, 0.43, 0.9).indicates).toBe('neutral')
    expect(found(SAPPHIRE_RAPIDS, 8, 8, 9.4).indicates).toBe('neutral')
  })
  test('not timed by us, or not asked', () => {
    expect(found(SAPPHIRE_RAPIDS, 0.4, 0.43, null).indicates).toBe('unreadable')
    expect(of('time.external', readOf(SAPPHIRE_RAPIDS)).indicates).toBe('unreadable')
    expect(found(GRACE, 0.4, 0.43, 0.44).indicates).toBe('not-applicable')
  })
})

describe('time.steal', () => {
  const since = (ticks: number): Fact => [steal, known({ steal: ticks })]
  const interval = (ticks: number): Fact => [liveSteal, known({ ticks: 600, steal: ticks, heard })]
  const found = (...facts: Facts) => of('time.steal', readOf(...facts))
  test('both ways', () => {
    expect(found(since(0)).indicates).toBe('bare-metal')
    expect(found(since(0), interval(0)).indicates).toBe('bare-metal')
    expect(weightsOf(found(since(333)))).toEqual(['names'])
    expect(weightsOf(found(since(0), interval(4)))).toEqual(['names'])
    expect(weightsOf(found(since(333), interval(4)))).toEqual(['names', 'names'])
  })
  test('not read is not zero, and an interval that was lost is not a quiet one', () => {
    expect(found().indicates).toBe('unreadable')
    expect(found(interval(0)).indicates).toBe('unreadable')
    expect(found(since(0), [liveSteal, unknown(LIVE_UNANSWERED)]).indicates).toBe('unreadable')
  })
})

describe('time.jitter', () => {
  const found = (over50: number, over500: number) =>
    of('time.jitter', readOf([liveJitter, known({ readings: 2e7, over50, over500, longestMicros: 700, heard })]))
  test('it hints and never more', () => {
    expect(weightsOf(found(154, 2))).toEqual(['hint'])
    expect(weightsOf(found(51, 0))).toEqual(['hint'])
    expect(found(2, 0).indicates).toBe('bare-metal')
    expect(found(20, 0).indicates).toBe('neutral')
    expect(of('time.jitter', readOf()).indicates).toBe('unreadable')
  })
})

describe('instruments', () => {
  const energy = (microjoules: number | null, seconds = 1.7): Fact => [
    liveEnergy,
    known({ zone: microjoules === null ? null : { name: 'package-0', microjoules, seconds }, heard }),
  ]
  const thermal = (moved: number, low: number, high: number): Fact => [
    liveThermal,
    known({ sensors: 22, moved, range: [low, high], clock: [2000000, 3800000], heard }),
  ]
  test('the energy counter', () => {
    const found = (...facts: Facts) => of('time.rapl', readOf(...facts))
    expect(found(SAPPHIRE_RAPIDS, energy(321e6)).indicates).toBe('bare-metal')
    expect(weightsOf(found(SAPPHIRE_RAPIDS, energy(0)))).toEqual(['odd'])
    expect(found(SAPPHIRE_RAPIDS, energy(null)).indicates).toBe('neutral')
    expect(found(SAPPHIRE_RAPIDS, energy(9e12)).indicates).toBe('neutral')
    expect(found(SAPPHIRE_RAPIDS).indicates).toBe('unreadable')
    expect(found(GRACE, energy(1)).indicates).toBe('not-applicable')
  })
  test('the temperatures', () => {
    const found = (...facts: Facts) => of('time.liveness', readOf(...facts))
    const alive = found(thermal(2, 40, 51), energy(321e6))
    expect(alive.indicates).toBe('bare-metal')
    expect('steps' in alive && alive.steps[0]?.text).toContain('the energy counter rose')
    expect(found(thermal(0, 40, 51)).indicates).toBe('neutral')
    expect(found(thermal(2, -40, 51)).indicates).toBe('neutral')
    expect(found([liveThermal, known({ sensors: 0, moved: 0, range: null, clock: null, heard })]).indicates).toBe(
      'neutral',
    )
    expect(found().indicates).toBe('unreadable')
  })
})

describe('recorded nodes', () => {
  const read = (name: string): Read => {
    const probes = [cpuFeatures, steal, ...LIVE_PROBES]
    const captures = byKey(fixtureRecording(name, probes).captures)
    return (probe) => readProbe(probe, captures)
  }
  const passed = (name: string) => livePassed(read(name)).map(({ id, holds }) => [id, holds])

  test('hardware holds in four tests', () =>
    expect(passed('fx-iso-live-metal')).toEqual([
      ['time.delta', true],
      ['time.external', true],
      ['time.rapl', true],
      ['time.liveness', true],
    ]))
  test('our Firecracker guest holds in none', () => {
    expect(passed('fx-iso-live-guest').filter(([, holds]) => holds)).toEqual([])
    const guest = read('fx-iso-live-guest')
    expect(timingSignals.map((signal) => [signal.id, signal.observe(guest).indicates])).toEqual([
      ['time.cpuid', 'neutral'],
      ['time.delta', 'unreadable'],
      ['time.external', 'neutral'],
      ['time.steal', 'virtual'],
      ['time.jitter', 'virtual'],
      ['time.rapl', 'neutral'],
      ['time.liveness', 'neutral'],
      ['time.heard', 'unreadable'],
    ])
  })
  test('where they were not asked there is nothing to report', () => {
    expect(liveAsked(read('demo-gpu-01'))).toBe(false)
    expect(passed('demo-gpu-01')).toEqual([])
    expect(liveAsked(read('fx-iso-live-guest'))).toBe(true)
  })
})

describe('livePassed', () => {
  const SLOWED: Fact = [liveCpuid, around(1.2)]
  test('on Intel the cost of CPUID fails where it is a guest’s, or stays open', () => {
    expect(livePassed(readOf(SAPPHIRE_RAPIDS, SLOWED, [liveMsr, around(0.1)]))).toMatchObject([
      { id: 'time.delta', holds: false },
    ])
    expect(livePassed(readOf(SAPPHIRE_RAPIDS, SLOWED, [liveMsr, around(1.2)]))).toMatchObject([
      { id: 'time.delta', holds: false },
    ])
    expect(livePassed(readOf(SAPPHIRE_RAPIDS, SLOWED))).toMatchObject([{ id: 'time.cpuid', holds: false }])
  })
  test('on AMD it neither holds nor fails', () => expect(livePassed(readOf(EPYC, SLOWED))).toEqual([]))
  test.each([LIVE_UNANSWERED, 'not usable: taskset did not finish in time'])('a lost answer fails: %s', (why) =>
    expect(livePassed(readOf(EPYC, [liveEnergy, unknown(why)]))).toMatchObject([{ id: 'live.energy', holds: false }]),
  )
  test.each([
    'not collected: tool absent (perl)',
    'not collected: needs administrator rights (taskset)',
    'the kernel offers no /dev/cpu/0/cpuid here',
  ])('what the node cannot answer shows nothing: %s', (why) => {
    const read = readOf(SAPPHIRE_RAPIDS, ...LIVE_PROBES.map((probe) => [probe, unknown(why)] as const))
    expect([liveAsked(read), livePassed(read)]).toEqual([true, []])
  })
  test('steal that rose fails; steal that did not shows nothing', () => {
    expect(livePassed(readOf(EPYC, [liveSteal, known({ ticks: 600, steal: 3, heard })]))).toMatchObject([
      { holds: false },
    ])
    expect(livePassed(readOf(EPYC, [liveSteal, known({ ticks: 600, steal: 0, heard })]))).toEqual([])
  })
})

test('every signal states how it looks either way, what it costs to fake, where it misleads and its source', () => {
  for (const { id, family, probes, pitfalls, ...words } of timingSignals) {
    expect([id, family, probes.length > 0, pitfalls.length > 0]).toEqual([id, 'timing', true, true])
    const texts = [words.title, words.onMetal, words.onGuest, words.source, ...pitfalls]
    expect(texts.filter((text) => text.length < 4)).toEqual([])
    expect(texts.filter((text) => BANNED.some((word) => word.test(text)))).toEqual([])
  }
})
