import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import {
  encryptionAtRestBlockGraph,
  encryptionAtRestOtherMounts,
  encryptionAtRestScratch,
  encryptionAtRestSwap,
  storageHibernation,
} from './checks.ts'
import { encryptionAtRestCipher } from './cipher.ts'
import { encryptionAtRestKeyCustody, storageCrypttab, storageKeyFiles, storageUnlockHelpers } from './key-custody.ts'
import { encryptionAtRestUnlockMode } from './unlock.ts'

export const diskEncryptionSubject = defineSubject({
  id: 'disk-encryption',
  title: 'Encryption at rest',
  probes: [storageHibernation, storageCrypttab, storageKeyFiles, storageUnlockHelpers],
  checks: [
    encryptionAtRestBlockGraph,
    encryptionAtRestCipher,
    encryptionAtRestSwap,
    encryptionAtRestScratch,
    encryptionAtRestKeyCustody,
    encryptionAtRestUnlockMode,
    encryptionAtRestOtherMounts,
  ],
  data,
})
