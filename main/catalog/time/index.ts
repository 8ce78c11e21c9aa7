import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { timeAuditTimestamps, timeSync } from './checks.ts'
import { timeChrony, timeNow, timeNtpq, timeSources, timeTimesyncd } from './probes.ts'

export const timeSubject = defineSubject({
  id: 'time',
  title: 'Time synchronization',
  probes: [timeChrony, timeTimesyncd, timeNow, timeSources, timeNtpq],
  checks: [timeSync, timeAuditTimestamps],
  data,
})
