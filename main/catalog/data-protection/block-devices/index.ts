import { quote } from '../../../core/base/plain-text.ts'
import { defineProbe, glob, known, type Parsed, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import {
  asList,
  asRecord,
  inOrder,
  isRecord,
  type JsonValue,
  readJson,
  sysfsLines,
  unescapeOctal,
} from '../../base/read-text.ts'
import { defineSubject } from '../../base/subject.ts'
import { storageZfs, storageZpool } from './zfs.ts'

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

/** A block device as lsblk describes it. Empty strings where lsblk has nothing to state. */
export interface ListedDevice {
  readonly number: string
  readonly name: string
  readonly kernelName: string
  /** disk, part, crypt, lvm, raid1, loop, mpath, … `crypt` alone does not mean encrypted: null ciphers and dm-integrity state this too. */
  readonly type: string
  readonly fsType: string
  readonly transport: string
  readonly model: string
  readonly serial: string
  readonly partitionType: string
  /** major:minor of the devices it is listed under. */
  readonly parents: readonly string[]
}

export interface Lsblk {
  readonly devices: ReadonlyMap<string, ListedDevice>
}

/** More nodes than any real server has; a larger response is not read. */
const MAX_NODES = 50_000

export const storageLsblk = defineProbe({
  id: 'storage.lsblk',
  title: 'Block devices and drives',
  why: 'Shows the drives, partitions and layers, with model and serial number, so that a finding identifies a device.',
  ignoredInDrift: {
    why: 'The kernel numbers devices in the order of detection; a drive is identified by its serial number.',
    normalize: ({ devices }: Lsblk) => {
      const named = (number: string): string => {
        const device = devices.get(number)
        return device === undefined ? '' : device.serial === '' ? device.name : `${device.model} ${device.serial}`
      }
      return {
        devices: inOrder(
          [...devices.values()].map(({ number, name: _, kernelName: __, parents, ...device }) => ({
            ...device,
            name: device.type === 'part' ? '' : named(number),
            parents: inOrder(parents.map(named)),
          })),
        ),
      }
    },
  },
  commands: { lsblk: run(['lsblk', '-J', '-b', '-O']) },
  parse: ({ lsblk }) => (lsblk.exitCode === 0 ? parseLsblk(lsblk.text) : unknown('lsblk did not list the devices')),
})

/** Reads `lsblk -J -O`. A device with several parents appears under each of them and is joined by its number. */
export function parseLsblk(text: string): Parsed<Lsblk> {
  const document = readJson(text, 'lsblk')
  const top = document.ok ? asRecord(document.fact).blockdevices : undefined
  if (!Array.isArray(top)) return unknown('the output of lsblk is not the expected JSON')
  const devices = new Map<string, ListedDevice>()
  const waiting: { readonly node: JsonValue; readonly parent: string | null }[] = asList(top).map((node) => ({
    node,
    parent: null,
  }))
  for (let at = 0; at < waiting.length; at += 1) {
    if (at >= MAX_NODES) return unknown(`lsblk listed more than ${MAX_NODES} devices`)
    const { node, parent } = waiting[at] ?? { node: null, parent: null }
    const device = readDevice(node)
    if (device === null) return unknown('a device listed by lsblk has no number or name')
    const before = devices.get(device.number)
    const parents = new Set([...(before?.parents ?? []), ...(parent === null ? [] : [parent])])
    devices.set(device.number, { ...device, parents: [...parents].sort() })
    for (const child of asList(asRecord(node).children)) waiting.push({ node: child, parent: device.number })
  }
  return devices.size > 0 ? known({ devices }) : unknown('lsblk listed no devices')
}

function readDevice(node: JsonValue): Omit<ListedDevice, 'parents'> | null {
  if (!isRecord(node)) return null
  const column = (name: string): string => {
    const value = node[name]
    return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
  }
  const number = column('maj:min')
  const name = column('name')
  if (!/^\d+:\d+$/.test(number) || name === '') return null
  return {
    number,
    name,
    kernelName: column('kname') || name,
    type: column('type'),
    fsType: column('fstype'),
    transport: column('tran'),
    model: column('model'),
    serial: column('serial'),
    partitionType: column('parttype').toLowerCase(),
  }
}

/** One segment of a device-mapper device. The key of a crypt target never becomes part of a fact; its length does. */
export type DmTarget =
  | { readonly kind: 'crypt'; readonly cipher: string; readonly keyBytes: number | null }
  | { readonly kind: 'other'; readonly target: string }

export interface DmTable {
  /** By device-mapper name, in the kernel’s form (with \xNN escapes). */
  readonly devices: ReadonlyMap<string, readonly DmTarget[]>
}

/** `dmsetup table` without --showkeys prints keys as zeros, or as the name of a key in the kernel's keyring. */
export const storageDmTable = defineProbe({
  id: 'storage.dm-table',
  title: 'Device-mapper tables',
  why: 'Shows the cipher and key length of every encrypting layer. Keys are not shown by this command.',
  ignoredInDrift: {
    why: 'Devices are listed in the order in which they were opened.',
    normalize: ({ devices }: DmTable) => ({ devices: inOrder(devices) }),
  },
  commands: { table: runAsRoot(['dmsetup', 'table']) },
  parse: ({ table }) => {
    if (table.exitCode === 0) return parseDmTable(table.text)
    // ENODEV on the control device: this kernel has no device mapper, so there is nothing in its table.
    return /control: open failed: No such device$/m.test(table.errorText)
      ? known({ devices: new Map() })
      : unknown(`dmsetup failed: ${quote(table.errorText)}`)
  },
})

/** Reads `dmsetup table` (dmsetup(8); crypt arguments: Documentation/admin-guide/device-mapper/dm-crypt.rst). */
export function parseDmTable(text: string): Parsed<DmTable> {
  const devices = new Map<string, DmTarget[]>()
  const printed = text.trim()
  if (printed === '') return unknown('dmsetup printed nothing')
  if (printed === 'No devices found') return known({ devices })
  for (const line of printed.split('\n')) {
    const heads = [...line.trimEnd().matchAll(/: \d+ \d+ ([a-z][\w-]*)(?= |$)/g)]
    const [head] = heads
    // A name may hold blanks; one that itself looks like the head of a line leaves open which is which.
    if (head === undefined || heads.length > 1 || head.index === 0)
      return unknown('a line of the device-mapper table could not be read')
    const name = line.slice(0, head.index)
    const target = head[1] ?? ''
    const args = line.trimEnd().slice(head.index + head[0].length + 1)
    const segments = devices.get(name) ?? []
    segments.push(target === 'crypt' ? cryptTarget(args) : { kind: 'other', target })
    devices.set(name, segments)
  }
  return known({ devices })
}

/**
 * The segments of a device by its name. libdevmapper writes blanks and quotes as \\xNN where the kernel got them from it (dmsetup(8),
 * --manglename), so that the table and sysfs may spell one name in two ways.
 */
export const dmTargets = ({ devices }: DmTable, name: string): readonly DmTarget[] | undefined =>
  devices.get(name) ?? devices.get(unmangled(name)) ?? devices.get(mangled(name))

const unmangled = (name: string): string =>
  name.replace(/\\x([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
const mangled = (name: string): string =>
  name.replace(/[^\w#+.:=@/-]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)

function cryptTarget(args: string): DmTarget {
  const [cipher = '', key = ''] = args.split(' ')
  return { kind: 'crypt', cipher, keyBytes: keyBytes(key) }
}

/** `:64:logon:…` names a 64-byte key in a keyring; otherwise two hexadecimal digits (zeros) represent each byte. */
function keyBytes(key: string): number | null {
  const inKeyring = /^:(\d{1,5}):/.exec(key)
  if (inKeyring !== null) return Number(inKeyring[1])
  if (key === '-') return 0
  return /^[0-9a-fA-F]+$/.test(key) ? Math.floor(key.length / 2) : null
}

interface SwapArea {
  /** A device such as /dev/dm-2, or the path of a file. */
  readonly name: string
  readonly kind: 'partition' | 'file'
}

export interface Swaps {
  readonly areas: readonly SwapArea[]
}

export const storageSwaps = defineProbe({
  id: 'storage.swaps',
  title: 'Swap areas in use',
  why: 'Memory, and with it unencrypted data, is written to swap.',
  ignoredInDrift: {
    why: 'Areas are listed in the order in which they were opened.',
    normalize: ({ areas }: Swaps) => ({ areas: inOrder(areas) }),
  },
  commands: { swaps: run(['cat', '/proc/swaps']) },
  parse: ({ swaps }) =>
    swaps.exitCode === 0 ? parseSwaps(swaps.text) : unknown('the kernel’s list of swap areas could not be read'),
})

/** Reads /proc/swaps (mm/swapfile.c, swap_show). The header line must be there, so that an empty response is not "no swap". */
export function parseSwaps(text: string): Parsed<Swaps> {
  const [header = '', ...lines] = text.split('\n')
  if (!/^Filename\s+Type\s+Size/.test(header)) return unknown('the list of swap areas lacks its heading')
  const areas: SwapArea[] = []
  for (const line of lines) {
    if (line.trim() === '') continue
    const fields = /^(\/\S*)\s+(partition|file)\s+\d+\s+\d+\s+-?\d+\s*$/.exec(line)
    if (fields === null) return unknown(`a swap area could not be read: ${quote(line)}`)
    areas.push({ name: unescapeOctal(fields[1] ?? ''), kind: fields[2] === 'file' ? 'file' : 'partition' })
  }
  return known({ areas })
}

export const blockDevicesSubject = defineSubject({
  id: 'block-devices',
  title: 'Block devices',
  probes: [storageSwaps, storageBlockDevices, storageLsblk, storageDmTable, storageZfs, storageZpool],
  checks: [],
})
