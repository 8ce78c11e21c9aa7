import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { accessPamLockout } from './lockout.ts'
import { accessPamPasswordQuality } from './password-quality.ts'
import { pamAccessRules, pamSettings, pamStack } from './probes.ts'

export const pamSubject = defineSubject({
  id: 'pam',
  title: 'Passwords and lockout (PAM)',
  probes: [pamStack, pamSettings, pamAccessRules],
  checks: [accessPamLockout, accessPamPasswordQuality],
  data,
})
