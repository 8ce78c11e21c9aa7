import type { Parsed } from '../../core/probe.ts'
import type { SysfsBlock, SysfsDevice } from '../probes/storage-block-devices.ts'
import type { ListedDevice, Lsblk } from '../probes/storage-lsblk.ts'

/** A block device, joined from sysfs and lsblk. What only one of them states is kept; what both state is united. */
export interface BlockDevice {
  readonly number: string
  readonly kernelName: string
  /** Device-mapper name where it has one, else the kernel name. */
  readonly name: string
  readonly type: string
  /** Signature of what it holds (ext4, crypto_LUKS, zfs_member); empty where lsblk saw none. */
  readonly fsType: string
  /** Devices it is built on, and the disk it is a partition of. */
  readonly below: readonly string[]
  /** True when something is built on it. */
  readonly held: boolean
  readonly dmUuid: string | null
  readonly isDm: boolean
  readonly backingFile: string | null
  readonly zramBacking: string | null
  readonly transport: string
  readonly model: string
  readonly serial: string
  readonly partitionType: string
}

export interface BlockGraph {
  readonly devices: ReadonlyMap<string, BlockDevice>
  /** Device number by kernel name. */
  readonly numbers: ReadonlyMap<string, string>
  /** Device number by device-mapper name; apart, because a mapper name may equal the kernel name of another device. */
  readonly mappers: ReadonlyMap<string, string>
  /** Members of each btrfs file system, as device numbers; null when sysfs was not read. */
  readonly btrfs: readonly (readonly string[])[] | null
}

/** Joins the two views. Either may be missing; then what only it could state is unknown, never absent. */
export function blockGraph(sysfs: Parsed<SysfsBlock>, lsblk: Parsed<Lsblk>): BlockGraph {
  const fromSysfs = new Map<string, SysfsDevice>()
  const listed: ReadonlyMap<string, ListedDevice> = lsblk.ok ? lsblk.fact.devices : new Map()
  const byKernelName = new Map([...listed.values()].map((device) => [device.kernelName, device.number]))
  for (const device of sysfs.ok ? sysfs.fact.devices.values() : []) {
    const number = device.number ?? byKernelName.get(device.kernelName)
    if (number !== undefined) fromSysfs.set(number, device)
  }
  for (const [number, device] of fromSysfs) byKernelName.set(device.kernelName, number)
  const mappers = new Map<string, string>()
  const drafts = new Map<string, BlockDevice>()
  for (const number of new Set([...fromSysfs.keys(), ...listed.keys()])) {
    const [shown, other] = [fromSysfs.get(number), listed.get(number)]
    // Numbers are given again once a device is gone: what was listed under another name is not this device.
    const isSame = shown === undefined || other?.kernelName.replaceAll('/', '!') === shown.kernelName
    const device = joined(number, shown, isSame ? other : undefined, byKernelName)
    drafts.set(number, device)
    if (device.isDm) mappers.set(device.name, number)
  }
  const held = new Set([...drafts.values()].flatMap(({ below }) => below))
  const devices = new Map([...drafts].map(([number, device]) => [number, { ...device, held: held.has(number) }]))
  // A member that could not be resolved stays in the list under its name, so that the walk meets an unknown device.
  const btrfs = sysfs.ok
    ? [...sysfs.fact.btrfs.values()].map((members) => members.map((name) => byKernelName.get(name) ?? name))
    : null
  return { devices, numbers: byKernelName, mappers, btrfs }
}

function joined(
  number: string,
  sysfs: SysfsDevice | undefined,
  listed: ListedDevice | undefined,
  numbers: ReadonlyMap<string, string>,
): BlockDevice {
  const kernelName = sysfs?.kernelName ?? listed?.kernelName ?? number
  const names = [...(sysfs?.slaves ?? []), ...(sysfs?.partitionOf == null ? [] : [sysfs.partitionOf])]
  const below = new Set([...names.map((name) => numbers.get(name) ?? name), ...(listed?.parents ?? [])])
  return {
    number,
    kernelName,
    name: sysfs?.dmName ?? listed?.name ?? kernelName,
    type: listed?.type ?? '',
    fsType: listed?.fsType ?? '',
    below: [...below].sort(),
    held: false,
    dmUuid: sysfs?.dmUuid ?? null,
    isDm: sysfs?.dmName != null || /^dm-\d+$/.test(kernelName),
    backingFile: sysfs?.backingFile ?? null,
    zramBacking: sysfs?.zramBacking ?? null,
    transport: listed?.transport ?? '',
    model: listed?.model ?? '',
    serial: listed?.serial ?? '',
    partitionType: listed?.partitionType ?? '',
  }
}

/** The number of a device named /dev/sda1, /dev/dm-2 or /dev/mapper/name; undefined for names that udev made up (by-uuid, vg/lv). */
export function numberOfPath(graph: BlockGraph, path: string): string | undefined {
  const mapper = /^\/dev\/mapper\/([^/]+)$/.exec(path)?.[1]
  if (mapper !== undefined) return graph.mappers.get(mapper)
  const rest = /^\/dev\/(.+)$/.exec(path)?.[1]
  return rest === undefined ? undefined : graph.numbers.get(rest.replaceAll('/', '!'))
}
