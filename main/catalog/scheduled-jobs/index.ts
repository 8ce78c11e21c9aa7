import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { changeScheduledJobs, scheduledJobs, userCrontabs } from './scheduled-jobs.ts'

export const scheduledJobsSubject = defineSubject({
  id: 'scheduled-jobs',
  title: 'Scheduled jobs',
  probes: [scheduledJobs, userCrontabs],
  checks: [changeScheduledJobs],
  data,
})
