import { defineProbe, known, unknown } from '../../core/probe.ts'
import { energyAbsent, energyCounter, energyReading, energyRise } from './live-energy.ts'

export interface CpuEnergy {
  /** Null where the kernel has no energy counter. */
  readonly zone: {
    readonly name: string
    /** Microjoules that the first package took between two readings, one shortly after the other. */
    readonly microjoules: number
  } | null
}

/**
 * Documentation/ABI/testing/sysfs-class-powercap, twice. The register counts on about every millisecond (Intel SDM vol. 3B, RAPL), and
 * two commands lie further apart than that. Since Linux 5.10 only root reads it.
 */
export const cpuEnergy = defineProbe({
  id: 'cpu.energy',
  title: 'Energy counter of the processor',
  why: 'A processor always consumes energy, so its counter increases between two reads. The mere presence of a counter shows less, because its name is easy to imitate.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: ({ zone }: CpuEnergy) => ({ zone: zone === null ? null : zone.name }),
  },
  commands: { before: energyCounter, after: energyCounter },
  parse({ before, after }) {
    if (energyAbsent(before) && energyAbsent(after)) return known<CpuEnergy>({ zone: null })
    const [earlier, later] = [energyReading(before), energyReading(after)]
    if (earlier === null || later === null) return unknown('the energy counter could not be read')
    const microjoules = energyRise(earlier, later)
    return microjoules === null
      ? unknown('the energy counter went back')
      : known<CpuEnergy>({ zone: { name: earlier.name, microjoules } })
  },
})
