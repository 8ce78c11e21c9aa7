import { type CpuFeatures, cpuFeatures } from '../probes/cpu-features.ts'
import { cpuMsr } from '../probes/cpu-msr.ts'
import {
  type CpuPlatform,
  cpuPlatform,
  energyZones,
  processorSensors,
  samplingUnits,
  uncoreUnits,
} from '../probes/cpu-platform.ts'
import { virtGuests } from '../probes/virt-guests.ts'
import { named } from '../steps.ts'
import { readRegisters } from './cpu-registers.ts'
import { hasHostPowerBits } from './cpu-tables.ts'
import type { Read } from './signal.ts'

export interface Held {
  readonly holds: boolean
  readonly text: string
}

/**
 * Whether the processor shows what only a host may use: on x86 the power-management features of its maker; on arm64, which has no such
 * list, the hypervisor's own mode or the sampling of its cores, together with another unit that guests are not given.
 */
export function hostFeatures(read: Read): Held {
  const cpu = read(cpuFeatures)
  if (!cpu.ok) return { holds: false, text: `${cpuFeatures.title}: ${cpu.reason}.` }
  if (cpu.fact.architecture === 'arm64') return armHostFeatures(read)
  const { powerBits, powerBitsAsked } = cpu.fact
  if (powerBitsAsked.length === 0)
    return { holds: false, text: 'This processor family does not show the features that tell hardware from a guest.' }
  const shown = `The processor shows ${powerBits.length} of the ${powerBitsAsked.length} power-management features that only a host may use`
  return hasHostPowerBits(cpu.fact)
    ? { holds: true, text: `${shown}; virtual machines on record show at most 3.` }
    : { holds: false, text: `${shown}; hardware of its kind shows more.` }
}

/** Counted for arm64: what the kernel can use only where it starts in the hypervisor's mode, or that hypervisors keep to themselves. */
function armHostFeatures(read: Read): Held {
  const [platform, guests] = [read(cpuPlatform), read(virtGuests)]
  if (!platform.ok) return { holds: false, text: `${cpuPlatform.title}: ${platform.reason}.` }
  const sampling = samplingUnits(platform.fact).some((name) => name.startsWith('arm_spe'))
  const ownMode = guests.ok && guests.fact.found.includes('/dev/kvm')
  const found = [
    ...(ownMode ? ['the hypervisor’s mode of the processor'] : []),
    ...(sampling ? ['statistical profiling of the cores'] : []),
    ...(uncoreUnits(platform.fact).length > 0 ? ['counting units of the mesh and the memory'] : []),
    ...(platform.fact.cpufreqDriver === 'cppc_cpufreq' ? ['the firmware’s control of clock speeds'] : []),
  ]
  const holds = (ownMode || sampling) && found.length >= 2
  return {
    holds,
    text:
      found.length === 0
        ? 'The processor shows none of what only a host may use: its hypervisor’s mode, profiling of cores, counting units outside them.'
        : `Of what only a host may use, the kernel has ${found.join(', ')}${holds ? '.' : '; that alone does not tell hardware from a guest.'}`,
  }
}

export interface Instrument {
  readonly name: 'rapl' | 'uncore' | 'msr' | 'edac' | 'thermal'
  readonly found: boolean
  readonly text: string
}

/** The instruments around the processor, each from a complete answer only: one that could not be read is not found. */
export function instruments(read: Read): readonly Instrument[] {
  const platform = read(cpuPlatform)
  const units = INSTRUMENTS.map(({ name, what, names }): Instrument => {
    if (!platform.ok) return { name, found: false, text: `Not read (${what}): ${platform.reason}.` }
    const found = names(platform.fact)
    return {
      name,
      found: found.length > 0,
      text: found.length > 0 ? `The kernel drives ${what}: ${named(found, 4)}.` : `The kernel finds no ${what}.`,
    }
  })
  const cpu = read(cpuFeatures)
  return cpu.ok && cpu.fact.architecture === 'x86' ? [...units, registers(read, cpu.fact)] : units
}

const INSTRUMENTS: readonly {
  readonly name: Instrument['name']
  readonly what: string
  readonly names: (platform: CpuPlatform) => readonly string[]
}[] = [
  { name: 'rapl', what: 'energy counters', names: energyZones },
  { name: 'uncore', what: 'counting units outside the cores', names: uncoreUnits },
  {
    name: 'edac',
    what: 'memory controllers under error detection',
    names: ({ memoryControllers }) => memoryControllers,
  },
  { name: 'thermal', what: 'processor sensors', names: processorSensors },
]

function registers(read: Read, cpu: CpuFeatures): Instrument {
  const answers = read(cpuMsr)
  if (!answers.ok) return { name: 'msr', found: false, text: `${cpuMsr.title}: ${answers.reason}.` }
  const { is, value } = readRegisters(cpu, answers.fact)
  return {
    name: 'msr',
    found: is === 'sane',
    text:
      is === 'sane'
        ? `Registers of the processor hold what hardware holds: ${value}.`
        : `Registers of the processor do not hold what hardware holds: ${value}.`,
  }
}
