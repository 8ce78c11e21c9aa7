import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { type Hibernation, storageHibernation } from '../probes/storage-hibernation.ts'
import { storageMounts } from '../probes/storage-mounts.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { decide } from '../steps.ts'
import { argueRoots, root } from '../storage/argue.ts'
import { AT_REST_LIMITS } from '../storage/limits.ts'
import { readStorage, STORAGE_WANTS, type Storage, swapRoots } from '../storage/roots.ts'

export const encryptionAtRestSwap = defineCheck({
  id: 'encryption.at-rest.swap',
  property: 'encryption-at-rest',
  expected: 'Swap and hibernation are absent, or are written to encrypted storage.',
  limitations: `${AT_REST_LIMITS} Swap that was in use before this collection may have left data on a drive.`,
  requires: {
    mounts: storageMounts,
    devices: storageBlockDevices,
    swaps: storageSwaps,
    hibernation: storageHibernation,
  },
  optional: STORAGE_WANTS,
  evaluate({ mounts, devices, swaps, hibernation }, wanted) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const none: readonly DraftObservation[] =
      swaps.areas.length > 0 || !storage.swaps.ok
        ? []
        : [{ direction: 'supports', text: 'The kernel lists no swap area in use.', probe: storageSwaps.id }]
    const because = [...none, ...argueRoots(swapRoots(storage)), ...argueHibernation(storage, hibernation)]
    return decide(because)
  },
})

function argueHibernation(storage: Storage, hibernation: Hibernation): readonly DraftObservation[] {
  if (hibernation.kind === 'device') return argueRoots([root('hibernation image', storage.device(hibernation.device))])
  const text =
    hibernation.kind === 'not-offered'
      ? 'The kernel does not offer hibernation.'
      : 'No hibernation device is set; an image would go to a swap area listed here.'
  return [{ direction: 'supports', text, probe: storageHibernation.id }]
}
