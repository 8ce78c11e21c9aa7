import { plain } from '../../core/plain-text.ts'
import type { Mount } from '../probes/storage-mounts.ts'
import { numberOfPath } from './graph.ts'
import { mountTree } from './mount-tree.ts'
import { end, labelOf, through, type Walked } from './outcome.ts'
import type { StorageFacts, Trail, View } from './view.ts'
import { followLayer } from './walk-devices.ts'
import { followMountKind } from './walk-mounts.ts'

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
