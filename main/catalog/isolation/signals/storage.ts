import type { DraftObservation } from '../../../core/check.ts'
import { quote } from '../../../core/plain-text.ts'
import { cpuFeatures } from '../../probes/cpu-features.ts'
import { type Disk, diskFunction, inventoryDisks } from '../../probes/inventory-disks.ts'
import { type PciDevice, pciDevices } from '../../probes/pci-devices.ts'
import { pciPorts } from '../../probes/pci-ports.ts'
import { hasRemoteStorage, storageRemote } from '../../probes/storage-remote.ts'
import { contradicts, count, named, unclear } from '../../steps.ts'
import { cardFunctions } from '../card-functions.ts'
import { attachmentOf, isBelowHyperV, networkOf, serviceOf } from '../disk-tables.ts'
import { metal, neutral, notApplicable, type Signal, sign, unreadable, virtual } from '../signal.ts'
import { driveSignals, NO_DRIVE } from './storage-drives.ts'

const names = (disks: readonly Disk[]): readonly string[] => disks.map(({ name }) => name)
const drives = (number: number): string => count(number, 'drive')

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
    const said = (kind: string, some: readonly Disk[]): DraftObservation =>
      contradicts(`${drives(some.length)} on ${kind}: ${named(names(some), 4)}.`, inventoryDisks, 'list')
    const hyperV = disks.filter(isBelowHyperV)
    const cards = cardFunctions(read)
    const isOfCard = (disk: Disk): boolean => cards.has(diskFunction(disk) ?? '')
    const [xen, mmio, virtio] = [on('xen'), on('virtio-mmio'), on('virtio').filter((disk) => !isOfCard(disk))]
    const ofCards = on('virtio').filter(isOfCard)
    const signs = [
      ...(hyperV.length > 0 ? [sign('names', 'Microsoft Hyper-V', said('Hyper-V’s bus', hyperV))] : []),
      ...(xen.length > 0 ? [sign('names', 'Xen', said('Xen’s block device', xen))] : []),
      ...(mmio.length > 0
        ? [sign('odd', null, said('virtio without a PCI bus, as small hypervisors build it', mmio))]
        : []),
      ...(virtio.length > 0
        ? [
            sign(
              'hint',
              null,
              contradicts(
                `${drives(virtio.length)} on virtio: ${named(names(virtio), 4)}. Guests have them, and so has hardware with a data-processing unit.`,
                inventoryDisks,
                'list',
              ),
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
    const behind = disks.filter((disk) => isDpuFunction(functions.get(diskFunction(disk) ?? '')))
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

const isDpuFunction = (device: PciDevice | undefined): boolean =>
  device !== undefined && device.vendor === '15b3' && device.class.startsWith('01')

/**
 * What the drives show. A drive that only looks virtual states where the data is; what the machine is, only an emulator’s own name states.
 */
export const storageSignals: readonly Signal[] = [path, transport, ...driveSignals]
