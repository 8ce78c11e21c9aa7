import type { Parsed } from '../../core/probe.ts'
import { type Mount, storageMounts } from '../probes/storage-mounts.ts'
import { type WorkingDirectories, workingDirectories } from '../probes/storage-working-directories.ts'
import { quoted, type Root, root } from './argue.ts'
import { mountKind } from './kinds.ts'
import { end, type Walked } from './outcome.ts'
import { exemptMounts, type Storage } from './roots.ts'

/** Where a declared path lies by the mount table. */
export interface EphiPlace {
  readonly path: string
  /** The mount that holds the path; null where it could not be determined. */
  readonly mount: Mount | null
  /** Why it could not, to follow the path and a colon; empty where it could. */
  readonly why: string
  /** Mounts below the path that a lookup reaches: a part of what was declared. Interfaces of the kernel are left out. */
  readonly below: readonly Mount[]
}

/**
 * Finds the mount of a declared path by the longest mount point that its components begin with (mountTree follows the kernel's own lookup),
 * and the mounts below the path. No command is built from a path.
 */
export function ephiPlace(storage: Storage, path: string): EphiPlace {
  const below = storage.mounts.filter(
    (one) => isBelow(one.point, path) && mountKind(one) !== 'pseudo' && storage.holding(one.point) === one,
  )
  const link = LINKS.find(
    (one) => isAtOrBelow(path, one) && !storage.mounts.some(({ point }) => isAtOrBelow(point, one)),
  )
  if (link !== undefined) {
    const why = `${link} is a symbolic link by convention (FHS 3.0, 5.13), and links are not resolved`
    return { path, mount: null, why, below }
  }
  const mount = storage.holding(path) ?? null
  return { path, mount, why: mount === null ? 'no listed mount holds it' : '', below }
}

/** A mount point never contains a link, so that a mount there shows a folder. */
const LINKS: readonly string[] = ['/var/run', '/var/lock']

const partsOf = (path: string): readonly string[] => path.split('/').filter((name) => name !== '' && name !== '.')

function isAtOrBelow(path: string, folder: string): boolean {
  const [parts, start] = [partsOf(path), partsOf(folder)]
  return start.length <= parts.length && start.every((name, at) => name === parts[at])
}

const isBelow = (path: string, folder: string): boolean => isAtOrBelow(path, folder) && !isAtOrBelow(folder, path)

/** Every mount that holds a part of what was declared. */
export const mountsOf = ({ mount, below }: EphiPlace): readonly Mount[] => (mount === null ? below : [mount, ...below])

/**
 * What a declared path and the mounts below it are on, as roots to argue from; each names path, mount and device. Boot partitions below a
 * path are left out: a declaration of “/” does not require what no system can encrypt itself. A boot partition that is declared stays.
 */
export function ephiRoots(
  storage: Storage,
  { path, mount, why, below }: EphiPlace,
  directories: Parsed<WorkingDirectories>,
): readonly Root[] {
  const boot = new Set(exemptMounts(storage))
  const own = `Declared ePHI path ${quoted(path)}`
  const absent = mount === null || below.length > 0 ? null : whyAbsent(path, mount, directories)
  return [
    mount === null
      ? root(own, { ...end('unknown', `the mount could not be determined: ${why}`), readFrom: storageMounts.id })
      : absent === null
        ? root(`${own} on ${mountName(mount)}`, stored(storage, mount))
        : root(own, { ...end('unknown', absent), readFrom: workingDirectories.id }),
    ...below
      .filter((one) => !boot.has(one))
      .map((one) => root(`${mountName(one)} below declared ePHI path ${quoted(path)}`, stored(storage, one))),
  ]
}

/**
 * A path that no mount but the root holds may be mistyped, or what belongs there may not be mounted: its first folder has to be there at
 * least. Deeper folders are not listed; ls(1) leaves out names that begin with a dot.
 */
function whyAbsent(path: string, mount: Mount, directories: Parsed<WorkingDirectories>): string | null {
  const [first] = partsOf(path)
  if (mount.point !== '/' || first === undefined) return null
  if (!directories.ok)
    return `only the root file system holds it, and whether it exists is not known (${directories.reason})`
  if (first.startsWith('.') || directories.fact.top.length === 0)
    return 'only the root file system holds it, and whether it exists was not listed'
  return directories.fact.top.includes(first)
    ? null
    : `no mount of its own holds it, and the root directory has no ${quoted(first)}: the path does not exist`
}

const mountName = ({ point, source }: Mount): string => `the mount ${quoted(point)} of ${quoted(source)}`

/** ramfs and hugetlbfs hold files in memory that is never swapped (Documentation/filesystems/ramfs-rootfs-initramfs.rst, hugetlbpage.rst). */
const UNSWAPPED = new Set(['ramfs', 'hugetlbfs'])

/** The walk of the block graph, except where a declared path needs another reading than a mount that a person has for other reasons. */
function stored(storage: Storage, mount: Mount): Walked {
  const walked = storage.mount(mount)
  switch (mountKind(mount)) {
    case 'network':
      return {
        ...walked,
        why: 'it is stored on another system, which this server cannot show; that is a flow, which encryption.in-transit.ephi-flows tests',
      }
    case 'pseudo':
      return UNSWAPPED.has(mount.fsType)
        ? end('volatile', 'it is in memory only, which is never written to swap')
        : {
            ...end(
              'unknown',
              'it is an interface of the kernel, which keeps no files: the declaration or the mount is wrong',
            ),
            readFrom: storageMounts.id,
          }
    default:
      return walked
  }
}
