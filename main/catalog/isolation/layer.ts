import type { Grade, Layer } from '../../../schemas/words.ts'
import { type Step, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { acpiHeaders } from '../probes/acpi-headers.ts'
import { cpuFeatures } from '../probes/cpu-features.ts'
import { cpuHypervisorLeaf } from '../probes/cpu-hypervisor-leaf.ts'
import { energyZones, uncoreUnits } from '../probes/cpu-platform.ts'
import { dmiIdentity } from '../probes/dmi-identity.ts'
import { dmiTable } from '../probes/dmi-table.ts'
import { INITIAL_NAMESPACES, namespaces as namespacesProbe } from '../probes/namespaces.ts'
import { virtBuses } from '../probes/virt-buses.ts'
import { leavesUnclear, named, speaksAgainst } from '../steps.ts'
import { acpiSigns } from './acpi-signs.ts'
import { cpuSigns } from './cpu-signs.ts'
import { FEW_POWER_BITS, hasHostPowerBits, isSince2009 } from './cpu-tables.ts'
import { deviceSigns } from './device-signs.ts'
import { claimsServer, firmwareSigns } from './firmware-signs.ts'
import { metalCase } from './metal.ts'
import { platformName } from './platform-name.ts'
import type { LayerReadings } from './readings.ts'
import type { Sign } from './signs.ts'

export interface LayerAnswer {
  readonly layer: Layer
  readonly platform: string | null
  readonly grade: Grade
  readonly because: readonly Step[]
}

/**
 * What this system runs on. The rules are tried in order and the first that applies decides; each prints its evidence. Hardware is
 * argued last, from a minimum of evidence that must be there in full and undisputed. The default is "not decided".
 */
export function decideLayer(readings: LayerReadings): LayerAnswer {
  const signs = [...cpuSigns(readings), ...firmwareSigns(readings), ...acpiSigns(readings), ...deviceSigns(readings)]
  const against = signs.map(({ step }) => step)
  const metal = metalCase(readings)
  const platform = platformName(signs)
  const inside = insideContainer(readings)
  const asVm = (extra: readonly Step[]): LayerAnswer => ({
    layer: 'vm',
    platform,
    grade: 'C',
    because: [...extra, ...against, ...inside.steps, ...metal.seen],
  })

  const host = hypervisorHost(readings, signs)
  if (host !== null)
    return {
      layer: 'hypervisor-host',
      platform: host.platform ?? platform,
      grade: 'C',
      because: [host.step, ...against, ...metal.seen],
    }
  if (signs.some(({ weight }) => weight === 'names')) return asVm(concealment(readings, signs))
  if (inside.isContainer)
    return {
      layer: 'container',
      platform: null,
      grade: 'C',
      because: [...inside.steps, ...against, ...metal.missing, ...metal.seen],
    }
  if (isConcealed(readings, signs)) return asVm([...concealment(readings, signs), ...missingBits(readings)])
  const unnamed = unnamedGuest(readings)
  if (unnamed !== null) return asVm([unnamed])
  const partition = partitionStep(readings)
  if (partition !== null) return { layer: 'lpar', platform: null, grade: 'C', because: [partition, ...against] }
  const unexplained = signs.filter(({ weight }) => weight === 'odd')
  const isMetal = metal.missing.length === 0 && unexplained.length === 0
  return {
    layer: isMetal ? 'metal' : 'unknown',
    platform: null,
    grade: isMetal ? 'C' : 'D',
    because: [...against, ...inside.steps, ...metal.missing, ...metal.seen, ...notLookedAt(readings)],
  }
}

/** A hypervisor beneath us that lets us see and manage the hardware: Xen's control domain, Hyper-V's root partition, or one with every host feature. */
function hypervisorHost(
  { cpu, platform, buses, leaf }: LayerReadings,
  signs: readonly Sign[],
): { readonly platform: string | null; readonly step: Step } | null {
  if (buses.ok && buses.fact.isControlDomain)
    return {
      platform: 'Xen',
      step: speaksAgainst(
        'This system is Xen’s control domain: it runs on the hypervisor and manages its guests.',
        virtBuses,
        'files',
      ),
    }
  if (leaf.ok && leaf.fact.mayCreatePartitions)
    return {
      platform: 'Microsoft Hyper-V',
      step: speaksAgainst(
        'This system may create Hyper-V partitions: it is the root partition of the hypervisor.',
        cpuHypervisorLeaf,
        'reserved',
      ),
    }
  const isNamedGuest = signs.some(
    ({ family, weight }) => (family === 'firmware' || family === 'gpu' || family === 'timing') && weight === 'names',
  )
  if (!cpu.ok || !platform.ok || !cpu.fact.hypervisorBit || isNamedGuest) return null
  const hasHardware = energyZones(platform.fact).length > 0 || uncoreUnits(platform.fact).length > 0
  return hasHostPowerBits(cpu.fact) && hasHardware
    ? {
        platform: null,
        step: speaksAgainst(
          'The hypervisor flag is set, and yet the processor shows every host feature and working counters: this system manages the hypervisor beneath it.',
          cpuFeatures,
        ),
      }
    : null
}

/** Two oddities from different families count as contradiction only where the processor lacks a host's features; one impossibility always does. */
function isConcealed({ cpu }: LayerReadings, signs: readonly Sign[]): boolean {
  if (signs.some(({ weight }) => weight === 'impossible')) return true
  const families = new Set(signs.filter(({ weight }) => weight === 'odd').map(({ family }) => family))
  return (
    families.size >= 2 &&
    cpu.ok &&
    cpu.fact.powerBitsAsked.length > 0 &&
    isSince2009(cpu.fact) &&
    !hasHostPowerBits(cpu.fact)
  )
}

function concealment({ cpu, dmi }: LayerReadings, signs: readonly Sign[]): readonly Step[] {
  const hides = cpu.ok && cpu.fact.architecture === 'x86' && !cpu.fact.hypervisorBit
  const names = signs.some(({ weight, family }) => weight === 'names' && family === 'firmware')
  return hides && !names && dmi.ok && claimsServer(dmi.fact)
    ? [
        speaksAgainst(
          `The machine hides that it is virtual: it calls itself ${quote(`${dmi.fact.sysVendor} ${dmi.fact.productName}`)} and clears the hypervisor flag, while the signs below contradict it.`,
          dmiIdentity,
        ),
      ]
    : []
}

const missingBits = ({ cpu }: LayerReadings): readonly Step[] =>
  cpu.ok && cpu.fact.powerBitsAsked.length > 0 && cpu.fact.powerBits.length <= FEW_POWER_BITS && isSince2009(cpu.fact)
    ? [
        speaksAgainst(
          `The processor shows ${cpu.fact.powerBits.length} of the ${cpu.fact.powerBitsAsked.length} power-management features that hardware of its kind has.`,
          cpuFeatures,
        ),
      ]
    : []

/** No host features on a current processor, and none of the instruments around it either. */
function unnamedGuest(readings: LayerReadings): Step | null {
  const { platform } = readings
  const missing = missingBits(readings)[0]
  const noInstruments =
    platform.ok && uncoreUnits(platform.fact).length === 0 && energyZones(platform.fact).length === 0
  return missing !== undefined && noInstruments
    ? speaksAgainst(
        `${missing.text.slice(0, -1)}, and the kernel finds neither energy counters nor counting units outside the cores.`,
        cpuFeatures,
      )
    : null
}

function insideContainer({ namespaces }: LayerReadings): {
  readonly isContainer: boolean
  readonly steps: readonly Step[]
} {
  if (!namespaces.ok) return { isContainer: false, steps: [] }
  const { own, marks, containerGroups } = namespaces.fact
  const others = (['pid', 'user'] as const).filter(
    (kind) => own[kind] !== null && own[kind] !== INITIAL_NAMESPACES[kind],
  )
  const says = others.length > 0 ? speaksAgainst : leavesUnclear
  const files = marks.filter((path) => path !== '/proc/bc')
  return {
    isContainer: others.length > 0,
    steps: [
      ...(others.length > 0
        ? [
            speaksAgainst(
              `Our session runs in a container: its ${others.join(' and ')} namespace is not the system’s initial one.`,
              namespacesProbe,
              'own',
            ),
          ]
        : []),
      ...(files.length > 0
        ? [
            says(
              `Files of container managers are there: ${named(files)}.${others.length > 0 ? '' : ' The process namespace is the initial one, so they alone say little.'}`,
              namespacesProbe,
              'marks',
            ),
          ]
        : []),
      ...(containerGroups.length > 0 && others.length > 0
        ? [
            speaksAgainst(
              `The first process sits in a container manager’s control group: ${named(containerGroups, 2)}.`,
              namespacesProbe,
              'first',
            ),
          ]
        : []),
    ],
  }
}

const partitionStep = ({ buses }: LayerReadings): Step | null =>
  buses.ok && buses.fact.isPartition
    ? speaksAgainst(
        'The machine is divided by its firmware, and this system is one logical partition.',
        virtBuses,
        'files',
      )
    : null

/** Root-only parts that were not read: they could have spoken against, and a reader should know. */
const notLookedAt = ({ leaf, table, headers }: LayerReadings): readonly Step[] => [
  ...unclearAbout(cpuHypervisorLeaf, leaf),
  ...unclearAbout(dmiTable, table),
  ...unclearAbout(acpiHeaders, headers),
]
