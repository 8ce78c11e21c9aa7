import { defineSubject } from '../subject.ts'
import {
  integrityMeasuredBoot,
  integritySecureBoot,
  secureBoot,
  tpmEk,
  tpmMeasurements,
  tpmPresence,
} from './boot-integrity.ts'
import data from './checks.json' with { type: 'json' }

export const bootIntegritySubject = defineSubject({
  id: 'boot-integrity',
  title: 'Secure Boot and measured boot',
  probes: [tpmEk, tpmMeasurements, secureBoot, tpmPresence],
  checks: [integritySecureBoot, integrityMeasuredBoot],
  data,
})
