import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { tenancyFabricPartition } from './partition.ts'
import { infiniband } from './probes.ts'
import { encryptionInTransitFabric, rdmaGpudirect, rdmaLinks } from './rdma.ts'

export const fabricSubject = defineSubject({
  id: 'fabric',
  title: 'RDMA fabric',
  probes: [infiniband, rdmaGpudirect, rdmaLinks],
  checks: [tenancyFabricPartition, encryptionInTransitFabric],
  data,
})
