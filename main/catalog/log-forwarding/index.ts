import { defineSubject } from '../subject.ts'
import { auditLogForwarding } from './checks.ts'
import { auditdRemote, journalUpload, rsyslogForwarding, servicesLogAgents, syslogNgForwarding } from './probes.ts'

export const logForwardingSubject = defineSubject({
  id: 'log-forwarding',
  title: 'Forwarding of logs',
  probes: [rsyslogForwarding, auditdRemote, syslogNgForwarding, journalUpload, servicesLogAgents],
  checks: [auditLogForwarding],
})
