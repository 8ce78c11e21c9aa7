import { storageZfs } from '../probes/zfs-encryption.ts'
import { gradeZfsCipher } from './cipher.ts'
import { end, type Walked, worstOf } from './outcome.ts'
import type { Trail, View } from './view.ts'

/** ZFS encrypts inside the file system: what it reports about the data set decides, and the pool's drives end the path. */
export function followZfs(view: View, dataset: string, trail: Trail): Walked {
  const found = view.zfs.ok ? view.zfs.fact.datasets.get(dataset) : undefined
  if (found === undefined) return end('unknown', 'the encryption of its ZFS data set was not read')
  const pool = followPool(view, dataset.split('/')[0] ?? '', trail)
  if (found.encryption === 'off' || found.encryption === '') return pool
  if (found.keyStatus !== 'available') return end('unknown', 'its ZFS data set names a cipher but no loaded key')
  const { strength, says } = gradeZfsCipher(found.encryption)
  return {
    ...end(strength === 'sound' ? 'encrypted' : 'encrypted-weak', `encrypted by ${says}`, pool.path),
    readFrom: storageZfs.id,
  }
}

function followPool(view: View, pool: string, trail: Trail): Walked {
  const members = view.zpool.ok ? view.zpool.fact.members.get(pool) : undefined
  if (members === undefined || members.length === 0)
    return end('unknown', 'its ZFS data set is not encrypted, and the pool’s drives were not listed')
  return worstOf(members.map((path) => (path.startsWith('/dev/') ? view.named(path, trail) : view.path(path, trail))))
}

/** Which data set a ZFS volume belongs to is not shown, so it is only decided where all data sets come out the same. */
export function followZvol(view: View, trail: Trail): Walked {
  const walks = view.zfs.ok ? [...view.zfs.fact.datasets.keys()].map((name) => followZfs(view, name, trail)) : []
  const [first, ...rest] = walks
  return first !== undefined && rest.every(({ outcome }) => outcome === first.outcome)
    ? worstOf(walks)
    : end('unknown', 'which ZFS data set holds this volume was not shown')
}
