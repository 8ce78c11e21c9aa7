import type { Read } from '../../../../core/recording/readings.ts'
import { count, named, supports, unclear } from '../../../base/steps.ts'
import {
  type CpuFeatures,
  coreUnits,
  cpuFeatures,
  cpuPlatform,
  energyZones,
  processorSensors,
  uncoreUnits,
} from '../../../hardware/processors/features.ts'
import { cpuEnergy, cpuMsr, cpuSensors } from '../../../hardware/processors/instruments.ts'
import { kernelMessages, virtBuses } from '../../virtualization/index.ts'
import { FEW_POWER_BITS, hasHostPowerBits, isServerPart, isSince2009 } from '../cpu-tables.ts'
import {
  hintSign,
  metal,
  neutral,
  notApplicable,
  type Observation,
  oddSign,
  type Signal,
  unreadable,
  virtual,
} from '../signal.ts'
import { isControlDomain } from '../signals/boot.ts'
import { plausibleTemperatures, readRegisters } from './cpu-hardware.ts'
import { armFeatureSignals } from './cpu-identity.ts'
import { aroundX86, onX86 } from './cpu-leaf.ts'

const counters: Signal = {
  id: 'cpu.pmu',
  family: 'cpu-features',
  title: 'Counting units of the processor',
  onMetal: 'Units of the cores, and on servers those of memory controllers, mesh and package power.',
  onGuest: 'Units of the cores at most, often none.',
  spoofingEffort: 'S0',
  pitfalls: [
    'The units outside the cores can be a module that is not loaded.',
    'Small and desktop processors have few of them.',
    'Xen’s control domain is not given the units of the cores.',
  ],
  source:
    'Documentation/ABI/testing/sysfs-bus-event_source-devices; Linux arch/x86/events/intel/uncore.c, amd/uncore.c, core.c; measured on guests of QEMU and Firecracker.',
  probes: [cpuFeatures, cpuPlatform, kernelMessages, virtBuses],
  observe: (read) =>
    aroundX86(read, (cpu, platform) => {
      const [outside, own] = [uncoreUnits(platform), coreUnits(platform)]
      if (outside.length > 0)
        return neutral(
          `${outside.length} outside the cores`,
          unclear(
            `The kernel lists counting units outside the cores (${named(outside, 4)}). It lists some by the processor’s model alone, so that their names are no sign of hardware.`,
            cpuPlatform,
            'lists',
          ),
        )
      const value = own.length > 0 ? 'only those of the cores' : 'none'
      if (!isSince2009(cpu) || isControlDomain(read)) return neutral(value)
      if (own.length === 0) {
        const messages = read(kernelMessages)
        const refused = messages.ok && /due to virtualization/i.test(messages.fact.performance ?? '')
        return virtual(
          value,
          oddSign(
            refused
              ? 'The kernel finds no performance counter unit in the cores, and reports virtualization as the reason.'
              : 'The kernel finds no counting unit in the cores; every processor of today has some.',
            cpuPlatform,
            'lists',
          ),
        )
      }
      return isServerPart(cpu)
        ? virtual(
            value,
            hintSign(
              'The kernel finds no counting units outside the cores; processors of this line have them, in a module that may not be loaded.',
              cpuPlatform,
              'lists',
            ),
          )
        : neutral(value)
    }),
}

/** Processors that count their energy in registers: Intel's since Sandy Bridge, AMD's since Zen. */
const countsEnergy = (cpu: CpuFeatures): boolean =>
  isSince2009(cpu) &&
  (cpu.vendor === 'GenuineIntel'
    ? cpu.family === 6 && (cpu.model ?? 0) >= 0x2a && ![0x2c, 0x2e, 0x2f].includes(cpu.model ?? 0)
    : (cpu.family ?? 0) >= 0x17)

const energy: Signal = {
  id: 'cpu.rapl',
  family: 'cpu-features',
  title: 'Energy counters of the processor',
  onMetal: 'One for each package, often one for its memory.',
  onGuest: 'None: hypervisors return zero, and the kernel then registers no counter.',
  spoofingEffort: 'S0',
  pitfalls: [
    'Some kernels lack the driver, and AMD’s came with Linux 5.8.',
    'QEMU since 9.1 can return its own estimate (rapl=on).',
    'Whether they change is covered by another signal.',
  ],
  source:
    'Documentation/power/powercap/powercap.rst; Linux drivers/powercap/intel_rapl_common.c; arch/x86/kvm/x86.c, energy registers of guests read zero.',
  probes: [cpuFeatures, cpuPlatform, cpuEnergy, virtBuses],
  observe: (read) =>
    aroundX86(read, (cpu, platform) => {
      const zones = energyZones(platform)
      if (zones.length > 0) return counted(read, zones)
      if (!countsEnergy(cpu)) return notApplicable('Processors of this age or manufacturer have no energy counter.')
      return isControlDomain(read)
        ? neutral('none')
        : virtual(
            'none',
            hintSign(
              'The kernel finds no energy counter; the processor that is named has one, and some kernels lack the driver.',
              cpuPlatform,
              'lists',
            ),
          )
    }),
}

