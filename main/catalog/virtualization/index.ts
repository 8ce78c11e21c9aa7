import { defineSubject } from '../subject.ts'
import { kernelMessages, virtBuses, virtGuests, virtHosted, virtInterrupts, virtMachines } from './probes.ts'

export const virtualizationSubject = defineSubject({
  id: 'virtualization',
  title: 'Traces of virtualization',
  probes: [virtBuses, virtGuests, kernelMessages, virtInterrupts, virtHosted, virtMachines],
  checks: [],
})
