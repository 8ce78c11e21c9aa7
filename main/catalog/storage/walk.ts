import { plain } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { type DmTable, dmTargets, storageDmTable } from '../probes/dm-table.ts'
import { type Mount, storageMounts } from '../probes/storage-mounts.ts'
import { type Swaps, storageSwaps } from '../probes/swaps.ts'
import { storageZfs, type ZfsEncryption } from '../probes/zfs-encryption.ts'
import type { ZfsPools } from '../probes/zfs-pools.ts'
import { gradeCipher, gradeZfsCipher, type Strength } from './cipher.ts'
import { unescapeOctal } from './escapes.ts'
import { type BlockDevice, type BlockGraph, numberOfPath } from './graph.ts'
import { mountHolding, mountKind, mountsByPoint, valuesOf } from './kinds.ts'
import { end, labelOf, type Outcome, rank, through, type Walked, worstOf } from './outcome.ts'

/** What a walk reads. Readings that failed stay failures, so that a walk ends in `unknown` instead of guessing. */
export interface StorageFacts {
  readonly mounts: readonly Mount[]
  readonly graph: BlockGraph
  readonly swaps: Parsed<Swaps>
  readonly dmTable: Parsed<DmTable>
  readonly zfs: Parsed<ZfsEncryption>
  readonly zpool: Parsed<ZfsPools>
}

/** Walks from something that holds data down to its drives. Total: cycles and stacks deeper than 64 end in `unknown`. */
export interface Walker {
  readonly mount: (mount: Mount) => Walked
  /** An absolute path: the mount that holds it, and down. Symbolic links are not resolved. */
  readonly path: (path: string) => Walked
  /** A device by its number. */
  readonly device: (number: string) => Walked
  readonly swap: (name: string, kind: 'partition' | 'file') => Walked
  readonly holding: (path: string) => Mount | undefined
}

/** No real stack comes near this; it ends a walk over a hostile or broken answer. */
const MAX_DEPTH = 64
type Trail = ReadonlySet<string>

interface View extends StorageFacts {
  readonly byPoint: ReadonlyMap<string, Mount>
  /** Finished walks: without them a stack of doubled layers would take exponential time. */
  readonly done: Map<Mount | string, Walked>
}

export function storageWalker(facts: StorageFacts): Walker {
  const view: View = { ...facts, byPoint: mountsByPoint(facts.mounts), done: new Map() }
  const start: Trail = new Set()
  return {
    mount: (mount) => followMount(view, mount, start),
    path: (path) => followPath(view, path, start),
    device: (number) => followDevice(view, number, start),
    swap: (name, kind) => (kind === 'file' ? followPath(view, name, start) : followNamed(view, name, start)),
    holding: (path) => mountHolding(view.byPoint, path),
  }
}

function followPath(view: View, path: string, trail: Trail): Walked {
  const mount = mountHolding(view.byPoint, path)
  return mount === undefined ? end('unknown', 'no mount holds this path') : followMount(view, mount, trail)
}

function followNamed(view: View, path: string, trail: Trail): Walked {
  const number = numberOfPath(view.graph, path)
  return number === undefined
    ? end('unknown', 'the device was not among those listed', [plain(path, 80)])
    : followDevice(view, number, trail)
}

function followMount(view: View, mount: Mount, trail: Trail): Walked {
  const key = `mount ${mount.point}`
  const before = view.done.get(mount)
  if (before !== undefined) return before
  if (trail.has(key) || trail.size >= MAX_DEPTH) return end('unknown', 'the layers refer to each other')
  const label = `${plain(mount.point, 80)} (${plain(mount.fsType, 30)})`
  const walked = through(label, followMountKind(view, mount, new Set([...trail, key])))
  view.done.set(mount, walked)
  return walked
}

function followMountKind(view: View, mount: Mount, trail: Trail): Walked {
  switch (mountKind(mount)) {
    case 'pseudo':
      return end('volatile', 'it is an interface of the kernel and stores nothing')
    case 'memory':
      return followMemory(view, trail)
    case 'network':
      return end('external-unverified', 'it is stored on another system, which this node cannot show')
    case 'overlay':
      return followOverlay(view, mount, trail)
    case 'stacked':
      return followStacked(view, mount, trail)
    case 'zfs':
      return followZfs(view, mount.source, trail)
    case 'members':
      return followMembers(view, mount, trail)
    case 'other':
      return end('unknown', 'this type of file system cannot be followed to a drive')
    case 'block': {
      const logs = ['logdev', 'rtdev'].flatMap((option) => valuesOf(mount, option)).map(unescapeOctal)
      return worstOf([followDevice(view, mount.device, trail), ...logs.map((path) => followNamed(view, path, trail))])
    }
  }
}

