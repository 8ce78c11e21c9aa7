import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { integrityFim, integrityMalwareProtection, vulnScannerEvidence } from './checks.ts'
import { integrityAgents, integrityMarks, integritySchedules, kernelIma } from './probes.ts'

export const integrityMonitoringSubject = defineSubject({
  id: 'integrity-monitoring',
  title: 'Integrity and malware monitoring',
  probes: [integrityAgents, integrityMarks, integritySchedules, kernelIma],
  checks: [vulnScannerEvidence, integrityFim, integrityMalwareProtection],
  data,
})
