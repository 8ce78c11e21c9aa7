import { plain } from '../../../core/base/plain-text.ts'
import { unescapeOctal } from '../../base/read-text.ts'
import { isServiceModel } from '../../single-tenancy/isolation/disk-attachment.ts'
import { dmTargets, storageBlockDevices, storageDmTable, storageSwaps } from '../block-devices/index.ts'
import { storageZfs } from '../block-devices/zfs.ts'
import { mountKind, mountTree, valuesOf } from '../mounts/kinds.ts'
import { type Mount, storageMounts } from '../mounts/probes.ts'
import { gradeCipher, gradeZfsCipher, type Strength } from './grades.ts'
import {
  type BlockDevice,
  end,
  labelOf,
  numberOfPath,
  type Outcome,
  rank,
  type StorageFacts,
  type Trail,
  through,
  type View,
  type Walked,
  worstOf,
} from './graph.ts'

/** ZFS encrypts inside the file system: what it reports about the data set decides, and the pool's drives end the path. */
function followZfs(view: View, dataset: string, trail: Trail): Walked {
  const found = view.zfs.ok ? view.zfs.fact.datasets.get(dataset) : undefined
  if (found === undefined) return end('unknown', 'the encryption of its ZFS data set was not read')
  const pool = followPool(view, dataset.split('/')[0] ?? '', trail)
  if (found.encryption === 'off' || found.encryption === '') return pool
  if (found.keyStatus !== 'available') return end('unknown', 'its ZFS data set names a cipher but no loaded key')
  const { strength, description } = gradeZfsCipher(found.encryption)
  return {
    ...end(strength === 'sound' ? 'encrypted' : 'encrypted-weak', `encrypted by ${description}`, pool.path),
    readFrom: storageZfs.id,
  }
}

function followPool(view: View, pool: string, trail: Trail): Walked {
  const members = view.zpool.ok ? view.zpool.fact.members.get(pool) : undefined
  if (members === undefined || members.length === 0)
    return end('unknown', 'its ZFS data set is not encrypted, and the pool’s drives were not listed')
  return worstOf(
    members.map((path) => {
      if (path.startsWith('/dev/')) return view.named(path, trail)
      return path.startsWith('/') ? view.path(path, trail) : end('unknown', 'a member of its ZFS pool is missing')
    }),
  )
}

/**
 * The evidence does not show which data set a ZFS volume belongs to, so it is decided only where all data sets have
 * the same result.
 */
function followZvol(view: View, trail: Trail): Walked {
  const walks = view.zfs.ok ? [...view.zfs.fact.datasets.keys()].map((name) => followZfs(view, name, trail)) : []
  const [first, ...rest] = walks
  return first !== undefined && rest.every(({ outcome }) => outcome === first.outcome)
    ? worstOf(walks)
    : end('unknown', 'which ZFS data set holds this volume was not shown')
}

/** One device, down to what it is built on. */
function followLayer(view: View, device: BlockDevice, trail: Trail): Walked {
  if (device.isDm) return followDm(view, device, trail)
  if (/^zram\d+$/.test(device.kernelName)) {
    if (device.zramBacking === 'none') return end('volatile', 'it is compressed memory without a backing drive')
    return device.zramBacking === null || device.zramBacking === ''
      ? end('unknown', 'whether this compressed memory is written back to a drive was not shown')
      : view.named(device.zramBacking, trail)
  }
  if (/^loop\d+$/.test(device.kernelName)) {
    const file = device.backingFile
    if (file === null || !file.startsWith('/')) return end('unknown', 'the file behind this loop device was not shown')
    const path = file.replace(/ \(deleted\)$/, '')
    return path.startsWith('/dev/') ? view.named(path, trail) : view.path(path, trail)
  }
  if (/^ram\d+$/.test(device.kernelName)) return end('volatile', 'it is a disk in memory')
  if (/^drbd\d+$/.test(device.kernelName)) {
    const copy = end('external-unverified', 'a copy of it is on another system, which this node cannot show')
    return worstOf([device.below.length > 0 ? followBelow(view, device, trail) : NOT_SHOWN, copy])
  }
  if (/^zd\d+$/.test(device.kernelName)) return followZvol(view, trail)
  if (device.below.length > 0) return followBelow(view, device, trail)
  if (/^(md|bcache)\d+/.test(device.kernelName)) return NOT_SHOWN
  // lsblk.c, get_transport(): a Fibre Channel adapter over Ethernet has a transport name of its own.
  const remote = /^(iscsi|fc|fcoe|nbd|rbd|tcp|rdma)$/.test(device.transport) || /^(nbd|rbd)\d+/.test(device.kernelName)
  if (remote || isServiceModel(device.model))
    return {
      ...end(
        'external-unverified',
        remote
          ? 'a drive on another system, which this node cannot show; there is no encrypting layer on this node'
          : 'a volume of the provider’s storage service, which this node cannot show; there is no encrypting layer on this node',
      ),
      remote,
      readFrom: storageBlockDevices.id,
    }
  return end('exposed', 'there is no encrypting layer above the drive')
}

