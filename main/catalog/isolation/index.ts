import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { tenancyNoHypervisor } from './no-hypervisor.ts'

export const isolationSubject = defineSubject({
  id: 'isolation',
  title: 'Execution environment',
  probes: [],
  checks: [tenancyNoHypervisor],
  data,
})
