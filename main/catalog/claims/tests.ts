import type { ClaimTest } from '../../core/claim.ts'
import { gpuBoard, gpuCount, gpuMemory, gpuMig, gpuModel } from './gpu.ts'
import { gpuDirectPath, gpuNvlinkBandwidth, gpuNvlinkLinks, gpuNvswitch } from './gpu-links.ts'
import { gpuPcieGeneration, gpuPcieWidth, gpuPresent, gpuWhole } from './gpu-parts.ts'
import {
  networkEthernetRate,
  networkFabricKind,
  networkInfinibandRate,
  networkOwnPort,
  networkRdma,
} from './network.ts'
import { accessProviderAgents, locationCountry, memoryGib, softwareScheduler } from './other.ts'
import { storageLocalNvme, storageNvmeOf, storageNvmeRaid } from './storage.ts'

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
