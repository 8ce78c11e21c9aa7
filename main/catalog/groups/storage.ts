import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'
import { encryptionAtRestEphiPaths } from '../checks/encryption-at-rest-ephi-paths.ts'
import { encryptionAtRestOtherMounts } from '../checks/encryption-at-rest-other-mounts.ts'
import { encryptionAtRestSedState } from '../checks/encryption-at-rest-sed-state.ts'
import { integrityStorageChecksums } from '../checks/integrity-storage-checksums.ts'
import { inventoryEphiPaths } from '../checks/inventory-ephi-paths.ts'
import { lifecycleFirstUseState } from '../checks/lifecycle-first-use-state.ts'
import { storageBtrfsScrubs } from '../probes/btrfs-scrubs.ts'
import { storageDmIntegrity } from '../probes/dm-integrity.ts'
import { drivesNvmeControllers } from '../probes/drives-nvme-controllers.ts'
import { drivesOpal } from '../probes/drives-opal.ts'
import { storageBirth } from '../probes/storage-birth.ts'
import { storageChecksumState } from '../probes/storage-checksum-state.ts'
import { storageKeyFiles } from '../probes/storage-key-files.ts'
import { storageScrubTimers } from '../probes/storage-scrub-timers.ts'
import { storageUnlockHelpers } from '../probes/storage-unlock-helpers.ts'
import { storageZfsStatus } from '../probes/zfs-status.ts'

/** Questions about encryption at rest beyond the walk of the block graph: drives that encrypt themselves, declared paths, checksums, first use. */
export const probes: readonly Probe<unknown>[] = [
  storageKeyFiles,
  storageUnlockHelpers,
  drivesOpal,
  drivesNvmeControllers,
  storageChecksumState,
  storageZfsStatus,
  storageBtrfsScrubs,
  storageDmIntegrity,
  storageScrubTimers,
  storageBirth,
]

export const checks: readonly Check[] = [
  encryptionAtRestEphiPaths,
  encryptionAtRestOtherMounts,
  encryptionAtRestSedState,
  inventoryEphiPaths,
  integrityStorageChecksums,
  lifecycleFirstUseState,
]
