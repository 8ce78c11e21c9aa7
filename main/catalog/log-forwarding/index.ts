import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { auditLogForwarding } from './checks.ts'
import { auditdRemote, journalUpload, rsyslogForwarding, servicesLogAgents, syslogNgForwarding } from './probes.ts'

export const logForwardingSubject = defineSubject({
  id: 'log-forwarding',
  title: 'Forwarding of logs',
  probes: [rsyslogForwarding, auditdRemote, syslogNgForwarding, journalUpload, servicesLogAgents],
  checks: [auditLogForwarding],
  data,
})
