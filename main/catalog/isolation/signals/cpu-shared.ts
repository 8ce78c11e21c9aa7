import { type CpuFeatures, type CpuPlatform, cpuFeatures, cpuPlatform } from '../../processors/features.ts'
import { notApplicable, type Observation, type Read, unreadable } from '../signal.ts'

export const ONLY_X86 = 'Only x86 processors have this.'

/** Observes an x86 processor; unreadable where the processor list was not read, and not applicable on others. */
export function onX86(read: Read, observe: (cpu: CpuFeatures) => Observation): Observation {
  const cpu = read(cpuFeatures)
  if (!cpu.ok) return unreadable(cpuFeatures, cpu.reason)
  return cpu.fact.architecture === 'x86' ? observe(cpu.fact) : notApplicable(ONLY_X86)
}

/** The same, with what the kernel finds around the processor. */
export function aroundX86(read: Read, observe: (cpu: CpuFeatures, platform: CpuPlatform) => Observation): Observation {
  return onX86(read, (cpu) => {
    const platform = read(cpuPlatform)
    return platform.ok ? observe(cpu, platform.fact) : unreadable(cpuPlatform, platform.reason)
  })
}
