import type { Isolation } from '../../../../schemas/types.ts'
import type { Environment, Grade } from '../../../../schemas/words.ts'
import { quote } from '../../../core/base/plain-text.ts'
import type { Parsed, Probe } from '../../../core/recording/probe.ts'
import type { Read } from '../../../core/recording/readings.ts'
import type { DraftObservation } from '../../../core/rules/check.ts'
import { contradicts, supports, unclear } from '../../base/steps.ts'
import { dmiIdentity } from '../../hardware/machine/dmi.ts'
import { cpuFeatures } from '../../hardware/processors/features.ts'
import { cpuHypervisorLeaf } from '../../hardware/processors/leaves.ts'
import { virtBuses } from '../virtualization/index.ts'
import { containerAnswer } from './container.ts'
import { linesToCollect, weigh } from './levels.ts'
import { holdsWhole, isWellRead, minimumEvidence } from './minimum.ts'
import { hostFeatures, instruments } from './processors/cpu-hardware.ts'
import { livePassed, wereHeard } from './processors/live-tests.ts'
import { claimsServer, type Observed, observeAll, reads, type Sign, type Signal, signsOf } from './signal.ts'
import { isPartition } from './signals/boot.ts'
import { SIGNALS } from './signals.ts'

// A product is on a base; where both are named, the base comes first: "KVM (Firecracker)". First match wins in each list.
const PRODUCTS = [
  'Firecracker',
  'Amazon EC2',
  'Google Compute Engine',
  'Oracle Cloud',
  'OpenStack',
  'Nutanix AHV',
  'Cloud Hypervisor',
  'kvmtool',
]
const BASES = [
  'VMware',
  'VirtualBox',
  'Parallels',
  'bhyve',
  'OpenBSD vmm',
  'Apple Virtualization',
  'ACRN',
  'z/VM',
  'QEMU TCG',
  'KVM',
  'Xen',
  'QEMU',
  'Microsoft Hyper-V',
  'QNX',
  'Lockheed Martin LMHS',
  'Intel KGT',
]
const USUAL_BASE: Readonly<Record<string, string>> = {
  Firecracker: 'KVM',
  'Google Compute Engine': 'KVM',
  'Nutanix AHV': 'KVM',
  kvmtool: 'KVM',
}

/** The platform's name, from all signs that name one; null when none does. */
function platformName(signs: readonly Sign[]): string | null {
  const names = new Set(signs.flatMap(({ platform }) => (platform === null ? [] : [platform])))
  const product = PRODUCTS.find((name) => names.has(name))
  const base = BASES.find((name) => names.has(name)) ?? (product === undefined ? undefined : USUAL_BASE[product])
  if (product !== undefined) return base === undefined ? product : `${base} (${product})`
  return base ?? null
}

interface EnvironmentDecision {
  readonly environment: Environment
  readonly platform: string | null
  readonly concealed: boolean
  readonly grade: Grade
  readonly rule: Isolation['rule']
  readonly likelihood: Isolation['likelihood']
  readonly minimum: Isolation['minimum']
  readonly observed: readonly Observed[]
  readonly because: readonly DraftObservation[]
}

type Decision = Pick<EnvironmentDecision, 'environment' | 'platform' | 'rule'> & {
  readonly first: readonly DraftObservation[]
}

/**
 * What this system runs on. The rules are tried in order and the first that applies decides; each states its evidence. Weights decide
 * nothing. Hardware is argued last, from a minimum of evidence that must be there in full and undisputed; the default is "not decided", or,
 * where much was read and none of it reads as on a guest, "no sign of a hypervisor found; hardware not established".
 */
export function decideEnvironment(read: Read): EnvironmentDecision {
  const known = DECIDED.find(({ asked }) => asked.every(([probe, reading]) => read(probe) === reading))
  if (known !== undefined) return known.decision
  const asked = new Map<Probe, Parsed<unknown>>()
  const noted: Read = (probe) => {
    const reading = read(probe)
    asked.set(probe as Probe, reading)
    return reading
  }
  const decision = decidedFrom(noted)
  DECIDED.unshift({ asked: [...asked], decision })
  DECIDED.splice(MOST_REMEMBERED)
  return decision
}

