import { LIVE_NOT_ASKED, LIVE_UNANSWERED, type Probe } from '../../../../core/recording/probe.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { cpuFeatures } from '../../../hardware/processors/features.ts'
import {
  liveCpuid,
  liveCpuidLong,
  liveEnergy,
  liveJitter,
  liveMsr,
  liveSteal,
  liveThermal,
} from '../../live-tests/index.ts'
import type { Observation, Signal } from '../signal.ts'
import { cpuidDecides, cpuidTimingSignals } from './cpu-layout.ts'
import { heardSignals, instrumentSignals } from './timing.ts'

/** Every probe that is queried only with live tests, in the order in which they are queried: what measures time goes before what loads. */
export const LIVE_PROBES: readonly Probe<unknown>[] = [
  liveCpuid,
  liveMsr,
  liveCpuidLong,
  liveSteal,
  liveJitter,
  liveEnergy,
  liveThermal,
]

export interface LiveTest {
  /** Of the signal, or of the probe whose answer was lost. */
  readonly id: string
  /** It supports hardware; false where it contradicts it, or leaves open what hardware would have settled. */
  readonly holds: boolean
  readonly text: string
}

/**
 * Reasons of readProbe() for expected answers that are missing. An absent tool, device or right is a different
 * reason.
 */
const LOST = /^(not usable: |not collected: the session ended)/
/** A probe without any reading: no one made one, so no one asked. */
const NO_READING = 'this was not collected'

/** Whether live tests were requested: some live probe has a reading, or a reason other than that no one asked. */
export const liveAsked = (read: Read): boolean =>
  LIVE_PROBES.some((probe) => {
    const reading = read(probe)
    return reading.ok || (reading.reason !== LIVE_NOT_ASKED && reading.reason !== NO_READING)
  })

/**
 * What the live tests show about hardware, one entry for each that is evidence; empty where none was requested. A
 * test whose answer was lost fails. One that the node cannot answer for lack of a device, tool or right has no entry,
 * as if it had not been requested. Gaps in the run of a processor, and steal that stayed at zero, never support
 * hardware here.
 */
export function livePassed(read: Read): readonly LiveTest[] {
  if (!liveAsked(read)) return []
  return [
    ...lostTests(read),
    ...costTests(read),
    ...judged(read, ['time.external', 'time.rapl', 'time.liveness']),
    ...stealRose(read),
    ...unheard(read),
  ]
}

const lostTests = (read: Read): readonly LiveTest[] =>
  LIVE_PROBES.flatMap((probe) => {
    const reading = read(probe)
    return !reading.ok && (LOST.test(reading.reason) || reading.reason === LIVE_UNANSWERED)
      ? [{ id: probe.id, holds: false, text: `${probe.title}: ${reading.reason}.` }]
      : []
  })

/**
 * The cost of CPUID is one test, compared with its control where there is one. It counts where it decides, on Intel.
 */
function costTests(read: Read): readonly LiveTest[] {
  const cpu = read(cpuFeatures)
  if (!cpu.ok || !cpuidDecides(cpu.fact)) return []
  const found = ['time.delta', 'time.cpuid'].flatMap((id) => {
    const observed = observe(read, id)
    return observed.indicates === 'unreadable' || observed.indicates === 'not-applicable' ? [] : [{ id, observed }]
  })[0]
  return found === undefined
    ? []
    : [{ id: found.id, holds: found.observed.indicates === 'bare-metal', text: `${found.observed.value}.` }]
}

const judged = (read: Read, ids: readonly string[]): readonly LiveTest[] =>
  ids.flatMap((id) => {
    const found = observe(read, id)
    return found.indicates === 'bare-metal' || found.indicates === 'virtual'
      ? [{ id, holds: found.indicates === 'bare-metal', text: `${found.value}.` }]
      : []
  })

function stealRose(read: Read): readonly LiveTest[] {
  const interval = read(liveSteal)
  return interval.ok && interval.fact.steal > 0
    ? [{ id: 'time.steal', holds: false, text: 'A hypervisor took processor time during the observation.' }]
    : []
}

/** Our own clock bounds every test from below: one that seemed shorter than it is was not made while we asked. */
function unheard(read: Read): readonly LiveTest[] {
  const found = observe(read, 'time.heard')
  return found.indicates === 'virtual' ? [{ id: 'time.heard', holds: false, text: `${found.value}.` }] : []
}

/** Whether our own clock timed every live test that was collected, and none was shorter than it is. */
export const wereHeard = (read: Read): boolean => observe(read, 'time.heard').indicates === 'neutral'

const SIGNALS: ReadonlyMap<string, Signal> = new Map(
  [...cpuidTimingSignals, ...instrumentSignals, ...heardSignals].map((signal) => [signal.id, signal]),
)

function observe(read: Read, id: string): Observation {
  const signal = SIGNALS.get(id)
  if (signal === undefined) throw new Error(`no such live signal: ${id}`)
  return signal.observe(read)
}
