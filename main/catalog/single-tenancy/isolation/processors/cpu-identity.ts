import { quote } from '../../../../core/base/plain-text.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { contradicts, count, named, supports } from '../../../base/steps.ts'
import { cpuFeatures, cpuPlatform, samplingUnits, uncoreUnits } from '../../../hardware/processors/features.ts'
import { type ArmPlatform, armPlatform } from '../../../hardware/processors/leaves.ts'
import { addressBits, armCoreName, DEFAULT_MICROCODE, hasForeignMicrocode, isArmServerCore } from '../cpu-tables.ts'
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
import { cpuLayoutSignals } from './cpu-layout.ts'
import { aroundX86, cpuLeafSignals, onX86 } from './cpu-leaf.ts'

const ONLY_ARM = 'Only arm64 processors have this.'

function onArm(read: Read, observe: (core: { implementer: number; part: number }) => Observation): Observation {
  const cpu = read(cpuFeatures)
  if (!cpu.ok) return unreadable(cpuFeatures, cpu.reason)
  const { architecture, implementer, part } = cpu.fact
  if (architecture !== 'arm64') return notApplicable(ONLY_ARM)
  return implementer === null || part === null
    ? neutral('the kernel reports no manufacturer of the cores')
    : observe({ implementer, part })
}

/** QEMU's own processor model, "max": part Q of no one (target/arm/tcg/cpu64.c). */
const QEMU_PART = 0x51

const coreId: Signal = {
  id: 'arm.midr',
  family: 'cpu-identity',
  title: 'Who made the cores (arm64)',
  onMetal: 'A manufacturer and one of its parts, the same in both places where the kernel shows it.',
  onGuest: 'The host’s, unless the processor is emulated: then none.',
  spoofingEffort: 'S0',
  pitfalls: [
    'KVM passes the host’s on, so that a correct value is no evidence.',
    'Parts that are newer than the list.',
  ],
  source:
    'Arm Architecture Reference Manual for A-profile, MIDR_EL1 (implementer 0 is left to software); Documentation/arch/arm64/cpu-feature-registers.rst; QEMU target/arm/tcg/cpu64.c.',
  probes: [cpuFeatures, armPlatform],
  observe: (read) =>
    onArm(read, ({ implementer, part }) => {
      const value = armCoreName(implementer, part)
      if (implementer === 0)
        return virtual(
          value,
          sign(
            'impossible',
            part === QEMU_PART ? 'QEMU TCG' : null,
            contradicts(
              'The cores report no manufacturer; that number is reserved for software, and no silicon has it.',
              cpuFeatures,
            ),
          ),
        )
      const platform = read(armPlatform)
      const midr = platform.ok ? platform.fact.midr : null
      return midr !== null && (midr.implementer !== implementer || midr.part !== part)
        ? virtual(
            value,
            oddSign(
              `The first core is ${value} in the processor list, and ${armCoreName(midr.implementer, midr.part)} by its own register.`,
              armPlatform,
            ),
          )
        : neutral(value)
    }),
}

const HYPERVISORS: readonly (readonly [RegExp, string])[] = [
  [/^(linux,)?kvm\b/i, 'KVM'],
  [/xen/i, 'Xen'],
  [/vmware/i, 'VMware'],
]
const MADE_UP: readonly (readonly [RegExp, string | null])[] = [
  [/^linux,dummy-virt$/, null],
  [/^jailhouse,cell/, null],
  [/^xen,xenvm/, 'Xen'],
  [/^riscv-virtio/, 'QEMU'],
  [/emulated by qemu/i, 'QEMU'],
]

