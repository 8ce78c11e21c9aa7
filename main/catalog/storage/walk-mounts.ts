import { type Mount, storageMounts } from '../probes/storage-mounts.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { unescapeOctal } from './escapes.ts'
import { numberOfPath } from './graph.ts'
import { mountKind, valuesOf } from './kinds.ts'
import { end, rank, through, type Walked, worstOf } from './outcome.ts'
import type { Trail, View } from './view.ts'
import { followZfs } from './walk-zfs.ts'

/** One mount, down from the kind of its file system. */
export function followMountKind(view: View, mount: Mount, trail: Trail): Walked {
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
  if (mount.fsType === 'bcachefs') return worstOf(mount.source.split(':').map((path) => view.named(path, trail)))
  const first = numberOfPath(view.graph, mount.source)
  const members = first === undefined ? undefined : view.graph.btrfs?.find((group) => group.includes(first))
  if (members === undefined) return end('unknown', 'the devices of this btrfs file system were not listed')
  return worstOf(members.map((number) => view.device(number, trail)))
}
