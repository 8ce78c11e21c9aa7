import type { AdversaryLevel, Likelihood, OpenPoint } from '../../../../schemas/types.ts'
import { log } from '../../../core/base/elementary.ts'
import { argvOf, type Probe, type RunCommand } from '../../../core/recording/probe.ts'
import type { Read } from '../../../core/recording/readings.ts'
import { count } from '../../base/steps.ts'
import { undrivenGpus } from './processors/cpu-hardware.ts'
import { FAMILIES, type Observed, type SpoofingEffort } from './signal.ts'

/** How many machines of known truth read "virtual", out of those that could be read: honest guests, guests dressed up as hardware, hardware. */
interface Counts {
  readonly vm: readonly [hits: number, asked: number]
  readonly dressed: readonly [hits: number, asked: number]
  readonly metal: readonly [hits: number, asked: number]
}

/** Counted over labelled captures of real machines by `npm run corpus -- --counts`, in full; nothing here is set by hand. Signals that no such machine could be read for are left out. */
export const COUNTS: Readonly<Record<string, Counts>> = {
  'acpi.dsdt': { vm: [1, 1], dressed: [3, 3], metal: [0, 0] },
  'acpi.hid': { vm: [1, 1], dressed: [3, 3], metal: [0, 0] },
  'acpi.hvid': { vm: [1, 1], dressed: [0, 0], metal: [0, 0] },
  'acpi.oem': { vm: [2, 2], dressed: [3, 3], metal: [0, 0] },
  'acpi.profile': { vm: [1, 1], dressed: [3, 3], metal: [0, 0] },
  'acpi.set': { vm: [1, 1], dressed: [3, 3], metal: [0, 0] },
  'arm.devicetree': { vm: [2, 2], dressed: [0, 0], metal: [0, 0] },
  'blk.path': { vm: [1, 1], dressed: [3, 3], metal: [0, 21] },
  'bmc.dev': { vm: [0, 0], dressed: [2, 2], metal: [0, 0] },
  'boot.mem': { vm: [0, 0], dressed: [3, 3], metal: [0, 0] },
  'cpu.cache': { vm: [0, 1], dressed: [3, 3], metal: [0, 5] },
  'cpu.clock': { vm: [1, 2], dressed: [0, 3], metal: [0, 0] },
  'cpu.cores': { vm: [0, 0], dressed: [0, 0], metal: [0, 3] },
  'cpu.freq': { vm: [1, 1], dressed: [3, 3], metal: [0, 0] },
  'cpu.hvbit': { vm: [8, 11], dressed: [1, 3], metal: [0, 69] },
  'cpu.hvleaf': { vm: [10, 10], dressed: [3, 3], metal: [0, 0] },
  'cpu.maxleaf': { vm: [2, 3], dressed: [3, 3], metal: [0, 44] },
  'cpu.microcode': { vm: [3, 4], dressed: [3, 3], metal: [0, 9] },
  'cpu.msr': { vm: [0, 0], dressed: [3, 3], metal: [0, 0] },
  'cpu.numa': { vm: [0, 0], dressed: [1, 1], metal: [0, 3] },
  'cpu.physbits': { vm: [0, 3], dressed: [3, 3], metal: [0, 40] },
  'cpu.pmu': { vm: [1, 1], dressed: [3, 3], metal: [0, 0] },
  'cpu.powerbits': { vm: [4, 4], dressed: [3, 3], metal: [0, 54] },
  'cpu.ppin': { vm: [0, 0], dressed: [0, 0], metal: [0, 2] },
  'cpu.rapl': { vm: [1, 1], dressed: [3, 3], metal: [0, 0] },
  'cpu.resctrl': { vm: [2, 2], dressed: [1, 1], metal: [0, 25] },
  'cpu.siblings': { vm: [0, 0], dressed: [0, 0], metal: [0, 10] },
  'cpu.thermal': { vm: [1, 1], dressed: [3, 3], metal: [0, 0] },
  'cpu.tsc': { vm: [1, 1], dressed: [0, 0], metal: [0, 0] },
  'cpu.vulns': { vm: [1, 2], dressed: [3, 3], metal: [0, 0] },
  'dmi.cores': { vm: [2, 5], dressed: [0, 3], metal: [0, 0] },
  'dmi.dimm': { vm: [18, 18], dressed: [1, 3], metal: [2, 101] },
  'dmi.memsum': { vm: [0, 1], dressed: [1, 3], metal: [0, 0] },
  'dmi.rich': { vm: [15, 15], dressed: [3, 3], metal: [0, 105] },
  'dmi.strings': { vm: [24, 24], dressed: [1, 3], metal: [0, 140] },
  'dmi.vmbit': { vm: [4, 18], dressed: [1, 3], metal: [2, 108] },
  'efi.legacy': { vm: [0, 0], dressed: [2, 2], metal: [0, 0] },
  'fw.qemu': { vm: [0, 4], dressed: [0, 3], metal: [0, 0] },
  'gpu.hostlink': { vm: [0, 0], dressed: [0, 0], metal: [0, 2] },
  'gpu.identity': { vm: [2, 2], dressed: [0, 0], metal: [0, 0] },
  'gpu.mode': { vm: [2, 2], dressed: [0, 0], metal: [0, 0] },
  'gpu.nvswitch': { vm: [0, 0], dressed: [0, 0], metal: [0, 1] },
  'hv.dirs': { vm: [5, 6], dressed: [0, 3], metal: [0, 0] },
  'hv.dmesg': { vm: [1, 2], dressed: [0, 3], metal: [0, 0] },
  'net.driver': { vm: [2, 2], dressed: [3, 3], metal: [0, 10] },
  'net.mac': { vm: [0, 1], dressed: [3, 3], metal: [0, 11] },
  'ns.caps': { vm: [0, 9], dressed: [0, 0], metal: [0, 0] },
  'ns.vz': { vm: [0, 9], dressed: [0, 0], metal: [0, 0] },
  'pci.count': { vm: [3, 3], dressed: [3, 3], metal: [0, 1] },
  'pci.domain': { vm: [0, 2], dressed: [0, 3], metal: [0, 0] },
  'pci.edac': { vm: [0, 0], dressed: [3, 3], metal: [0, 0] },
  'pci.hostbridge': { vm: [2, 2], dressed: [3, 3], metal: [0, 0] },
  'pci.subsystem': { vm: [2, 3], dressed: [3, 3], metal: [0, 24] },
  'pci.switch': { vm: [0, 0], dressed: [0, 0], metal: [0, 1] },
  'pci.uncore': { vm: [2, 2], dressed: [3, 3], metal: [0, 1] },
  'pci.usb': { vm: [0, 0], dressed: [0, 0], metal: [0, 3] },
  'pci.vendors': { vm: [3, 3], dressed: [3, 3], metal: [0, 24] },
  'time.cpuid': { vm: [0, 0], dressed: [1, 1], metal: [0, 0] },
  'time.delta': { vm: [0, 0], dressed: [1, 1], metal: [0, 0] },
  'time.steal': { vm: [1, 2], dressed: [0, 3], metal: [0, 0] },
  'virt.bus': { vm: [0, 1], dressed: [3, 3], metal: [0, 0] },
}

