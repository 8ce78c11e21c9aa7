import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { integrityEccMemory, memoryEdac } from './memory-errors.ts'

export const memoryErrorsSubject = defineSubject({
  id: 'memory-errors',
  title: 'Memory error correction',
  probes: [memoryEdac],
  checks: [integrityEccMemory],
  data,
})
