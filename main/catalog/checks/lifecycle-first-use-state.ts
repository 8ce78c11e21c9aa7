import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { type StorageBirth, storageBirth } from '../probes/storage-birth.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { storageLsblk } from '../probes/storage-lsblk.ts'
import { storageMounts } from '../probes/storage-mounts.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { named, unclear } from '../steps.ts'
import { readStorage, STORAGE_WANTS, unusedDevices } from '../storage/roots.ts'

/** A record: whether a date fits the handover is known only to who has its papers (NIST SP 800-88 rev. 1 §4.7 requires those). */
export const lifecycleFirstUseState = defineCheck({
  id: 'lifecycle.first-use-state',
  property: 'encryption-at-rest',
  expected:
    'The creation dates of file systems, the amounts written to them, and other signatures on the drives are recorded.',
  ends: 'recorded',
  limitations:
    'A date is reported by the file system and can be set when it is created or copied with an image. The absence of data from an earlier use is not shown: free space is not read. Drive counters are recorded with drive health, and a certificate of erasure is a document to attach.',
  requires: { birth: storageBirth, mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: STORAGE_WANTS,
  evaluate({ birth, mounts, devices, swaps }, wanted) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const unused = unusedDevices(storage, wanted.zpool)
    const hasSignatures = [...storage.graph.devices.values()].some(({ fsType }) => fsType !== '')
    const names = named(unused.map(({ name, signature }) => `${name} (${signature})`))
    const left =
      unused.length === 0
        ? hasSignatures
          ? 'Every signature that was listed belongs to something in use.'
          : 'No signature was listed on any drive, which does not show what data is there.'
        : `Not in use, and there all the same: ${names}.`
    return {
      verdict: 'informational',
      observations: [
        ...made(birth),
        ...written(birth),
        ...(wanted.lsblk.ok ? [unclear(left, storageLsblk)] : unclearAbout(storageLsblk, wanted.lsblk)),
      ],
    }
  },
})

const made = ({ born }: StorageBirth): readonly DraftObservation[] =>
  [...born].map(([path, seconds]) =>
    unclear(
      seconds === null
        ? `${named([path])}: its file system keeps no date of its making.`
        : `${named([path])} was made on ${dayOf(seconds)} (UTC, by the node’s clock of that time).`,
      storageBirth,
      'born',
    ),
  )

const MIB = 1024
const written = ({ written: all }: StorageBirth): readonly DraftObservation[] =>
  [...all].map(([device, kib]) =>
    unclear(
      `${named([device])}: ${Math.round(kib / MIB)} MiB were written to its ext4 file system since it was made.`,
      storageBirth,
      'written',
    ),
  )

/** A number of at most twelve digits is within what a date can hold. */
const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)
