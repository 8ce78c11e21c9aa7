import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { auditLogContinuity } from './continuity.ts'
import { auditFiles, journaldConfig, journalState, logFiles } from './probes.ts'
import { auditLogPermissions, auditLogRetention } from './retention.ts'

export const logsSubject = defineSubject({
  id: 'logs',
  title: 'Logs on the node',
  probes: [journaldConfig, logFiles, auditFiles, journalState],
  checks: [auditLogRetention, auditLogPermissions, auditLogContinuity],
  data,
})
