import { KERNEL_MESSAGES } from '../../../core/recording/command-allowlist.ts'
import { defineProbe, glob, known, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { listedFolders, listingIsComplete, wholeNumber } from '../../base/read-listing.ts'
import {
  ALWAYS_FILE,
  ALWAYS_FOLDER,
  ALWAYS_PATH,
  foundLines,
  grepIsComplete,
  inOrder,
  isAbsent,
  lines,
  OF_ALWAYS_FILE,
  OF_ALWAYS_FOLDER,
  OF_ALWAYS_PATH,
  oneLineFiles,
  whether,
} from '../../base/read-text.ts'
import { defineSubject } from '../../base/subject.ts'

export interface VirtualBuses {
  readonly vmbus: number
  readonly xen: number
  readonly virtio: number
  readonly qemuFirmwareConfig: boolean
  /** /sys/hypervisor/type */
  readonly hypervisorType: string | null
  /** Xen's control domain: it runs on the hypervisor and manages it. */
  readonly isControlDomain: boolean
  readonly deviceTreeHypervisor: string | null
  /** s390: the control program of the guest level, such as z/VM or KVM. */
  readonly controlProgram: string | null
  /** s390 and POWER: this system is one of several logical partitions of the machine. */
  readonly isPartition: boolean
}

const VMBUS = '/sys/bus/vmbus/devices'
const XEN = '/sys/bus/xen/devices'
const VIRTIO = '/sys/bus/virtio/devices'
const FW_CFG = '/sys/firmware/qemu_fw_cfg'

/** Documentation/ABI: sysfs-bus-vmbus, sysfs-hypervisor-xen, sysfs-firmware-qemu_fw_cfg; proc_sysinfo of s390, lparcfg of POWER. */
export const virtBuses = defineProbe({
  id: 'virt.buses',
  title: 'Buses and files that only hypervisors provide',
  why: 'Paravirtual devices use their own buses, and some hypervisors expose files.',
  commands: {
    lists: run(['ls', '-1', VMBUS, XEN, VIRTIO, FW_CFG, ALWAYS_FOLDER], OF_ALWAYS_FOLDER),
    files: run(
      [
        'grep',
        '-aH',
        '',
        '/sys/hypervisor/type',
        '/sys/hypervisor/properties/features',
        '/proc/xen/capabilities',
        '/proc/device-tree/hypervisor/compatible',
        '/proc/sysinfo',
        '/proc/ppc64/lparcfg',
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
  },
  parse({ lists, files }) {
    if (!listingIsComplete(lists)) return unknown('the buses of hypervisors could not be listed')
    if (!grepIsComplete(files)) return unknown('the files of hypervisors could not be read')
    const folders = listedFolders(lists.text)
    if (lists.exitCode === 0 && folders.size === 0) return unknown('the list of buses has an unexpected format')
    const found = foundLines(files.text)
    const first = (path: string): string | null =>
      found
        .find((one) => one.path === path)
        ?.line.replace(/\0/g, ' ')
        .trim() ?? null
    const sysinfo = found.filter(({ path }) => path === '/proc/sysinfo').map(({ line }) => line)
    return known<VirtualBuses>({
      vmbus: folders.get(VMBUS)?.length ?? 0,
      xen: folders.get(XEN)?.length ?? 0,
      virtio: folders.get(VIRTIO)?.length ?? 0,
      qemuFirmwareConfig: (folders.get(FW_CFG)?.length ?? 0) > 0,
      hypervisorType: first('/sys/hypervisor/type'),
      isControlDomain:
        /control_d/.test(first('/proc/xen/capabilities') ?? '') ||
        hasDom0Feature(first('/sys/hypervisor/properties/features')),
      deviceTreeHypervisor: first('/proc/device-tree/hypervisor/compatible'),
      controlProgram:
        sysinfo.flatMap((line) => /^VM00 Control Program:\s+(.+)$/.exec(line)?.[1] ?? [])[0]?.trim() ?? null,
      isPartition:
        sysinfo.some((line) => /^LPAR Number:/.test(line)) || found.some(({ path }) => path === '/proc/ppc64/lparcfg'),
    })
  },
})

// include/xen/interface/features.h: XENFEAT_dom0 is bit 11.
const hasDom0Feature = (features: string | null): boolean =>
  features !== null && /^[0-9a-f]{1,8}$/i.test(features) && (Number.parseInt(features, 16) & 0x800) !== 0

interface GuestSupport {
  /** Devices and modules of hypervisors on this system that exist. */
  readonly found: readonly string[]
  /** How often the KVM module of the processor is held: by each guest, and by each file that a guest has open. Null when it is not a module. */
  readonly openGuests: number | null
}

/**
 * kvm_main.c: an open guest and each of its processors hold the vendor module, so a count of zero means no open
 * guest.
 */
export const virtGuests = defineProbe({
  id: 'virt.guests',
  title: 'Support for running virtual machines',
  why: 'Shows whether this server can host guests, and whether the kernel has any open right now.',
  ignoredInDrift: {
    why: 'The module is held once for each guest and each file that a guest has open.',
    normalize: ({ found, openGuests }: GuestSupport) => ({ found: inOrder(found), hasGuests: whether(openGuests) }),
  },
  commands: {
    devices: run(
      [
        'ls',
        '-d',
        '/dev/kvm',
        '/dev/vhost-net',
        '/dev/vboxdrv',
        '/dev/vmmon',
        '/sys/module/kvm_intel',
        '/sys/module/kvm_amd',
        ALWAYS_PATH,
      ],
      OF_ALWAYS_PATH,
    ),
    uses: run(
      ['grep', '-H', '', '/sys/module/kvm_intel/refcnt', '/sys/module/kvm_amd/refcnt', ALWAYS_FILE],
      OF_ALWAYS_FILE,
    ),
  },
  parse({ devices, uses }) {
    if (devices.exitCode !== 0 && !isAbsent(devices))
      return unknown('the devices of hypervisors could not be looked for')
    if (!grepIsComplete(uses)) return unknown('the use counts of the KVM modules could not be read')
    const counts = [...oneLineFiles(uses.text)].flatMap(([path, value]) =>
      path === ALWAYS_FILE ? [] : [wholeNumber(value)],
    )
    if (counts.includes(null)) return unknown('a use count of the KVM modules is not a number')
    return known<GuestSupport>({
      found: lines(devices.text).filter((path) => path.startsWith('/') && path !== ALWAYS_PATH),
      openGuests: counts.length === 0 ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    })
  },
})

export interface HostedDevices {
  /** Numbers of the Xen guests that this system serves with devices. */
  readonly xenGuests: readonly number[]
  /** PCI functions that are held ready for guests or for drivers outside the kernel. */
  readonly heldBack: readonly string[]
  /** Parts of devices that were made for guests (mediated devices, such as virtual GPUs). */
  readonly mediated: readonly string[]
  /** Network interfaces of the kind that guests are connected with. */
  readonly taps: readonly string[]
}

const XEN_HOST = '/sys/bus/xen-backend/devices'
const VFIO = '/sys/bus/pci/drivers/vfio-pci'
const MEDIATED = '/sys/bus/mdev/devices'
const MACVTAP = '/sys/class/macvtap'
// include/uapi/linux/if_tun.h
const IFF_TAP = 2

/** Documentation/ABI: sysfs-bus-pci, sysfs-bus-vfio-mdev, sysfs-class-net; drivers/xen/xenbus/xenbus_probe_backend.c. */
export const virtHosted = defineProbe({
  id: 'virt.hosted',
  title: 'Devices set up for virtual machines',
  why: 'Shows what this system assigns to its own guests: network interfaces, whole PCI devices, parts of GPUs.',
  ignoredInDrift: {
    why: 'Guests and their interfaces are numbered anew at each of their starts.',
    normalize: ({ xenGuests, heldBack, mediated, taps }: HostedDevices) => ({
      heldBack: inOrder(heldBack),
      mediated: inOrder(mediated),
      hasGuests: xenGuests.length + taps.length > 0,
    }),
  },
  commands: {
    lists: run(['ls', '-1', XEN_HOST, VFIO, MEDIATED, MACVTAP]),
    taps: run(['grep', '-H', '', glob('/sys/class/net/*/tun_flags')]),
  },
  parse({ lists, taps }) {
    if (!listingIsComplete(lists)) return unknown('the devices set up for guests could not be listed')
    if (!grepIsComplete(taps)) return unknown('the kinds of network interfaces could not be read')
    const folders = listedFolders(lists.text)
    if (lists.exitCode === 0 && folders.size === 0)
      return unknown('the list of devices for guests has an unexpected format')
    // Type, guest, device: vif-3-0.
    const guests = (folders.get(XEN_HOST) ?? []).flatMap((name) => /^[a-z0-9]+-(\d{1,5})-\d+$/.exec(name)?.[1] ?? [])
    return known<HostedDevices>({
      xenGuests: [...new Set(guests.map(Number))].sort((a, b) => a - b),
      heldBack: (folders.get(VFIO) ?? []).filter((name) => /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/.test(name)),
      mediated: folders.get(MEDIATED) ?? [],
      taps: [
        ...foundLines(taps.text).flatMap(({ path, line }) => {
          const name = /^\/sys\/class\/net\/([^/]+)\/tun_flags$/.exec(path)?.[1]
          const isTap = /^0x[0-9a-f]{1,8}$/i.test(line) && (Number.parseInt(line, 16) & IFF_TAP) !== 0
          return name !== undefined && isTap ? [name] : []
        }),
        ...(folders.get(MACVTAP) ?? []),
      ],
    })
  },
})

export interface HypervisorInterrupts {
  /** Interrupts that a hypervisor sent this kernel since boot, on all processors. */
  readonly callbacks: number
  /** The same from Hyper-V’s own timer and re-enlightenment. */
  readonly hyperV: number
}

/**
 * Linux arch/x86/kernel/irq.c: HYP counts calls of the hypervisor vector, HVS and HRE those of Hyper-V. Kernels before 4.1 print the line
 * on hardware too, with zeros, so only counts show. The first line names the processors on every kernel.
 */
export const virtInterrupts = defineProbe({
  id: 'virt.interrupts',
  title: 'Interrupts that only hypervisors send',
  why: 'Interrupts that a hypervisor sends to its guest are counted by the guest’s kernel.',
  ignoredInDrift: {
    why: 'Interrupts are counted from the last start on.',
    normalize: ({ callbacks, hyperV }: HypervisorInterrupts) => ({
      callbacks: whether(callbacks),
      hyperV: whether(hyperV),
    }),
  },
  commands: {
    counts: run(['grep', '-E', '^ *(CPU[0-9]+ |(HYP|HVS|HRE):)', '/proc/interrupts'], {
      control: 'CPU',
      maxBytes: 256 * 1024,
    }),
  },
  parse({ counts }) {
    if (!grepIsComplete(counts)) return unknown('the counts of interrupts could not be read')
    const sum = (names: RegExp): number =>
      lines(counts.text)
        .filter((line) => names.test(line))
        .flatMap((line) => line.slice(line.indexOf(':') + 1).match(/(?<=\s)\d{1,15}(?=\s)/g) ?? [])
        .reduce((total, digits) => total + Number(digits), 0)
    return known<HypervisorInterrupts>({ callbacks: sum(/^ *HYP:/), hyperV: sum(/^ *(HVS|HRE):/) })
  },
})

interface KernelMachines {
  /** Ids of the processes that hold an open virtual machine; null where the kernel keeps no such list. */
  readonly holders: readonly number[] | null
}

const KVM = '/sys/kernel/debug/kvm'
/** A folder that every kernel with the file system has (mm/backing-dev.c): it shows “no KVM” and “no such list” apart. */
const ALWAYS = '/sys/kernel/debug/bdi'

/** virt/kvm/kvm_main.c, kvm_create_vm_debugfs: one folder per open machine, named after the process and its descriptor. Names only. */
export const virtMachines = defineProbe({
  id: 'virt.machines',
  title: 'Virtual machines open in the kernel',
  why: 'The kernel itself identifies the process of each open virtual machine, whatever the process name.',
  ignoredInDrift: {
    why: 'Process IDs change at each start. Not detected: a further guest where there are already some.',
    normalize: ({ holders }: KernelMachines) => ({ hasHolders: holders === null ? null : holders.length > 0 }),
  },
  commands: { lists: runAsRoot(['ls', '-1', KVM, ALWAYS]) },
  parse({ lists }) {
    if (!listingIsComplete(lists)) return unknown('the kernel’s list of open machines could not be read')
    const folders = listedFolders(lists.text)
    if (lists.exitCode === 0 && folders.size === 0)
      return unknown('the kernel’s list of open machines has an unexpected format')
    const machines = folders.get(KVM)
    if (machines === undefined && !folders.has(ALWAYS)) return known<KernelMachines>({ holders: null })
    const holders = (machines ?? []).flatMap((name) => /^(\d{1,10})-\d{1,10}$/.exec(name)?.[1] ?? [])
    return known<KernelMachines>({ holders: [...new Set(holders.map(Number))].sort((a, b) => a - b) })
  },
})

export interface KernelMessages {
  /** The kernel's first message of this boot is still there, so that a missing line is really missing. */
  readonly fromStart: boolean
  /** The text after "Hypervisor detected:". */
  readonly hypervisor: string | null
  /** The text after "Booting paravirtualized kernel on": "bare hardware", or the name of a hypervisor. */
  readonly bootedOn: string | null
  /** First message of each driver that uses to a hypervisor. */
  readonly guestDrivers: readonly string[]
  /** The manufacturer of the UEFI firmware, from its system table. */
  readonly efiVendor: string | null
  /** "DMI: MAKER PRODUCT/BOARD, BIOS VERSION DATE". */
  readonly identity: string | null
  /** OEM id of the ACPI root pointer. */
  readonly acpiOem: string | null
  /** What the driver of the performance counters reported. */
  readonly performance: string | null
  readonly clock: readonly string[]
  /** Ranges of the firmware's memory map. */
  readonly memoryRanges: number
}

// Blanks by their code, as PCRE2 reads it: sudo-rs cannot grant a word with a blank.
const PATTERN = `^(${KERNEL_MESSAGES.join('|')})`.replaceAll(' ', '\\x20')

/** journalctl(1): the kernel's messages of this boot that begin in one of these ways, without names and times. */
export const kernelMessages = defineProbe({
  id: 'kernel.messages',
  title: 'Kernel start-up messages',
  why: 'At start the kernel logs what it detected: a hypervisor, the firmware manufacturer, the memory map, working counters. Only lines with fixed beginnings are read.',
  ignoredInDrift: {
    why: 'The kernel discards its first messages when later ones need the space, and it measures its clock at each start.',
    normalize: ({ fromStart, clock: _, memoryRanges: __, ...facts }: KernelMessages) =>
      fromStart ? { ...facts, guestDrivers: inOrder(facts.guestDrivers) } : null,
  },
  commands: {
    messages: runAsRoot(['journalctl', '-k', '-b', '-q', '--no-pager', '-o', 'cat', '-g', PATTERN], {
      maxBytes: 1048576,
    }),
  },
  parse({ messages }) {
    const printed = lines(messages.text)
    if (printed.length === 0) return unknown('the journal holds none of the kernel’s start-up messages')
    const after = (pattern: RegExp): string | null =>
      printed.flatMap((line) => pattern.exec(line)?.[1]?.trim() ?? [])[0] ?? null
    const drivers = ['kvm-clock', 'kvm-guest', 'smccc: KVM', 'Xen version', 'Hyper-V', 'vmware']
    return known<KernelMessages>({
      fromStart: printed.some((line) => line.startsWith('Linux version ')),
      hypervisor: after(/^Hypervisor detected: (.+)$/),
      bootedOn: after(/^Booting paravirtualized kernel on (.+)$/),
      guestDrivers: drivers.flatMap((name) => printed.find((line) => line.startsWith(`${name}: `)) ?? []),
      efiVendor: after(/^(?:efi: )?EFI v[\d.]{1,8} by (.+)$/),
      identity: after(/^DMI: (.+)$/),
      acpiOem: after(/^ACPI: RSDP [^(]{1,60}\(v\d\d ([^)]{1,8})/),
      performance: after(/^(?:Performance Events: (?=.)|(?=Broken PMU))(.+)$/),
      clock: printed.filter((line) => /^(tsc: |.Firmware Bug.: TSC )/.test(line)).slice(0, 20),
      memoryRanges: printed.filter((line) => /^BIOS-e820: \[mem /.test(line)).length,
    })
  },
})

export const virtualizationSubject = defineSubject({
  id: 'virtualization',
  title: 'Traces of virtualization',
  probes: [virtBuses, virtGuests, kernelMessages, virtInterrupts, virtHosted, virtMachines],
  checks: [],
})
