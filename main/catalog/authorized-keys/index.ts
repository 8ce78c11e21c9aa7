import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { accessAuthorizedKeys, accessKeyPerAccount } from './checks.ts'
import { authorizedKeys } from './probes.ts'

export const authorizedKeysSubject = defineSubject({
  id: 'authorized-keys',
  title: 'Authorized SSH keys',
  probes: [authorizedKeys],
  checks: [accessAuthorizedKeys, accessKeyPerAccount],
  data,
})
