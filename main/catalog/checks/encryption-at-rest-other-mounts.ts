import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { type Mount, storageMounts } from '../probes/storage-mounts.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { count, decide, unclear } from '../steps.ts'
import { argueRoots } from '../storage/argue.ts'
import { ephiPlace, mountsOf } from '../storage/ephi-paths.ts'
import { isReadOnlyImage, mountKind } from '../storage/kinds.ts'
import { AT_REST_LIMITS } from '../storage/limits.ts'
import { exemptSteps, mountRoots, readStorage, STORAGE_WANTS } from '../storage/roots.ts'

/** The part of DISA RHEL-09-231190 and NIST SP 800-111 that is not about declared ePHI: copies, logs and caches that no one declared. */
export const encryptionAtRestOtherMounts = defineCheck({
  id: 'encryption.at-rest.other-mounts',
  property: 'encryption-at-rest',
  expected: 'Every mounted file system outside the declared ePHI paths is on encrypted storage.',
  limitations: `${AT_REST_LIMITS} Boot and EFI partitions, read-only images and file systems in memory are excluded; swap, and data on drives that is not mounted, have their own checks. A mount that holds a declared ePHI path, or is below one, is tested by encryption.at-rest.ephi-paths alone. Self-encrypting drives and keys of single folders (fscrypt) are not credited.`,
  requires: { mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: STORAGE_WANTS,
  evaluate({ mounts, devices, swaps }, wanted, { node }) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const paths = node.ephiPaths ?? []
    const declared = new Set<Mount>(paths.flatMap((path) => mountsOf(ephiPlace(storage, path))))
    const tested = argueRoots(
      mountRoots(storage, (mount) => !declared.has(mount) && mountKind(mount) !== 'memory' && !isReadOnlyImage(mount)),
    )
    const scope: readonly DraftObservation[] =
      paths.length > 0
        ? []
        : [unclear('No ePHI path is declared for this server, so every mount counts as another.', null)]
    const beside = [...scope, ...exemptSteps(storage)]
    if (tested.length > 0) return { verdict: decide(tested).verdict, observations: [...tested, ...beside] }
    const text = `${count(mounts.mounts.length, 'mount')} were read. Outside the declared ePHI paths they are boot partitions, read-only images, interfaces of the kernel and memory.`
    return { verdict: 'not-applicable', observations: [unclear(text, storageMounts), ...beside] }
  },
})
