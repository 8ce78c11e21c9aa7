import { quote } from '../../../core/plain-text.ts'
import { cpuFeatures, cpuPlatform } from '../../processors/features.ts'
import { contradicts, count, supports } from '../../steps.ts'
import { addressBits, DEFAULT_MICROCODE, hasForeignMicrocode } from '../cpu-tables.ts'
import { metal, neutral, notApplicable, type Signal, sign, unreadable, virtual } from '../signal.ts'
import { armIdentitySignals } from './cpu-arm.ts'
import { cpuLayoutSignals } from './cpu-layout.ts'
import { aroundX86, cpuLeafSignals, onX86 } from './cpu-leaf.ts'

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
      const odd = (text: string) => virtual(quote(revision, 20), sign('odd', null, contradicts(text, cpuFeatures)))
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
      const said = [...vulnerabilities.values()]
      if (said.length === 0) return neutral('this kernel does not report them')
      if (said.some((text) => /host state unknown|hypervisor status|XEN PV detected/i.test(text)))
        return virtual(
          'depends on a host above',
          sign(
            'odd',
            null,
            contradicts(
              'The kernel reports that some processor weaknesses depend on the state of a host above it.',
              cpuPlatform,
              'values',
            ),
          ),
        )
      const missing = said.filter((text) => /no microcode/i.test(text)).length
      return missing > 0
        ? virtual(
            `${missing} of ${said.length} without microcode`,
            sign(
              'hint',
              null,
              contradicts(
                `The kernel reports missing microcode for ${count(missing, 'processor weakness', 'processor weaknesses')}; guests with a hidden hypervisor look like this, and so do old systems.`,
                cpuPlatform,
                'values',
              ),
            ),
          )
        : metal(`${said.length} evaluated, none that depends on a host`)
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
        sign(
          'odd',
          null,
          contradicts(
            `The processor shows ${found} physical address bits; its family and model have ${least === most ? least : `${least} to ${most}`}.`,
            cpuFeatures,
          ),
        ),
      )
    }),
}

/** What the processor states it is, and whether it fits: family F1 of the catalogue, on x86 and arm64. */
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
