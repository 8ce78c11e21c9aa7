import { known } from '../../../core/recording/probe.ts'
import { readFrom } from '../../../core/recording/readings.ts'
import type { DraftObservation, FactsOf, MaybeFactsOf, Needs } from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { type SysfsBlock, storageBlockDevices } from '../../data-protection/block-devices/index.ts'
import { hasRemoteStorage, storageRemote } from '../../data-protection/mounts/probes.ts'
import { type Disk, diskFunction, inventoryDisks } from '../../hardware/drives/inventory.ts'
import { type PciDevices, pciDevices } from '../../hardware/pci/probes.ts'
import { type MdArray, type RedundancyState, redundancyState } from '../../hardware/redundancy/index.ts'
import { diskAnswers } from '../../single-tenancy/isolation/disk-attachment.ts'
import { decideEnvironment } from '../../single-tenancy/isolation/rules.ts'
import { SIGNAL_PROBES } from '../../single-tenancy/isolation/signals.ts'
import { plainClaimTest } from './values.ts'

/** Evidence on whether NVMe drives are parts of the machine. */
const LOCAL_NEEDS = { disks: inventoryDisks, remote: storageRemote, pci: pciDevices }
const LOCAL_WANTS: Needs = SIGNAL_PROBES

interface NvmeDrives {
  /** On a controller of the machine that the system runs on. */
  readonly local: readonly Disk[]
  /** Elsewhere: over a network, or a volume of the provider's. */
  readonly remote: readonly Disk[]
  /** Not decided: of a guest, or presented by a card. */
  readonly open: readonly Disk[]
}

