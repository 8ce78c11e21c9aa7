import type { ProviderProfile } from '../../../schemas/types.ts'

/** RackBank: what its public pages say of bare-metal GPU servers, in our words. */
export const RACKBANK: ProviderProfile = {
  schema: 'barewitness.provider/1',
  id: 'rackbank',
  name: 'RackBank',
  asOf: '2026-11-21',
  notes: [
    'Taken from the provider’s public pages as they were known on the day given, in our words. Compare each line with your contract: what was agreed counts, and a page can change.',
    'Which of the two fabrics a server has stands in its order. Copy this profile, name the nodes of each, and use the readings network.infiniband-rate and network.rdma for them.',
  ],
  sources: [
    {
      id: 'site',
      kind: 'page',
      title: 'Public pages about bare-metal GPU servers',
      where: 'The public site of RackBank',
      on: '2026-11-21',
    },
  ],
  claims: [
    {
      id: 'no-hypervisor',
      says: 'Servers are handed over without a hypervisor.',
      source: 'site',
      bears: [{ check: 'tenancy.no-hypervisor' }],
      otherwise: null,
      why: null,
      bring: null,
    },
    {
      id: 'rdma-fabric',
      says: 'The fabric is InfiniBand or RoCE version 2.',
      source: 'site',
      bears: [{ test: 'network.rdma', value: 'either' }],
      otherwise: null,
      why: null,
      bring: null,
    },
    {
      id: 'infiniband-hdr',
      says: 'Where the fabric is InfiniBand, it runs at HDR (200 Gbit/s for four lanes).',
      source: 'site',
      bears: [],
      otherwise: 'needs-record',
      why: 'A server with RoCE breaks no promise, and which of the two was ordered for it does not stand on the node.',
      bring: 'The order that names the fabric of each server',
    },
    {
      id: 'roce-v2',
      says: 'Where the fabric is RoCE, it is version 2.',
      source: 'site',
      bears: [],
      otherwise: 'needs-record',
      why: 'A server with InfiniBand breaks no promise, and which of the two was ordered for it does not stand on the node.',
      bring: 'The order that names the fabric of each server',
    },
    {
      id: 'nvme-over-fabrics',
      says: 'Storage is attached by NVMe over Fabrics.',
      source: 'site',
      bears: [{ test: 'storage.nvme-of', value: null }],
      otherwise: null,
      why: 'Storage that is offered and not attached leaves this open.',
      bring: null,
    },
    {
      id: 'india',
      says: 'The servers stand in India.',
      source: 'site',
      bears: [{ test: 'location.country', value: 'IN' }],
      otherwise: null,
      why: 'It is answered only for nodes with a declared place, from a declared place of the auditor’s computer.',
      bring: null,
    },
  ],
}
