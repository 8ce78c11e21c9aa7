import { defineSubject } from '../subject.ts'
import { tenancyFabricPartition } from './partition.ts'
import { infiniband } from './probes.ts'
import { encryptionInTransitFabric, rdmaGpudirect, rdmaLinks } from './rdma.ts'

export const fabricSubject = defineSubject({
  id: 'fabric',
  title: 'RDMA fabric',
  probes: [infiniband, rdmaGpudirect, rdmaLinks],
  checks: [tenancyFabricPartition, encryptionInTransitFabric],
})