function treeSigns({ model, compatible, hypervisor }: ArmPlatform): readonly Sign[] {
  const names = (platform: string | null, text: string): Sign => sign('names', platform, contradicts(text, armPlatform))
  return [
    ...hypervisor
      .slice(0, 1)
      .map((word) =>
        names(
          HYPERVISORS.find(([pattern]) => pattern.test(word))?.[1] ?? null,
          `The device tree names a hypervisor: ${quote(word, 60)}.`,
        ),
      ),
    ...[...compatible, ...(model === null ? [] : [model])].flatMap((word) => {
      const found = MADE_UP.find(([pattern]) => pattern.test(word))
      return found === undefined
        ? []
        : [names(found[1], `The device tree describes a machine emulated for guests: ${quote(word, 60)}.`)]
    }),
  ]
}

const deviceTree: Signal = {
  id: 'arm.devicetree',
  family: 'cpu-identity',
  title: 'The machine that the device tree describes',
  onMetal: 'A board and its manufacturer; servers with ACPI have no device tree.',
  onGuest: '“linux,dummy-virt”, or a hypervisor’s node.',
  spoofingEffort: 'S0',
  pitfalls: [
    'The control domain of Xen has the hypervisor’s node on hardware.',
    'Guests that start by ACPI have no device tree, or an empty one.',
  ],
  source:
    'Devicetree Specification 0.4 §2.3.1; Linux Documentation/devicetree/bindings/arm/xen.txt, arch/arm64/boot/dts; QEMU hw/arm/virt.c.',
  probes: [cpuFeatures, armPlatform],
  observe(read) {
    const [cpu, platform] = [read(cpuFeatures), read(armPlatform)]
    if (cpu.ok && cpu.fact.architecture === 'x86')
      return notApplicable('Machines of this architecture describe themselves by ACPI.')
    if (!platform.ok) return unreadable(armPlatform, platform.reason)
    const { model, compatible, hypervisor } = platform.fact
    if (model === null && compatible.length === 0 && hypervisor.length === 0)
      return notApplicable('This machine has no device tree.')
    const value = quote(model ?? compatible[0] ?? hypervisor[0] ?? '', 60)
    const signs = treeSigns(platform.fact)
    if (signs.length > 0) return virtual(value, ...signs)
    return model !== null && compatible.length > 0 ? metal(value) : neutral(value)
  },
}

const units: Signal = {
  id: 'arm.pmu',
  family: 'cpu-features',
  title: 'Counting units outside the cores (arm64)',
  onMetal: 'Units of mesh, memory controllers, links or address translation, and profiling of the cores.',
  onGuest: 'Units of the cores at most.',
  spoofingEffort: 'S1',
  pitfalls: [
    'The registers of these units are in memory that the monitor emulates; only profiling of the cores is the hypervisor kernel’s.',
    'The drivers are modules that small kernels lack, and some firmware does not describe the units.',
    'Small boards have none.',
  ],
  source:
    'Documentation/admin-guide/perf (arm-cmn, arm_dsu_pmu, smmuv3 pmcg, nvidia-pmu, hisi-pmu, alibaba_pmu); Linux drivers/perf; arch/arm64/kvm gives guests the counters of the cores only.',
  probes: [cpuFeatures, cpuPlatform],
  observe: (read) =>
    onArm(read, ({ implementer, part }) => {
      const platform = read(cpuPlatform)
      if (!platform.ok) return unreadable(cpuPlatform, platform.reason)
      const found = [...uncoreUnits(platform.fact), ...samplingUnits(platform.fact)]
      if (found.length > 0)
        return metal(
          `${found.length} units`,
          supports(
            `The kernel drives counting units that guests are not given: ${named(found, 4)}.`,
            cpuPlatform,
            'lists',
          ),
        )
      return isArmServerCore(implementer, part)
        ? virtual(
            'none',
            hintSign(
              `The kernel finds no counting unit outside the cores (${armCoreName(implementer, part)}); servers have them, where the kernel has their drivers.`,
              cpuPlatform,
              'lists',
            ),
          )
        : neutral('none')
    }),
}

/** Processor and board of arm64, and of others that have a device tree. */
const armIdentitySignals: readonly Signal[] = [coreId, deviceTree]
export const armFeatureSignals: readonly Signal[] = [units]

