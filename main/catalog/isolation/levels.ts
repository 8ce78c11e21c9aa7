import type { AdversaryLevel } from '../../../schemas/types.ts'
import type { Observed } from './observe.ts'
import type { SpoofingEffort } from './signal.ts'

interface Level {
  readonly level: AdversaryLevel['level']
  readonly adversary: string
  /** The dearest kind of imitation that this provider is able to make. */
  readonly can: SpoofingEffort | null
  readonly wouldNeedToFalsify: readonly string[]
  /** Said as it stands; null where it is what was read on the node and costs more than this provider can do. */
  readonly residualIndicators: readonly string[] | null
}

const LEVELS: readonly Level[] = [
  {
    level: 'PI',
    adversary: 'A provider, or another party, with root in the system’s image: a modified kernel, shell or SSH server.',
    can: 'S3',
    wouldNeedToFalsify: [
      'Text alone, at cost S0: such a system can falsify every response, or replay the responses of another machine.',
    ],
    residualIndicators: null,
  },
  {
    level: 'P0',
    adversary: 'A provider that falsifies nothing, or a virtual machine with the defaults of its software.',
    can: null,
    wouldNeedToFalsify: [],
    residualIndicators: ['Everything: the hypervisor’s name, its devices, its clocks, its firmware tables.'],
  },
  {
    level: 'P1',
    adversary: 'A provider who changes settings of ordinary virtualization software.',
    can: 'S0',
    wouldNeedToFalsify: [
      'The hypervisor flag and its signature.',
      'The texts of the SMBIOS tables, serial numbers and hardware addresses.',
      'Names of disks, and the presence of a management controller.',
    ],
    residualIndicators: null,
  },
  {
    level: 'P2',
    adversary: 'A provider who rebuilds the virtual machine monitor or its firmware, and hands real devices through.',
    can: 'S1',
    wouldNeedToFalsify: [
      'Chipset identities, ACPI tables and the firmware’s banner.',
      'Processor registers, which KVM lets the monitor emulate.',
      'GPUs, drives and network adapters: real ones, handed to the guest.',
    ],
    residualIndicators: null,
  },
  {
    level: 'P3',
    adversary: 'A provider who patches the hypervisor kernel.',
    can: 'S2',
    wouldNeedToFalsify: [
      'The time that CPUID takes: without an exit, which only AMD processors allow, or with every clock held back alike.',
      'Counters that move with the load.',
    ],
    residualIndicators: null,
  },
  {
    level: 'P4',
    adversary: 'A provider who wrote a thin hypervisor that hands everything to one guest.',
    can: 'S2',
    wouldNeedToFalsify: ['Nothing that can be read from inside: every device and register is the real one.'],
    residualIndicators: [
      'Nothing from inside but a measured launch of the TPM; else an inspection of the machine. One tenant is then still alone on it, but not without a hypervisor.',
    ],
  },
]

const COST: Readonly<Record<SpoofingEffort, number>> = { S0: 0, S1: 1, S2: 2, S3: 3 }

/** What an adversary of each level would need to falsify, which indicators would remain, and which of those were read as hardware on this node. */
export const adversaryLevels = (observed: readonly Observed[]): readonly AdversaryLevel[] =>
  LEVELS.map(({ level, adversary, can, wouldNeedToFalsify, residualIndicators }) => {
    const dear = observed.filter(
      ({ found, signal }) =>
        found.indicates === 'bare-metal' && (can === null || COST[signal.spoofingEffort] > COST[can]),
    )
    return {
      level,
      adversary,
      wouldNeedToFalsify,
      residualIndicators: residualIndicators ?? stillShown(dear.map(({ signal }) => signal.title)),
      readOnThisNode: dear.map(({ signal }) => signal.id).sort(),
    }
  })

const stillShown = (titles: readonly string[]): readonly string[] =>
  titles.length === 0
    ? ['Nothing that was read on this node.']
    : [
        `Of what was read on this node: ${titles.map((title) => title.charAt(0).toLowerCase() + title.slice(1)).join('; ')}.`,
      ]
