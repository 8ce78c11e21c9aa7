import { type CpuFeatures, cpuFeatures, cpuPlatform } from '../../processors/features.ts'
import { contradicts, named, supports } from '../../steps.ts'
import { FEW_POWER_BITS, hasHostPowerBits, isServerPart, isSince2009 } from '../cpu-tables.ts'
import { metal, neutral, notApplicable, type Signal, sign, virtual } from '../signal.ts'
import { armFeatureSignals } from './cpu-arm.ts'
import { cpuInstrumentSignals } from './cpu-instruments.ts'
import { aroundX86, onX86 } from './cpu-shared.ts'

const powerBits: Signal = {
  id: 'cpu.powerbits',
  family: 'cpu-features',
  title: 'Power-management features of the processor',
  onMetal: 'Nearly all features of the manufacturer: 12 or 13 of 13 on Intel, 7 or 8 of 8 on AMD since 2011.',
  onGuest: 'Three or fewer, unless they were set: 11 of 13 by QEMU’s own options.',
  spoofingEffort: 'S0',
  pitfalls: [
    'QEMU’s x-force-features=on sets 11 of Intel’s 13 and 5 of AMD’s 8; VMware’s cpuid masks, Xen’s cpuid option and Firecracker’s templates set any of them.',
    'Processors before 2009 have few of them.',
    'VMware passes a few thermal ones on.',
    'Xen takes them from its control domain, which runs on hardware.',
    'Manufacturers other than Intel, AMD and Hygon are not listed.',
  ],
  source:
    'Intel SDM vol. 2A and AMD APM vol. 3, CPUID; Linux arch/x86/include/asm/cpufeatures.h for the names; measured: CPUID dumps of 64 physical Intel machines, 62 of them with 12 or more, and 26 guests.',
  probes: [cpuFeatures],
  observe: (read) =>
    onX86(read, (cpu) => {
      const { powerBits: found, powerBitsAsked: asked } = cpu
      if (asked.length === 0)
        return notApplicable('For processors of this manufacturer there is no list of such features.')
      const shown = `${found.length} of ${asked.length}`
      if (hasHostPowerBits(cpu))
        return metal(
          shown,
          supports(
            `The processor shows ${shown} power-management features that hardware of its kind has. Settings of virtual machine monitors can show them as well.`,
            cpuFeatures,
          ),
        )
      return found.length <= FEW_POWER_BITS && isSince2009(cpu)
        ? virtual(
            shown,
            sign(
              'odd',
              null,
              contradicts(
                `The processor shows ${shown} power-management features that hardware of its kind has.`,
                cpuFeatures,
              ),
            ),
          )
        : neutral(shown)
    }),
}

const HARDWARE_CLOCKING =
  /^(intel_pstate|intel_cpufreq|acpi-cpufreq|amd-pstate(-epp)?|amd_pstate(_epp)?|pcc-cpufreq|powernow-k8)$/
const HARDWARE_IDLE = /^(intel_idle|acpi_idle)$/

const frequency: Signal = {
  id: 'cpu.freq',
  family: 'cpu-features',
  title: 'Drivers for clock speed and idling',
  onMetal: 'A driver of the vendor or of ACPI for each.',
  onGuest: 'None, or the idle driver that is made for guests.',
  spoofingEffort: 'S1',
  pitfalls: [
    'A setting of the firmware or of the kernel takes both away on hardware.',
    'Large guests of some providers are given idle states.',
  ],
  source:
    'Documentation/admin-guide/pm/cpufreq.rst and cpuidle.rst; Documentation/virt/guest-halt-polling.rst; measured on guests of QEMU and Firecracker.',
  probes: [cpuFeatures, cpuPlatform],
  observe: (read) =>
    aroundX86(read, (cpu, { cpufreqDriver, cpuidleDriver }) => {
      const value = named([cpufreqDriver ?? 'none', cpuidleDriver ?? 'none'])
      if (cpuidleDriver === 'haltpoll')
        return virtual(
          value,
          sign(
            'hint',
            null,
            contradicts('The idle driver is haltpoll, which is made for guests.', cpuPlatform, 'values'),
          ),
        )
      if (HARDWARE_CLOCKING.test(cpufreqDriver ?? '')) return metal(value)
      const idles = HARDWARE_IDLE.test(cpuidleDriver ?? '')
      return cpufreqDriver === null && !idles && isSince2009(cpu)
        ? virtual(
            value,
            sign(
              'hint',
              null,
              contradicts(
                'The kernel drives neither the processor’s clock speed nor its idle states.',
                cpuPlatform,
                'values',
              ),
            ),
          )
        : neutral(value)
    }),
}

const ALLOCATION = ['cat_l3', 'cqm', 'rdt_a', 'mba']

/** Server lines that have cache allocation: Intel's scalable ones, AMD's since Zen 2. */
const hasAllocation = (cpu: CpuFeatures): boolean =>
  isServerPart(cpu) &&
  (cpu.vendor === 'GenuineIntel'
    ? /\b(Platinum|Gold)\b/.test(cpu.modelName ?? '')
    : (cpu.family ?? 0) >= 25 || (cpu.family === 23 && (cpu.model ?? 0) >= 0x31))

const resctrl: Signal = {
  id: 'cpu.resctrl',
  family: 'cpu-features',
  title: 'Control over shared cache and memory bandwidth',
  onMetal: 'There on server processors.',
  onGuest: 'Not given to guests.',
  spoofingEffort: 'S0',
  pitfalls: [
    'QEMU’s x-force-features=on shows the flags of any feature that it has a name for.',
    'A switch of the kernel takes it away on hardware.',
    'Desktop and small processors lack it.',
  ],
  source:
    'Documentation/arch/x86/resctrl.rst; Intel SDM vol. 3B, Resource Director Technology; AMD APM vol. 2, platform quality of service; measured on guests of QEMU and Firecracker.',
  probes: [cpuFeatures],
  observe: (read) =>
    onX86(read, (cpu) => {
      const found = cpu.marks.filter((flag) => ALLOCATION.includes(flag))
      if (found.length > 0) return metal(found.join(' '))
      return hasAllocation(cpu)
        ? virtual(
            'none',
            sign(
              'hint',
              null,
              contradicts(
                'The processor lacks control over its shared cache, which processors of its line have.',
                cpuFeatures,
              ),
            ),
          )
        : neutral('none')
    }),
}

const ppin: Signal = {
  id: 'cpu.ppin',
  family: 'cpu-features',
  title: 'A number of its own in each processor',
  onMetal: 'The flag is there on servers, unless the firmware locks it.',
  onGuest: 'Not given to guests.',
  spoofingEffort: 'S1',
  pitfalls: ['Firmware can lock it, so its absence is no evidence.', 'Only the flag is read, not the number.'],
  source: 'Linux arch/x86/kernel/cpu/common.c (ppin_init); Intel SDM vol. 4, MSR_PPIN; AMD PPR, PPIN.',
  probes: [cpuFeatures],
  observe: (read) =>
    onX86(read, ({ marks }) => {
      const found = marks.filter((flag) => flag === 'intel_ppin' || flag === 'amd_ppin')
      return found.length > 0 ? metal(found.join(' ')) : neutral('not shown')
    }),
}

/** What only a host gets of its processor: family F2 of the catalogue, on x86 and arm64. */
export const cpuFeatureSignals: readonly Signal[] = [
  powerBits,
  ...cpuInstrumentSignals,
  frequency,
  resctrl,
  ppin,
  ...armFeatureSignals,
]
