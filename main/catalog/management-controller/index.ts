import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { tenancyBmcExposure } from './checks.ts'
import { bmc, bmcDevice, bmcLan, bmcPresence } from './probes.ts'

export const managementControllerSubject = defineSubject({
  id: 'management-controller',
  title: 'Management controller (BMC)',
  probes: [bmcPresence, bmc, bmcLan, bmcDevice],
  checks: [tenancyBmcExposure],
  data,
})
