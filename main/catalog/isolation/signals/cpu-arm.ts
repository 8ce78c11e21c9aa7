import { quote } from '../../../core/plain-text.ts'
import { cpuFeatures, cpuPlatform, samplingUnits, uncoreUnits } from '../../processors/features.ts'
import { type ArmPlatform, armPlatform } from '../../processors/leaves.ts'
import { contradicts, named, supports } from '../../steps.ts'
import { armCoreName, isArmServerCore } from '../cpu-tables.ts'
import {
  metal,
  neutral,
  notApplicable,
  type Observation,
  type Read,
  type Sign,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'

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
            sign(
              'odd',
              null,
              contradicts(
                `The first core is ${value} in the processor list, and ${armCoreName(midr.implementer, midr.part)} by its own register.`,
                armPlatform,
              ),
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
            sign(
              'hint',
              null,
              contradicts(
                `The kernel finds no counting unit outside the cores (${armCoreName(implementer, part)}); servers have them, where the kernel has their drivers.`,
                cpuPlatform,
                'lists',
              ),
            ),
          )
        : neutral('none')
    }),
}

/** Processor and board of arm64, and of others that have a device tree. */
export const armIdentitySignals: readonly Signal[] = [coreId, deviceTree]
export const armFeatureSignals: readonly Signal[] = [units]
