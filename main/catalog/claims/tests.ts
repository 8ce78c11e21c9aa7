import type { ClaimTest } from '../../core/claim.ts'
import { accessProviderAgents } from './access-provider-agents.ts'
import { gpuBoard } from './gpu-board.ts'
import { gpuCount } from './gpu-count.ts'
import { gpuDirectPath } from './gpu-direct-path.ts'
import { gpuMemory } from './gpu-memory.ts'
import { gpuMig } from './gpu-mig.ts'
import { gpuModel } from './gpu-model.ts'
import { gpuNvlinkBandwidth } from './gpu-nvlink-bandwidth.ts'
import { gpuNvlinkLinks } from './gpu-nvlink-links.ts'
import { gpuNvswitch } from './gpu-nvswitch.ts'
import { gpuPcieGeneration, gpuPcieWidth } from './gpu-pcie.ts'
import { gpuPresent } from './gpu-present.ts'
import { gpuWhole } from './gpu-whole.ts'
import { locationCountry } from './location-country.ts'
import { memoryGib } from './memory-gib.ts'
import { networkEthernetRate } from './network-ethernet-rate.ts'
import { networkFabricKind } from './network-fabric-kind.ts'
import { networkInfinibandRate } from './network-infiniband-rate.ts'
import { networkOwnPort } from './network-own-port.ts'
import { networkRdma } from './network-rdma.ts'
import { softwareScheduler } from './software-scheduler.ts'
import { storageLocalNvme } from './storage-local-nvme.ts'
import { storageNvmeOf } from './storage-nvme-of.ts'
import { storageNvmeRaid } from './storage-nvme-raid.ts'

/** Every reading that a claim can be compared with. To add one, add its file next to this one and its line here. */
export const CLAIM_TESTS: readonly ClaimTest[] = [
  gpuModel,
  gpuCount,
  gpuPresent,
  gpuWhole,
  gpuBoard,
  gpuMemory,
  gpuPcieWidth,
  gpuPcieGeneration,
  gpuNvlinkLinks,
  gpuNvlinkBandwidth,
  gpuNvswitch,
  gpuMig,
  gpuDirectPath,
  networkEthernetRate,
  networkInfinibandRate,
  networkFabricKind,
  networkRdma,
  networkOwnPort,
  storageLocalNvme,
  storageNvmeRaid,
  storageNvmeOf,
  softwareScheduler,
  memoryGib,
  locationCountry,
  accessProviderAgents,
]
