import { defineSubject } from '../subject.ts'
import { accessSessionTimeout, sessionTimeout } from './session-timeout.ts'

export const sessionTimeoutSubject = defineSubject({
  id: 'session-timeout',
  title: 'Timeout of idle sessions',
  probes: [sessionTimeout],
  checks: [accessSessionTimeout],
})