const hypervisorBit: Signal = {
  id: 'cpu.hvbit',
  family: 'cpu-identity',
  title: 'The processor’s hypervisor flag',
  onMetal: 'Not set.',
  onGuest: 'Set, unless a setting hides it; paravirtual guests of Xen never had it.',
  spoofingEffort: 'S0',
  pitfalls: [
    'The root partition of Hyper-V and Xen’s control domain have it set on hardware.',
    'One setting hides it in a guest, so its absence is no evidence.',
  ],
  source:
    'Intel SDM vol. 2A and AMD APM vol. 3, CPUID leaf 1, ECX bit 31; proc_cpuinfo(5); measured: set on none of 133 physical machines.',
  probes: [cpuFeatures],
  observe: (read) =>
    onX86(read, ({ hypervisorBit: isSet, logicalCpus }) =>
      isSet
        ? virtual(
            'set',
            sign(
              'names',
              null,
              contradicts(
                `The processor reports that it runs under a hypervisor (flag “hypervisor” on ${count(logicalCpus, 'logical CPU')}).`,
                cpuFeatures,
              ),
            ),
          )
        : metal(
            'not set',
            supports(
              'The hypervisor flag of the processor is not set. One setting of a hypervisor hides it, so this alone is weak evidence.',
              cpuFeatures,
            ),
          ),
    ),
}

const microcode: Signal = {
  id: 'cpu.microcode',
  family: 'cpu-identity',
  title: 'Microcode revision',
  onMetal: 'A revision that the manufacturer published for this model.',
  onGuest: 'A default of the hypervisor, or one of another model.',
  spoofingEffort: 'S0',
  pitfalls: [
    'A setting gives any value, and some hypervisors pass the host’s on.',
    'Old and engineering parts can have revisions of their own.',
  ],
  source:
    'Linux arch/x86/kvm/vmx/vmx.c and svm/svm.c (defaults 0x1 and 0x1000065); arch/x86/kernel/cpu/microcode/amd.c for AMD’s numbering; measured on guests of KVM, QEMU and Firecracker.',
  probes: [cpuFeatures],
  observe: (read) =>
    onX86(read, (cpu) => {
      const { microcode: revision } = cpu
      if (revision === null) return notApplicable('The kernel names no microcode revision.')
      const odd = (text: string) => virtual(quote(revision, 20), oddSign(text, cpuFeatures))
      if (DEFAULT_MICROCODE.has(revision))
        return odd(`The microcode revision is ${revision}, the default value of hypervisors.`)
      return hasForeignMicrocode(cpu) === true
        ? odd(
            `The microcode revision is ${quote(revision, 20)}: AMD writes family and model into it, and these are not of the processor that is named.`,
          )
        : metal(quote(revision, 20))
    }),
}

const CLOCKS: readonly (readonly [RegExp, string])[] = [
  [/^kvm-clock$/, 'KVM'],
  [/^hyperv_clocksource/, 'Microsoft Hyper-V'],
  [/^xen$/, 'Xen'],
]

const clock: Signal = {
  id: 'cpu.clock',
  family: 'cpu-identity',
  title: 'Clocks that the kernel offers',
  onMetal: 'tsc, hpet and acpi_pm.',
  onGuest: 'Also a clock of the hypervisor, even where another one is in use.',
  spoofingEffort: 'S0',
  pitfalls: ['A setting hides the hypervisor’s clock.', 'Xen’s control domain offers Xen’s clock.'],
  source:
    'Documentation/ABI/testing/sysfs-devices-clocksource; Linux arch/x86/kernel/kvmclock.c, drivers/clocksource/hyperv_timer.c, arch/x86/xen/time.c.',
  probes: [cpuPlatform],
  observe(read) {
    const platform = read(cpuPlatform)
    if (!platform.ok) return unreadable(cpuPlatform, platform.reason)
    const { clocksources } = platform.fact
    const value = quote(clocksources.join(' '), 80)
    const signs = clocksources.slice(0, 20).flatMap((name) => {
      const by = CLOCKS.find(([pattern]) => pattern.test(name))?.[1]
      const text = `The kernel offers ${quote(name)}, a clock that ${by} provides to its guests.`
      return by === undefined ? [] : [sign('names', by, contradicts(text, cpuPlatform, 'values'))]
    })
    if (signs.length > 0) return virtual(value, ...signs)
    return clocksources.includes('tsc') && clocksources.some((name) => name === 'hpet' || name === 'acpi_pm')
      ? metal(value)
      : neutral(value)
  },
}

