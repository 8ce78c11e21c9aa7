import { defineCheck, type Step } from '../../core/check.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { storageMounts } from '../probes/storage-mounts.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { leavesUnclear, speaksAgainst, speaksFor, weigh } from '../steps.ts'
import { quoted } from '../storage/argue.ts'
import { mountKind } from '../storage/kinds.ts'
import { readStorage, STORAGE_WANTS, type Storage } from '../storage/roots.ts'

/** 45 CFR 164.308(a)(1)(ii)(A), 164.310(d)(2)(iii): where ePHI lies has to be known before anything can be said about it. */
export const inventoryEphiPaths = defineCheck({
  id: 'inventory.ephi-paths',
  property: 'evidence',
  claim: 'Every declared ePHI path lies on a listed mount that leads to a listed drive or to a named other system.',
  limits:
    'Says where a declared path lies, not whether it is encrypted, and not that the folder exists or holds ePHI: no command is built from a path. Symbolic links are not resolved, and copies that nobody declared are not found.',
  needs: { mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  wants: STORAGE_WANTS,
  evaluate({ mounts, devices, swaps }, wanted, { node }) {
    const declared = node.ephiPaths ?? []
    if (declared.length === 0)
      return weigh([leavesUnclear('The fleet file declares no ePHI paths for this node.', null)])
    const storage = readStorage(mounts, devices, swaps, wanted)
    return weigh(declared.map((path) => argue(storage, path)))
  },
})

function argue(storage: Storage, path: string): Step {
  const mount = storage.holding(path)
  if (mount === undefined) return leavesUnclear(`${quoted(path)}: no listed mount holds it.`, storageMounts)
  const kind = mountKind(mount)
  const way = storage.mount(mount).path.join(' → ')
  const own = mount.point === '/' && path !== '/' ? ' It has no mount of its own: the root file system holds it.' : ''
  const said = `${quoted(path)} lies on the mount ${quoted(mount.point)}.${own} Path: ${way}.`
  if (kind === 'pseudo' || kind === 'memory')
    return speaksAgainst(
      `${said} That is memory, which no drive keeps: the declaration or the mount is wrong.`,
      storageMounts,
    )
  if (kind === 'network') return speaksFor(`${said} It is stored on another system.`, storageMounts)
  // A walk that ends in the unknown has no drive at its end.
  return storage.mount(mount).outcome === 'unknown'
    ? leavesUnclear(`${said} It was not followed to a drive: ${storage.mount(mount).why}.`, storageBlockDevices)
    : speaksFor(said, storageBlockDevices)
}
