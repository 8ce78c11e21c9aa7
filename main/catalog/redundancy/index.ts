import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { availabilityRedundancy } from './checks.ts'
import { redundancyState, storageDmStatus } from './probes.ts'

export const redundancySubject = defineSubject({
  id: 'redundancy',
  title: 'Redundant parts',
  probes: [redundancyState, storageDmStatus],
  checks: [availabilityRedundancy],
  data,
})
