import { defineSubject } from '../subject.ts'
import { encryptionInTransitCertValidity } from './certificates.ts'
import data from './checks.json' with { type: 'json' }
import { encryptionInTransitTlsListeners } from './checks.ts'
import { tlsListeners } from './probes.ts'

export const tlsSubject = defineSubject({
  id: 'tls',
  title: 'TLS listeners',
  probes: [tlsListeners],
  checks: [encryptionInTransitTlsListeners, encryptionInTransitCertValidity],
  data,
})
