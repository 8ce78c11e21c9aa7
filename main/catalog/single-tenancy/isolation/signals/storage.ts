import { quote } from '../../../../core/base/plain-text.ts'
import type { DraftObservation } from '../../../../core/rules/check.ts'
import { contradicts, count, named, unclear } from '../../../base/steps.ts'
import { hasRemoteStorage, storageRemote } from '../../../data-protection/mounts/probes.ts'
import { type Disk, diskFunction, inventoryDisks } from '../../../hardware/drives/inventory.ts'
import { pciDevices, pciPorts } from '../../../hardware/pci/probes.ts'
import { cpuFeatures } from '../../../hardware/processors/features.ts'
import {
  attachmentOf,
  emulatorOf,
  fullName,
  instanceStoreOf,
  isBelowHyperV,
  isVendorModel,
  isVirtualMedia,
  networkOf,
  serviceOf,
} from '../disk-attachment.ts'
import { cardFunctions, isUnitDrive } from '../pci-hardware.ts'
import { hintSign, metal, neutral, notApplicable, oddSign, type Signal, sign, unreadable, virtual } from '../signal.ts'

const NO_DRIVE = 'the kernel lists no drive other than those made of memory, files and other drives'
const names = (disks: readonly Disk[]): readonly string[] => disks.map(({ name }) => name)
const drives = (number: number): string => count(number, 'drive')

/** qemu_hw_version() of QEMU (util/osdep.c): what its ATA and SCSI drives report since 2015, unless it is set. */
const QEMU_FIRMWARE = '2.5+'

const model: Signal = {
  id: 'blk.model',
  family: 'storage',
  title: 'What the drives call themselves',
  onMetal: 'models of drive and controller manufacturers, with serial numbers',
  onGuest: 'names of emulators: QEMU, VMware, VirtualBox, Hyper-V',
  spoofingEffort: 'S0',
  pitfalls: [
    'QEMU’s ide-hd accepts any model, and its scsi-hd any manufacturer and product, by options.',
    'A drive that another machine serves (iSCSI, Fibre Channel) carries the name that the other machine gives it, so those do not count.',
    'Names of providers’ volumes and local drives (Amazon, Google, Microsoft) are the same on virtual and on whole machines.',
    'A name is text: QEMU can be rebuilt to give any. The beginning of its NVMe subsystem names survives every setting.',
  ],
  source:
    'hw/ide/core.c, hw/scsi/scsi-disk.c and hw/nvme/{ctrl,subsys}.c of QEMU; drives of VMware, VirtualBox and Hyper-V as their guests list them. Measured: “QEMU NVMe Ctrl” in a guest with a real server’s SMBIOS.',
  probes: [inventoryDisks],
  observe(read) {
    const reading = read(inventoryDisks)
    if (!reading.ok) return unreadable(inventoryDisks, reading.reason)
    const all = reading.fact.disks.filter((disk) => networkOf(disk, null) === null && !isVirtualMedia(disk))
    const local = all.filter(({ model, subsystem }) => model !== '' || subsystem !== '')
    if (reading.fact.disks.length === 0) return notApplicable(NO_DRIVE)
    if (local.length === 0) return neutral('no drive of this machine names a model')
    const emulated = local.flatMap((disk) => {
      const by = emulatorOf(disk)
      return by === null ? [] : [{ disk, by }]
    })
    if (emulated.length > 0)
      return virtual(
        `${emulated.length} of ${drives(local.length)} emulated by their own words`,
        ...emulated
          .slice(0, 16)
          .map(({ disk, by }) =>
            sign(
              'impossible',
              by.platform,
              contradicts(
                `Drive ${quote(disk.name, 40)} calls itself ${quote(by.words)}, the name of an emulated drive.`,
                inventoryDisks,
              ),
            ),
          ),
      )
    const versioned = local.filter(({ firmware }) => firmware === QEMU_FIRMWARE)
    if (versioned.length > 0)
      return virtual(
        `${drives(versioned.length)} with QEMU’s firmware version`,
        oddSign(
          `Firmware version ${quote(QEMU_FIRMWARE)} of ${named(names(versioned), 4)}: QEMU uses it for its SATA and SCSI drives, and no drive manufacturer uses such a number.`,
          inventoryDisks,
          'values',
        ),
      )
    const provided = local.filter((disk) => serviceOf(disk) !== null || instanceStoreOf(disk) !== null)
    // Optical and USB drives of any make come and go; the drives that stay have to be named and numbered.
    const fixed = all.filter((disk) => !/^(sr|fd)\d/.test(disk.name) && attachmentOf(disk) !== 'usb')
    const makers = fixed.filter((disk) => isVendorModel(disk) && disk.serial !== '')
    if (makers.length > 0 && makers.length === fixed.length)
      return metal(`${drives(makers.length)} with a manufacturer’s model and a serial number`)
    return provided.length > 0
      ? neutral(
          `${provided.length} of ${drives(local.length)} named by a provider`,
          unclear(
            `A provider names these drives, on virtual and on whole machines alike: ${named(provided.map(fullName), 3)}.`,
            inventoryDisks,
          ),
        )
      : neutral(`${makers.length} of ${drives(fixed.length)} with a known manufacturer’s model and a serial number`)
  },
}

