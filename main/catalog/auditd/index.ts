import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { auditAuditdRunning, auditCommandAccountability, auditImmutableRules, servicesState } from './checks.ts'
import { auditdRuleFiles, auditdRules, auditdStatus, loginRoot } from './probes.ts'
import { auditAuditdRules } from './rules.ts'

export const auditdSubject = defineSubject({
  id: 'auditd',
  title: 'Linux audit',
  probes: [servicesState, auditdStatus, auditdRules, auditdRuleFiles, loginRoot],
  checks: [auditAuditdRunning, auditAuditdRules, auditImmutableRules, auditCommandAccountability],
  data,
})
