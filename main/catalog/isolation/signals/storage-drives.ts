import { quote } from '../../../core/plain-text.ts'
import { type Disk, inventoryDisks } from '../../probes/inventory-disks.ts'
import { contradicts, count, named, unclear } from '../../steps.ts'
import {
  attachmentOf,
  emulatorOf,
  fullName,
  instanceStoreOf,
  isMakersModel,
  isVirtualMedia,
  networkOf,
  serviceOf,
} from '../disk-tables.ts'
import { metal, neutral, notApplicable, type Signal, sign, unreadable, virtual } from '../signal.ts'

export const NO_DRIVE = 'the kernel lists no drive other than those made of memory, files and other drives'
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
        sign(
          'odd',
          null,
          contradicts(
            `Firmware version ${quote(QEMU_FIRMWARE)} of ${named(names(versioned), 4)}: QEMU uses it for its SATA and SCSI drives, and no drive manufacturer uses such a number.`,
            inventoryDisks,
            'values',
          ),
        ),
      )
    const provided = local.filter((disk) => serviceOf(disk) !== null || instanceStoreOf(disk) !== null)
    // Optical and USB drives of any make come and go; the drives that stay have to be named and numbered.
    const fixed = all.filter((disk) => !/^(sr|fd)\d/.test(disk.name) && attachmentOf(disk) !== 'usb')
    const makers = fixed.filter((disk) => isMakersModel(disk) && disk.serial !== '')
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
    const said = `${warm
      .map((one) => one.toFixed(1))
      .slice(0, 8)
      .join(', ')} °C`
    if (warm.some((one) => one < COLDEST || one > HOTTEST))
      return neutral(said, unclear(`Drives report ${said}, which no working drive has.`, inventoryDisks, 'values'))
    if (warm.every((one) => one === QEMU_CELSIUS))
      return virtual(
        said,
        sign(
          'hint',
          null,
          contradicts(
            `${drives(warm.length)} at ${said}: the value that QEMU’s NVMe always reports, and that a real drive has occasionally.`,
            inventoryDisks,
            'values',
          ),
        ),
      )
    return metal(said)
  },
}

/** What the drives report about themselves. */
export const driveSignals: readonly Signal[] = [model, smart]
