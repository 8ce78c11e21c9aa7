import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { evidenceCollectorIdentity, evidenceHostIdentity, evidenceHostKeyUnique } from './checks.ts'
import { hostKeyList, nonceEcho, sshSession } from './probes.ts'

export const evidenceSubject = defineSubject({
  id: 'evidence',
  title: 'Session and host key',
  probes: [sshSession, hostKeyList, nonceEcho],
  checks: [evidenceHostIdentity, evidenceHostKeyUnique, evidenceCollectorIdentity],
  data,
})
