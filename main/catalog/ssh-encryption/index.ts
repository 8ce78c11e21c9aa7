import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { encryptionInTransitSshAlgorithms } from './checks.ts'
import { sshHostKeyQuality, sshHostKeys } from './host-keys.ts'
import { sshOffers, sshServers } from './probes.ts'

export const sshEncryptionSubject = defineSubject({
  id: 'ssh-encryption',
  title: 'SSH server: algorithms and host keys',
  probes: [sshOffers, sshServers, sshHostKeys],
  checks: [encryptionInTransitSshAlgorithms, sshHostKeyQuality],
  data,
})
