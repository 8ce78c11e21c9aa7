import type { ProviderProfile } from '../../../../schemas/types.ts'
import { FROM_PUBLIC_PAGES, ON_INFINIBAND, ON_ROCE, statementsOf } from './statements.ts'

const { tested, unobserved } = statementsOf('site')

/** RackBank: what its public pages report about bare-metal GPU servers, in our words. */
export const RACKBANK: ProviderProfile = {
  schema: 'barewitness.provider/1',
  id: 'rackbank',
  name: 'RackBank',
  asOf: '2026-11-22',
  notes: [
    ...FROM_PUBLIC_PAGES,
    'Lines about one kind of fabric apply to nodes on which that kind was observed. Which of the two was ordered is in the order.',
  ],
  sources: [
    {
      id: 'site',
      kind: 'page',
      publisher: 'RackBank',
      where: 'Pages about bare-metal GPU servers on the public site of RackBank',
      on: '2026-11-22',
    },
  ],
  claims: [
    tested('no-hypervisor', 'Servers are handed over without a hypervisor.', [{ check: 'tenancy.no-hypervisor' }]),
    tested(
      'no-shared-tenancy',
      'No server is shared between customers.',
      [
        { check: 'tenancy.no-hypervisor' },
        { check: 'tenancy.pcie-inventory' },
        { check: 'tenancy.user-census', supportsOnly: true },
      ],
      {
        why: 'A guest or a part of a device contradicts this. An account of a person who is not on the roster leaves this inconclusive, since the roster is the customer’s.',
      },
    ),
    tested('gpu-model', 'The GPUs are of the model H100 or A100.', [{ test: 'gpu.model', value: 'H100 or A100' }], {
      why: 'Two models are stated; which one a server has is in its order.',
    }),
    tested('nvlink', 'NVLink joins the GPUs.', [{ test: 'gpu.nvlink-links', value: 1 }], {
      why: 'No generation is on record, so that any fits as long as every link is up.',
    }),
    tested('rdma-fabric', 'The fabric is InfiniBand or RoCE version 2.', [{ test: 'network.rdma', value: 'either' }]),
    tested(
      'infiniband-hdr',
      'Where the fabric is InfiniBand, it runs at HDR (200 Gbit/s for four lanes).',
      [{ test: 'network.infiniband-rate', value: 200 }],
      { condition: ON_INFINIBAND, why: 'The rate is nominal; nothing was sent.' },
    ),
    tested('roce-v2', 'Where the fabric is RoCE, it is version 2.', [{ test: 'network.rdma', value: 'roce-v2' }], {
      condition: ON_ROCE,
    }),
    tested(
      'nvme-over-fabrics',
      'Storage is attached by NVMe over Fabrics.',
      [{ test: 'storage.nvme-of', value: null }],
      { why: 'Storage that is offered and not attached leaves this open.' },
    ),
    unobserved(
      'kubernetes',
      'Kubernetes that knows of the GPUs can run on the servers.',
      'Whether it is configured is the customer’s own choice. A server without it does not contradict the statement. Where it was ordered, copy this line with the claim test software.scheduler.',
    ),
    unobserved(
      'near-native',
      'Without virtualization the GPUs perform almost as they do on hardware alone.',
      'This requires a measurement under load, which is not performed. The presence of a hypervisor is tested separately.',
    ),
    tested('india', 'The servers are in India.', [{ test: 'location.country', value: 'IN' }], {
      why: 'It is tested only for nodes with a declared place, from a declared place of the collecting computer.',
    }),
  ],
}
