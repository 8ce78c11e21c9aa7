import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
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
  data,
})
