import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { tenancyGpuExclusive, tenancyGpuProcesses } from './checks.ts'
import { gpuNvidia, gpuNvlink } from './nvidia.ts'
import { gpuAmd, gpuAmdLegacy, gpuCards, gpuConfCompute, gpuFabric, gpuModules, gpuMps } from './probes.ts'
import { gpuTopology } from './topology.ts'

export const gpuSubject = defineSubject({
  id: 'gpu',
  title: 'GPUs',
  probes: [
    gpuNvidia,
    gpuTopology,
    gpuAmd,
    gpuAmdLegacy,
    gpuCards,
    gpuConfCompute,
    gpuFabric,
    gpuModules,
    gpuMps,
    gpuNvlink,
  ],
  checks: [tenancyGpuExclusive, tenancyGpuProcesses],
  data,
})
