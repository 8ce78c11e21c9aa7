import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { accessMacEnforcement, integrityKernelLockdown, kernelProtections, lsmApparmor } from './mandatory-access.ts'

export const mandatoryAccessSubject = defineSubject({
  id: 'mandatory-access',
  title: 'Mandatory access control and kernel lockdown',
  probes: [kernelProtections, lsmApparmor],
  checks: [accessMacEnforcement, integrityKernelLockdown],
  data,
})