/** hw/nvme/ctrl.c of QEMU returns 323 kelvin, for ever. A real drive can be that warm by chance. */
const QEMU_CELSIUS = 49.85
const COLDEST = -20
const HOTTEST = 110

const smart: Signal = {
  id: 'blk.smart',
  family: 'storage',
  title: 'Temperatures that the drives report',
  onMetal: 'each drive its own, between cold air and its limit',
  onGuest: 'none, or one value that never moves',
  spoofingEffort: 'S1',
  pitfalls: [
    'Kernels without the sensors for drives report none; so do drives behind a RAID controller.',
    'A drive that was handed to a guest reports its own temperature there.',
    'One sample: that the value changes is not shown.',
  ],
  source:
    'NVMe base specification, SMART / health information log, composite temperature; drivers/nvme/host/hwmon.c; hw/nvme/ctrl.c of QEMU (323 K).',
  probes: [inventoryDisks],
  observe(read) {
    const reading = read(inventoryDisks)
    if (!reading.ok) return unreadable(inventoryDisks, reading.reason)
    const { disks } = reading.fact
    if (disks.length === 0) return notApplicable(NO_DRIVE)
    const warm = disks.flatMap(({ celsius }) => (celsius === null ? [] : [celsius]))
    if (warm.length === 0) return neutral('no drive reports a temperature to the kernel')
    const summary = `${warm
      .map((one) => one.toFixed(1))
      .slice(0, 8)
      .join(', ')} °C`
    if (warm.some((one) => one < COLDEST || one > HOTTEST))
      return neutral(
        summary,
        unclear(`Drives report ${summary}, which no working drive has.`, inventoryDisks, 'values'),
      )
    if (warm.every((one) => one === QEMU_CELSIUS))
      return virtual(
        summary,
        hintSign(
          `${drives(warm.length)} at ${summary}: the value that QEMU’s NVMe always reports, and that a real drive has occasionally.`,
          inventoryDisks,
          'values',
        ),
      )
    return metal(summary)
  },
}

/** What the drives report about themselves. */
const driveSignals: readonly Signal[] = [model, smart]

const path: Signal = {
  id: 'blk.path',
  family: 'storage',
  title: 'What the drives hang on',
  onMetal: 'controllers on the PCI bus: NVMe, SATA, SAS, RAID',
  onGuest: 'virtio, Hyper-V’s bus, Xen’s block device',
  spoofingEffort: 'S0',
  pitfalls: [
    'Data-processing units present virtio drives on real hardware (Alibaba’s bare metal, BlueField): that shows where the drive is, not what the machine is.',
    'Every hypervisor can emulate NVMe and SATA on a PCI bus of its own making.',
    'A control domain (Xen, Hyper-V) can attach paravirtual drives of its own.',
  ],
  source:
    'Documentation/ABI/stable/sysfs-block; drivers/block/{virtio_blk,xen-blkfront}.c and drivers/scsi/storvsc_drv.c. Measured: virtio in the guests of the corpus.',
  probes: [inventoryDisks, pciDevices, pciPorts, cpuFeatures],
  observe(read) {
    const reading = read(inventoryDisks)
    if (!reading.ok) return unreadable(inventoryDisks, reading.reason)
    const { disks } = reading.fact
    if (disks.length === 0) return notApplicable(NO_DRIVE)
    const on = (kind: ReturnType<typeof attachmentOf>): readonly Disk[] =>
      disks.filter((disk) => attachmentOf(disk) === kind)
    const attached = (kind: string, some: readonly Disk[]): DraftObservation =>
      contradicts(`${drives(some.length)} on ${kind}: ${named(names(some), 4)}.`, inventoryDisks, 'list')
    const hyperV = disks.filter(isBelowHyperV)
    const cards = cardFunctions(read)
    const isOfCard = (disk: Disk): boolean => cards.has(diskFunction(disk) ?? '')
    const [xen, mmio, virtio] = [on('xen'), on('virtio-mmio'), on('virtio').filter((disk) => !isOfCard(disk))]
    const ofCards = on('virtio').filter(isOfCard)
    const signs = [
      ...(hyperV.length > 0 ? [sign('names', 'Microsoft Hyper-V', attached('Hyper-V’s bus', hyperV))] : []),
      ...(xen.length > 0 ? [sign('names', 'Xen', attached('Xen’s block device', xen))] : []),
      ...(mmio.length > 0
        ? [sign('odd', null, attached('virtio without a PCI bus, as small hypervisors build it', mmio))]
        : []),
      ...(virtio.length > 0
        ? [
            hintSign(
              `${drives(virtio.length)} on virtio: ${named(names(virtio), 4)}. Guests have them, and so has hardware with a data-processing unit.`,
              inventoryDisks,
              'list',
            ),
          ]
        : []),
    ]
    if (signs.length > 0)
      return virtual(`${drives(hyperV.length + xen.length + mmio.length + virtio.length)} paravirtual`, ...signs)
    if (ofCards.length > 0)
      return neutral(
        `${drives(ofCards.length)} presented by a card`,
        unclear(
          `${drives(ofCards.length)} on virtio, presented by a data-processing unit in this machine: ${named(names(ofCards), 4)}. Where the data is does not show from here.`,
          inventoryDisks,
          'list',
        ),
      )
    const inside = on('pci')
    return inside.length > 0
      ? metal(`${inside.length} of ${drives(disks.length)} on controllers of the PCI bus`)
      : neutral(`${drives(disks.length)}, none on a PCI controller and none paravirtual`)
  },
}

