import { quote } from '../../../../core/base/plain-text.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { contradicts, count, supports, unclear } from '../../../base/steps.ts'
import { bootMemory } from '../../../hardware/machine/acpi.ts'
import { dmiIdentity } from '../../../hardware/machine/dmi.ts'
import { pciDevices, pciPorts } from '../../../hardware/pci/probes.ts'
import { cpuFeatures } from '../../../hardware/processors/features.ts'
import { kernelMessages, virtBuses, virtInterrupts } from '../../virtualization/index.ts'
import { isSince2009 } from '../cpu-tables.ts'
import { cardFunctions } from '../pci-hardware.ts'
import {
  hintSign,
  isFirmwareHouse,
  metal,
  neutral,
  notApplicable,
  oddSign,
  type Sign,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'

/** Xen’s control domain: it runs on the hypervisor and manages its guests. False where it was not read. */
export function isControlDomain(read: Read): boolean {
  const buses = read(virtBuses)
  return buses.ok && buses.fact.isControlDomain
}

/** A logical partition of a machine that its firmware divides (s390, POWER). False where it was not read. */
export function isPartition(read: Read): boolean {
  const buses = read(virtBuses)
  return buses.ok && buses.fact.isPartition
}

const names = (platform: string | null, text: string, command: string): Sign =>
  sign('names', platform, contradicts(text, virtBuses, command))

function interruptSigns(read: Read): readonly Sign[] {
  const interrupts = read(virtInterrupts)
  if (!interrupts.ok) return []
  const { callbacks, hyperV } = interrupts.fact
  const text = `A hypervisor called this system ${count(callbacks + hyperV, 'time')} since boot by an interrupt of its own.`
  return callbacks + hyperV > 0
    ? [sign('names', hyperV > 0 ? 'Microsoft Hyper-V' : null, contradicts(text, virtInterrupts))]
    : []
}

/** Virtio devices that no PCI function carries, on x86: a monitor put them straight into memory. Elsewhere co-processors use the bus too. */
function virtioSigns(read: Read, virtio: number): readonly Sign[] {
  if (virtio === 0) return []
  const [cpu, pci] = [read(cpuFeatures), read(pciDevices)]
  const functions = pci.ok ? pci.fact.devices.filter(({ vendor }) => vendor === '1af4') : []
  const carried = pci.ok ? functions.length : virtio
  const cards = cardFunctions(read)
  if (pci.ok && carried >= virtio && functions.every(({ address }) => cards.has(address))) return []
  const isBare = cpu.ok && cpu.fact.architecture === 'x86' && carried < virtio
  return [
    sign(
      isBare ? 'odd' : 'hint',
      null,
      contradicts(
        isBare
          ? `${count(virtio, 'virtio device')}, ${virtio - carried} of them on no PCI function: hardware has no such place for them.`
          : `${count(virtio, 'virtio device')} on the bus: guests have them, and so has hardware with a data-processing unit.`,
        virtBuses,
        'lists',
      ),
    ),
  ]
}

const bus: Signal = {
  id: 'virt.bus',
  family: 'pci',
  title: 'Buses and interrupts that only hypervisors provide',
  onMetal: 'empty or absent; no interrupt of a hypervisor',
  onGuest: 'devices on Hyper-V’s, Xen’s or the virtio bus, and calls counted in /proc/interrupts',
  spoofingEffort: 'S0',
  pitfalls: [
    'The bus folders exist empty on many kernels of hardware.',
    'Hardware with a data-processing unit, and arm64 co-processors, have virtio devices.',
    'Xen’s control domain and Hyper-V’s root partition show the buses too: they are distinguished by their privileges.',
    'Old kernels print the interrupt line on hardware with zeros.',
  ],
  source:
    'Documentation/ABI: sysfs-bus-vmbus; Linux drivers/xen/xenbus, arch/x86/kernel/irq.c. Measured: 117 calls in a Firecracker guest.',
  probes: [virtBuses, virtInterrupts, pciDevices, pciPorts, cpuFeatures],
  observe(read) {
    const reading = read(virtBuses)
    if (!reading.ok) return unreadable(virtBuses, reading.reason)
    const { vmbus, xen, virtio } = reading.fact
    const signs = [
      ...(vmbus > 0 ? [names('Microsoft Hyper-V', `${count(vmbus, 'device')} on Hyper-V’s bus.`, 'lists')] : []),
      ...(xen > 0 ? [names('Xen', `${count(xen, 'device')} on Xen’s bus.`, 'lists')] : []),
      ...interruptSigns(read),
      ...virtioSigns(read, virtio),
    ]
    const summary = `Hyper-V ${vmbus}, Xen ${xen}, virtio ${virtio}`
    if (signs.length > 0) return virtual(summary, ...signs)
    const interrupts = read(virtInterrupts)
    if (!interrupts.ok) return unreadable(virtInterrupts, interrupts.reason)
    if (virtio > 0)
      return neutral(
        summary,
        unclear(
          `${count(virtio, 'virtio device')}, each presented by a data-processing unit in this machine.`,
          virtBuses,
          'lists',
        ),
      )
    return metal(summary, supports('The buses of Hyper-V, Xen and virtio carry no device.', virtBuses, 'lists'))
  },
}

const treePlatform = (words: string): string | null =>
  words.includes('xen') ? 'Xen' : words.includes('kvm') ? 'KVM' : null
const programPlatform = (words: string): string | null =>
  words.includes('KVM') ? 'KVM' : words.includes('z/VM') ? 'z/VM' : null

const directories: Signal = {
  id: 'hv.dirs',
  family: 'pci',
  title: 'Files in which a hypervisor shows itself',
  onMetal: 'absent',
  onGuest:
    'Xen in /sys/hypervisor, KVM or Xen in the device tree of arm64, the control program in /proc/sysinfo of s390',
  spoofingEffort: 'S0',
  pitfalls: [
    'An empty /sys/hypervisor exists on hardware kernels.',
    'Xen’s control domain shows the files too.',
    'x86 guests of most hypervisors have none of them.',
  ],
  source:
    'Documentation/ABI: sysfs-hypervisor-xen, sysfs-firmware-qemu_fw_cfg; Linux arch/s390 sysinfo, devicetree bindings arm/xen.',
  probes: [virtBuses],
  observe(read) {
    const reading = read(virtBuses)
    if (!reading.ok) return unreadable(virtBuses, reading.reason)
    const { hypervisorType, deviceTreeHypervisor, controlProgram, qemuFirmwareConfig } = reading.fact
    const signs = [
      ...(hypervisorType === null
        ? []
        : [
            names(
              hypervisorType === 'xen' ? 'Xen' : null,
              `The kernel reports that it runs on the hypervisor ${quote(hypervisorType)}.`,
              'files',
            ),
          ]),
      ...(deviceTreeHypervisor === null
        ? []
        : [
            names(
              treePlatform(deviceTreeHypervisor),
              `The device tree names a hypervisor: ${quote(deviceTreeHypervisor)}.`,
              'files',
            ),
          ]),
      ...(controlProgram === null
        ? []
        : [
            names(
              programPlatform(controlProgram),
              `The machine names a control program above this system: ${quote(controlProgram)}.`,
              'files',
            ),
          ]),
      ...(qemuFirmwareConfig
        ? [
            sign(
              'impossible',
              'QEMU',
              contradicts('The kernel found QEMU’s firmware configuration device.', virtBuses, 'lists'),
            ),
          ]
        : []),
    ]
    return signs.length > 0
      ? virtual(`${count(signs.length, 'file')} of a hypervisor`, ...signs)
      : metal('none of these files')
  },
}

/** Signals from paravirtual buses and the files of hypervisors. */
export const busSignals: readonly Signal[] = [bus, directories]

const LOST = 'the kernel’s first messages are no longer in the journal'

// Manufacturers of firmware that runs in virtual machines only.
const GUEST_FIRMWARE: readonly (readonly [RegExp, string])[] = [
  [/^(Proxmox|Ubuntu|Debian) distribution of EDK II/i, 'QEMU'],
  [/^VMware/i, 'VMware'],
  [/^BHYVE/i, 'bhyve'],
  [/^Parallels/i, 'Parallels'],
]

const vendor: Signal = {
  id: 'efi.vendor',
  family: 'firmware',
  title: 'UEFI firmware vendor, from its own system table',
  onMetal: 'American Megatrends, Dell, HPE, Lenovo, Insyde and the like.',
  onGuest: '“EDK II”, a distribution’s build of it, or the hypervisor’s vendor, even where SMBIOS was changed.',
  spoofingEffort: 'S1',
  pitfalls: [
    'EDK II also starts reference boards, many ARM machines and boards with free firmware.',
    'Board and firmware vendors differ on real machines, so that two real names never contradict each other.',
    'Machines that start without UEFI have no such table.',
  ],
  source: 'UEFI 2.10 §4.3 (FirmwareVendor); Linux drivers/firmware/efi/efi.c; published kernel logs.',
  probes: [kernelMessages, dmiIdentity, cpuFeatures],
  observe(read) {
    const log = read(kernelMessages)
    if (!log.ok) return unreadable(kernelMessages, log.reason)
    const { efiVendor, fromStart } = log.fact
    if (efiVendor === null)
      return fromStart ? notApplicable('This system was not started through UEFI.') : unreadable(kernelMessages, LOST)
    const platform = GUEST_FIRMWARE.find(([pattern]) => pattern.test(efiVendor))?.[1]
    if (platform !== undefined)
      return virtual(
        quote(efiVendor),
        sign(
          'impossible',
          platform,
          contradicts(
            `The firmware that started the system calls itself ${quote(efiVendor)}, which is made for virtual machines.`,
            kernelMessages,
          ),
        ),
      )
    if (isFirmwareHouse(efiVendor)) return metal(quote(efiVendor))
    const [dmi, cpu] = [read(dmiIdentity), read(cpuFeatures)]
    const isGeneric = /^(EDK II|EDK2|Microsoft|MSFT)\b/i.test(efiVendor)
    if (!isGeneric || !cpu.ok || cpu.fact.architecture !== 'x86') return neutral(quote(efiVendor))
    const claimed = dmi.ok && isFirmwareHouse(dmi.fact.biosVendor) ? dmi.fact.biosVendor : null
    return virtual(
      quote(efiVendor),
      claimed !== null
        ? oddSign(
            `SMBIOS names ${quote(claimed)} as the firmware vendor, and the firmware reports itself as ${quote(efiVendor)}.`,
            kernelMessages,
          )
        : hintSign(
            `The firmware calls itself ${quote(efiVendor)}, as that of most virtual machines does.`,
            kernelMessages,
          ),
    )
  },
}

const legacy: Signal = {
  id: 'efi.legacy',
  family: 'firmware',
  title: 'Started through UEFI',
  onMetal: 'Yes, on servers since about 2018.',
  onGuest: 'Often not: SeaBIOS is the usual firmware of QEMU.',
  spoofingEffort: 'S0',
  pitfalls: ['Servers can be set to start the old way.', 'Guests with UEFI firmware are common.'],
  source: 'Linux drivers/firmware/efi/efi.c; Documentation/ABI/testing/sysfs-firmware-efi.',
  probes: [bootMemory, dmiIdentity, cpuFeatures],
  observe(read) {
    const [boot, dmi, cpu] = [read(bootMemory), read(dmiIdentity), read(cpuFeatures)]
    if (!boot.ok) return unreadable(bootMemory, boot.reason)
    if (boot.fact.isUefi) return metal('UEFI')
    if (!cpu.ok || cpu.fact.architecture !== 'x86') return neutral('not UEFI')
    const year = dmi.ok ? Number(/(\d{4})\s*$/.exec(dmi.fact.biosDate.slice(0, 40))?.[1] ?? 0) : 0
    return year >= 2018
      ? virtual(
          'not UEFI',
          hintSign(
            `The system was not started through UEFI, though its firmware is of ${year}.`,
            bootMemory,
            'folders',
          ),
        )
      : neutral('not UEFI')
  },
}

const FEW_RANGES = 12
const MANY_RANGES = 20

const memoryMap: Signal = {
  id: 'boot.mem',
  family: 'firmware',
  title: 'Shape of the firmware’s memory map',
  onMetal: 'Dozens of ranges, with memory that ACPI keeps over sleep.',
  onGuest: 'Four to eight ranges without it; a few more under UEFI.',
  spoofingEffort: 'S1',
  pitfalls: ['Old and small boards have short maps.', 'The map is kept on x86 only, and not by every kernel.'],
  source: 'ACPI 6.5 §15 (system address map); Documentation/ABI/testing/sysfs-firmware-memmap; measured on QEMU.',
  probes: [bootMemory, cpuFeatures],
  observe(read) {
    const [boot, cpu] = [read(bootMemory), read(cpuFeatures)]
    if (!boot.ok) return unreadable(bootMemory, boot.reason)
    const { map } = boot.fact
    if (map === null) return notApplicable('This kernel does not show the firmware’s memory map.')
    const value = `${count(map.ranges, 'range')}, ${map.hasAcpiStorage ? 'some' : 'none'} kept by ACPI`
    const isModern = cpu.ok && cpu.fact.architecture === 'x86' && isSince2009(cpu.fact)
    if (map.ranges <= FEW_RANGES && !map.hasAcpiStorage && isModern)
      return virtual(
        value,
        hintSign(`The firmware’s memory map is as plain as an emulator’s: ${value}.`, bootMemory, 'ranges'),
      )
    return map.ranges >= MANY_RANGES && map.hasAcpiStorage ? metal(value) : neutral(value)
  },
}

const PLATFORMS: readonly (readonly [RegExp, string])[] = [
  [/KVM/i, 'KVM'],
  [/Xen/i, 'Xen'],
  [/VMware/i, 'VMware'],
  [/Hyper-?V\b/i, 'Microsoft Hyper-V'],
  [/ACRN/i, 'ACRN'],
]

const platformIn = (words: string): string | null => PLATFORMS.find(([pattern]) => pattern.test(words))?.[1] ?? null

const detected: Signal = {
  id: 'hv.dmesg',
  // The kernel detects this from the processor while booting: the same cause as the hypervisor flag.
  family: 'cpu-identity',
  title: 'Hypervisor that the kernel detected while starting',
  onMetal: '“bare hardware”, or nothing.',
  onGuest: 'The hypervisor’s name, and the drivers that communicate with it.',
  spoofingEffort: 'S0',
  pitfalls: [
    'A hidden hypervisor flag makes the kernel report “bare hardware” in a guest.',
    'The control domain of Xen and the root partition of Hyper-V report a name too.',
    'The journal may have lost the first messages.',
  ],
  source:
    'Linux arch/x86/kernel/cpu/hypervisor.c, arch/x86/kernel/paravirt.c, drivers/firmware/smccc/kvm_guest.c; measured.',
  probes: [kernelMessages],
  observe(read) {
    const log = read(kernelMessages)
    if (!log.ok) return unreadable(kernelMessages, log.reason)
    const { hypervisor, bootedOn, guestDrivers, fromStart } = log.fact
    const isBare = bootedOn === null || /^bare hardware/.test(bootedOn)
    const statements = [
      ...(hypervisor === null ? [] : [`Hypervisor detected: ${hypervisor}`]),
      ...(isBare ? [] : [`Booting paravirtualized kernel on ${bootedOn}`]),
      ...guestDrivers,
    ]
    const signs: readonly Sign[] = statements.map((words) =>
      sign('names', platformIn(words), contradicts(`At start the kernel logged ${quote(words)}.`, kernelMessages)),
    )
    if (signs.length > 0) return virtual(hypervisor === null ? 'a driver for guests' : quote(hypervisor), ...signs)
    if (!fromStart) return unreadable(kernelMessages, LOST)
    return bootedOn === null
      ? neutral('no hypervisor detected')
      : metal(quote(bootedOn), supports('While starting, the kernel detected no hypervisor.', kernelMessages))
  },
}

const configuration: Signal = {
  id: 'fw.qemu',
  family: 'firmware',
  title: 'QEMU’s firmware configuration device',
  onMetal: 'Not there.',
  onGuest: 'There, where the kernel’s driver for it is loaded.',
  spoofingEffort: 'S0',
  pitfalls: [
    'The author of the image decides whether the driver is loaded.',
    'The driver is often not loaded, so that a missing device is weak evidence.',
    'Other monitors imitate the device.',
  ],
  source: 'QEMU docs/specs/fw_cfg.rst; Documentation/ABI/testing/sysfs-firmware-qemu_fw_cfg.',
  probes: [virtBuses, cpuFeatures],
  observe(read) {
    const [buses, cpu] = [read(virtBuses), read(cpuFeatures)]
    if (!buses.ok) return unreadable(virtBuses, buses.reason)
    if (cpu.ok && !['x86', 'arm64'].includes(cpu.fact.architecture))
      return notApplicable('Guests of this architecture have no such device.')
    return buses.fact.qemuFirmwareConfig
      ? virtual(
          'there',
          sign(
            'impossible',
            'QEMU',
            contradicts('The kernel found QEMU’s firmware configuration device.', virtBuses, 'lists'),
          ),
        )
      : metal('not there')
  },
}

/** Signals in how the machine started. */
export const bootSignals: readonly Signal[] = [vendor, legacy, memoryMap, detected, configuration]
