import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'
import { inOrder } from '../steady.ts'

export interface KernelMessages {
  /** The kernel's first message of this boot is still there, so that a missing line is really missing. */
  readonly fromStart: boolean
  /** What follows "Hypervisor detected:". */
  readonly hypervisor: string | null
  /** What follows "Booting paravirtualized kernel on": "bare hardware", or a hypervisor's name. */
  readonly bootedOn: string | null
  /** First message of each driver that uses to a hypervisor. */
  readonly guestDrivers: readonly string[]
  /** The manufacturer of the UEFI firmware, from its system table. */
  readonly efiVendor: string | null
  /** "DMI: MAKER PRODUCT/BOARD, BIOS VERSION DATE". */
  readonly identity: string | null
  /** OEM id of the ACPI root pointer. */
  readonly acpiOem: string | null
  /** What the performance counters' driver stated. */
  readonly performance: string | null
  readonly clock: readonly string[]
  /** Ranges of the firmware's memory map. */
  readonly memoryRanges: number
}

// Fixed beginnings only: no message that could carry a command line, a user's text or an address comes along.
const BEGINNINGS = [
  'Linux version ',
  'BIOS-e820: ',
  'efi: EFI v',
  'EFI v',
  'DMI: ',
  'Hypervisor detected: ',
  'Booting paravirtualized kernel on ',
  'kvm-clock: ',
  'kvm-guest: ',
  'smccc: KVM: ',
  'Xen version: ',
  'Hyper-V: ',
  'vmware: ',
  'tsc: ',
  '.Firmware Bug.: TSC ',
  'Performance Events: ',
  'Broken PMU hardware detected',
  'ACPI: RSDP ',
  'ACPI: DMAR ',
  'ACPI: IVRS ',
  'ACPI: WAET ',
]

// Blanks by their code, which PCRE2 knows: sudo-rs cannot grant a word that holds one.
const PATTERN = `^(${BEGINNINGS.join('|')})`.replaceAll(' ', '\\x20')

/** journalctl(1): the kernel's messages of this boot that begin in one of these ways, without names and times. */
export const kernelMessages = defineProbe({
  id: 'kernel.messages',
  title: 'Kernel start-up messages',
  why: 'At start the kernel logs what it detected: a hypervisor, the firmware manufacturer, the memory map, working counters. Only lines with fixed beginnings are read.',
  ignoredInDrift: {
    why: 'The kernel discards its first messages when later ones need the space, and it measures its clock at each start.',
    normalize: ({ fromStart, clock: _, memoryRanges: __, ...said }: KernelMessages) =>
      fromStart ? { ...said, guestDrivers: inOrder(said.guestDrivers) } : null,
  },
  commands: {
    messages: runAsRoot(['journalctl', '-k', '-b', '-q', '--no-pager', '-o', 'cat', '-g', PATTERN], {
      maxBytes: 1048576,
    }),
  },
  parse({ messages }) {
    const said = lines(messages.text)
    if (said.length === 0) return unknown('the journal holds none of the kernel’s start-up messages')
    const after = (pattern: RegExp): string | null =>
      said.flatMap((line) => pattern.exec(line)?.[1]?.trim() ?? [])[0] ?? null
    const drivers = ['kvm-clock', 'kvm-guest', 'smccc: KVM', 'Xen version', 'Hyper-V', 'vmware']
    return known<KernelMessages>({
      fromStart: said.some((line) => line.startsWith('Linux version ')),
      hypervisor: after(/^Hypervisor detected: (.+)$/),
      bootedOn: after(/^Booting paravirtualized kernel on (.+)$/),
      guestDrivers: drivers.flatMap((name) => said.find((line) => line.startsWith(`${name}: `)) ?? []),
      efiVendor: after(/^(?:efi: )?EFI v[\d.]{1,8} by (.+)$/),
      identity: after(/^DMI: (.+)$/),
      acpiOem: after(/^ACPI: RSDP [^(]{1,60}\(v\d\d ([^)]{1,8})/),
      performance: after(/^(?:Performance Events: (?=.)|(?=Broken PMU))(.+)$/),
      clock: said.filter((line) => /^(tsc: |.Firmware Bug.: TSC )/.test(line)).slice(0, 20),
      memoryRanges: said.filter((line) => /^BIOS-e820: \[mem /.test(line)).length,
    })
  },
})
