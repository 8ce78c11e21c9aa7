import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { auditCollectorSelfRecord, auditLoginRecords } from './checks.ts'
import { loginJournal, loginRecords, loginSession } from './probes.ts'

export const loginRecordsSubject = defineSubject({
  id: 'login-records',
  title: 'Records of logins',
  probes: [loginRecords, loginSession, loginJournal],
  checks: [auditLoginRecords, auditCollectorSelfRecord],
  data,
})