function nvmeDrives(
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

/**
 * Why there is no local NVMe drive: contradicts only where the bus was read completely and nothing on it could hide
 * one.
 */
function withoutLocal({ remote, open }: NvmeDrives, { devices }: PciDevices): DraftObservation {
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

const LIMITS =
  'The drive is attached to a PCI Express controller of the machine, as reported by the kernel. Its owner after the contract ends, and its earlier contents, are not shown.'

export const storageLocalNvme = plainClaimTest({
  id: 'storage.local-nvme',
  title: 'An NVMe drive is a part of the machine.',
  limitations: LIMITS,
  property: 'operations',
  expected: 'At least one NVMe drive hangs on a controller of the machine that the system runs on.',
  requires: LOCAL_NEEDS,
  optional: LOCAL_WANTS,
  evaluate(facts, wanted) {
    const drives = nvmeDrives(facts, wanted)
    const { local } = drives
    return decide([
      local.length > 0
        ? supports(
            `${count(local.length, 'NVMe drive')} of this machine: ${named(local.map(({ name, model }) => `${name} ${model}`.trim()))}.`,
            inventoryDisks,
          )
        : withoutLocal(drives, facts.pci),
    ])
  },
})

const STORAGE_NVME_OF_LIMITS =
  'Controllers that the kernel has open at this moment. The location of the target, its other users and the protection of its data are not shown. Storage that is offered but not attached is not covered.'
/** Transports of NVMe over Fabrics; a loop within the system is not one. */
const FABRICS: readonly string[] = ['rdma', 'tcp', 'fc']

export const storageNvmeOf = plainClaimTest({
  id: 'storage.nvme-of',
  title: 'Storage is attached by NVMe over Fabrics.',
  limitations: STORAGE_NVME_OF_LIMITS,
  property: 'operations',
  expected: 'At least one NVMe controller is reached over a fabric: RDMA, TCP or Fibre Channel.',
  requires: { remote: storageRemote },
  evaluate({ remote }) {
    const attached = remote.nvme.filter(({ transport }) => FABRICS.includes(transport))
    if (attached.length > 0)
      return decide([
        supports(
          `Attached over a fabric: ${named(attached.map(({ name, transport }) => `${name} over ${transport}`))}.`,
          storageRemote,
        ),
      ])
    return decide([
      hasRemoteStorage(remote)
        ? contradicts(
            'Drives are attached over a network by other protocols, and none by NVMe over Fabrics.',
            storageRemote,
          )
        : unclear('No drive is attached over a network at this moment; one can be at any time.', storageRemote),
    ])
  },
})

const STORAGE_NVME_RAID_LIMITS =
  'Arrays of the kernel’s own RAID (md) over drives of this machine, of any level, also of one that keeps no second copy. Arrays of other kinds and of controllers are left open. How fast they are is not measured.'

/** More than any server has; a longer list is not walked. */
const MOST_ARRAYS = 256

export const storageNvmeRaid = plainClaimTest({
  id: 'storage.nvme-raid',
  title: 'Local NVMe drives work together in a RAID array.',
  limitations: STORAGE_NVME_RAID_LIMITS,
  property: 'operations',
  expected: 'A RAID array of two or more NVMe drives of this machine is active and has all its members.',
  requires: { ...LOCAL_NEEDS, state: redundancyState, block: storageBlockDevices },
  optional: LOCAL_WANTS,
  evaluate({ state, block, ...facts }, wanted) {
    const drives = nvmeDrives(facts, wanted)
    if (drives.local.length === 0) return decide([withoutLocal(drives, facts.pci)])
    if (state.arrays.length > MOST_ARRAYS)
      return decide([unclear(`More than ${MOST_ARRAYS} arrays are listed.`, redundancyState)])
    const local = new Set(drives.local.map(({ name }) => name))
    const arrays = state.arrays
      .filter(({ isActive, isContainer, level }) => isActive && !isContainer && level.startsWith('raid'))
      .map((array) => ({ array, on: disksBelow(block, array.name) }))
    const ours = arrays.filter(({ on }) => on.length > 1 && on.every((disk) => local.has(disk)))
    const whole = ours.filter(({ array }) => isWhole(array))
    if (whole.length > 0)
      return decide([
        supports(
          `Active over NVMe drives of this machine: ${named(whole.map(({ array, on }) => `${array.name} (${array.level}) over ${on.join(', ')}`))}.`,
          storageBlockDevices,
        ),
      ])
    if (ours.length > 0)
      return decide([
        unclear(
          `Over NVMe drives of this machine, and not with all members: ${named(ours.map(({ array }) => array.name))}.`,
          redundancyState,
        ),
      ])
    return decide([withoutArray(drives, state, block, facts.pci, arrays)])
  },
})

const isWhole = ({ wanted, working, failed }: MdArray): boolean =>
  failed.length === 0 && (wanted === null || (working !== null && working >= wanted))

/** Names of the drives below a device, through partitions and mapped devices. A way that does not end at a device listed has its own name. */
function disksBelow({ devices }: SysfsBlock, name: string): readonly string[] {
  const found = new Set<string>()
  const seen = new Set<string>()
  const waiting = [name]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    const device = devices.get(next)
    const below = [...(device?.slaves ?? []), ...(device?.partitionOf == null ? [] : [device.partitionOf])]
    if (below.length === 0) found.add(next)
    else waiting.push(...below)
  }
  return [...found].sort()
}

/** Against only where nothing else that joins drives is in sight. */
function withoutArray(
  { local }: NvmeDrives,
  { pools, btrfs }: RedundancyState,
  block: SysfsBlock,
  { devices }: PciDevices,
  arrays: readonly { readonly array: MdArray; readonly on: readonly string[] }[],
): DraftObservation {
  const others = [
    ...arrays
      .filter(({ on }) => on.length < 2 || on.some((disk) => disk.startsWith('nvme')))
      .map(({ array }) => array.name),
    ...pools.map((pool) => `ZFS ${pool.name}`),
    ...btrfs.filter((volume) => volume.devices > 1).map((volume) => `btrfs ${volume.id}`),
    ...[...block.devices.values()]
      .filter(({ dmUuid, slaves }) => dmUuid !== null && slaves.length > 1)
      .map(({ kernelName }) => kernelName),
    ...devices.filter((device) => device.class.startsWith('0104')).map(({ address }) => `controller ${address}`),
  ]
  return others.length > 0
    ? unclear(`Drives are joined in another way, or by a controller: ${named(others)}.`, redundancyState)
    : contradicts(
        `${count(local.length, 'NVMe drive')} of this machine, and the kernel has no array, pool or volume over several.`,
        redundancyState,
      )
}