/**
 * The latest decisions with every reading that they rest on: a check, the four-part argument and some claims ask for the same one, and so do
 * nodes whose answers are the same.
 */
const DECIDED: {
  readonly asked: readonly (readonly [Probe, Parsed<unknown>])[]
  readonly decision: EnvironmentDecision
}[] = []
const MOST_REMEMBERED = 16

function decidedFrom(read: Read): EnvironmentDecision {
  const observed = observeAll(SIGNALS, read)
  const minimum = minimumEvidence(read, observed)
  const likelihood = weigh(observed)
  const decided = decide(read, observed, minimum)
  const concealed = isConcealed(read, decided, observed)
  return {
    environment: decided.environment,
    platform: decided.platform,
    concealed,
    grade: gradeOf(decided.environment, read, observed),
    rule: decided.rule,
    likelihood,
    minimum,
    observed,
    because: [
      ...(concealed ? hides(read) : []),
      ...decided.first,
      ...stepsOf(observed),
      ...openItems(minimum, decided.environment),
    ],
  }
}

/** The first rule that applies, over what was observed and what of the minimum holds. Exported for its table test. */
export function decide(read: Read, observed: readonly Observed[], minimum: Isolation['minimum']): Decision {
  const platform = platformName(signsOf(observed).map(({ sign }) => sign))
  const host = hypervisorHost(read, observed)
  if (host !== null)
    return made('hypervisor-host', host.platform ?? platform, 'R2', 'It manages a hypervisor beneath it.', host.step)
  const named = signsOf(observed).find(({ sign }) => sign.weight === 'names')
  if (named !== undefined)
    return made(
      'virtual-machine',
      platform,
      'R1',
      `A hypervisor names itself, or shows what only it provides: ${titles([named.signal])}.`,
    )
  const container = containerAnswer(read)
  if (container.isContainer)
    return made('container', container.platform, 'R3', 'Our session runs in a container.', ...container.steps)
  const contradicted = contradiction(read, observed)
  if (contradicted !== null) return made('virtual-machine', platform, 'R4', contradicted)
  const unnamed = unnamedGuest(observed)
  if (unnamed !== null) return made('virtual-machine', platform, 'R5', unnamed, contradicts(unnamed, cpuFeatures))
  const partition = partitionStep(read)
  if (partition !== null)
    return made('logical-partition', null, 'R1', 'The firmware reports that this is a logical partition.', partition)
  if (holdsWhole(minimum))
    return made(
      'bare-metal',
      null,
      'R6',
      'The minimum evidence for hardware is there in full, and none of it is disputed.',
    )
  return noSignSeen(observed, minimum)
    ? made('undetermined', null, 'R8', notEstablished(read, observed, minimum))
    : made('undetermined', null, 'R7', whyUndecided(minimum), ...container.steps)
}

const made = (
  environment: Environment,
  platform: string | null,
  id: Isolation['rule']['id'],
  text: string,
  ...first: readonly DraftObservation[]
): Decision => ({ environment, platform, rule: { id, text }, first })

/** One impossibility always contradicts; two oddities of different families do where the processor lacks a host's features. */
function contradiction(read: Read, observed: readonly Observed[]): string | null {
  const signs = signsOf(observed)
  const impossible = signs.filter(({ sign }) => sign.weight === 'impossible')
  if (impossible.length > 0)
    return `The machine’s own data is impossible on the stated hardware: ${titles(impossible.map(({ signal }) => signal))}.`
  const odd = signs.filter(({ sign }) => sign.weight === 'odd')
  const families = new Set(odd.map(({ signal }) => signal.family))
  return families.size >= 2 && reads(observed, 'cpu.powerbits', 'virtual') && !hostFeatures(read).holds
    ? `The processor lacks a host’s features, and signs of ${families.size} families need an explanation: ${titles(odd.map(({ signal }) => signal))}.`
    : null
}

