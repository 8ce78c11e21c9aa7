import { defineSubject } from '../subject.ts'
import { coreDumpPattern, encryptionAtRestCrashDumps, kernelDumps } from './dumps.ts'

export const dumpsSubject = defineSubject({
  id: 'dumps',
  title: 'Memory dumps',
  probes: [coreDumpPattern, kernelDumps],
  checks: [encryptionAtRestCrashDumps],
})