/** tmpfs pages go to swap under pressure, so memory is only as closed as the worst swap area. */
function followMemory(view: View, trail: Trail): Walked {
  if (!view.swaps.ok) return end('unknown', 'it lies in memory, and whether it can reach swap is unknown')
  const walks = view.swaps.fact.areas.map(({ name, kind }) =>
    kind === 'file' ? followPath(view, name, trail) : followNamed(view, name, trail),
  )
  const worst = worstOf([end('volatile', ''), ...walks])
  if (worst.outcome === 'volatile' || worst.outcome === 'encrypted') {
    const why = walks.length === 0 ? 'there is no swap' : 'every swap area in use is closed'
    return { ...end('volatile', `it lies in memory, and ${why}`), readFrom: storageSwaps.id }
  }
  return through('swap', { ...worst, why: `it lies in memory, which swap may write to a drive: ${worst.why}` })
}

/**
 * Data written to an overlay lands in its upper directory. The overlay that is the root itself was set up before this view of the
 * files existed, so its paths cannot be looked up here.
 */
function followOverlay(view: View, mount: Mount, trail: Trail): Walked {
  if (mount.point === '/') return end('unknown', 'the root is an overlay whose directories cannot be seen from inside')
  const upper = [...valuesOf(mount, 'upperdir'), ...valuesOf(mount, 'workdir')]
  const lower = [...valuesOf(mount, 'lowerdir'), ...valuesOf(mount, 'lowerdir+')].flatMap((dirs) => dirs.split(':'))
  const paths = (upper.length > 0 ? upper : lower).map(unescapeOctal).filter((path) => path !== '')
  if (paths.length === 0 || paths.some((path) => !path.startsWith('/')))
    return end('unknown', 'the overlay does not name where its data lies')
  return worstOf(paths.map((path) => followPath(view, path, trail)))
}

/**
 * Files are encrypted into a folder of another file system. eCryptfs names its cipher, in an older mode; the others run as programs whose
 * settings the mount table does not hold. Sizes and the tree of folders stay visible with all of them.
 */
function followStacked(view: View, mount: Mount, trail: Trail): Walked {
  const below = mount.source.startsWith('/') ? followPath(view, mount.source, trail) : end('unknown', '')
  const outcome = mount.fsType === 'ecryptfs' ? 'encrypted-weak' : 'layer-present-cipher-unverified'
  const why =
    outcome === 'encrypted-weak'
      ? 'each file is encrypted by eCryptfs, in an older mode'
      : 'each file is encrypted by a program whose cipher the mount table does not name'
  const layer = { ...end(outcome, why, below.path), readFrom: storageMounts.id }
  return rank(below) < rank(layer) ? below : layer
}

function followZfs(view: View, dataset: string, trail: Trail): Walked {
  const found = view.zfs.ok ? view.zfs.fact.datasets.get(dataset) : undefined
  if (found === undefined) return end('unknown', 'the encryption of its ZFS data set was not read')
  if (found.encryption !== 'off' && found.encryption !== '') {
    if (found.keyStatus !== 'available') return end('unknown', 'its ZFS data set names a cipher but no loaded key')
    const { strength, says } = gradeZfsCipher(found.encryption)
    return {
      ...end(strength === 'sound' ? 'encrypted' : 'encrypted-weak', `encrypted by ${says}`),
      readFrom: storageZfs.id,
    }
  }
  const pool = dataset.split('/')[0] ?? ''
  const members = view.zpool.ok ? view.zpool.fact.members.get(pool) : undefined
  if (members === undefined || members.length === 0)
    return end('unknown', 'its ZFS data set is not encrypted, and the pool’s drives were not listed')
  return worstOf(
    members.map((path) => (path.startsWith('/dev/') ? followNamed(view, path, trail) : followPath(view, path, trail))),
  )
}

/** Which data set a ZFS volume belongs to is not shown, so it is only decided where all data sets come out the same. */
function followZvol(view: View, trail: Trail): Walked {
  const walks = view.zfs.ok ? [...view.zfs.fact.datasets.keys()].map((name) => followZfs(view, name, trail)) : []
  const [first, ...rest] = walks
  return first !== undefined && rest.every(({ outcome }) => outcome === first.outcome)
    ? worstOf(walks)
    : end('unknown', 'which ZFS data set holds this volume was not shown')
}

/** btrfs and bcachefs spread over several devices: each of them must be covered. */
function followMembers(view: View, mount: Mount, trail: Trail): Walked {
  if (mount.fsType === 'bcachefs') return worstOf(mount.source.split(':').map((path) => followNamed(view, path, trail)))
  const first = numberOfPath(view.graph, mount.source)
  const members = first === undefined ? undefined : view.graph.btrfs?.find((group) => group.includes(first))
  if (members === undefined) return end('unknown', 'the devices of this btrfs file system were not listed')
  return worstOf(members.map((number) => followDevice(view, number, trail)))
}

