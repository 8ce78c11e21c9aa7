import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { availabilityHardwareHealth } from './checks.ts'
import { cpuThrottling, driveHealthNvme, driveHealthSmart } from './drives.ts'

export const hardwareHealthSubject = defineSubject({
  id: 'hardware-health',
  title: 'Health of hardware',
  probes: [driveHealthNvme, driveHealthSmart, cpuThrottling],
  checks: [availabilityHardwareHealth],
  data,
})