const weaknesses: Signal = {
  id: 'cpu.vulns',
  family: 'cpu-identity',
  title: 'Processor weaknesses reported by the kernel',
  onMetal: 'Mitigated or vulnerable, with threads on or off.',
  onGuest: 'Depends on a host above; microcode that should be there is missing.',
  spoofingEffort: 'S0',
  pitfalls: [
    'Hardware whose microcode was never updated reports it missing too.',
    'Old kernels and other architectures report little or nothing.',
  ],
  source:
    'Documentation/ABI/testing/sysfs-devices-system-cpu; Linux arch/x86/kernel/cpu/bugs.c; measured on dressed-up guests.',
  probes: [cpuFeatures, cpuPlatform],
  observe: (read) =>
    aroundX86(read, (_, { vulnerabilities }) => {
      const states = [...vulnerabilities.values()]
      if (states.length === 0) return neutral('this kernel does not report them')
      if (states.some((text) => /host state unknown|hypervisor status|XEN PV detected/i.test(text)))
        return virtual(
          'depends on a host above',
          oddSign(
            'The kernel reports that some processor weaknesses depend on the state of a host above it.',
            cpuPlatform,
            'values',
          ),
        )
      const missing = states.filter((text) => /no microcode/i.test(text)).length
      return missing > 0
        ? virtual(
            `${missing} of ${states.length} without microcode`,
            hintSign(
              `The kernel reports missing microcode for ${count(missing, 'processor weakness', 'processor weaknesses')}; guests with a hidden hypervisor look like this, and so do old systems.`,
              cpuPlatform,
              'values',
            ),
          )
        : metal(`${states.length} evaluated, none that depends on a host`)
    }),
}

const address: Signal = {
  id: 'cpu.physbits',
  family: 'cpu-identity',
  title: 'Address bits against the processor’s model',
  onMetal: 'The manufacturer’s value, less the bits used by memory encryption.',
  onGuest: '40 where the host’s value is not passed on; VMware 45.',
  spoofingEffort: 'S0',
  pitfalls: [
    'Memory encryption takes bits away, and a setting of the firmware can limit them to 46.',
    'Only models with a listed width are evaluated.',
  ],
  source:
    'Intel SDM vol. 2A, CPUID leaf 80000008H; AMD APM vol. 2 §7.10.1 (memory encryption); QEMU target/i386/cpu.c (TCG_PHYS_ADDR_BITS); measured: CPUID dumps of physical machines.',
  probes: [cpuFeatures],
  observe: (read) =>
    onX86(read, (cpu) => {
      const range = addressBits(cpu)
      const { physicalAddressBits: found } = cpu
      if (range === null || found === null)
        return notApplicable('How many address bits this processor model has is not listed.')
      const [least, most] = range
      const value = `${found} bits`
      if (found >= least && found <= most) return metal(value)
      return virtual(
        value,
        oddSign(
          `The processor shows ${found} physical address bits; its family and model have ${least === most ? least : `${least} to ${most}`}.`,
          cpuFeatures,
        ),
      )
    }),
}

/** The processor’s own statement of what it is, and its consistency: family F1 of the catalogue, on x86 and arm64. */
export const cpuIdentitySignals: readonly Signal[] = [
  hypervisorBit,
  microcode,
  clock,
  weaknesses,
  address,
  ...cpuLeafSignals,
  ...cpuLayoutSignals,
  ...armIdentitySignals,
]
