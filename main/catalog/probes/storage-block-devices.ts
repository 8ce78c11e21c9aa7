import { defineProbe, glob, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { inOrder } from '../steady.ts'
import { sysfsLines } from '../storage/sysfs-lines.ts'

/** A block device as the kernel's sysfs shows it, by kernel name. Null where sysfs has no such file for it. */
export interface SysfsDevice {
  readonly kernelName: string
  /** major:minor; null when only other files of the device were shown. */
  readonly number: string | null
  /** Kernel name of the disk this is a partition of. */
  readonly partitionOf: string | null
  /** Kernel names of the devices it is built on. */
  readonly slaves: readonly string[]
  readonly dmName: string | null
  /** Its prefix shows the kind: CRYPT-LUKS2-, CRYPT-PLAIN-, CRYPT-INTEGRITY-, LVM-, mpath-. */
  readonly dmUuid: string | null
  readonly backingFile: string | null
  readonly zramBacking: string | null
}

export interface SysfsBlock {
  readonly devices: ReadonlyMap<string, SysfsDevice>
  /** Kernel names of the members of each btrfs file system, by its UUID. */
  readonly btrfs: ReadonlyMap<string, readonly string[]>
}

export const storageBlockDevices = defineProbe({
  id: 'storage.block-devices',
  title: 'Layers of block devices',
  why: 'Shows which layers are between a file system and the drive, for example encryption, RAID and LVM.',
  ignoredInDrift: {
    why: 'The kernel numbers devices in the order of detection, and mapped ones in the order of opening.',
    normalize: ({ devices, btrfs }: SysfsBlock) => {
      const named = (kernelName: string): string => devices.get(kernelName)?.dmName ?? kernelName
      return {
        devices: inOrder(
          [...devices.values()].map(({ number: _, kernelName, slaves, ...device }) => ({
            ...device,
            name: named(kernelName),
            slaves: inOrder(slaves.map(named)),
          })),
        ),
        btrfs: inOrder([...btrfs].map(([id, members]) => [id, inOrder(members.map(named))])),
      }
    },
  },
  commands: {
    sysfs: run([
      'grep',
      '-sH',
      '',
      glob('/sys/class/block/*/dev'),
      glob('/sys/block/*/*/partition'),
      glob('/sys/block/*/slaves/*/dev'),
      glob('/sys/block/*/dm/name'),
      glob('/sys/block/*/dm/uuid'),
      glob('/sys/block/*/loop/backing_file'),
      glob('/sys/block/zram*/backing_dev'),
      glob('/sys/fs/btrfs/*/devices/*/dev'),
    ]),
  },
  parse: ({ sysfs }) => parseSysfsBlock(sysfs.text),
})

const NAME = '([^/:]+)'
const DEV = new RegExp(`^/sys/class/block/${NAME}/dev$`)
const PARTITION = new RegExp(`^/sys/block/${NAME}/${NAME}/partition$`)
const SLAVE = new RegExp(`^/sys/block/${NAME}/slaves/${NAME}/dev$`)
const ATTRIBUTE = new RegExp(`^/sys/block/${NAME}/(dm/name|dm/uuid|loop/backing_file|backing_dev)$`)
const BTRFS = new RegExp(`^/sys/fs/btrfs/${NAME}/devices/${NAME}/dev$`)

interface Draft {
  number: string | null
  partitionOf: string | null
  slaves: string[]
  attributes: Map<string, string>
}

/** Reads the files named above. Fails when none of them names a block device, which no running node can be without. */
export function parseSysfsBlock(text: string): Parsed<SysfsBlock> {
  const drafts = new Map<string, Draft>()
  const btrfs = new Map<string, string[]>()
  const draft = (name: string): Draft => {
    const found = drafts.get(name) ?? { number: null, partitionOf: null, slaves: [], attributes: new Map() }
    drafts.set(name, found)
    return found
  }
  for (const [path, value] of sysfsLines(text)) {
    const [, device, second = ''] =
      DEV.exec(path) ?? PARTITION.exec(path) ?? SLAVE.exec(path) ?? ATTRIBUTE.exec(path) ?? BTRFS.exec(path) ?? []
    if (device === undefined) continue
    if (DEV.test(path)) draft(device).number = value.trim()
    else if (PARTITION.test(path)) draft(second).partitionOf = device
    else if (SLAVE.test(path)) draft(device).slaves.push(second)
    else if (BTRFS.test(path)) {
      const members = btrfs.get(device)
      if (members === undefined) btrfs.set(device, [second])
      else members.push(second)
    } else draft(device).attributes.set(second, value)
  }
  if (drafts.size === 0) return unknown('the kernel showed no block devices')
  const devices = new Map([...drafts].map(([name, found]) => [name, finished(name, found)]))
  return known({ devices, btrfs })
}

function finished(kernelName: string, { number, partitionOf, slaves, attributes }: Draft): SysfsDevice {
  return {
    kernelName,
    number: number !== null && /^\d+:\d+$/.test(number) ? number : null,
    partitionOf,
    slaves: slaves.sort(),
    dmName: attributes.get('dm/name') ?? null,
    dmUuid: attributes.get('dm/uuid') ?? null,
    backingFile: attributes.get('loop/backing_file') ?? null,
    zramBacking: attributes.get('backing_dev')?.trim() ?? null,
  }
}
