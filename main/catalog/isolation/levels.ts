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
  readonly wouldStillShow: readonly string[]
}

const LEVELS: readonly Level[] = [
  {
    level: 'P0',
    provider: 'An honest provider, or a virtual machine as its software makes it.',
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
    wouldStillShow: [
      'The power-management features that the processor lacks in a guest, and its highest identification leaf.',
      'Missing performance units, energy counters and model-specific registers.',
      'The size and the makers of ACPI tables, the chipset’s host bridge and its links.',
      'Memory in SMBIOS against memory in use.',
    ],
  },
  {
    level: 'P2',
    provider: 'A provider who rebuilds the virtual machine monitor or its firmware, and hands real devices through.',
    can: 'S1',
    mustFake: [
      'Chipset identities, ACPI tables and the firmware’s banner.',
      'GPUs, drives and network adapters: real ones, handed to the guest.',
    ],
    wouldStillShow: [
      'Power-management features with registers behind them that answer like hardware.',
      'Energy counters and counting units outside the cores that move with the load.',
      'Error detection of memory controllers, and the memory modules’ own data.',
      'Physical-layer state of PCI ports; the cost of CPUID on Intel; a management controller with real sensors; the TPM’s log.',
    ],
  },
  {
    level: 'P3',
    provider: 'A provider who patches the hypervisor kernel so that registers and counters answer.',
    can: 'S2',
    mustFake: [
      'Power and energy registers that move with the load.',
      'Counting units of memory controllers and mesh.',
      'CPUID without an exit, which only AMD processors allow.',
    ],
    wouldStillShow: [
      'On Intel, the cost of CPUID by the auditor’s own clock.',
      'A quote of the TPM over our own number, with the log behind it.',
      'What the management controller says out of band.',
    ],
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
  LEVELS.map(({ level, provider, can, mustFake, wouldStillShow }) => ({
    level,
    provider,
    mustFake,
    wouldStillShow,
    readHere: observed
      .filter(({ found, signal }) => found.reads === 'metal' && (can === null || COST[signal.spoof] > COST[can]))
      .map(({ signal }) => signal.id)
      .sort(),
  }))
