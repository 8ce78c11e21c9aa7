import { plain } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import type { DmTable, ListedDevice, Lsblk, Swaps, SysfsBlock, SysfsDevice } from '../block-devices/index.ts'
import type { ZfsEncryption, ZfsPools } from '../block-devices/zfs.ts'
import type { Mount } from '../mounts/probes.ts'

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

/**
 * From best to worst. `exposed`: no encrypting layer was found on the way to the drive, and every layer was read. `encrypted-broken`: the
 * only layer uses a mode or key that does not hide what is stored; `encrypted-weak`: one that is out of date or not on our list.
 */
export const OUTCOMES = [
  'volatile',
  'encrypted',
  'encrypted-weak',
  'layer-present-cipher-unverified',
  'external-unverified',
  'unknown',
  'encrypted-broken',
  'exposed',
] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface Walked {
  readonly outcome: Outcome
  /** The layers that were passed, from the top down; of several branches the worst. */
  readonly path: readonly string[]
  /** Why, for people. Node words in it are already made plain. */
  readonly why: string
  /** True when the walk ended at a drive that is reached over a network. */
  readonly remote: boolean
  /** The question that decided it, where that is not the usual one for its outcome. */
  readonly readFrom?: string
}

export const rank = ({ outcome }: Walked): number => OUTCOMES.indexOf(outcome)

export const end = (outcome: Outcome, why: string, path: readonly string[] = []): Walked => ({
  outcome,
  path,
  why,
  remote: false,
})

export const through = (label: string, walked: Walked): Walked => ({ ...walked, path: [label, ...walked.path] })

/** A layer over several devices is worth what the worst of them is worth. */
export const worstOf = (walks: readonly Walked[]): Walked =>
  walks.reduce(
    (worst, walked) => (rank(walked) > rank(worst) ? walked : worst),
    walks[0] ?? end('unknown', 'nothing to follow'),
  )

/** A device in a path: name, kind, transport, model and serial number. */
export function labelOf(device: BlockDevice): string {
  const name = plain(
    device.isDm && device.name !== device.kernelName ? `${device.name} [${device.kernelName}]` : device.kernelName,
    80,
  )
  const details = [device.type, device.transport, device.model, device.serial === '' ? '' : `serial ${device.serial}`]
  const shown = details.filter((detail) => detail !== '').map((detail) => plain(detail, 40))
  return shown.length === 0 ? name : `${name} (${shown.join(', ')})`
}

/**
 * The readings that a walk uses. Failed readings stay failures, so that a walk ends in `unknown` instead of guessing.
 */
export interface StorageFacts {
  readonly mounts: readonly Mount[]
  readonly graph: BlockGraph
  readonly swaps: Parsed<Swaps>
  readonly dmTable: Parsed<DmTable>
  readonly zfs: Parsed<ZfsEncryption>
  readonly zpool: Parsed<ZfsPools>
}

/** Devices already visited on the way down, so that a cycle is detected. */
export type Trail = ReadonlySet<string>

/** One walk's view: what it reads, and how it continues from any layer to the next. */
export interface View extends StorageFacts {
  /** Continues at the mount that contains a path. */
  readonly path: (path: string, trail: Trail) => Walked
  /** To a device by its path, such as /dev/sda1. */
  readonly named: (path: string, trail: Trail) => Walked
  /** To a device by its number. */
  readonly device: (number: string, trail: Trail) => Walked
}
