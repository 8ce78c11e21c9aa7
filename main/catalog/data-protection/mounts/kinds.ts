import type { Mount } from './probes.ts'

/** File systems that hold no data of anyone: kernel interfaces, and firmware variables. ramfs never reaches swap. */
const PSEUDO = new Set(
  `binder binfmt_misc bpf cgroup cgroup2 configfs cpuset debugfs devpts devtmpfs efivarfs fusectl hugetlbfs ipathfs mqueue nfsd nsfs openpromfs proc pstore ramfs resctrl rootfs rpc_pipefs securityfs selinuxfs
  smackfs sysfs tracefs usbfs xenfs`.split(/\s+/),
)

/** File systems whose storage is elsewhere. Some show their transport encryption in the mount options. */
const NETWORK = new Set(
  `9p afs beegfs ceph cifs coda fuse.beegfs fuse.ceph fuse.ceph-fuse fuse.cvmfs2 fuse.davfs fuse.gcsfuse fuse.geesefs fuse.glusterfs
  fuse.goofys fuse.juicefs fuse.mount-s3 fuse.mountpoint-s3 fuse.rclone fuse.s3fs fuse.seaweedfs fuse.sshfs fuse.vmware-vmblock
  glusterfs gpfs lustre ncpfs nfs nfs4 orangefs panfs pvfs2 quobyte smb3 smbfs vboxsf virtiofs wekafs`.split(/\s+/),
)

/** File systems that encrypt files on their way into a folder of another one, which their source names (ecryptfs(7), gocryptfs(1), encfs(1)). */
const STACKED = new Set('ecryptfs fuse.gocryptfs fuse.encfs fuse.cryfs fuse.securefs'.split(' '))

/**
 * Programs of the desktop and of containers that show what is elsewhere, at the places where they do so. A program chooses its own type
 * after `fuse.` (mount.fuse(8), "subtype"), so that the type alone shows nothing.
 */
const SHOWING: Readonly<Record<string, RegExp>> = {
  'fuse.lxcfs': /^\/((var\/snap\/lxd\/common\/)?var\/lib\/(incus-)?lxcfs$|proc\/|sys\/)/,
  'fuse.portal': /^\/run\/user\/\d+\/doc$/,
  'fuse.gvfsd-fuse': /^\/run\/user\/\d+\/gvfs$/,
}

/** `automount`: nothing is mounted there until it is used. */
type MountKind =
  | 'pseudo'
  | 'automount'
  | 'memory'
  | 'network'
  | 'overlay'
  | 'stacked'
  | 'zfs'
  | 'members'
  | 'block'
  | 'other'

/**
 * The kind of walk that a mount needs. An unlisted type without a block device is `other`, which is never considered
 * harmless.
 */
export function mountKind({ fsType, device, point }: Mount): MountKind {
  if (PSEUDO.has(fsType) || SHOWING[fsType]?.test(point) === true) return 'pseudo'
  if (fsType === 'autofs') return 'automount'
  if (NETWORK.has(fsType)) return 'network'
  if (fsType === 'tmpfs') return 'memory'
  if (fsType === 'overlay') return 'overlay'
  if (STACKED.has(fsType)) return 'stacked'
  if (fsType === 'zfs') return 'zfs'
  if (fsType === 'btrfs' || fsType === 'bcachefs') return 'members'
  return device.startsWith('0:') ? 'other' : 'block'
}

export const isNetworkMount = (mount: Mount): boolean => mountKind(mount) === 'network'

/** Partitions that start the machine and cannot be encrypted by the system itself (RHEL-09-231190 exempts them): listed, not evaluated. */
const BOOT_POINTS = new Set(['/boot', '/boot/efi', '/efi'])
export const EFI_SYSTEM_PARTITION = 'c12a7328-f81f-11d2-ba4b-00a0c93ec93b'

export const isExempt = (mount: Mount, partitionType: string): boolean =>
  BOOT_POINTS.has(mount.point) ||
  // Firmware reads FAT alone (UEFI 2.10 §13.3): with another file system the type of the partition is only a label.
  (partitionType === EFI_SYSTEM_PARTITION && mount.fsType === 'vfat') ||
  mount.fsType === 'iso9660'

/** Images that are written once, as a whole, and take no data afterwards (Documentation/filesystems: squashfs, erofs, cramfs, romfs; ISO 9660). */
const READ_ONLY_IMAGES = new Set(['squashfs', 'erofs', 'cramfs', 'romfs', 'iso9660'])
export const isReadOnlyImage = ({ fsType }: Mount): boolean => READ_ONLY_IMAGES.has(fsType)

export const valuesOf = (mount: Mount, option: string): readonly string[] =>
  mount.options.filter((found) => found.startsWith(`${option}=`)).map((found) => found.slice(option.length + 1))

interface Place {
  readonly children: Map<string, Place>
  /** Mounts at this place by the mount that they are on; of several on one the last. */
  readonly on: Map<string, Mount>
}

/** PATH_MAX: the kernel takes no longer path. */
const MAX_PATH = 4096

/**
 * Shows which mount holds an absolute path, as the kernel looks it up (lookup_mnt in fs/namespace.c): from the root down, each time to the
 * mount that is on the current one. A mount below which another was mounted later is hidden, though it stays in the table. Paths with `..`
 * are not followed, because what is behind a symbolic link is not known.
 */
export function mountTree(mounts: readonly Mount[]): (path: string) => Mount | undefined {
  const root: Place = { children: new Map(), on: new Map() }
  for (const mount of mounts) placeOf(root, mount.point).on.set(mount.parent, mount)
  const start = lowest(mounts.filter(({ point }) => point === '/'))
  const top = start === undefined ? undefined : topFrom(root, start)
  return (path) => {
    if (!path.startsWith('/') || path.length > MAX_PATH) return undefined
    const names = partsOf(path)
    if (names.includes('..')) return undefined
    let place: Place | undefined = root
    let current = top
    for (const name of names) {
      place = place.children.get(name)
      if (place === undefined || current === undefined) break
      current = topFrom(place, current)
    }
    return current
  }
}

/** The names in a path, without empty ones and dots. */
export const partsOf = (path: string): readonly string[] =>
  path.split('/').filter((name) => name !== '' && name !== '.')

function placeOf(root: Place, point: string): Place {
  let place = root
  for (const name of partsOf(point)) {
    const next = place.children.get(name) ?? { children: new Map(), on: new Map() }
    place.children.set(name, next)
    place = next
  }
  return place
}

/** Of the mounts at the root, the one that is not mounted over another. */
function lowest(mounts: readonly Mount[]): Mount | undefined {
  const ids = new Set(mounts.map(({ id }) => id))
  return mounts.findLast(({ id, parent }) => id === parent || !ids.has(parent)) ?? mounts[0]
}

/** From the mount below to the one on top of all that are at one place. No more steps than there are mounts, whatever the table states. */
function topFrom({ on }: Place, below: Mount): Mount {
  let current = below
  for (let step = 0; step < on.size; step += 1) {
    const next = on.get(current.id)
    if (next === undefined || next.id === current.id) break
    current = next
  }
  return current
}