function followDevice(view: View, number: string, trail: Trail): Walked {
  const key = `device ${number}`
  const before = view.done.get(key)
  if (before !== undefined) return before
  if (trail.has(key) || trail.size >= MAX_DEPTH) return end('unknown', 'the layers refer to each other')
  const device = view.graph.devices.get(number)
  if (device === undefined) return end('unknown', 'the device was not among those listed', [plain(number, 20)])
  const walked = through(labelOf(device), followLayer(view, device, new Set([...trail, key])))
  view.done.set(key, walked)
  return walked
}

function followLayer(view: View, device: BlockDevice, trail: Trail): Walked {
  if (device.isDm) return followDm(view, device, trail)
  if (/^zram\d+$/.test(device.kernelName)) {
    if (device.zramBacking === 'none') return end('volatile', 'it is compressed memory without a backing drive')
    return device.zramBacking === null || device.zramBacking === ''
      ? end('unknown', 'whether this compressed memory is written back to a drive was not shown')
      : followNamed(view, device.zramBacking, trail)
  }
  if (/^loop\d+$/.test(device.kernelName)) {
    const file = device.backingFile
    if (file === null || !file.startsWith('/')) return end('unknown', 'the file behind this loop device was not shown')
    const path = file.replace(/ \(deleted\)$/, '')
    return path.startsWith('/dev/') ? followNamed(view, path, trail) : followPath(view, path, trail)
  }
  if (/^ram\d+$/.test(device.kernelName)) return end('volatile', 'it is a disk in memory')
  if (/^drbd\d+$/.test(device.kernelName)) {
    const copy = end('external-unverified', 'a copy of it lies on another system, which this node cannot show')
    return worstOf([device.below.length > 0 ? followBelow(view, device, trail) : NOT_SHOWN, copy])
  }
  if (/^zd\d+$/.test(device.kernelName)) return followZvol(view, trail)
  if (device.below.length > 0) return followBelow(view, device, trail)
  if (/^(md|bcache)\d+/.test(device.kernelName)) return NOT_SHOWN
  const remote = /^(iscsi|fc|nbd|rbd|tcp|rdma)$/.test(device.transport) || /^(nbd|rbd)\d+/.test(device.kernelName)
  return {
    ...end(
      'exposed',
      remote
        ? 'a drive on another system, without an encrypting layer on this node'
        : 'no encrypting layer lies above the drive',
    ),
    remote,
  }
}

const NOT_SHOWN = end('unknown', 'what lies below this device was not shown')

/** Every device below counts; the path shows the worst and says of how many it is one. */
function followBelow(view: View, { below }: BlockDevice, trail: Trail): Walked {
  const worst = worstOf(below.map((number) => followDevice(view, number, trail)))
  const [first = '', ...rest] = worst.path
  return below.length < 2 ? worst : { ...worst, path: [`one of ${below.length}: ${first}`, ...rest] }
}

/** Kinds by the prefix of the device-mapper UUID. CRYPT-INTEGRITY, -VERITY and -SUBDEV share the crypt prefix but hide nothing. */
export const ENCRYPTING = /^CRYPT-(LUKS1|LUKS2|PLAIN|TCRYPT|LOOPAES|BITLK|FVAULT2)-/
const PLAIN_LAYER = /^(LVM-|mpath-|stratis-|DMRAID-|part\d+-|CRYPT-(INTEGRITY|VERITY|SUBDEV)-|LVMRAID-)/

function followDm(view: View, device: BlockDevice, trail: Trail): Walked {
  const below = device.below.length > 0 ? followBelow(view, device, trail) : NOT_SHOWN
  const targets = view.dmTable.ok ? dmTargets(view.dmTable.fact, device.name) : undefined
  if (targets !== undefined && targets.length > 0) {
    const layers = targets.flatMap((target) =>
      target.kind === 'crypt' ? [gradeCipher(target.cipher, target.keyBytes)] : [],
    )
    if (layers.length < targets.length) return below
    const layer = worstOf(
      layers.map(({ strength, says }) =>
        end(
          WORTH[strength],
          strength === 'none' ? `the layer uses ${says}` : `encrypted by dm-crypt, ${says}`,
          below.path,
        ),
      ),
    )
    // A layer below may do what this one does not.
    return rank(below) < rank(layer) ? below : { ...layer, remote: below.remote, readFrom: storageDmTable.id }
  }
  const type = device.dmUuid ?? (device.type === 'crypt' ? 'CRYPT-LUKS2-' : device.type === 'lvm' ? 'LVM-' : '')
  if (PLAIN_LAYER.test(type) || below.outcome === 'encrypted') return below
  const unread = ENCRYPTING.test(type)
    ? 'an encrypting layer is present; its cipher needs administrator rights to read'
    : 'a device-mapper layer of unread kind lies above the drive'
  return {
    ...end(ENCRYPTING.test(type) ? 'layer-present-cipher-unverified' : 'unknown', unread, below.path),
    remote: below.remote,
  }
}

const WORTH: Readonly<Record<Strength, Outcome>> = {
  sound: 'encrypted',
  unapproved: 'encrypted',
  weak: 'encrypted-weak',
  broken: 'encrypted-broken',
  none: 'exposed',
}
