import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { coreDumpPattern, encryptionAtRestCrashDumps, kernelDumps } from './dumps.ts'
import { crashReporters, networkCrashDumpUpload } from './upload.ts'

export const dumpsSubject = defineSubject({
  id: 'dumps',
  title: 'Memory dumps',
  probes: [coreDumpPattern, kernelDumps, crashReporters],
  checks: [encryptionAtRestCrashDumps, networkCrashDumpUpload],
  data,
})
