import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { cpuFeatures, cpuPlatform, cpuTopology } from './features.ts'
import { cpuEnergy, cpuMsr, cpuSensors, steal } from './instruments.ts'
import { cpuIsolation, tenancyCpuIsolation } from './isolation.ts'
import { armPlatform, cpuHypervisorLeaf, cpuLeaves } from './leaves.ts'
import { tenancyCpuSideChannels } from './side-channels.ts'

export const processorsSubject = defineSubject({
  id: 'processors',
  title: 'Processors',
  probes: [
    cpuFeatures,
    cpuHypervisorLeaf,
    cpuPlatform,
    cpuEnergy,
    cpuSensors,
    steal,
    armPlatform,
    cpuLeaves,
    cpuMsr,
    cpuTopology,
    cpuIsolation,
  ],
  checks: [tenancyCpuSideChannels, tenancyCpuIsolation],
  data,
})
