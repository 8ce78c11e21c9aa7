import { defineSubject } from '../../base/subject.ts'
import data from './checks.json' with { type: 'json' }
import { storageLustre, storageMounts, storageRemote } from './probes.ts'
import { encryptionInTransitRemoteMounts } from './remote.ts'

export const mountsSubject = defineSubject({
  id: 'mounts',
  title: 'Mounted file systems',
  probes: [storageRemote, storageMounts, storageLustre],
  checks: [encryptionInTransitRemoteMounts],
  data,
})
