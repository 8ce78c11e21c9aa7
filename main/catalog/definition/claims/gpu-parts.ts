import { defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import type { ClaimTest } from '../../../core/rules/claim.ts'
import { contradicts, count, decide, type Step, stepOn, supports, unclear } from '../../base/steps.ts'
import { isGpuFunction, isVirtualGpuName } from '../../hardware/gpu/models.ts'
import { gpuNvidia, type NvidiaGpu } from '../../hardware/gpu/nvidia.ts'
import { type PciDevice, pciDevices } from '../../hardware/pci/probes.ts'
import { gpusOnBus, NVIDIA, undriven, withoutGpu } from './gpu.ts'
import { countUpTo, plainClaimTest } from './values.ts'

/** GT/s of each generation (PCI Express 6.0, 1.2), in the order of their numbers. */
const SPEEDS: readonly number[] = [2.5, 5, 8, 16, 32, 64]
const MOST_LANES = 32

const LIMITS =
  'What the GPU, the port above it and its driver give as the most their link can have; a link at rest can have less. Ports further up, which several devices can share, are not looked at, and nothing was sent.'

/** What is known about one link, in lanes or in generations. */
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
 * A link that runs at the claimed rate has it, whatever its ends state. One whose ends or driver state less cannot
 * have it. Lanes count as they are now; speed drops at rest, so that both ends decide there.
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
      const promised = countUpTo(value, most)
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
          const stepFor = (is: Standing, step: Step, text: string) => {
            const those = links.filter((one) => one.is === is).map(({ gpu }) => gpu)
            return stepOn(step, `${text} (${those.length} of ${count(links.length, 'GPU')})`, those, pciDevices)
          }
          return decide([
            ...stepFor('less', contradicts, `Links that cannot have ${words(promised)}`),
            ...stepFor('open', unclear, `Links of which it is not known whether they can have ${words(promised)}`),
            ...stepFor('enough', supports, `Links that have ${words(promised)} or more`),
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

const GPU_PRESENT_LIMITS = 'Devices on the PCI bus by their ids. A virtual GPU and one without a driver count as well.'

/**
 * For claims about GPUs, which do not apply to a server without one. A part of a GPU counts as a GPU here, so that it
 * cannot make such a claim inapplicable.
 */
export const gpuPresent = plainClaimTest({
  id: 'gpu.present',
  title: 'A GPU is on the PCI bus.',
  limitations: GPU_PRESENT_LIMITS,
  property: 'operations',
  expected: 'At least one GPU or accelerator is on the PCI bus.',
  requires: { pci: pciDevices },
  evaluate: ({ pci }) =>
    decide([withoutGpu(pci) ?? supports(`${count(gpusOnBus(pci).length, 'GPU')} on the PCI bus.`, pciDevices)]),
})

const GPU_WHOLE_LIMITS =
  'Whether each GPU is a whole one of this system, at one moment. Its present users are covered by the check of GPU processes; earlier users are not shown. A GPU that a hypervisor passes through whole looks the same.'

/**
 * The part of tenancy.gpu-exclusive that no roster and no setting of the tenant decides: a GPU that is a part of another one was divided by
 * the party that owns the machine.
 */
export const gpuWhole = plainClaimTest({
  id: 'gpu.whole',
  title: 'Every GPU on the bus is a whole one.',
  limitations: GPU_WHOLE_LIMITS,
  property: 'isolation',
  expected: 'Every GPU on the bus is a whole one: none is virtual, and none is a function of another.',
  requires: { pci: pciDevices },
  optional: { driver: gpuNvidia },
  evaluate({ pci }, { driver }) {
    const none = withoutGpu(pci)
    if (none !== null) return decide([none])
    const gpus = gpusOnBus(pci)
    const functions = gpus.filter(isGpuFunction)
    const driven = driver.ok ? driver.fact.gpus : []
    const virtual = driven.filter(
      ({ name, virtualization }) => isVirtualGpuName(name) || /^VGPU$/i.test(virtualization),
    )
    // Ids of NVIDIA's and Intel's virtual functions are those of the whole GPU; only the driver distinguishes them.
    const whole = driven.filter((gpu) => !virtual.includes(gpu) && ATTACHED.test(gpu.virtualization) && isInView(gpu))
    const undecided = driven.length - virtual.length - whole.length
    const others = gpus.filter(({ vendor }) => vendor !== NVIDIA).length - functions.length
    const stepFor = (some: readonly (PciDevice | NvidiaGpu)[], step: Step, text: string) =>
      stepOn(
        step,
        `${text} (${some.length} of ${count(gpus.length, 'GPU')})`,
        some.map(({ address }) => address),
        some === functions ? pciDevices : gpuNvidia,
      )
    return decide([
      ...stepFor(functions, contradicts, 'Functions of a GPU that its owner shares out'),
      ...stepFor(virtual, contradicts, 'Virtual GPUs'),
      ...stepFor(whole, supports, 'Whole GPUs, by the driver'),
      ...(undecided > 0
        ? [
            unclear(
              `The driver does not show whether ${count(undecided, 'GPU')} is whole: how it is attached or its memory is not given.`,
              gpuNvidia,
            ),
          ]
        : []),
      ...(others > 0
        ? [
            unclear(
              `Whether ${count(others, 'GPU')} of another manufacturer is whole is not evaluated here.`,
              pciDevices,
            ),
          ]
        : []),
      ...(gpus.some(({ vendor }) => vendor === NVIDIA) ? unclearAbout(gpuNvidia, driver) : []),
      ...(driver.ok ? undriven(pci, driven) : []),
    ])
  },
})

/** nvidia-smi(1), virtualization mode: a host that lends parts of a GPU has the whole of it. */
const ATTACHED = /^(None|Pass-Through|Host VGPU|Host VSGA)$/i

/** Of a divided GPU (MIG) whose memory the driver withholds, only slices are visible. */
const isInView = ({ migMode, memory }: NvidiaGpu): boolean => !/^Enabled$/i.test(migMode) || memory.totalMib !== null
