import { defineSubject } from '../subject.ts'
import { cpuConfidential, encryptionInUseCcState } from './memory-encryption.ts'

export const memoryEncryptionSubject = defineSubject({
  id: 'memory-encryption',
  title: 'Memory encryption',
  probes: [cpuConfidential],
  checks: [encryptionInUseCcState],
})
