import { defineSubject } from '../subject.ts'
import { availabilityRedundancy } from './checks.ts'
import { redundancyState, storageDmStatus } from './probes.ts'

export const redundancySubject = defineSubject({
  id: 'redundancy',
  title: 'Redundant parts',
  probes: [redundancyState, storageDmStatus],
  checks: [availabilityRedundancy],
})
