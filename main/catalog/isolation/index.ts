import { defineSubject } from '../subject.ts'
import { tenancyNoHypervisor } from './no-hypervisor.ts'

export const isolationSubject = defineSubject({
  id: 'isolation',
  title: 'Execution environment',
  probes: [],
  checks: [tenancyNoHypervisor],
})
