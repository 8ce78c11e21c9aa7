import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { gpuNvidia, type NvidiaGpu } from '../probes/gpu-nvidia.ts'
import { type PciDevice, pciDevices } from '../probes/pci-devices.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { gpusOnBus, NVIDIA, withoutGpu } from './gpu-bus.ts'
import { wholeBetween } from './values.ts'

/** GT/s of each generation (PCI Express 6.0, 1.2), in the order of their numbers. */
const SPEEDS: readonly number[] = [2.5, 5, 8, 16, 32, 64]
const MOST_LANES = 32

const LIMITS =
  'What the GPU, the port above it and its driver give as the most their link can have; a link at rest can have less. Ports further up, which several devices can share, are not looked at, and nothing was sent.'

/** What is known of one link, in lanes or in generations. */
interface Link {
  /** The most of the GPU itself, of the port above it, and of both by the driver; null where that is not stated. */
  readonly own: number | null
  readonly above: number | null
  readonly both: number | null
  /** At this moment. nvidia-smi(1): it may be reduced while the GPU is not in use. */
  readonly now: number | null
}
type Standing = 'enough' | 'less' | 'open'

/**
 * A link that runs at what was claimed has it, whatever its ends state. One whose ends or driver name less cannot have it. Lanes are
 * counted as they are now; speed drops at rest, so that there both ends decide.
 */
function standingOf({ own, above, both, now }: Link, promised: number, dropsAtRest: boolean): Standing {
  if (now !== null && now >= promised) return 'enough'
  if ([own, above, both].some((most) => most !== null && most < promised)) return 'less'
  if (now !== null && !dropsAtRest) return 'open'
  return both !== null || (own !== null && above !== null) ? 'enough' : 'open'
}

function linkTest(
  id: string,
  unit: string,
  most: number,
  dropsAtRest: boolean,
  words: (promised: number) => string,
  read: (gpu: PciDevice, port: PciDevice | undefined, driven: NvidiaGpu | undefined) => Link,
): ClaimTest {
  return {
    id,
    title: `The PCI Express link of every GPU has the claimed ${unit}.`,
    takes: { kind: 'number', unit },
    limitations: LIMITS,
    of(value) {
      const promised = wholeBetween(value, 1, most)
      if (promised === null) return null
      return defineCheck({
        id,
        property: 'operations',
        expected: `The PCI Express link of every GPU has ${words(promised)} or more.`,
        limitations: LIMITS,
        requires: { pci: pciDevices },
        optional: { driver: gpuNvidia },
        evaluate({ pci }, { driver }) {
          const none = withoutGpu(pci)
          if (none !== null) return decide([none])
          const byAddress = new Map(pci.devices.map((device) => [device.address, device]))
          const driven = new Map((driver.ok ? driver.fact.gpus : []).map((gpu) => [gpu.address, gpu]))
          const links = gpusOnBus(pci).map((gpu) => {
            const port = byAddress.get(gpu.above.at(-1) ?? '')
            const own = driven.get(gpu.address)
            // Without the driver of NVIDIA's GPUs neither the ends alone decide: what runs now can be more or less.
            const is: Standing =
              own === undefined && gpu.vendor === NVIDIA
                ? 'open'
                : standingOf(read(gpu, port, own), promised, dropsAtRest)
            return { gpu: gpu.address, is }
          })
          const say = (is: Standing, step: typeof supports, text: string): readonly DraftObservation[] => {
            const those = links.filter((one) => one.is === is)
            return those.length === 0
              ? []
              : [
                  step(
                    `${text} (${those.length} of ${count(links.length, 'GPU')}): ${named(those.map(({ gpu }) => gpu))}.`,
                    pciDevices,
                  ),
                ]
          }
          return decide([
            ...say('less', contradicts, `Links that cannot have ${words(promised)}`),
            ...say('open', unclear, `Links of which it is not known whether they can have ${words(promised)}`),
            ...say('enough', supports, `Links that have ${words(promised)} or more`),
            ...(gpusOnBus(pci, NVIDIA).length > 0 ? unclearAbout(gpuNvidia, driver) : []),
          ])
        },
      })
    },
  }
}

export const gpuPcieWidth: ClaimTest = linkTest(
  'gpu.pcie-width',
  'lanes',
  MOST_LANES,
  false,
  (promised) => count(promised, 'lane'),
  (gpu, port, driven) => ({
    own: gpu.maxLinkWidth,
    above: port?.maxLinkWidth ?? null,
    both: driven?.link.maxWidth ?? null,
    now: driven?.link.currentWidth ?? null,
  }),
)

export const gpuPcieGeneration: ClaimTest = linkTest(
  'gpu.pcie-generation',
  'generation',
  SPEEDS.length,
  true,
  (promised) => `generation ${promised}`,
  (gpu, port, driven) => ({
    own: generationOf(gpu.maxLinkSpeed) ?? driven?.link.deviceGeneration ?? null,
    above: generationOf(port?.maxLinkSpeed ?? null) ?? hostGeneration(driven),
    both: null,
    now: driven?.link.currentGeneration ?? null,
  }),
)

function generationOf(speed: number | null): number | null {
  const at = speed === null ? -1 : SPEEDS.indexOf(speed)
  return at < 0 ? null : at + 1
}

function hostGeneration(driven: NvidiaGpu | undefined): number | null {
  const digits = /^[1-9]$/.exec(driven?.maxHostLink ?? '')?.[0]
  return digits === undefined ? null : Number(digits)
}
