import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { gpuNvidia, type NvidiaGpu } from '../probes/gpu-nvidia.ts'
import { type GpuLinks, gpuNvlink } from '../probes/gpu-nvlink.ts'
import { pciDevices } from '../probes/pci-devices.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { NVIDIA, undriven, withoutGpu } from './gpu-bus.ts'
import { numberBetween } from './values.ts'

/**
 * Nominal GB/s of one link in one direction, and the least line rate that the driver prints for it: 19.531 for 20, 25.781 or 26.562 for
 * 25, 53.125 for 50. NVIDIA's architecture papers of P100, V100, A100, H100 and Blackwell count both directions of all links of a GPU
 * together: 160, 300, 600, 900 and 1,800 GB/s.
 */
const NOMINAL: readonly (readonly [printed: number, nominal: number])[] = [
  [50, 50],
  [25, 25],
  [19.5, 20],
]
const nominalOf = (printed: number): number => NOMINAL.find(([least]) => printed >= least)?.[1] ?? printed

/** More than any GPU has. */
const MOST = 100_000

const LIMITS =
  'Links that are up, times their nominal rate, both directions together, at one moment. Nothing was sent over them, and what they carry under load is not shown.'

export const gpuNvlinkBandwidth: ClaimTest = {
  id: 'gpu.nvlink-bandwidth',
  title: 'The NVLinks of every GPU together reach the claimed nominal rate.',
  takes: { kind: 'number', unit: 'GB/s for each GPU, both directions' },
  limitations: LIMITS,
  of(value) {
    const promised = numberBetween(value, 1, MOST)
    if (promised === null) return null
    return defineCheck({
      id: 'gpu.nvlink-bandwidth',
      property: 'operations',
      expected: `The NVLinks of every GPU that are up have ${promised} GB/s or more together, by their nominal rate in both directions.`,
      limitations: LIMITS,
      requires: { pci: pciDevices },
      optional: { driver: gpuNvidia, links: gpuNvlink },
      evaluate({ pci }, { driver, links }) {
        const none = withoutGpu(pci, NVIDIA)
        if (none !== null) return decide([none])
        if (!driver.ok || !links.ok)
          return decide([...unclearAbout(gpuNvidia, driver), ...unclearAbout(gpuNvlink, links)])
        const { gpus } = driver.fact
        const byKey = new Map(links.fact.gpus.map((one) => [one.uuid ?? String(one.index), one]))
        const rated = gpus.map((gpu, index) =>
          rateOf(gpu, index, byKey.get(gpu.uuid) ?? byKey.get(String(index)), promised),
        )
        return decide([
          ...say(rated, 'less', contradicts, `NVLinks with less than ${promised} GB/s together`),
          ...say(
            rated,
            'divided',
            unclear,
            'Fewer links up on GPUs divided into slices (MIG), which the tenant decides',
          ),
          ...say(rated, 'mixed', unclear, 'Links of several rates, of which the sum is not known'),
          ...say(rated, 'unlisted', unclear, 'The driver lists no link'),
          ...say(rated, 'enough', supports, `NVLinks with ${promised} GB/s or more together`),
          ...(gpus.length === 0 ? [unclear('The driver reports no GPU.', gpuNvidia)] : []),
          ...undriven(pci, gpus),
        ])
      },
    })
  },
}

interface Rated {
  readonly name: string
  readonly is: 'enough' | 'less' | 'divided' | 'mixed' | 'unlisted'
}

function rateOf({ name, migMode }: NvidiaGpu, index: number, own: GpuLinks | undefined, promised: number): Rated {
  const called = `${index}: ${name}`
  if (own === undefined || own.active + own.inactive === 0) return { name: called, is: 'unlisted' }
  const [slowest, fastest] = own.speeds ?? [0, 0]
  const shown = `${called}, ${own.active} links, ${2 * own.active * nominalOf(slowest)} GB/s`
  if (2 * own.active * nominalOf(slowest) >= promised) return { name: shown, is: 'enough' }
  if (own.inactive > 0 && /^Enabled$/i.test(migMode)) return { name: shown, is: 'divided' }
  // Of links with several rates only the slowest and the fastest are known.
  return { name: shown, is: 2 * own.active * nominalOf(fastest) >= promised ? 'mixed' : 'less' }
}

function say(
  rated: readonly Rated[],
  is: Rated['is'],
  step: typeof supports,
  text: string,
): readonly DraftObservation[] {
  const those = rated.filter((one) => one.is === is)
  return those.length === 0
    ? []
    : [
        step(
          `${text} (${those.length} of ${count(rated.length, 'GPU')}): ${named(those.map(({ name }) => name))}.`,
          gpuNvlink,
        ),
      ]
}
