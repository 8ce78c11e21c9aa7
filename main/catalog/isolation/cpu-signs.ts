import { quote } from '../../core/plain-text.ts'
import { cpuFeatures } from '../probes/cpu-features.ts'
import { cpuHypervisorLeaf } from '../probes/cpu-hypervisor-leaf.ts'
import { cpuPlatform } from '../probes/cpu-platform.ts'
import { steal as stealProbe } from '../probes/steal.ts'
import { count, speaksAgainst } from '../steps.ts'
import { DEFAULT_MICROCODE, HYPERVISOR_SIGNATURES, lowestCpuidLevel } from './cpu-tables.ts'
import type { LayerReadings } from './readings.ts'
import { type Sign, sign } from './signs.ts'

/** Signs of virtualization in the processor and its timing. */
export function cpuSigns(readings: LayerReadings): readonly Sign[] {
  return [...featureSigns(readings), ...leafSigns(readings), ...platformSigns(readings), ...stealSigns(readings)]
}

function featureSigns({ cpu }: LayerReadings): readonly Sign[] {
  if (!cpu.ok || cpu.fact.architecture !== 'x86') return []
  const { hypervisorBit, microcode, cpuidLevel, logicalCpus } = cpu.fact
  const lowest = lowestCpuidLevel(cpu.fact)
  return [
    ...(hypervisorBit
      ? [
          sign(
            'cpu',
            'names',
            null,
            speaksAgainst(
              `The processor says that it runs under a hypervisor (flag “hypervisor” on ${count(logicalCpus, 'logical CPU')}).`,
              cpuFeatures,
            ),
          ),
        ]
      : []),
    ...(microcode !== null && DEFAULT_MICROCODE.has(microcode)
      ? [
          sign(
            'cpu',
            'odd',
            null,
            speaksAgainst(
              `The microcode revision is ${microcode}, the value hypervisors show when nobody sets one.`,
              cpuFeatures,
            ),
          ),
        ]
      : []),
    ...(lowest !== null && cpuidLevel !== null && cpuidLevel < lowest.level
      ? [
          sign(
            'cpu',
            'impossible',
            null,
            speaksAgainst(
              `By family and model the processor is of the line ${lowest.part}, whose identification goes up to leaf ${lowest.level}; here it ends at ${cpuidLevel}.`,
              cpuFeatures,
            ),
          ),
        ]
      : []),
  ]
}

function leafSigns({ leaf }: LayerReadings): readonly Sign[] {
  if (!leaf.ok) return []
  const { signatures, vendor, baseIsZero, laterIsNot } = leaf.fact
  const named = signatures.flatMap((signature) => {
    const platform = HYPERVISOR_SIGNATURES.get(signature)
    return platform === undefined
      ? []
      : [
          sign(
            'cpu',
            'names',
            platform,
            speaksAgainst(
              `The processor’s identification carries the signature ${quote(signature)} of ${platform}.`,
              cpuHypervisorLeaf,
              'reserved',
            ),
          ),
        ]
  })
  const contradicts = vendor === 'GenuineIntel' && baseIsZero && laterIsNot
  return contradicts
    ? [
        ...named,
        sign(
          'cpu',
          'impossible',
          null,
          speaksAgainst(
            'Leaf 0x40000000 of the processor’s identification is zero while leaf 0x40000010 is not. Intel silicon answers both alike; an emulator that hides its signature does this.',
            cpuHypervisorLeaf,
            'reserved',
          ),
        ),
      ]
    : named
}

const CLOCKS: readonly (readonly [RegExp, string])[] = [
  [/^kvm-clock$/, 'KVM'],
  [/^hyperv_clocksource/, 'Microsoft Hyper-V'],
  [/^xen$/, 'Xen'],
]

function platformSigns({ platform }: LayerReadings): readonly Sign[] {
  if (!platform.ok) return []
  const { clocksources, vulnerabilities, cpuidleDriver } = platform.fact
  const clocks = clocksources.flatMap((clock) => {
    const named = CLOCKS.find(([pattern]) => pattern.test(clock))?.[1]
    return named === undefined
      ? []
      : [
          sign(
            'cpu',
            'names',
            named,
            speaksAgainst(
              `The kernel offers ${quote(clock)}, a clock that ${named} provides to its guests.`,
              cpuPlatform,
              'values',
            ),
          ),
        ]
  })
  const said = [...vulnerabilities.values()]
  const toldUnknown = said.some((text) => /host state unknown|hypervisor status|XEN PV detected/i.test(text))
  const noMicrocode = said.filter((text) => /no microcode/i.test(text)).length
  return [
    ...clocks,
    ...(toldUnknown
      ? [
          sign(
            'cpu',
            'odd',
            null,
            speaksAgainst(
              'The kernel says that some processor weaknesses depend on the state of a host above it.',
              cpuPlatform,
              'values',
            ),
          ),
        ]
      : []),
    ...(noMicrocode > 0
      ? [
          sign(
            'cpu',
            'hint',
            null,
            speaksAgainst(
              `The kernel reports missing microcode for ${count(noMicrocode, 'processor weakness', 'processor weaknesses')}; guests with a hidden hypervisor look like this, and so do old systems.`,
              cpuPlatform,
              'values',
            ),
          ),
        ]
      : []),
    ...(cpuidleDriver === 'haltpoll'
      ? [
          sign(
            'cpu',
            'hint',
            null,
            speaksAgainst('The idle driver is haltpoll, which is made for guests.', cpuPlatform, 'values'),
          ),
        ]
      : []),
  ]
}

function stealSigns({ steal }: LayerReadings): readonly Sign[] {
  return steal.ok && steal.fact.steal > 0
    ? [
        sign(
          'timing',
          'names',
          null,
          speaksAgainst(
            `A hypervisor ran something else for ${count(steal.fact.steal, 'clock tick')} since boot (“steal” is above zero).`,
            stealProbe,
          ),
        ),
      ]
    : []
}
