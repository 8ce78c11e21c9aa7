import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { cpuConfidential, encryptionInUseCcState } from './memory-encryption.ts'

export const memoryEncryptionSubject = defineSubject({
  id: 'memory-encryption',
  title: 'Memory encryption',
  probes: [cpuConfidential],
  checks: [encryptionInUseCcState],
  data,
})