/** Zones that the kernel lists, by whether their counter rose. */
function counted(read: Read, zones: readonly string[]): Observation {
  const reading = read(cpuEnergy)
  if (!reading.ok) return unreadable(cpuEnergy, reading.reason)
  const { zone } = reading.fact
  if (zone === null) return neutral(`${count(zones.length, 'zone')}, and no counter in the first`)
  const joules = `${(zone.microjoules / 1e6).toFixed(3)} J between two samples`
  return zone.microjoules > 0
    ? metal(joules, supports(`The energy counter of the processor rose by ${joules}.`, cpuEnergy))
    : virtual(
        'did not rise',
        hintSign(
          'The energy counter of the processor did not rise between two samples; it is updated about every millisecond.',
          cpuEnergy,
        ),
      )
}

const registers: Signal = {
  id: 'cpu.msr',
  family: 'cpu-features',
  title: 'Registers that describe the processor’s hardware',
  onMetal: 'A clock ratio, a highest temperature and a unit of energy.',
  onGuest: 'Zeros, or no such register.',
  spoofingEffort: 'S1',
  pitfalls: [
    'A patched monitor emulates any register: KVM lets it filter them (KVM_X86_SET_MSR_FILTER).',
    'The device is there only where its kernel module is loaded, and is not loaded for this.',
    'Xen emulates some of them itself, for its control domain too.',
    'VMware passes some on.',
  ],
  source:
    'Intel SDM vol. 4 (MSR_PLATFORM_INFO, MSR_TEMPERATURE_TARGET, MSR_RAPL_POWER_UNIT); AMD PPR (P-state definitions, RAPL unit); Linux arch/x86/kvm/x86.c; measured on emulated guests.',
  probes: [cpuFeatures, cpuMsr, virtBuses],
  observe: (read) =>
    onX86(read, (cpu) => {
      const answers = read(cpuMsr)
      if (!answers.ok) return unreadable(cpuMsr, answers.reason)
      const { is, value } = readRegisters(cpu, answers.fact)
      if (is === 'unknown') return notApplicable('The content of these registers is not listed for this processor.')
      if (is === 'sane')
        return metal(value, supports(`Registers of the processor hold what hardware holds: ${value}.`, cpuMsr))
      return is === 'mixed' || isControlDomain(read)
        ? neutral(value)
        : virtual(
            value,
            oddSign(`Registers in which hardware describes itself are empty or refused: ${value}.`, cpuMsr),
          )
    }),
}

const sensors: Signal = {
  id: 'cpu.thermal',
  family: 'cpu-features',
  title: 'Temperature and power sensors of the processor',
  onMetal: 'coretemp or k10temp, on servers often a power meter.',
  onGuest: 'None.',
  spoofingEffort: 'S1',
  pitfalls: [
    'Minimal kernels lack the drivers.',
    'Guests of VMware can load coretemp.',
    'Whether they change is covered by another signal.',
  ],
  source:
    'Documentation/hwmon/coretemp.rst, k10temp.rst, acpi_power_meter.rst; measured on guests of QEMU and Firecracker.',
  probes: [cpuFeatures, cpuPlatform, cpuSensors],
  observe: (read) =>
    aroundX86(read, (cpu, platform) => {
      const reading = read(cpuSensors)
      if (!reading.ok) return unreadable(cpuSensors, reading.reason)
      const { temperatures } = reading.fact
      const real = plausibleTemperatures(reading.fact)
      const drivers = named([...new Set(real.map(({ driver }) => driver))], 4)
      if (real.length > 0)
        return metal(
          `${drivers}, ${count(real.length, 'temperature')}`,
          supports(
            `${count(real.length, 'sensor')} inside the processor (${drivers}) give temperatures that a running processor has.`,
            cpuSensors,
          ),
        )
      const listed = processorSensors(platform)
      if (!isSince2009(cpu)) return neutral(listed.length === 0 ? 'none' : 'none that responds')
      if (temperatures.length > 0)
        return virtual(
          `${count(temperatures.length, 'sensor')}, none plausible`,
          hintSign(
            'The sensors of the processor give no temperature that a running processor has; a driver over empty registers shows the highest one.',
            cpuSensors,
          ),
        )
      return listed.length > 0
        ? neutral(`${named([...new Set(listed)], 4)}, without a temperature`)
        : virtual('none', hintSign('The kernel finds no sensor of the processor.', cpuPlatform, 'values'))
    }),
}

/** Presence of the instruments that hardware has around its processor. */
const cpuInstrumentSignals: readonly Signal[] = [counters, energy, registers, sensors]

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
            oddSign(
              `The processor shows ${shown} power-management features that hardware of its kind has.`,
              cpuFeatures,
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
        return virtual(value, hintSign('The idle driver is haltpoll, which is made for guests.', cpuPlatform, 'values'))
      if (HARDWARE_CLOCKING.test(cpufreqDriver ?? '')) return metal(value)
      const idles = HARDWARE_IDLE.test(cpuidleDriver ?? '')
      return cpufreqDriver === null && !idles && isSince2009(cpu)
        ? virtual(
            value,
            hintSign(
              'The kernel drives neither the processor’s clock speed nor its idle states.',
              cpuPlatform,
              'values',
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
            hintSign(
              'The processor lacks control over its shared cache, which processors of its line have.',
              cpuFeatures,
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

/** Processor features that only a host has: family F2 of the catalogue, on x86 and arm64. */
export const cpuFeatureSignals: readonly Signal[] = [
  powerBits,
  ...cpuInstrumentSignals,
  frequency,
  resctrl,
  ppin,
  ...armFeatureSignals,
]
