import type { DraftObservation, FactsOf, MaybeFactsOf, Needs } from '../../core/check.ts'
import { known } from '../../core/probe.ts'
import { diskAnswers } from '../isolation/locality/disk.ts'
import { readFrom } from '../isolation/observe.ts'
import { decideEnvironment } from '../isolation/rules.ts'
import { SIGNAL_PROBES } from '../isolation/signals.ts'
import { type Disk, diskFunction, inventoryDisks } from '../probes/inventory-disks.ts'
import { type PciDevices, pciDevices } from '../probes/pci-devices.ts'
import { storageRemote } from '../probes/storage-remote.ts'
import { contradicts, count, named, unclear } from '../steps.ts'

/** What shows whether NVMe drives are parts of the machine. */
export const LOCAL_NEEDS = { disks: inventoryDisks, remote: storageRemote, pci: pciDevices }
export const LOCAL_WANTS: Needs = SIGNAL_PROBES

export interface NvmeDrives {
  /** On a controller of the machine that the system runs on. */
  readonly local: readonly Disk[]
  /** Elsewhere: over a network, or a volume of the provider's. */
  readonly remote: readonly Disk[]
  /** Not decided: of a guest, or presented by a card. */
  readonly open: readonly Disk[]
}

export function nvmeDrives(
  { disks, remote, pci }: FactsOf<typeof LOCAL_NEEDS>,
  wanted: MaybeFactsOf<typeof LOCAL_WANTS>,
): NvmeDrives {
  const read = readFrom(
    new Map([
      ...Object.entries(wanted),
      [inventoryDisks.id, known(disks)],
      [storageRemote.id, known(remote)],
      [pciDevices.id, known(pci)],
    ]),
  )
  // The responses begin with one for each drive, in order.
  const answers = diskAnswers(read, decideEnvironment(read).environment)
  const nvme = disks.disks.flatMap((disk, index) =>
    /^nvme\d+n\d+$/.test(disk.name) ? [{ disk, is: answers[index]?.attachment ?? 'undetermined' }] : [],
  )
  const isLocal = ({ disk, is }: (typeof nvme)[number]): boolean => is === 'physical' && disk.transport === 'pcie'
  const having = (fits: (one: (typeof nvme)[number]) => boolean): readonly Disk[] =>
    nvme.filter(fits).map(({ disk }) => disk)
  return {
    local: having(isLocal),
    remote: having(({ is }) => is === 'remote'),
    open: having((one) => one.is !== 'remote' && !isLocal(one)),
  }
}

/** Why there is no local NVMe drive: against only where the bus was read whole and nothing on it could hide one. */
export function withoutLocal({ remote, open }: NvmeDrives, { devices }: PciDevices): DraftObservation {
  if (open.length > 0)
    return unclear(
      `NVMe drives not shown to be parts of this machine: ${named(open.map(({ name }) => name))}.`,
      inventoryDisks,
    )
  if (devices.length === 0)
    return unclear('No device is listed on a PCI bus, so that nothing shows which controllers there are.', pciDevices)
  // Class 0108 is NVMe; behind 0104 (RAID) drives of any kind can stand.
  const elsewhere = new Set(remote.map(diskFunction))
  const hiding = devices.filter((device) => /^(0104|0108)/.test(device.class) && !elsewhere.has(device.address))
  return hiding.length > 0
    ? unclear(
        `${count(hiding.length, 'controller')} on the PCI bus can have NVMe drives that are not listed.`,
        pciDevices,
      )
    : contradicts(
        remote.length > 0
          ? `Every NVMe drive is reached over a network: ${named(remote.map(({ name }) => name))}.`
          : `No NVMe drive is listed, and no controller of one is among ${count(devices.length, 'PCI device')}.`,
        remote.length > 0 ? inventoryDisks : pciDevices,
      )
}
