import { defineSubject } from '../subject.ts'
import { integrityStorageChecksums } from './checks.ts'
import {
  storageBtrfsScrubs,
  storageChecksumState,
  storageDmIntegrity,
  storageScrubTimers,
  storageZfsStatus,
} from './probes.ts'

export const storageIntegritySubject = defineSubject({
  id: 'storage-integrity',
  title: 'Checksums of stored data',
  probes: [storageChecksumState, storageZfsStatus, storageBtrfsScrubs, storageDmIntegrity, storageScrubTimers],
  checks: [integrityStorageChecksums],
})
