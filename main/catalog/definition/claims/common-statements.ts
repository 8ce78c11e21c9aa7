import type { ProviderClaim, ProviderProfile } from '../../../../schemas/types.ts'
import { EXCLUSIVE_SYSTEM, statementsOf, WITH_GPU } from './statements.ts'

const { documented, tested, unobserved } = statementsOf('pages')

/** A claim about speed under load. No load is put on any node, so that none is tested. */
const measured = (id: string, text: string, instead: string): ProviderClaim =>
  unobserved(id, text, `This requires a measurement under load, which is not performed. ${instead}`)

const TERM = 'This is a term of the contract and cannot be tested on a server.'

/**
 * Statements that public pages about dedicated GPU servers make, and of which it is not on record which provider made them. They are put to
 * no one by name: a customer copies the lines that its own provider made.
 */
export const COMMON_STATEMENTS: ProviderProfile = {
  schema: 'barewitness.provider/1',
  id: 'common-statements',
  name: 'Common statements about dedicated GPU servers (no named provider)',
  asOf: '2026-11-21',
  notes: [
    'The provider of each statement is not recorded, so no result here concerns a named provider. Copy the statements of your provider into your own profile.',
    'Compare each line with your contract: the contract prevails, and a page can change.',
  ],
  sources: [
    {
      id: 'pages',
      kind: 'page',
      where: 'Pages about dedicated GPU servers on the public sites of several providers',
      on: '2026-11-21',
    },
  ],
  claims: [
    tested(
      'known-location',
      'The physical location of each server is known and can be audited.',
      [{ check: 'location.site-record', supportsOnly: true }],
      {
        whenUndecided: 'document-required',
        why: 'A site record that agrees with the node’s data supports this. Without one, or where it disagrees, the provider’s own document decides.',
        documentRequired:
          'The provider’s list of servers by serial number with site, room and rack, and its consent to an inspection',
      },
    ),
    tested(
      'gpudirect-rdma',
      'GPUDirect RDMA is ready: adapters reach the memory of GPUs without a detour.',
      [{ test: 'gpu.direct-path', value: 'rdma' }],
      {
        condition: {
          text: 'Where the node has an active RDMA port.',
          tests: [{ test: 'network.rdma', value: 'either' }],
        },
        why: 'Newer drivers can work without the tested module, so its absence decides nothing. No transfer was tried.',
      },
    ),
    tested(
      'gpudirect-storage',
      'GPUDirect Storage is ready: drives reach the memory of GPUs without a detour.',
      [{ test: 'gpu.direct-path', value: 'storage' }],
      {
        condition: WITH_GPU,
        why: 'Newer releases can work without the tested module, so its absence decides nothing. No transfer was tried.',
      },
    ),
    tested(
      'side-channels',
      'No other customer’s work shares processor caches or memory with the server’s, so that it cannot be observed through them.',
      EXCLUSIVE_SYSTEM,
      {
        why: 'A guest shares caches and memory with its host. On a server without a hypervisor only work on this system shares them. Flaws of the processor and its microcode are not compared.',
      },
    ),
    documented(
      'dedicated-power',
      'Power and cooling are dedicated to the customer.',
      'Feeds, circuits and cooling are outside the server. Its own power supplies do not show what they are connected to.',
      'A diagram of circuits and cooling for the racks in question, or the section of the site’s SOC 2 report on them',
    ),
    documented(
      'fat-tree',
      'The fabric is a fat tree without oversubscription (1:1).',
      'A port shows its own rate. How many switches there are and what joins them is on the provider’s side.',
      'A diagram of the fabric with the count of downlinks and uplinks of each switch',
    ),
    documented(
      'network-path',
      'The network path of the customer is dedicated.',
      'Other users of a switch or an uplink are on the provider’s side of the cable.',
      'A diagram of the network with the ports, VLANs and uplinks of the customer, and who shares each',
    ),
    documented(
      'cpu-isolation',
      'Processors are isolated for the workload (isolcpus, nohz), with a real-time kernel and work pinned to memory nodes.',
      'These settings are the customer’s own where the customer installed the system. This catalog does not test them.',
      'The description of the delivered system image, with kernel, boot parameters and tuning',
    ),
    measured(
      'noisy-neighbors',
      'Delays of 50 to 500 microseconds that other tenants cause do not occur.',
      'Other tenants on the server are covered by separate claims.',
    ),
    measured(
      'mpi-latency',
      'Messages between servers take less than 5 microseconds (MPI).',
      'The kind of fabric and its nominal rate are tested separately.',
    ),
    measured('nvme-throughput', 'The local drives deliver 30 GB/s.', 'Drives and arrays are tested separately.'),
    measured(
      'hbm-bandwidth',
      'The memory of each GPU delivers 3.35 TB/s.',
      'The model and the size of the memory are tested separately.',
    ),
    measured(
      'hypervisor-overhead',
      'Overhead of virtualization, stated as 2 to 28 percent, is avoided.',
      'The presence of a hypervisor is covered by separate claims.',
    ),
    documented(
      'os-choice',
      'The customer chooses the operating system or supplies an image.',
      TERM,
      'The order or contract clause on operating systems and images, and who installs and keeps them',
    ),
    documented(
      'provisioning-time',
      'A server is delivered within 5 to 10 days.',
      TERM,
      'The order with its date, and the delivery note',
    ),
    documented(
      'boot-time',
      'A server boots within 2 to 5 minutes.',
      'No restart is performed, and one start does not show another. It is a term of the contract.',
      'The clause of the contract on restarts, or the provider’s log of one',
    ),
    documented(
      'egress-fees',
      'There are no fees for outgoing traffic.',
      TERM,
      'The price sheet or contract clause on traffic, and one invoice',
    ),
    documented(
      'support-hours',
      'Support is available around the clock.',
      TERM,
      'The clause of the contract on support, with hours and response times',
    ),
    documented(
      'update-currency',
      'The provider keeps firmware and drivers up to date.',
      'Versions are recorded on the node. Which version was current, and who was to install it, is not.',
      'The provider’s record of firmware and driver updates for each server, with versions and days, and who is responsible by contract',
    ),
    documented(
      'shared-storage',
      'Parallel file systems and object storage of the customer are separated from those of other customers.',
      'A mount shows where it leads and whether its connection is encrypted. Only the provider can show who else uses the storage behind it.',
      'The name of each file system, bucket or namespace, how tenants are separated in it, and its administrators',
    ),
    documented(
      'vector-database',
      'A vector database that the provider runs is the customer’s alone.',
      'A service behind an address does not show its other customers.',
      'The description of the service with its separation of tenants, and the contract clause or SOC 2 report that covers it',
    ),
  ],
}