/** No single signal counts for more than this, however many machines were counted. */
const MOST_OF_A_SIGNAL = 5
/** No family of signals counts for more than this: its signals can share one cause. */
const MOST_OF_A_FAMILY = 6
/**
 * Of signals within a family that can be faked in the same way, the strongest counts in full and the others by this
 * factor.
 */
const PART_OF_THE_REST = 0.25

/**
 * What remains of a reading that supports hardware if the provider may have faked it. A reading that supports a guest
 * counts in full.
 */
const KEPT: Readonly<Record<SpoofingEffort, number>> = { S0: 0, S1: 0.25, S2: 0.7, S3: 1 }

/**
 * Natural-log weight of evidence of one reading, above zero toward virtual: ln of how often honest guests read like this, over how
 * often hardware does, with half a machine added to each (Good, 1950; Jeffreys' prior). Null where fewer than three of either were counted.
 */
export function weightOf(counts: Counts | undefined, isVirtual: boolean): number | null {
  if (counts === undefined || counts.vm[1] < 3 || counts.metal[1] < 3) return null
  const share = ([hits, asked]: readonly [number, number]): number =>
    ((isVirtual ? hits : asked - hits) + 0.5) / (asked + 1)
  const weight = log(share(counts.vm)) - log(share(counts.metal))
  // A reading never contradicts its own direction: where counts are few they may state this by chance.
  const directed = isVirtual ? Math.max(0, weight) : Math.min(0, weight)
  return rounded(Math.max(-MOST_OF_A_SIGNAL, Math.min(MOST_OF_A_SIGNAL, directed)))
}

