import type { ProviderProfile } from '../../../../schemas/types.ts'
import {
  EXCLUSIVE_GPU,
  EXCLUSIVE_SYSTEM,
  FOR_EVERY_NODE,
  FROM_PUBLIC_PAGES,
  ON_BASEBOARD,
  ON_INFINIBAND,
  ON_ROCE,
  statementsOf,
  WITH_GPU,
} from './statements.ts'

const { documented, tested, unobserved } = statementsOf('site')

/** OneSource Cloud: what its public pages report about dedicated GPU servers, in our words. */
export const ONESOURCE_CLOUD: ProviderProfile = {
  schema: 'barewitness.provider/1',
  id: 'onesource-cloud',
  name: 'OneSource Cloud',
  asOf: '2026-11-22',
  notes: [...FROM_PUBLIC_PAGES, FOR_EVERY_NODE],
  sources: [
    {
      id: 'site',
      kind: 'page',
      publisher: 'OneSource Cloud',
      where: 'Pages about dedicated GPU servers on the public site of OneSource Cloud',
      on: '2026-11-22',
    },
  ],
  conflicts: [
    {
      text: 'The data centers are based in the United States.',
      source: 'site',
      against: 'There are more than 94 data centers in more than 50 countries.',
      againstSource: 'site',
      why: 'Servers that are all in the United States are not spread over 50 countries; each statement can be about another service. The claim about the United States is tested separately for your nodes.',
      documentRequired: 'the sites that the contract allows for your servers, your data and your backups',
    },
  ],
  claims: [
    tested('dedicated-server', 'The whole server is assigned to one customer.', [{ check: 'tenancy.no-hypervisor' }], {
      why: 'A guest is not a whole server and contradicts this. Other parties that may reach the machine are stated in the contract.',
    }),
    tested('no-hypervisor', 'There is no hypervisor between the hardware and the customer’s system.', [
      { check: 'tenancy.no-hypervisor' },
    ]),
    tested('exclusive-gpu', 'The GPUs are for one customer alone.', EXCLUSIVE_GPU, {
      condition: WITH_GPU,
      why: 'A GPU that is a part of another one contradicts this. A process of an undeclared user alone does not, since the roster is the customer’s.',
    }),
    tested('exclusive-memory', 'Processors and memory are for one customer alone.', EXCLUSIVE_SYSTEM, {
      why: 'A guest shares both with its host. An account of a person who is not on the roster leaves this inconclusive, since the roster is the customer’s.',
    }),
    tested('exclusive-devices', 'Network adapters and drive controllers are for one customer alone.', [
      { check: 'tenancy.pcie-inventory' },
    ]),
    tested('local-drives', 'The server has NVMe drives of its own.', [{ test: 'storage.local-nvme', value: null }], {
      why: 'Storage for one customer alone was stated. Drives in the server show that a part of it is local; of other storage the record decides.',
    }),
    documented(
      'dedicated-storage',
      'The storage is not shared with other customers.',
      'A drive shows that it is in the machine, and a volume where it is reached. Neither shows who else uses the storage behind it.',
      'The contract’s or the order’s words on storage, with the serial numbers of the drives or the name of each volume',
    ),
    tested(
      'dedicated-network-port',
      'The server has a network port of its own.',
      [{ test: 'network.own-port', value: null }],
      { why: 'Only the adapter on the node’s side is tested; the switch port is at the other end of the cable.' },
    ),
    unobserved(
      'switch-port',
      'The port of the switch that the server is connected to serves no other customer.',
      'What else hangs on a switch is on the provider’s side of the cable.',
    ),
    tested(
      'nvlink',
      'GPUs are joined by NVLink, and the customer’s system has it natively.',
      [{ test: 'gpu.nvlink-links', value: 1 }],
      {
        why: 'For H100 SXM the provider states 900 GB/s, which has a row of its own. For other GPUs no generation is on record, so that any fits as long as every link is up.',
      },
    ),
    tested(
      'nvlink-900',
      'On H100 SXM, NVLink reaches 900 GB/s for each GPU.',
      [{ test: 'gpu.nvlink-bandwidth', value: 900 }],
      {
        condition: ON_BASEBOARD,
        why: 'The rate is nominal: 18 links of 25 GB/s in each direction. The page describes what such servers usually have; the order decides what yours was to have.',
      },
    ),
    tested('gpu-model', 'The GPUs are of the model H100 or H200.', [{ test: 'gpu.model', value: 'H100 or H200' }], {
      why: 'Two models are stated. Another one that was ordered contradicts the statement and not the order.',
    }),
    tested(
      'eight-gpus',
      'Servers with SXM modules of the H100 family have eight GPUs.',
      [{ test: 'gpu.count', value: 8 }],
      {
        condition: ON_BASEBOARD,
        why: 'A board with four modules contradicts the statement and not an order that names it.',
      },
    ),
    tested('nvswitch', 'NVSwitches join the GPUs, and the customer’s system has them natively.', [
      { test: 'gpu.nvswitch', value: null },
    ]),
    tested('rdma', 'The customer’s system has RDMA natively.', [{ test: 'network.rdma', value: 'either' }], {
      why: 'Which kind was not stated, so that InfiniBand and RoCE version 2 both fit.',
    }),
    tested(
      'infiniband-rate',
      'InfiniBand runs at NDR (400 Gbit/s) or HDR (200 Gbit/s).',
      [{ test: 'network.infiniband-rate', value: 200 }],
      {
        condition: ON_INFINIBAND,
        why: 'The page describes what such servers usually have, and states two rates, so that the lower one is enough. The rate is nominal; nothing was sent.',
      },
    ),
    tested(
      'ethernet-rate',
      'Where the fabric is Ethernet, its ports run at 100 or 200 Gbit/s.',
      [{ test: 'network.ethernet-rate', value: 100 }],
      {
        condition: ON_ROCE,
        why: 'Two rates are stated, so that the lower one is enough. The rate is nominal; nothing was sent.',
      },
    ),
    documented(
      'datapath',
      'No part of the network path between the servers is shared with another customer.',
      'Switches, cables and uplinks are on the provider’s side. Partition keys and VLANs of the ports do not show who else uses the switches.',
      'A diagram of the fabric with switch ports, partitions and VLANs, and the customers that share each switch',
    ),
    tested(
      'united-states',
      'The servers are in data centers in the United States.',
      [{ test: 'location.country', value: 'US' }],
      { why: 'It is tested only for nodes with a declared place, from a declared place of the collecting computer.' },
    ),
    tested(
      'oneplus-platform',
      'The OnePlus Platform, as a part of managed operations, schedules work of several teams or tenants on the servers.',
      [{ test: 'access.provider-agents', value: null }],
      {
        whenUndecided: 'document-required',
        why: 'This implies that the provider has continuous administrative access to the servers, and that its software decides whose work runs on a GPU. “Observed” is evidence of such access, not a favorable result. Access can exist without traces on the node. Declare the provider’s accounts and agents, and name the provider as a subservice organization.',
        documentRequired:
          'Who administers the platform, with which accounts, agents and keys on the servers; which tenants it serves and how they are separated; the business associate agreement that covers it',
      },
    ),
    documented(
      'managed-24x7',
      'The provider operates the servers around the clock.',
      'Hours of support and operation are a term of the contract. No state of a server shows them.',
      'The clause of the contract on managed operations, with hours, response times and what the provider may do on the servers',
    ),
    documented(
      'hipaa-ready',
      'The clusters are offered as “HIPAA-ready”.',
      'No rule defines this word. A provider that holds ePHI is a business associate (45 CFR 160.103), and a written contract is required (45 CFR 164.308(b)(3), 164.504(e)).',
      'The signed business associate agreement, and the SOC 2 Type 2 report that names this service and its period',
    ),
    documented(
      'regulated-sectors',
      'There are solutions for healthcare and for financial services.',
      'Which controls the provider operates for such customers is in its report and its contract.',
      'The SOC 2 Type 2 report with the controls that it expects of customers, and a letter for the time since its period',
    ),
    documented(
      'nist-800-125',
      'The provider refers to NIST SP 800-125 on the security of full virtualization.',
      'SP 800-125 is guidance about hypervisors. Where none is present (see the claim about the hypervisor), its threats do not arise and the reference states no control. Where the provider runs its own management on virtual machines, it can apply there.',
      'Which recommendations of SP 800-125 the provider applies, to which of its systems, and who assessed it',
    ),
    tested('mig', 'The customer can divide GPUs into slices (MIG).', [{ test: 'gpu.mig', value: null }]),
    unobserved(
      'kubernetes-slurm',
      'The customer can run Kubernetes or Slurm on the servers.',
      'Whether one is configured is the customer’s own choice. If neither runs, no claim is contradicted; if one runs, the customer configured it.',
    ),
  ],
}
