import type { AdversaryLevel, OpenPoint } from '../../../schemas/types.ts'
import { argvOf, type Probe, type RunCommand } from '../../core/probe.ts'
import { count } from '../steps.ts'
import { undrivenGpus } from './gpu-hardware.ts'
import type { Observed } from './observe.ts'
import type { Read, SpoofingEffort } from './signal.ts'

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

/** The command as a person would type it. Constants of the catalog only, never words of a node. */
const typed = (command: RunCommand): string => argvOf(command).join(' ')

/**
 * For every question that was not collected: what it would settle, and the exact command or right that is missing. GPUs without a driver
 * come first: without one, most of them cannot be queried.
 */
export function openPoints(read: Read, observed: readonly Observed[]): readonly OpenPoint[] {
  const byProbe = new Map<string, { probe: Probe<unknown>; reason: string; signals: string[] }>()
  for (const { signal, found } of observed) {
    if (found.indicates !== 'unreadable') continue
    const open = byProbe.get(found.probe.id) ?? { probe: found.probe, reason: found.reason, signals: [] }
    open.signals.push(signal.id)
    byProbe.set(found.probe.id, open)
  }
  return [
    ...undriven(read, observed),
    ...[...byProbe.values()].map(({ probe, reason, signals }) => ({
      point: `${probe.title}: ${reason}.`,
      resolution: howTo(probe, reason),
      signals: signals.sort(),
    })),
  ]
}

const withoutDriver = (number: number): string =>
  `${count(number, 'GPU or accelerator', 'GPUs and accelerators')} without the driver of ${number === 1 ? 'its' : 'their'} manufacturer`

function undriven(read: Read, observed: readonly Observed[]): readonly OpenPoint[] {
  const number = undrivenGpus(read)
  if (number === 0) return []
  return [
    {
      point: `${withoutDriver(number)}: no data can be read from ${number === 1 ? 'it' : 'them'}.`,
      resolution:
        'Have the node’s owner install and load the vendor’s driver for every GPU and accelerator, then collect again.',
      signals: observed
        .filter(({ signal, found }) => signal.family === 'gpu' && found.indicates === 'unreadable')
        .map(({ signal }) => signal.id)
        .sort(),
    },
  ]
}

/** The strongest evidence of hardware where it is available, in the order of what a person should allow first. */
const FIRST: readonly string[] = ['pci.ports', 'cpu.energy', 'cpu.msr', 'cpu.hypervisor-leaf']
const MOST_LINES = 4

/** The exact lines, run as root, of the probes that were not collected; a long list is cut with a count, as the open points have all. */
export function linesToCollect(read: Read, observed: readonly Observed[]): readonly string[] {
  const open = new Map(
    observed.flatMap(({ found }) =>
      found.indicates === 'unreadable' && found.probe.live !== true ? [[found.probe.id, found.probe] as const] : [],
    ),
  )
  const ordered = [...FIRST.filter((id) => open.has(id)), ...[...open.keys()].filter((id) => !FIRST.includes(id))]
  const lines = ordered.flatMap((id) => {
    const first = Object.values(open.get(id)?.commands ?? {}).find((command) => command.kind === 'run')
    return first === undefined ? [] : [`${first.as === 'root' ? 'as root ' : ''}“${typed(first)}”`]
  })
  const left = lines.length - MOST_LINES
  const bare = undrivenGpus(read)
  return [
    ...(bare === 0 ? [] : [`a driver for ${withoutDriver(bare)}`]),
    ...lines.slice(0, MOST_LINES),
    ...(left > 0 ? [`and ${left} more, listed with the open points`] : []),
  ]
}

// The devices are there once these are loaded (msr(4), cpuid(4)); collecting never loads one.
const MODULES: ReadonlyMap<string, string> = new Map([
  ['cpu.msr', 'msr'],
  ['cpu.hypervisor-leaf', 'cpuid'],
  ['cpu.leaves', 'cpuid'],
])

function howTo(probe: Probe<unknown>, reason: string): string {
  const runs = Object.values(probe.commands).filter((command) => command.kind === 'run')
  const lines = runs.map((command) => `“${typed(command)}”`).join(', ')
  if (probe.live === true && reason.includes('not asked')) return `Collect with --live-tests: ${lines}.`
  if (/administrator rights|sudo does not allow/.test(reason))
    return `Allow the audit login these exact lines through sudo (“barewitness catalog sudoers” prints them): ${runs
      .filter(({ as }) => as === 'root')
      .map((command) => `“${typed(command)}”`)
      .join(', ')}.`
  if (reason.includes('tool absent'))
    return `The tool is not on the node. Where its owner has it there, collect again: ${lines}.`
  const module = MODULES.get(probe.id)
  if (module !== undefined && reason.includes('kernel module'))
    return `Have the node’s owner load the kernel module ${module} (“modprobe ${module}”; it stays until the next start), then collect again with administrator rights: ${lines}.`
  if (runs.length === 0) return 'Collect again over SSH.'
  return `Collect again${runs.some(({ as }) => as === 'root') ? ' with administrator rights' : ''}: ${lines}.`
}
