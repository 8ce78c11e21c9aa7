import type { Mount } from '../probes/storage-mounts.ts'

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

const partsOf = (path: string): readonly string[] => path.split('/').filter((name) => name !== '' && name !== '.')

function placeOf(root: Place, point: string): Place {
  let place = root
  for (const name of partsOf(point)) {
    const next = place.children.get(name) ?? { children: new Map(), on: new Map() }
    place.children.set(name, next)
    place = next
  }
  return place
}

/** Of the mounts at the root, the one that is on none of the others. */
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
