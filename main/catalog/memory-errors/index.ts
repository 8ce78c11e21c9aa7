import { defineSubject } from '../subject.ts'
import { integrityEccMemory, memoryEdac } from './memory-errors.ts'

export const memoryErrorsSubject = defineSubject({
  id: 'memory-errors',
  title: 'Memory error correction',
  probes: [memoryEdac],
  checks: [integrityEccMemory],
})
