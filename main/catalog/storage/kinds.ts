import type { Mount } from '../probes/storage-mounts.ts'

/** File systems that hold no data of anyone: kernel interfaces, and firmware variables. ramfs never reaches swap. */
const PSEUDO = new Set(
  `autofs binder binfmt_misc bpf cgroup cgroup2 configfs cpuset debugfs devpts devtmpfs efivarfs fuse.lxcfs fuse.portal
  fuse.gvfsd-fuse fusectl hugetlbfs ipathfs mqueue nfsd nsfs openpromfs proc pstore ramfs resctrl rootfs rpc_pipefs securityfs selinuxfs
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

export type MountKind = 'pseudo' | 'memory' | 'network' | 'overlay' | 'stacked' | 'zfs' | 'members' | 'block' | 'other'

/** What kind of walk a mount needs. An unlisted type without a block device is `other`, which is never taken for harmless. */
export function mountKind({ fsType, device }: Mount): MountKind {
  if (PSEUDO.has(fsType)) return 'pseudo'
  if (NETWORK.has(fsType)) return 'network'
  if (fsType === 'tmpfs') return 'memory'
  if (fsType === 'overlay') return 'overlay'
  if (STACKED.has(fsType)) return 'stacked'
  if (fsType === 'zfs') return 'zfs'
  if (fsType === 'btrfs' || fsType === 'bcachefs') return 'members'
  return device.startsWith('0:') ? 'other' : 'block'
}

export const isNetworkMount = (mount: Mount): boolean => mountKind(mount) === 'network'

/** Partitions that start the machine and cannot be encrypted by the system itself (RHEL-09-231190 exempts them): listed, not judged. */
const BOOT_POINTS = new Set(['/boot', '/boot/efi', '/efi'])
export const EFI_SYSTEM_PARTITION = 'c12a7328-f81f-11d2-ba4b-00a0c93ec93b'

export const isExempt = (mount: Mount, partitionType: string): boolean =>
  BOOT_POINTS.has(mount.point) || partitionType === EFI_SYSTEM_PARTITION || mount.fsType === 'iso9660'

/** Mounts by mount point; of several at one point the last, which lies on top. */
export const mountsByPoint = (mounts: readonly Mount[]): ReadonlyMap<string, Mount> =>
  new Map(mounts.map((mount) => [mount.point, mount]))

/** PATH_MAX: the kernel takes no longer path. */
const MAX_PATH = 4096

/** The mount that holds an absolute path: the nearest mount point at or above it. */
export function mountHolding(byPoint: ReadonlyMap<string, Mount>, path: string): Mount | undefined {
  if (!path.startsWith('/') || path.length > MAX_PATH) return undefined
  for (let at = path.replace(/(?<=.)\/+$/, ''); at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
    const mount = byPoint.get(at)
    if (mount !== undefined) return mount
  }
  return byPoint.get('/')
}

export const valuesOf = (mount: Mount, option: string): readonly string[] =>
  mount.options.filter((found) => found.startsWith(`${option}=`)).map((found) => found.slice(option.length + 1))
