import type { Isolation } from '../../../schemas/types.ts'
import type { Observed } from './observe.ts'
import type { Spoof } from './signal.ts'

type ProviderLevel = Isolation['levels'][number]

interface Level {
  readonly level: ProviderLevel['level']
  readonly provider: string
  /** The dearest kind of imitation that this provider is able to make. */
  readonly can: Spoof | null
  readonly mustFake: readonly string[]
  /** Said as it stands; null where it is what was read on the node and costs more than this provider can do. */
  readonly wouldStillShow: readonly string[] | null
}

const LEVELS: readonly Level[] = [
  {
    level: 'PI',
    provider: 'A provider, or another party, with root in the system’s image: a modified kernel, shell or SSH server.',
    can: 'S3',
    mustFake: [
      'Text alone, at cost S0: such a system can falsify every response, or replay the responses of another machine.',
    ],
    wouldStillShow: null,
  },
  {
    level: 'P0',
    provider: 'A provider that falsifies nothing, or a virtual machine with the defaults of its software.',
    can: null,
    mustFake: [],
    wouldStillShow: ['Everything: the hypervisor’s name, its devices, its clocks, its firmware tables.'],
  },
  {
    level: 'P1',
    provider: 'A provider who changes settings of ordinary virtualization software.',
    can: 'S0',
    mustFake: [
      'The hypervisor flag and its signature.',
      'The texts of the SMBIOS tables, serial numbers and hardware addresses.',
      'Names of disks, and the presence of a management controller.',
    ],
    wouldStillShow: null,
  },
  {
    level: 'P2',
    provider: 'A provider who rebuilds the virtual machine monitor or its firmware, and hands real devices through.',
    can: 'S1',
    mustFake: [
      'Chipset identities, ACPI tables and the firmware’s banner.',
      'Processor registers, which KVM lets the monitor emulate.',
      'GPUs, drives and network adapters: real ones, handed to the guest.',
    ],
    wouldStillShow: null,
  },
  {
    level: 'P3',
    provider: 'A provider who patches the hypervisor kernel.',
    can: 'S2',
    mustFake: [
      'The time that CPUID takes: without an exit, which only AMD processors allow, or with every clock held back alike.',
      'Counters that move with the load.',
    ],
    wouldStillShow: null,
  },
  {
    level: 'P4',
    provider: 'A provider who wrote a thin hypervisor that hands everything to one guest.',
    can: 'S2',
    mustFake: ['Nothing that can be read from inside: every device and register is the real one.'],
    wouldStillShow: [
      'Nothing from inside but a measured launch of the TPM; else an inspection of the machine. One tenant is then still alone on it, but not without a hypervisor.',
    ],
  },
]

const COST: Readonly<Record<Spoof, number>> = { S0: 0, S1: 1, S2: 2, S3: 3 }

/** What a provider of each level would have to fake, what would still be seen, and which of that was read as hardware on this node. */
export const providerLevels = (observed: readonly Observed[]): readonly ProviderLevel[] =>
  LEVELS.map(({ level, provider, can, mustFake, wouldStillShow }) => {
    const dear = observed.filter(
      ({ found, signal }) => found.reads === 'metal' && (can === null || COST[signal.spoof] > COST[can]),
    )
    return {
      level,
      provider,
      mustFake,
      wouldStillShow: wouldStillShow ?? stillShown(dear.map(({ signal }) => signal.title)),
      readHere: dear.map(({ signal }) => signal.id).sort(),
    }
  })

const stillShown = (titles: readonly string[]): readonly string[] =>
  titles.length === 0
    ? ['Nothing that was read on this node.']
    : [
        `Of what was read on this node: ${titles.map((title) => title.charAt(0).toLowerCase() + title.slice(1)).join('; ')}.`,
      ]
