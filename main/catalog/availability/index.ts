import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { availabilityBootRecovery, availabilityCapacity, availabilityMonitoringAgent } from './checks.ts'
import { capacityFilesystems, servicesFailed, servicesMonitoring, systemLoad } from './probes.ts'

export const availabilitySubject = defineSubject({
  id: 'availability',
  title: 'Capacity, monitoring and recovery',
  probes: [servicesFailed, servicesMonitoring, systemLoad, capacityFilesystems],
  checks: [availabilityBootRecovery, availabilityCapacity, availabilityMonitoringAgent],
  data,
})
