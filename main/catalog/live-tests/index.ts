import { defineSubject } from '../subject.ts'
import { liveCpuid, liveCpuidLong, liveEnergy, liveJitter, liveMsr, liveSteal, liveThermal } from './probes.ts'

export const liveTestsSubject = defineSubject({
  id: 'live-tests',
  title: 'Live tests',
  probes: [liveCpuid, liveMsr, liveCpuidLong, liveSteal, liveJitter, liveEnergy, liveThermal],
  checks: [],
})
