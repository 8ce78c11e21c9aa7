import { type Conclusion, defineCheck, unclearAbout } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { gpuNvidia, type NvidiaGpu, type NvidiaGpus } from '../probes/gpu-nvidia.ts'
import { type GpuLinks, gpuNvlink, type NvLinks } from '../probes/gpu-nvlink.ts'
import { pciDevices } from '../probes/pci-devices.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { NVIDIA, undriven, withoutGpu } from './gpu-bus.ts'
import { wholeBetween } from './values.ts'

/**
 * GB/s of one link in one direction, by generation. NVIDIA’s architecture papers give both directions of all links of a GPU together: P100
 * (2016) four links, 160 GB/s; V100 (2017) six, 300; A100 (2020) twelve, 600; H100 (2022) eighteen, 900; Blackwell (2024) eighteen, 1,800.
 * The driver prints the line rate, which differs slightly: 19.531, 25.781, 25, 26.562 and 53.125.
 */
const RATES: readonly number[] = [19.5, 25, 25, 25, 50]

/** Which generation a GPU has, by words of its name. The rate alone does not distinguish the second from the fourth. */
const GENERATIONS: readonly (readonly [RegExp, number])[] = [
  [/\bP100\b/, 1],
  [/\bV100S?\b/, 2],
  [/\b(A100X?|A800|A30|A40|A6000|A5000)\b/, 3],
  [/\b(H100|H200|H800|H20|GH200)\b/, 4],
  [/\b(B100|B200|B300|GB200|GB300)\b/, 5],
]

const LIMITS =
  'The nominal rate and the state of the links as the driver prints them at one moment. Nothing was sent over them, and what they carry under load is not shown.'

export const gpuNvlinkLinks: ClaimTest = {
  id: 'gpu.nvlink-links',
  title: 'Every NVLink of every GPU is up, at the claimed generation’s nominal rate or better.',
  takes: { kind: 'number', unit: 'NVLink generation, 1 to 5' },
  limitations: LIMITS,
  of(value) {
    const generation = wholeBetween(value, 1, RATES.length)
    const rate = RATES[(generation ?? 0) - 1]
    if (generation === null || rate === undefined) return null
    return defineCheck({
      id: 'gpu.nvlink-links',
      property: 'operations',
      expected: `Every NVLink of every GPU is up, of generation ${generation} or later, at its nominal rate or better.`,
      limitations: LIMITS,
      requires: { pci: pciDevices },
      optional: { driver: gpuNvidia, links: gpuNvlink },
      evaluate({ pci }, { driver, links }): Conclusion {
        const none = withoutGpu(pci, NVIDIA)
        if (none !== null) return decide([none])
        if (!driver.ok || !links.ok)
          return decide([...unclearAbout(gpuNvidia, driver), ...unclearAbout(gpuNvlink, links)])
        return decide([...linkSteps(driver.fact, links.fact, { generation, rate }), ...undriven(pci, driver.fact.gpus)])
      },
    })
  },
}

interface Promised {
  readonly generation: number
  readonly rate: number
}
type Standing = 'up' | 'down' | 'slow' | 'earlier' | 'divided' | 'unnamed' | 'unlisted'

function linkSteps({ gpus }: NvidiaGpus, links: NvLinks, promised: Promised) {
  const byKey = new Map(links.gpus.map((one) => [one.uuid ?? String(one.index), one]))
  const standing = gpus.map((gpu, index) => {
    const own = byKey.get(gpu.uuid) ?? byKey.get(String(index))
    return { name: `${index}: ${gpu.name}`, is: standingOf(gpu, own, promised), links: own }
  })
  const having = (is: Standing): readonly string[] => standing.filter((one) => one.is === is).map(({ name }) => name)
  const up = standing.filter(({ is }) => is === 'up')
  const rates = up.flatMap(({ links: own }) => own?.speeds ?? [])
  const say = (is: Standing, step: typeof contradicts, text: string) => {
    const names = having(is)
    return names.length === 0
      ? []
      : [step(`${text} (${names.length} of ${count(gpus.length, 'GPU')}): ${named(names)}.`, gpuNvlink)]
  }
  return [
    ...say('down', contradicts, 'Links that are not up'),
    ...say('slow', contradicts, `Links below ${promised.rate} GB/s`),
    ...say('earlier', contradicts, `GPUs with an earlier generation than ${promised.generation}`),
    ...say('divided', unclear, 'Links that are not up on GPUs divided into slices (MIG), which the tenant decides'),
    ...say(
      'unnamed',
      unclear,
      'The rate alone does not identify the generation, and the model is not listed in this catalog',
    ),
    ...say('unlisted', unclear, 'The driver lists no link'),
    ...(up.length === 0
      ? []
      : [
          supports(
            `All links up (${up.length} of ${count(gpus.length, 'GPU')}): ${up.reduce((sum, { links: own }) => sum + (own?.active ?? 0), 0)} links, the slowest at ${Math.min(...rates)} GB/s in each direction.`,
            gpuNvlink,
          ),
        ]),
    ...(gpus.length === 0 ? [unclear('The driver reports no GPU.', gpuNvidia)] : []),
  ]
}

function standingOf({ name, migMode }: NvidiaGpu, own: GpuLinks | undefined, { generation, rate }: Promised): Standing {
  if (own === undefined || own.active + own.inactive === 0) return 'unlisted'
  if (own.inactive > 0 || own.speeds === null) return /^Enabled$/i.test(migMode) ? 'divided' : 'down'
  const [slowest] = own.speeds
  if (slowest < rate) return 'slow'
  const named = GENERATIONS.find(([pattern]) => pattern.test(name))?.[1]
  if (named !== undefined) return named < generation ? 'earlier' : 'up'
  // Without a name, the earliest generation that has this rate.
  return RATES.findIndex((one) => one >= rate) + 1 >= generation ? 'up' : 'unnamed'
}