const NOT_SHOWN = end('unknown', 'the layers below this device were not shown')

/** Every device below counts; the path shows the worst, with the number of devices that it stands for. */
function followBelow(view: View, { below }: BlockDevice, trail: Trail): Walked {
  const worst = worstOf(below.map((number) => view.device(number, trail)))
  const [first = '', ...rest] = worst.path
  return below.length < 2 ? worst : { ...worst, path: [`one of ${below.length}: ${first}`, ...rest] }
}

/** Kinds by the prefix of the device-mapper UUID. CRYPT-INTEGRITY, -VERITY and -SUBDEV share the crypt prefix but hide nothing. */
export const ENCRYPTING = /^CRYPT-(LUKS1|LUKS2|PLAIN|TCRYPT|LOOPAES|BITLK|FVAULT2)-/
/**
 * LUKS2 over the locking range of a self-encrypting drive (cryptsetup lib/internal.h, CRYPT_LUKS2_HW_OPAL, since 2.7). With --hw-opal-only the
 * mapping is linear, and the drive alone encrypts.
 */
export const OPAL_VOLUME = /^CRYPT-LUKS2-OPAL-/
const PLAIN_LAYER = /^(LVM-|mpath-|stratis-|DMRAID-|part\d+-|CRYPT-(INTEGRITY|VERITY|SUBDEV)-|LVMRAID-)/

function followDm(view: View, device: BlockDevice, trail: Trail): Walked {
  const below = device.below.length > 0 ? followBelow(view, device, trail) : NOT_SHOWN
  const targets = view.dmTable.ok ? dmTargets(view.dmTable.fact, device.name) : undefined
  if (targets !== undefined && targets.length > 0) {
    const layers = targets.flatMap((target) =>
      target.kind === 'crypt' ? [gradeCipher(target.cipher, target.keyBytes)] : [],
    )
    if (layers.length === 0 && OPAL_VOLUME.test(device.dmUuid ?? '') && below.outcome !== 'encrypted')
      return {
        ...end(
          'layer-present-cipher-unverified',
          'the drive itself encrypts this volume (OPAL), which the kernel does not show',
          below.path,
        ),
        remote: below.remote,
        readFrom: storageBlockDevices.id,
      }
    if (layers.length < targets.length) return below
    const layer = worstOf(
      layers.map(({ strength, description }) =>
        end(
          WORTH[strength],
          strength === 'none' ? `the layer uses ${description}` : `encrypted by dm-crypt, ${description}`,
          below.path,
        ),
      ),
    )
    // A layer below may do what this one does not; what another system does is a guess, and counts only where there is no cipher at all.
    const isBetter =
      rank(below) < rank(layer) && (below.outcome !== 'external-unverified' || layer.outcome === 'exposed')
    return isBetter ? below : { ...layer, remote: below.remote, readFrom: storageDmTable.id }
  }
  const type = device.dmUuid ?? (device.type === 'crypt' ? 'CRYPT-LUKS2-' : device.type === 'lvm' ? 'LVM-' : '')
  if (PLAIN_LAYER.test(type) || below.outcome === 'encrypted') return below
  const unread = ENCRYPTING.test(type)
    ? 'an encrypting layer is present; its cipher needs administrator rights to read'
    : 'a device-mapper layer of unread kind is above the drive'
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

/** One mount, down from the kind of its file system. */
function followMountKind(view: View, mount: Mount, trail: Trail): Walked {
  switch (mountKind(mount)) {
    case 'pseudo':
      return end('volatile', 'it is an interface of the kernel and stores nothing')
    case 'automount':
      return end('unknown', 'what is mounted there on first use was not mounted')
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
      return worstOf([view.device(mount.device, trail), ...logs.map((path) => view.named(path, trail))])
    }
  }
}

/** tmpfs pages go to swap under pressure, so memory is only as closed as the worst swap area. */
function followMemory(view: View, trail: Trail): Walked {
  if (!view.swaps.ok) return end('unknown', 'it is in memory, and whether it can reach swap is unknown')
  const walks = view.swaps.fact.areas.map(({ name, kind }) =>
    kind === 'file' ? view.path(name, trail) : view.named(name, trail),
  )
  const worst = worstOf([end('volatile', ''), ...walks])
  if (worst.outcome === 'volatile' || worst.outcome === 'encrypted') {
    const why = walks.length === 0 ? 'there is no swap' : 'every swap area in use is closed'
    return { ...end('volatile', `it is in memory, and ${why}`), readFrom: storageSwaps.id }
  }
  return through('swap', { ...worst, why: `it is in memory, which swap may write to a drive: ${worst.why}` })
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
    return end('unknown', 'the overlay does not state where its data is')
  return worstOf(paths.map((path) => view.path(path, trail)))
}

