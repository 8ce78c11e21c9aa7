import { type Answer, defineProbe, known, run, runAsRoot, unknown } from '../../core/probe.ts'
import { ddTime, type Heard, heardOf } from '../isolation/dd-times.ts'
import { sysfsValues, wholeNumber } from '../isolation/listing.ts'

export interface LiveEnergy {
  /** Null where the kernel has no energy counter. */
  readonly zone: {
    readonly name: string
    /** Microjoules that the first package took while the load ran, and how long that was. */
    readonly microjoules: number
    readonly seconds: number
  } | null
  /** The least that its command takes, and how long we heard it by our own clock; null where no session of ours carried it. */
  readonly heard: Heard
}

const ZONE = '/sys/class/powercap/intel-rapl:0'
const NAMES = ['name', 'energy_uj', 'max_energy_range_uj']
/** The counter of the first package: one line of sudo for every probe that requires it. */
export const energyCounter = runAsRoot(['grep', '-H', '.', ...NAMES.map((name) => `${ZONE}/${name}`)], {
  maxBytes: 4096,
})

/** Documentation/ABI/testing/sysfs-class-powercap; AMD’s counters are under the same name. Since Linux 5.10 only root reads them. */
export const liveEnergy = defineProbe({
  id: 'live.energy',
  title: 'Processor energy under load',
  why: 'The energy counter of a processor increases under load; a guest has none, or one that does not change.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: () => null,
  },
  live: true,
  commands: {
    before: energyCounter,
    load: run(['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1M', 'count=32768'], { timeoutSeconds: 15, maxBytes: 4096 }),
    after: energyCounter,
  },
  parse({ before, load, after }) {
    if (energyAbsent(before) && energyAbsent(after)) return known<LiveEnergy>({ zone: null, heard: heardOf(load) })
    const [earlier, later] = [energyReading(before), energyReading(after)]
    if (earlier === null || later === null) return unknown('the energy counter could not be read')
    const seconds = ddTime(load)?.seconds ?? load.seconds.node
    if (load.exitCode !== 0 || seconds === null || seconds <= 0)
      return unknown('the load for the energy counter did not run')
    const microjoules = energyRise(earlier, later)
    if (microjoules === null) return unknown('the energy counter went back')
    return known<LiveEnergy>({ zone: { name: earlier.name, microjoules, seconds }, heard: heardOf(load) })
  },
})

/** The kernel has no such counter. */
export const energyAbsent = ({ exitCode, text, errorText }: Answer): boolean =>
  exitCode === 2 && text === '' && /No such file or directory/.test(errorText) && !/ermission denied/.test(errorText)

export interface EnergyReading {
  readonly name: string
  /** Microjoules, and the number at which the counter begins again. */
  readonly energy: number
  readonly range: number
}

/** One reading of the counter; null where it could not be read. */
export function energyReading({ exitCode, text }: Answer): EnergyReading | null {
  if (exitCode !== 0) return null
  const values = sysfsValues(text, NAMES)
  const energy = wholeNumber(values.get(`${ZONE}/energy_uj`))
  const range = wholeNumber(values.get(`${ZONE}/max_energy_range_uj`))
  return energy === null || range === null ? null : { name: values.get(`${ZONE}/name`) ?? '', energy, range }
}

/** Microjoules between two readings; null where the counter went back. It begins again at its end, which it can reach once in a short time. */
export function energyRise(earlier: EnergyReading, later: EnergyReading): number | null {
  const rose = later.energy - earlier.energy
  const microjoules = rose < 0 ? rose + earlier.range : rose
  return microjoules < 0 ? null : microjoules
}
