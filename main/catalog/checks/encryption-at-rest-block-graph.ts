import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { storageLsblk } from '../probes/storage-lsblk.ts'
import { storageMounts } from '../probes/storage-mounts.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { decide, named } from '../steps.ts'
import { argueRoots } from '../storage/argue.ts'
import { AT_REST_LIMITS } from '../storage/limits.ts'
import {
  exemptSteps,
  mountRoots,
  openVolumeRoots,
  pathRoots,
  readStorage,
  STORAGE_WANTS,
  swapRoots,
  type Unused,
  unusedDevices,
} from '../storage/roots.ts'

/**
 * Starts from everything that holds data, not from the drives: plaintext escapes next to encrypted drives (swap files, overlays, bind
 * mounts, loop images) are found only from above. Anchor: NIST SP 800-111 §4; DISA RHEL-09-231190 asks the same by hand.
 */
export const encryptionAtRestBlockGraph = defineCheck({
  id: 'encryption.at-rest.block-graph',
  property: 'encryption-at-rest',
  expected: 'Every mounted file system, swap area and open encrypted volume is on encrypted storage or in memory.',
  limitations: `${AT_REST_LIMITS} Which paths hold ePHI is known only where the fleet file declares them. Boot partitions are listed, not evaluated. Data on drives that is not mounted is listed, not evaluated; keys of single folders (fscrypt) are not credited; symbolic links and mounts of other namespaces are not followed. A self-encrypting drive counts as unencrypted here.`,
  requires: { mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: STORAGE_WANTS,
  evaluate({ mounts, devices, swaps }, wanted, { node }) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const declared = pathRoots(storage, node.ephiPaths ?? [], 'declared ePHI path')
    const steps = argueRoots([...mountRoots(storage), ...swapRoots(storage), ...openVolumeRoots(storage), ...declared])
    const idle = argueUnused(unusedDevices(storage, wanted.zpool))
    return { verdict: decide(steps).verdict, observations: [...steps, ...exemptSteps(storage), ...idle] }
  },
})

/** Reported next to the verdict: nothing reaches these devices now, and what they hold is there all the same. */
function argueUnused(unused: readonly Unused[]): readonly DraftObservation[] {
  const isClosed = ({ signature }: Unused): boolean => signature === 'crypto_LUKS'
  const said = (of: readonly Unused[], text: string): readonly DraftObservation[] =>
    of.length === 0
      ? []
      : [
          {
            direction: 'unclear',
            text: `${text}: ${named(of.map(({ name, signature }) => `${name} (${signature})`))}.`,
            probe: storageLsblk.id,
          },
        ]
  return [
    ...said(unused.filter(isClosed), 'Not evaluated, because they are closed encrypted volumes'),
    ...said(
      unused.filter((one) => !isClosed(one)),
      'Not evaluated, because they are not in use, though they may hold data in clear text',
    ),
  ]
}
