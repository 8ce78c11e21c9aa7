import { quote } from '../../../../core/base/plain-text.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { contradicts, supports } from '../../../base/steps.ts'
import { type CpuFeatures, type CpuPlatform, cpuFeatures, cpuPlatform } from '../../../hardware/processors/features.ts'
import {
  type CpuLeaves,
  cpuHypervisorLeaf,
  cpuLeaves,
  type HypervisorLeaf,
} from '../../../hardware/processors/leaves.ts'
import { kernelMessages } from '../../virtualization/index.ts'
import { HYPERVISOR_SIGNATURES, highestCpuidLevel, INTEL_CLOCK_BY_TABLE, lowestCpuidLevel } from '../cpu-tables.ts'
import {
  hintSign,
  metal,
  neutral,
  notApplicable,
  type Observation,
  oddSign,
  type Sign,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'
import { isControlDomain } from '../signals/boot.ts'

const ONLY_X86 = 'Only x86 processors have this.'

/** Observes an x86 processor; unreadable where the processor list was not read, and not applicable on others. */
export function onX86(read: Read, observe: (cpu: CpuFeatures) => Observation, otherwise = ONLY_X86): Observation {
  const cpu = read(cpuFeatures)
  if (!cpu.ok) return unreadable(cpuFeatures, cpu.reason)
  return cpu.fact.architecture === 'x86' ? observe(cpu.fact) : notApplicable(otherwise)
}

/** The same, with what the kernel finds around the processor. */
export function aroundX86(read: Read, observe: (cpu: CpuFeatures, platform: CpuPlatform) => Observation): Observation {
  return onX86(read, (cpu) => {
    const platform = read(cpuPlatform)
    return platform.ok ? observe(cpu, platform.fact) : unreadable(cpuPlatform, platform.reason)
  })
}

const signature: Signal = {
  id: 'cpu.hvleaf',
  family: 'cpu-identity',
  title: 'Hypervisor signature in the processor’s identification',
  onMetal:
    'No data of its own in the range reserved for hypervisors: Intel repeats its highest basic leaf, AMD returns zeros.',
  onGuest: 'The hypervisor’s name at 0x40000000, or 0x100 or more above it.',
  spoofingEffort: 'S0',
  pitfalls: [
    'The root partition of Hyper-V and Xen’s control domain see the signature on hardware.',
    'A setting hides the signature; then Intel’s rule of repetition is often broken, AMD’s zeros are not.',
    'The device is there only where its kernel module is loaded.',
  ],
  source:
    'Intel SDM vol. 2A, CPUID (leaves out of range); AMD APM vol. 3, CPUID; Linux arch/x86/include/asm/cpuid; kernel.org Documentation/virt/kvm/x86/cpuid.rst; measured on emulated guests.',
  probes: [cpuFeatures, cpuHypervisorLeaf, cpuLeaves],
  observe(read) {
    const cpu = read(cpuFeatures)
    if (cpu.ok && cpu.fact.architecture !== 'x86') return notApplicable(ONLY_X86)
    const leaf = read(cpuHypervisorLeaf)
    if (!leaf.ok) return unreadable(cpuHypervisorLeaf, leaf.reason)
    const leaves = read(cpuLeaves)
    const signs = [...nameSigns(leaf.fact), ...silenceSigns(leaf.fact), ...(leaves.ok ? domainSigns(leaves.fact) : [])]
    const range = `${leaf.fact.leaves} leaves from 0x40000000 on`
    if (signs.length > 0)
      return virtual(leaf.fact.signatures.map((found) => quote(found)).join(', ') || range, ...signs)
    if (!leaf.fact.isUniform) return neutral(`${range}, of more than one kind`)
    const repeats = leaf.fact.vendor === 'GenuineIntel' && leaves.ok && leaves.fact.highestAnswer === leaf.fact.filler
    return metal(
      range,
      supports(
        repeats
          ? `In the range that is left to hypervisors the processor repeats its highest basic leaf (${range}), as Intel’s do where there is none.`
          : `In the range reserved for hypervisors the processor returns no data of its own (${range}).`,
        cpuHypervisorLeaf,
        'reserved',
      ),
    )
  },
}

const against = (text: string): ReturnType<typeof contradicts> => contradicts(text, cpuHypervisorLeaf, 'reserved')

function nameSigns({ signatures }: HypervisorLeaf): readonly Sign[] {
  return signatures.flatMap((found) => {
    const platform = HYPERVISOR_SIGNATURES.get(found)
    if (platform !== undefined)
      return [
        sign(
          'names',
          platform,
          against(`The processor’s identification carries the signature ${quote(found)} of ${platform}.`),
        ),
      ]
    return []
  })
}

/** Intel returns every leaf out of range alike, with its highest basic leaf: other responses were put there. */
function silenceSigns({
  vendor,
  signatures,
  baseIsZero,
  laterIsNot,
  isUniform,
  filler,
}: HypervisorLeaf): readonly Sign[] {
  if (signatures.some((found) => HYPERVISOR_SIGNATURES.has(found))) return []
  if (vendor === 'GenuineIntel' && baseIsZero && laterIsNot)
    return [
      sign(
        'impossible',
        null,
        against(
          'Leaf 0x40000000 of the processor’s identification is zero while leaf 0x40000010 is not. Intel silicon returns the same for both; an emulator that hides its signature does this.',
        ),
      ),
    ]
  if (vendor === 'GenuineIntel' && !isUniform)
    return [
      sign(
        'odd',
        null,
        against(
          'In the range reserved for hypervisors the processor’s identification differs from leaf to leaf; Intel silicon returns the same for all.',
        ),
      ),
    ]
  return (vendor === 'AuthenticAMD' || vendor === 'HygonGenuine') && (!isUniform || /[1-9a-f]/.test(filler))
    ? [
        sign(
          'odd',
          null,
          against(
            'In the range that is left to hypervisors the processor’s identification is not zero, as it is on AMD silicon.',
          ),
        ),
      ]
    : []
}

const domainSigns = ({ trustDomain }: CpuLeaves): readonly Sign[] =>
  trustDomain === 'IntelTDX'
    ? [
        sign(
          'names',
          null,
          contradicts('The processor reports a trust domain (TDX), a guest of Intel’s module.', cpuLeaves, 'basic'),
        ),
      ]
    : []

const highestLeaf: Signal = {
  id: 'cpu.maxleaf',
  family: 'cpu-identity',
  title: 'How far the processor’s identification goes',
  onMetal: 'To the leaf that its family and model have.',
  onGuest: 'Often to leaf 13, whatever the model; on some hosts further than the model goes.',
  spoofingEffort: 'S0',
  pitfalls: [
    'Only models with a listed highest leaf are evaluated.',
    'A guest that is given the host’s processor as it is shows the right leaf.',
    'Xen cuts it for its control domain.',
  ],
  source: 'Intel SDM vol. 2A and AMD APM vol. 3, CPUID leaf 0; measured: CPUID dumps of 49 physical machines.',
  probes: [cpuFeatures],
  observe: (read) =>
    onX86(read, (cpu) => {
      const [lowest, most] = [lowestCpuidLevel(cpu), highestCpuidLevel(cpu)]
      const { cpuidLevel } = cpu
      if (lowest === null) return notApplicable('The highest leaf of this processor model is not listed.')
      if (cpuidLevel === null)
        return notApplicable('The kernel does not report the highest leaf of the identification.')
      const value = `leaf ${cpuidLevel}`
      if (isControlDomain(read)) return neutral(value)
      if (cpuidLevel < lowest.level)
        return virtual(
          value,
          sign(
            'impossible',
            null,
            contradicts(
              `By family and model the processor is of the line ${lowest.part}, whose identification goes up to leaf ${lowest.level}; here it ends at ${cpuidLevel}.`,
              cpuFeatures,
            ),
          ),
        )
      return most !== null && cpuidLevel > most
        ? virtual(
            value,
            oddSign(
              `The processor’s identification goes up to leaf ${cpuidLevel}; on silicon of its family it ends at ${most}.`,
              cpuFeatures,
            ),
          )
        : metal(value)
    }),
}

const knownClock: Signal = {
  id: 'cpu.tsc',
  family: 'cpu-identity',
  title: 'How the kernel knows the speed of the processor’s clock',
  onMetal: 'Measured against another clock, or derived from the processor’s crystal.',
  onGuest: 'Reported by the hypervisor, while the processor’s identification does not state it.',
  spoofingEffort: 'S0',
  pitfalls: [
    'A few Atom models are known from a table of the kernel; they are left out.',
    'A guest that hides its hypervisor measures as hardware does.',
    'Firmware of real AMD boards can leave the clock’s rule unset too.',
  ],
  source:
    'Linux arch/x86/kernel/tsc.c, tsc_msr.c, kvmclock.c (X86_FEATURE_TSC_KNOWN_FREQ); Intel SDM vol. 2A, CPUID leaf 15H.',
  probes: [cpuFeatures, cpuLeaves, kernelMessages],
  observe: (read) =>
    onX86(read, (cpu) => {
      const [leaves, messages] = [read(cpuLeaves), read(kernelMessages)]
      const isKnown = cpu.marks.includes('tsc_known_freq')
      const warned = messages.ok && messages.fact.clock.some((line) => /doesn't count with P0 frequency/.test(line))
      const value = isKnown ? 'known to the kernel without measuring' : 'measured by the kernel'
      if (isControlDomain(read)) return neutral(value)
      const hasRatio = leaves.ok
        ? leaves.fact.clock !== null && leaves.fact.clock.denominator > 0 && leaves.fact.clock.numerator > 0
        : (cpu.cpuidLevel ?? 0x15) < 0x15
          ? false
          : null
      const isReported =
        cpu.vendor === 'AuthenticAMD' ||
        (cpu.vendor === 'GenuineIntel' && hasRatio === false && !INTEL_CLOCK_BY_TABLE.has(cpu.model ?? -1))
      if (isKnown && isReported)
        return virtual(
          value,
          oddSign(
            'The kernel has the speed of the processor’s clock without measuring it, and the processor’s identification does not state it; hypervisors report it to their guests.',
            cpuFeatures,
          ),
        )
      if (warned)
        return virtual(
          value,
          hintSign(
            'The kernel found a clock that does not count at the processor’s rated speed; guests on AMD are like that, and few boards.',
            kernelMessages,
          ),
        )
      return isKnown && hasRatio === true && cpu.vendor === 'GenuineIntel'
        ? metal(`${value}, from the crystal`)
        : neutral(value)
    }),
}

/** What the processor’s identification (CPUID) states beyond its flags. */
export const cpuLeafSignals: readonly Signal[] = [signature, highestLeaf, knownClock]
