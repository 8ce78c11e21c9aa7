import { type Conclusion, type DraftObservation, defineCheck } from '../../core/check.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { storageMounts } from '../probes/storage-mounts.ts'
import { workingDirectories } from '../probes/storage-working-directories.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { decide, supports, unclear } from '../steps.ts'
import { argueRoots } from '../storage/argue.ts'
import { ephiPlace, ephiRoots } from '../storage/ephi-paths.ts'
import { mountKind } from '../storage/kinds.ts'
import { AT_REST_LIMITS } from '../storage/limits.ts'
import { exemptSteps, mountRoots, readStorage, STORAGE_WANTS, type Storage } from '../storage/roots.ts'

/**
 * 45 CFR 164.312(a)(2)(iv) asks about ePHI, not about every partition. What counts as an encrypting layer is decided by the walk of
 * `encryption.at-rest.block-graph` (NIST SP 800-111 §4).
 */
export const encryptionAtRestEphiPaths = defineCheck({
  id: 'encryption.at-rest.ephi-paths',
  property: 'encryption-at-rest',
  expected: 'Every declared ePHI path is on encrypted storage or in memory.',
  limitations: `${AT_REST_LIMITS} A path is matched with the mounts at the time of collection. Of a path without a mount of its own only the first folder is read; that it holds ePHI is not observed, and symbolic links are not resolved. Where no path is declared, every persistent mount except boot and EFI partitions is tested in its place; swap has its own check. A drive that encrypts itself and keys of single folders (fscrypt) are not credited.`,
  requires: { mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: { ...STORAGE_WANTS, directories: workingDirectories },
  evaluate({ mounts, devices, swaps }, { directories, ...wanted }, { node }) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const declared = node.ephiPaths ?? []
    if (declared.length === 0) return undeclared(storage)
    return decide(argueRoots(declared.flatMap((path) => ephiRoots(storage, ephiPlace(storage, path), directories))))
  },
})

/**
 * Without a declaration an unencrypted mount shows nothing about ePHI, so that it leaves the result inconclusive; where nothing is
 * unencrypted, no declaration could change the result. Memory is no persistent mount, except on a node that has no other.
 */
function undeclared(storage: Storage): Conclusion {
  const persistent = mountRoots(storage, (mount) => mountKind(mount) !== 'memory')
  const tested = argueRoots(persistent.length > 0 ? persistent : mountRoots(storage))
  const isCovered = tested.length > 0 && tested.every(({ direction }) => direction === 'supports')
  const text = !isCovered
    ? 'No ePHI path is declared for this server, and not every persistent mount is shown to be encrypted. Declare which paths hold ePHI (ephiPaths in the fleet file): then these paths alone decide.'
    : persistent.length > 0
      ? 'No ePHI path is declared for this server, so every persistent mount except boot and EFI partitions was tested.'
      : 'No ePHI path is declared for this server, and it has no persistent mount, so its file systems in memory were tested.'
  const lead: DraftObservation = isCovered ? supports(text, storageMounts) : unclear(text, storageMounts)
  const open = tested.map(
    (step): DraftObservation => (step.direction === 'contradicts' ? { ...step, direction: 'unclear' } : step),
  )
  const { verdict, observations } = decide([lead, ...open])
  return { verdict, observations: [...observations, ...exemptSteps(storage)] }
}