const MOST_NAMED = 5

/** Signals by title, each once; a long list is cut with a count. */
function titles(signals: readonly Signal[]): string {
  const all = [...new Set(signals.map(({ title }) => title))].map(
    (title) => title.charAt(0).toLowerCase() + title.slice(1),
  )
  const more = all.length - MOST_NAMED
  return `${all.slice(0, MOST_NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

/** No host features on a current processor, and an instrument around it missing as well. */
function unnamedGuest(observed: readonly Observed[]): string | null {
  const around = ['cpu.pmu', 'cpu.rapl', 'time.delta', 'pci.uncore']
  const missing = observed.filter(({ signal, found }) => around.includes(signal.id) && found.indicates === 'virtual')
  return reads(observed, 'cpu.powerbits', 'virtual') && missing.length > 0
    ? `The processor lacks the power-management features that hardware of its kind has, and hardware around it is missing as well: ${titles(missing.map(({ signal }) => signal))}.`
    : null
}

/** The parts of the minimum evidence that do not hold. */
const openParts = (minimum: Isolation['minimum']): readonly string[] =>
  minimum.filter(({ holds }) => holds === 'no').map(({ item }) => item)

const whyUndecided = (minimum: Isolation['minimum']): string =>
  `No rule decides. Of the minimum evidence for hardware these parts do not hold: ${openParts(minimum).join(', ')}.`

/** Signals that every login can read, on every kernel that a server runs. Only who looked there can state that no sign was found. */
const EVERY_LOGIN_READS: readonly string[] = [
  'cpu.hvbit',
  'cpu.powerbits',
  'cpu.pmu',
  'cpu.clock',
  'cpu.vulns',
  'dmi.strings',
  'acpi.set',
  'pci.hostbridge',
  'pci.vendors',
  'pci.uncore',
  'virt.bus',
  'hv.dirs',
  'time.steal',
  'ns.inode',
  'blk.path',
  'net.driver',
]

/** Nothing that was read reads as on a guest, of any weight, and all that every login can read was read, from the system itself. */
const noSignSeen = (observed: readonly Observed[], minimum: Isolation['minimum']): boolean =>
  observed.every(({ found }) => found.indicates !== 'virtual') &&
  EVERY_LOGIN_READS.every((id) => !reads(observed, id, 'unreadable')) &&
  minimum.some(({ item, holds }) => item === 'e' && holds === 'yes')

/** With the exact lines that are missing: those of the instruments first, since without them nothing is argued. */
function notEstablished(read: Read, observed: readonly Observed[], minimum: Isolation['minimum']): string {
  const lines = linesToCollect(read, observed)
  return [
    `No sign of a hypervisor was found in what was read, and hardware is not established: these parts of the minimum evidence do not hold: ${openParts(minimum).join(', ')}.`,
    ...(lines.length === 0 ? [] : [`What would settle it: ${lines.join('; ')}.`]),
  ].join(' ')
}

/** Virtual, while it shows itself as hardware: contradictions give away what the flag and the manufacturer in the firmware do not state. */
function isConcealed(read: Read, { environment, rule }: Decision, observed: readonly Observed[]): boolean {
  if (environment !== 'virtual-machine') return false
  if (rule.id === 'R4') return true
  const dmi = read(dmiIdentity)
  return (
    dmi.ok &&
    claimsServer(dmi.fact) &&
    reads(observed, 'cpu.hvbit', 'bare-metal') &&
    signsOf(observed).some(({ sign }) => sign.weight === 'impossible')
  )
}

/** What it calls itself, against what it is. */
function hides(read: Read): readonly DraftObservation[] {
  const dmi = read(dmiIdentity)
  if (!dmi.ok || !dmi.fact.present) return []
  const { sysVendor, productName } = dmi.fact
  return [
    contradicts(
      `The machine hides that it is virtual: it calls itself ${quote(`${sysVendor} ${productName}`)}, and the signs below contradict it.`,
      dmiIdentity,
    ),
  ]
}

/**
 * There is no grade for evidence rooted in hardware: nothing that is queried gives it. B: two live tests that fit, with every test timed by
 * our own clock; C: passive; D: below the minimum.
 */
function gradeOf(environment: Environment, read: Read, observed: readonly Observed[]): Grade {
  if (environment === 'undetermined') return 'D'
  const passed = livePassed(read).filter(({ holds }) => holds).length
  return environment === 'bare-metal' && passed >= 2 && wereHeard(read) && isWellRead(observed) ? 'B' : 'C'
}

/** Signs against first as they weigh, then what supports hardware, then what was not read. */
function stepsOf(observed: readonly Observed[]): readonly DraftObservation[] {
  const against = signsOf(observed).map(({ sign }) => sign.step)
  const steps = observed.flatMap(({ found }) => ('steps' in found ? found.steps : []))
  const unread = observed.flatMap(({ signal, found }) => (found.indicates === 'unreadable' ? [{ signal, found }] : []))
  const byProbe = new Map(unread.map(({ found }) => [found.probe.id, found]))
  return [
    ...against,
    ...steps,
    ...[...byProbe.values()].map(({ probe, reason }) => unclear(`${probe.title}: ${reason}.`, probe)),
  ]
}

/** What of the minimum holds or lacks, as steps; only where hardware is the question. */
const openItems = (minimum: Isolation['minimum'], environment: Environment): readonly DraftObservation[] =>
  environment !== 'bare-metal' && environment !== 'undetermined'
    ? []
    : minimum.flatMap(({ holds, title, text }) =>
        holds === 'yes'
          ? [supports(`${title}. ${text}`, null)]
          : holds === 'no'
            ? [unclear(`Missing for hardware: ${title.charAt(0).toLowerCase()}${title.slice(1)}. ${text}`, null)]
            : [],
      )

interface HostAnswer {
  readonly platform: string | null
  readonly step: DraftObservation
}

/** A hypervisor beneath us that lets us see and manage the hardware: Xen's control domain, Hyper-V's root partition, or one with every host feature. */
function hypervisorHost(read: Read, observed: readonly Observed[]): HostAnswer | null {
  const buses = read(virtBuses)
  if (buses.ok && buses.fact.isControlDomain)
    return {
      platform: 'Xen',
      step: contradicts(
        'This system is Xen’s control domain: it runs on the hypervisor and manages its guests.',
        virtBuses,
        'files',
      ),
    }
  const leaf = read(cpuHypervisorLeaf)
  if (leaf.ok && leaf.fact.mayCreatePartitions)
    return {
      platform: 'Microsoft Hyper-V',
      step: contradicts(
        'This system may create Hyper-V partitions: it is the root partition of the hypervisor.',
        cpuHypervisorLeaf,
        'reserved',
      ),
    }
  const cpu = read(cpuFeatures)
  // A guest that firmware, GPU driver or stolen time name as such is none that manages the hypervisor.
  const isNamedGuest = signsOf(observed).some(
    ({ signal, sign }) => sign.weight === 'names' && ['firmware', 'gpu', 'timing'].includes(signal.family),
  )
  if (!cpu.ok || !cpu.fact.hypervisorBit || isNamedGuest) return null
  const hasHardware = instruments(read).some(({ is }) => is === 'answers')
  return hostFeatures(read).holds && hasHardware
    ? {
        platform: null,
        step: contradicts(
          'The hypervisor flag is set, but the processor shows every host feature and a working instrument: this system manages the underlying hypervisor.',
          cpuFeatures,
        ),
      }
    : null
}

function partitionStep(read: Read): DraftObservation | null {
  return isPartition(read)
    ? contradicts(
        'The machine is divided by its firmware, and this system is one logical partition.',
        virtBuses,
        'files',
      )
    : null
}