const transport: Signal = {
  id: 'blk.transport',
  family: 'storage',
  title: 'Whether the drives are in the machine',
  onMetal: 'NVMe over PCI Express, SATA, SAS',
  onGuest: 'the same, or volumes over a network',
  spoofingEffort: 'S0',
  pitfalls: [
    'QEMU’s nvme and ide-hd are options of its command line.',
    'Shows where a drive is, never that a machine is virtual: servers without their own drive start from a network.',
    'A data-processing unit can present a volume of the network as a local NVMe drive (BlueField’s SNAP has the vendor id 15b3; others hide it).',
    'Replication behind a controller is not visible.',
  ],
  source: 'Documentation/ABI/testing/sysfs-nvme; NVMe over Fabrics 1.1; pci.ids 15b3:6001.',
  probes: [inventoryDisks, storageRemote, pciDevices],
  observe(read) {
    const [reading, ways, pci] = [read(inventoryDisks), read(storageRemote), read(pciDevices)]
    if (!reading.ok) return unreadable(inventoryDisks, reading.reason)
    if (!ways.ok) return unreadable(storageRemote, ways.reason)
    const { disks } = reading.fact
    if (disks.length === 0 && !hasRemoteStorage(ways.fact)) return notApplicable(NO_DRIVE)
    const far = disks.filter((disk) => networkOf(disk, ways.fact) !== null || serviceOf(disk) !== null)
    const functions = new Map(pci.ok ? pci.fact.devices.map((device) => [device.address, device]) : [])
    const behind = disks.filter((disk) => {
      const controller = functions.get(diskFunction(disk) ?? '')
      return controller !== undefined && isUnitDrive(controller)
    })
    const steps = [
      ...far.slice(0, 8).map((disk) => {
        const over = networkOf(disk, ways.fact)
        const how = over === null ? `a volume of ${serviceOf(disk) ?? 'a storage service'}` : `reached over ${over}`
        return unclear(`Drive ${quote(disk.name, 40)} is not in this machine: ${how}.`, inventoryDisks)
      }),
      ...(behind.length > 0
        ? [
            unclear(
              `${drives(behind.length)} presented by a data-processing unit: ${named(names(behind), 4)}. The storage behind is not visible.`,
              pciDevices,
              'ids',
            ),
          ]
        : []),
      ...(hasRemoteStorage(ways.fact) && far.length === 0
        ? [unclear('The kernel has a way open to drives of other machines.', storageRemote)]
        : []),
    ]
    const inside = disks.filter((disk) => attachmentOf(disk) === 'pci' && !far.includes(disk) && !behind.includes(disk))
    const value = `${inside.length} of ${drives(disks.length)} in the machine, as it seems`
    return steps.length === 0 && inside.length > 0 && inside.length === disks.length
      ? metal(value)
      : neutral(value, ...steps)
  },
}

/**
 * Signals of the drives. A drive that only looks virtual shows where the data is; only an emulator’s own name shows
 * what the machine is.
 */
export const storageSignals: readonly Signal[] = [path, transport, ...driveSignals]
