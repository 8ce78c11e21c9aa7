import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { encryptionInTransitEphiFlows } from './flows.ts'
import { encryptionAtRestEphiPaths, inventoryEphiPaths, workingDirectories } from './paths.ts'

export const ephiSubject = defineSubject({
  id: 'ephi',
  title: 'Paths and flows of ePHI',
  probes: [workingDirectories],
  checks: [encryptionAtRestEphiPaths, inventoryEphiPaths, encryptionInTransitEphiFlows],
  data,
})
