import type { ProviderProfile } from '../../../../schemas/types.ts'
import {
  EXCLUSIVE_GPU,
  EXCLUSIVE_SYSTEM,
  FOR_EVERY_NODE,
  FROM_PUBLIC_PAGES,
  statementsOf,
  WITH_GPU,
} from './statements.ts'

const { documented, tested, unobserved } = statementsOf('site')

/** Hostrunway: what its public pages report about dedicated GPU servers, in our words. */
export const HOSTRUNWAY: ProviderProfile = {
  schema: 'barewitness.provider/1',
  id: 'hostrunway',
  name: 'Hostrunway',
  asOf: '2026-11-22',
  notes: [...FROM_PUBLIC_PAGES, FOR_EVERY_NODE],
  sources: [
    {
      id: 'site',
      kind: 'page',
      publisher: 'Hostrunway',
      where: 'Pages about dedicated GPU servers on the public site of Hostrunway',
      on: '2026-11-22',
    },
  ],
  claims: [
    tested(
      'one-tenant',
      'A server has one tenant, whose system uses the whole server.',
      [{ check: 'tenancy.no-hypervisor' }],
      { why: 'A guest uses a part of a server and contradicts this.' },
    ),
    documented(
      'one-tenant-record',
      'A server is rented to no other party while the tenant has it.',
      'Only the provider can show who rents a machine and who may reach its management controller.',
      'The contract or order that names each server by its serial number, and other parties that may reach it',
    ),
    tested('every-core', 'The tenant has every core of the processors.', EXCLUSIVE_SYSTEM, {
      why: 'A guest has only what its host assigns. An account of a person who is not on the roster leaves this inconclusive, since the roster is the customer’s.',
    }),
    tested('every-gpu', 'The tenant has exclusive use of whole GPUs.', EXCLUSIVE_GPU, {
      condition: WITH_GPU,
      why: 'A GPU that is a part of another one contradicts this. A process of an undeclared user alone does not, since the roster is the customer’s.',
    }),
    tested(
      'every-byte-of-hbm',
      'The tenant has every byte of the GPUs’ memory.',
      [{ test: 'gpu.memory-gib', value: 80 }],
      {
        condition: {
          text: 'Where the GPUs are H100 with 80 GB, or H200.',
          tests: [{ test: 'gpu.model', value: 'H100 80GB or H200' }],
        },
        why: 'Compared with 80 GB, the least that these models have. For other models, copy this line with the size of the order.',
      },
    ),
    tested(
      'every-pcie-lane',
      'The tenant has every PCI Express lane of the GPUs.',
      [{ test: 'gpu.pcie-width', value: 16 }],
      {
        condition: WITH_GPU,
        why: 'Compared with 16 lanes, which GPUs of this class have. A switch above several GPUs shares the lanes to the processor between them, and that is not compared. No generation was stated.',
      },
    ),
    tested('whole-devices', 'Adapters and drive controllers are provided as hardware.', [
      { check: 'tenancy.pcie-inventory' },
    ]),
    tested('nvlink-4', 'GPUs are joined by NVLink 4, with every link in use.', [
      { test: 'gpu.nvlink-links', value: 4 },
    ]),
    tested('local-nvme', 'NVMe drives are in the server itself.', [{ test: 'storage.local-nvme', value: null }]),
    tested('nvme-raid', 'The local NVMe drives work as a RAID array.', [{ test: 'storage.nvme-raid', value: null }], {
      why: 'No level was stated, so that any fits. Where the customer reinstalled the system, the result concerns the customer’s own array.',
    }),
    tested('roce-v2', 'The fabric is RoCE version 2.', [{ test: 'network.rdma', value: 'roce-v2' }]),
    tested('fabric-100g', 'A port has a rate of 100 Gbit/s.', [{ test: 'network.ethernet-rate', value: 100 }], {
      why: 'RoCE runs over Ethernet, so the nominal rate of an Ethernet port is tested.',
    }),
    unobserved(
      'fabric-100g-carried',
      'The fabric carries 100 Gbit/s from server to server.',
      'This requires a measurement under load between two nodes, which is not performed. The nominal rate of the port is tested separately.',
    ),
  ],
}
