import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import {
  accessSshdAllowList,
  accessSshdConnectionLimits,
  accessSshdPasswordAuth,
  accessSshdRootLogin,
} from './checks.ts'
import { accessSshdMfa } from './mfa.ts'
import { sshdConditions, sshdContexts, sshdEffective, sshProcesses } from './probes.ts'

export const sshdSubject = defineSubject({
  id: 'sshd',
  title: 'SSH server: who can log in, and how',
  probes: [sshdEffective, sshdConditions, sshdContexts, sshProcesses],
  checks: [accessSshdRootLogin, accessSshdPasswordAuth, accessSshdMfa, accessSshdAllowList, accessSshdConnectionLimits],
  data,
})