/**
 * Files are encrypted into a folder of another file system. eCryptfs names its cipher, in an older mode, and the kernel the folder; the others
 * run as programs, whose own word is all that the mount table has of them. Sizes and the tree of folders stay visible with all of them.
 */
function followStacked(view: View, mount: Mount, trail: Trail): Walked {
  const below = mount.source.startsWith('/') ? view.path(mount.source, trail) : end('unknown', '')
  if (mount.fsType !== 'ecryptfs')
    return {
      ...end(
        'layer-present-cipher-unverified',
        'each file is encrypted by a program whose cipher the mount table does not show',
        below.path,
      ),
      readFrom: storageMounts.id,
    }
  const layer = {
    ...end('encrypted-weak', 'each file is encrypted by eCryptfs, in an older mode', below.path),
    readFrom: storageMounts.id,
  }
  return rank(below) < rank(layer) ? below : layer
}

/** btrfs and bcachefs spread over several devices: each of them must be covered. */
function followMembers(view: View, mount: Mount, trail: Trail): Walked {
  if (mount.fsType === 'bcachefs') {
    const worst = worstOf(mount.source.split(':').map((path) => view.named(path, trail)))
    // It can encrypt the whole file system itself (bcachefs(8), format --encrypted), which neither the mount table nor the kernel’s files show.
    return worst.outcome === 'exposed'
      ? { ...worst, outcome: 'unknown', why: 'bcachefs can encrypt what it stores, and whether it does was not read' }
      : worst
  }
  const first = numberOfPath(view.graph, mount.source)
  const members = first === undefined ? undefined : view.graph.btrfs?.find((group) => group.includes(first))
  if (members === undefined) return end('unknown', 'the devices of this btrfs file system were not listed')
  return worstOf(members.map((number) => view.device(number, trail)))
}

/** Walks from something that holds data down to its drives. Total: cycles and stacks deeper than 64 end in `unknown`. */
export interface Walker {
  readonly mount: (mount: Mount) => Walked
  /** For an absolute path: the mount that contains it, and what is below. Symbolic links are not resolved. */
  readonly path: (path: string) => Walked
  /** A device by its number. */
  readonly device: (number: string) => Walked
  readonly swap: (name: string, kind: 'partition' | 'file') => Walked
  readonly holding: (path: string) => Mount | undefined
}

/** No real stack comes near this; it ends a walk over a hostile or broken response. */
const MAX_DEPTH = 64
const CIRCLE = end('unknown', 'the layers refer to each other')

export function storageWalker(facts: StorageFacts): Walker {
  const holding = mountTree(facts.mounts)
  /** Finished walks: without them a stack of doubled layers would take exponential time. */
  const done = new Map<Mount | string, Walked>()

  const once = (what: Mount | string, key: string, trail: Trail, follow: (trail: Trail) => Walked): Walked => {
    const before = done.get(what)
    if (before !== undefined) return before
    if (trail.has(key) || trail.size >= MAX_DEPTH) return CIRCLE
    const walked = follow(new Set([...trail, key]))
    done.set(what, walked)
    return walked
  }
  const mount = (found: Mount, trail: Trail): Walked => {
    const label = `${plain(found.point, 80)} (${plain(found.fsType, 30)})`
    return once(found, `mount ${found.id} ${found.point}`, trail, (next) =>
      through(label, followMountKind(view, found, next)),
    )
  }
  const view: View = {
    ...facts,
    path: (path, trail) => {
      const found = holding(path)
      return found === undefined ? end('unknown', 'no mount holds this path') : mount(found, trail)
    },
    named: (path, trail) => {
      const number = numberOfPath(facts.graph, path)
      return number === undefined ? notListed(plain(path, 80)) : view.device(number, trail)
    },
    device: (number, trail) => {
      const device = facts.graph.devices.get(number)
      if (device === undefined) return notListed(plain(number, 20))
      const key = `device ${number}`
      return once(key, key, trail, (next) => through(labelOf(device), followLayer(view, device, next)))
    },
  }
  const start: Trail = new Set()
  return {
    mount: (found) => mount(found, start),
    path: (path) => view.path(path, start),
    device: (number) => view.device(number, start),
    swap: (name, kind) => (kind === 'file' ? view.path(name, start) : view.named(name, start)),
    holding,
  }
}

const notListed = (label: string): Walked => end('unknown', 'the device was not among those listed', [label])
