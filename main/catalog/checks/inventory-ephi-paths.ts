import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { type Mount, storageMounts } from '../probes/storage-mounts.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { contradicts, decide, supports, unclear } from '../steps.ts'
import { quoted } from '../storage/argue.ts'
import { ephiPlace } from '../storage/ephi-paths.ts'
import { mountKind } from '../storage/kinds.ts'
import { readStorage, STORAGE_WANTS, type Storage } from '../storage/roots.ts'

/** 45 CFR 164.308(a)(1)(ii)(A), 164.310(d)(2)(iii): where ePHI lies has to be known before anything can be stated about it. */
export const inventoryEphiPaths = defineCheck({
  id: 'inventory.ephi-paths',
  property: 'evidence',
  expected: 'Every declared ePHI path is on a listed mount that leads to a listed drive or to a named remote system.',
  limitations:
    'Shows where a declared path is stored, not whether it is encrypted, and not that the folder exists or holds ePHI: no command is built from a path. Symbolic links are not resolved, and undeclared copies are not found.',
  requires: { mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: STORAGE_WANTS,
  evaluate({ mounts, devices, swaps }, wanted, { node }) {
    const declared = node.ephiPaths ?? []
    if (declared.length === 0) return decide([unclear('The fleet file declares no ePHI paths for this node.', null)])
    const storage = readStorage(mounts, devices, swaps, wanted)
    return decide(declared.flatMap((path) => argue(storage, path)))
  },
})

function argue(storage: Storage, path: string): readonly DraftObservation[] {
  const { mount, why, below } = ephiPlace(storage, path)
  if (mount === null) return [unclear(`${quoted(path)}: ${why}.`, storageMounts)]
  const own = mount.point === '/' && path !== '/' ? ' It has no mount of its own: the root file system holds it.' : ''
  return [
    argueMount(storage, mount, `${quoted(path)} is on the mount ${quoted(mount.point)}.${own}`),
    ...below.map((one) => argueMount(storage, one, `Below ${quoted(path)}, another mount holds ${quoted(one.point)}.`)),
  ]
}

const isOfKernel = (mount: Mount): boolean => mountKind(mount) === 'pseudo'

function argueMount(storage: Storage, mount: Mount, where: string): DraftObservation {
  const { path, outcome, why } = storage.mount(mount)
  const said = `${where} Path: ${path.join(' → ')}.`
  if (isOfKernel(mount) || mountKind(mount) === 'memory' || outcome === 'volatile')
    return contradicts(
      `${said} That is memory, which is stored on no drive: the declaration or the mount is wrong.`,
      storageMounts,
    )
  if (mountKind(mount) === 'network')
    return mount.source.includes('/') || mount.source.includes(':')
      ? supports(`${said} It is stored on another system, as ${quoted(mount.source)}.`, storageMounts)
      : unclear(`${said} It is stored on another system, which the mount does not identify.`, storageMounts)
  // A walk that ends in the unknown, or at the mount itself, has no drive at its end.
  if (outcome === 'unknown') return unclear(`${said} It was not followed to a drive: ${why}.`, storageBlockDevices)
  return path.length < 2
    ? unclear(`${said} Which drives it leads to was not listed.`, storageBlockDevices)
    : supports(said, storageBlockDevices)
}
