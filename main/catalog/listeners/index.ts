import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { encryptionInTransitPlaintextListeners, networkListeningPorts } from './checks.ts'
import { ipvsServices, listenerProcesses, networkListeners } from './probes.ts'

export const listenersSubject = defineSubject({
  id: 'listeners',
  title: 'Listening ports',
  probes: [networkListeners, listenerProcesses, ipvsServices],
  checks: [encryptionInTransitPlaintextListeners, networkListeningPorts],
  data,
})
