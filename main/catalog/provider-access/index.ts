import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { accessProviderAccess } from './checks.ts'
import { cloudInit, remoteAgents } from './probes.ts'

export const providerAccessSubject = defineSubject({
  id: 'provider-access',
  title: 'Access of the provider',
  probes: [cloudInit, remoteAgents],
  checks: [accessProviderAccess],
  data,
})
