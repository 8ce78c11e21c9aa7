import type { ProviderProfile } from '../../../../schemas/types.ts'
import type { ClaimTest } from '../../../core/rules/claim.ts'
import { COMMON_STATEMENTS } from './common-statements.ts'
import { gpuBoard, gpuCount, gpuMemory, gpuMig, gpuModel } from './gpu.ts'
import { gpuDirectPath, gpuNvlinkBandwidth, gpuNvlinkLinks, gpuNvswitch } from './gpu-links.ts'
import { gpuPcieGeneration, gpuPcieWidth, gpuPresent, gpuWhole } from './gpu-parts.ts'
import { HOSTRUNWAY } from './hostrunway.ts'
import {
  networkEthernetRate,
  networkFabricKind,
  networkInfinibandRate,
  networkOwnPort,
  networkRdma,
} from './network.ts'
import { ONESOURCE_CLOUD } from './onesource-cloud.ts'
import { accessProviderAgents, locationCountry, memoryGib, softwareScheduler } from './other.ts'
import { RACKBANK } from './rackbank.ts'
import { storageLocalNvme, storageNvmeOf, storageNvmeRaid } from './storage.ts'

/** Public claims of providers, as data: one file each, next to this one. To add one, add its line here. */
export const PROVIDERS: readonly ProviderProfile[] = [ONESOURCE_CLOUD, HOSTRUNWAY, RACKBANK, COMMON_STATEMENTS]

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