/** The weight of one signal's reading on this node; null where it does not count. */
export const weightHere = ({ signal, found }: Observed): number | null =>
  found.indicates === 'virtual' || found.indicates === 'bare-metal'
    ? weightOf(COUNTS[signal.id], found.indicates === 'virtual')
    : null

/**
 * Both likelihoods of a node. asObserved counts every reading as it is. withoutCheapSignals assumes a provider who
 * sets at will whatever takes little effort: of a reading that supports hardware, only the part that is costly to
 * fake remains. Neither decides alone.
 */
export function weigh(observed: readonly Observed[]): Likelihood {
  const families = FAMILIES.flatMap((family) => {
    const own = observed.filter(({ signal }) => signal.family === family)
    const asObserved = familyWeight(own.flatMap((one) => weightHere(one) ?? []))
    const withoutCheapSignals = familyWeight(own.flatMap((one) => withoutCheapHere(one) ?? []))
    return own.some((one) => weightHere(one) !== null) ? [{ family, asObserved, withoutCheapSignals }] : []
  })
  const sum = (pick: (of: { asObserved: number; withoutCheapSignals: number }) => number): number =>
    rounded(families.reduce((total, of) => total + pick(of), 0))
  return {
    asObserved: sum((one) => one.asObserved),
    withoutCheapSignals: sum((one) => one.withoutCheapSignals),
    families,
  }
}

function withoutCheapHere(one: Observed): number | null {
  const weight = weightHere(one)
  return weight === null || weight >= 0 ? weight : weight * KEPT[one.signal.spoofingEffort]
}

function familyWeight(weights: readonly number[]): number {
  const side = (own: readonly number[]): number => {
    const [first = 0, ...rest] = [...own].sort((a, b) => Math.abs(b) - Math.abs(a))
    return first + PART_OF_THE_REST * rest.reduce((total, weight) => total + weight, 0)
  }
  const total = side(weights.filter((weight) => weight > 0)) + side(weights.filter((weight) => weight < 0))
  return rounded(Math.max(-MOST_OF_A_FAMILY, Math.min(MOST_OF_A_FAMILY, total)))
}

// -0 has no representation in canonical JSON.
const rounded = (value: number): number => Math.round(value * 100) / 100 + 0

interface Level {
  readonly level: AdversaryLevel['level']
  readonly adversary: string
  /** The dearest kind of imitation that this provider is able to make. */
  readonly can: SpoofingEffort | null
  readonly wouldNeedToFalsify: readonly string[]
  /** Printed unchanged; null for a reading of the node whose falsification is beyond this provider. */
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

/**
 * What an adversary of each level would need to fake, which indicators would remain, and which of those indicated
 * hardware on this node.
 */
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

// The devices exist once these modules are loaded (msr(4), cpuid(4)); a collection never loads one.
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
