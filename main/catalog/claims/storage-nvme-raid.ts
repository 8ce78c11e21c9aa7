import { type DraftObservation, defineCheck } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import type { PciDevices } from '../probes/pci-devices.ts'
import { type MdArray, type RedundancyState, redundancyState } from '../probes/redundancy-state.ts'
import { type SysfsBlock, storageBlockDevices } from '../probes/storage-block-devices.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { LOCAL_NEEDS, LOCAL_WANTS, type NvmeDrives, nvmeDrives, withoutLocal } from './local-nvme.ts'

const LIMITS =
  'Arrays of the kernel’s own RAID (md) over drives of this machine, of any level, also of one that keeps no second copy. Arrays of other kinds and of controllers are left open. How fast they are is not measured.'

/** More than any server has; a longer list is not walked. */
const MOST_ARRAYS = 256

export const storageNvmeRaid: ClaimTest = {
  id: 'storage.nvme-raid',
  title: 'Local NVMe drives work together in a RAID array.',
  takes: { kind: 'nothing' },
  limitations: LIMITS,
  of(value) {
    if (value !== null) return null
    return defineCheck({
      id: 'storage.nvme-raid',
      property: 'operations',
      expected: 'A RAID array of two or more NVMe drives of this machine is active and has all its members.',
      limitations: LIMITS,
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
  },
}

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
