import { quote } from '../../../core/plain-text.ts'
import { pciDevices, pciPorts } from '../../pci/probes.ts'
import { cpuFeatures } from '../../processors/features.ts'
import { contradicts, count, supports, unclear } from '../../steps.ts'
import { virtBuses, virtInterrupts } from '../../virtualization/probes.ts'
import { cardFunctions } from '../pci-hardware.ts'
import { metal, neutral, type Read, type Sign, type Signal, sign, unreadable, virtual } from '../signal.ts'

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
    const said = `Hyper-V ${vmbus}, Xen ${xen}, virtio ${virtio}`
    if (signs.length > 0) return virtual(said, ...signs)
    const interrupts = read(virtInterrupts)
    if (!interrupts.ok) return unreadable(virtInterrupts, interrupts.reason)
    if (virtio > 0)
      return neutral(
        said,
        unclear(
          `${count(virtio, 'virtio device')}, each presented by a data-processing unit in this machine.`,
          virtBuses,
          'lists',
        ),
      )
    return metal(said, supports('The buses of Hyper-V, Xen and virtio carry no device.', virtBuses, 'lists'))
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

/** What paravirtual buses and the files of hypervisors show. */
export const busSignals: readonly Signal[] = [bus, directories]
