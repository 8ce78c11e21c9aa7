import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { accessSessionTimeout, sessionTimeout } from './session-timeout.ts'

export const sessionTimeoutSubject = defineSubject({
  id: 'session-timeout',
  title: 'Timeout of idle sessions',
  probes: [sessionTimeout],
  checks: [accessSessionTimeout],
  data,
})
