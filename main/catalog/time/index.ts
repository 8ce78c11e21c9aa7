import { defineSubject } from '../subject.ts'
import { timeAuditTimestamps, timeSync } from './checks.ts'
import { timeChrony, timeNow, timeNtpq, timeSources, timeTimesyncd } from './probes.ts'

export const timeSubject = defineSubject({
  id: 'time',
  title: 'Time synchronization',
  probes: [timeChrony, timeTimesyncd, timeNow, timeSources, timeNtpq],
  checks: [timeSync, timeAuditTimestamps],
})
