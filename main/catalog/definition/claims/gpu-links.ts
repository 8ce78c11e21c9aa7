import type { Parsed } from '../../../core/recording/probe.ts'
import { type Conclusion, type DraftObservation, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, type Step, stepOn, supports, unclear } from '../../base/steps.ts'
import { type GpuDirect, rdmaGpudirect } from '../../hardware/fabric/rdma.ts'
import { boardOf, isNvSwitch } from '../../hardware/gpu/models.ts'
import {
  type GpuLinks,
  gpuNvidia,
  gpuNvlink,
  type NvidiaGpu,
  type NvidiaGpus,
  type NvLinks,
} from '../../hardware/gpu/nvidia.ts'
import { type PciDevices, pciDevices } from '../../hardware/pci/probes.ts'
import { decideOnNvidia, NVIDIA, undriven, withoutGpu } from './gpu.ts'
import { claimTest, countUpTo, numberBetween, oneOf, plainClaimTest } from './values.ts'

const KINDS = ['rdma', 'storage'] as const
type Kind = (typeof KINDS)[number]

/** NVIDIA GPUDirect RDMA guide (nvidia-peermem, nv_peer_mem before it); GPUDirect Storage guide (nvidia-fs). */
const MODULES: Readonly<Record<Kind, readonly string[]>> = {
  rdma: ['nvidia_peermem', 'nv_peer_mem'],
  storage: ['nvidia_fs'],
}

const WORDS: Readonly<Record<Kind, string>> = { rdma: 'GPUDirect RDMA', storage: 'GPUDirect Storage' }

const LIMITS =
  'Modules of the kernel that are loaded at one moment. Newer releases can work without them, so that their absence decides nothing; whether data takes the direct path, and how fast, was not tried.'

export const gpuDirectPath = claimTest({
  id: 'gpu.direct-path',
  title: 'The kernel module of the claimed direct path to GPU memory is loaded.',
  takes: { kind: 'text', oneOf: KINDS },
  limitations: LIMITS,
  of(value, check) {
    const kind = oneOf(value, KINDS)
    if (kind === null) return null
    return check({
      property: 'operations',
      expected: `A kernel module of ${WORDS[kind]} is loaded and there is an NVIDIA GPU.`,
      requires: { pci: pciDevices, direct: rdmaGpudirect },
      evaluate({ pci, direct }) {
        const none = withoutGpu(pci, NVIDIA)
        if (none !== null) return decide([none])
        const loaded = direct.modules.filter((name) => MODULES[kind].includes(name))
        return decide([
          loaded.length > 0 && isReady(direct, kind)
            ? supports(`Loaded: ${named(loaded)}.`, rdmaGpudirect)
            : unclear(`No module of ${WORDS[kind]} is ready; newer releases can work without one.`, rdmaGpudirect),
        ])
      },
    })
  },
})

const isReady = ({ hasStorageDriver }: GpuDirect, kind: Kind): boolean => kind === 'rdma' || hasStorageDriver

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

interface LinkedGpu {
  readonly gpu: NvidiaGpu
  readonly index: number
  /** Undefined where the driver lists no link of this GPU. */
  readonly links: GpuLinks | undefined
}

/** As decideOnNvidia, with the links of each GPU. */
function decideOnLinks(
  bus: PciDevices,
  driver: Parsed<NvidiaGpus>,
  links: Parsed<NvLinks>,
  observe: (gpus: readonly LinkedGpu[]) => readonly DraftObservation[],
): Conclusion {
  if (!links.ok && withoutGpu(bus, NVIDIA) === null)
    return decide([...unclearAbout(gpuNvidia, driver), ...unclearAbout(gpuNvlink, links)])
  const byKey = new Map(links.ok ? links.fact.gpus.map((one) => [one.uuid ?? String(one.index), one]) : [])
  return decideOnNvidia(bus, driver, (gpus) =>
    observe(gpus.map((gpu, index) => ({ gpu, index, links: byKey.get(gpu.uuid) ?? byKey.get(String(index)) }))),
  )
}

/** More than any GPU has. */
const MOST = 100_000

const GPU_NVLINK_BANDWIDTH_LIMITS =
  'Links that are up, times their nominal rate, both directions together, at one moment. Nothing was sent over them, and what they carry under load is not shown.'

export const gpuNvlinkBandwidth = claimTest({
  id: 'gpu.nvlink-bandwidth',
  title: 'The NVLinks of every GPU together reach the claimed nominal rate.',
  takes: { kind: 'number', unit: 'GB/s for each GPU, both directions' },
  limitations: GPU_NVLINK_BANDWIDTH_LIMITS,
  of(value, check) {
    const promised = numberBetween(value, 1, MOST)
    if (promised === null) return null
    return check({
      property: 'operations',
      expected: `The NVLinks of every GPU that are up have ${promised} GB/s or more together, by their nominal rate in both directions.`,
      requires: { pci: pciDevices },
      optional: { driver: gpuNvidia, links: gpuNvlink },
      evaluate: ({ pci }, { driver, links }) =>
        decideOnLinks(pci, driver, links, (gpus) => {
          const rated = gpus.map(({ gpu, index, links }) => rateOf(gpu, index, links, promised))
          return [
            ...stepFor(rated, 'less', contradicts, `NVLinks with less than ${promised} GB/s together`),
            ...stepFor(
              rated,
              'divided',
              unclear,
              'Fewer links up on GPUs divided into slices (MIG), which the tenant decides',
            ),
            ...stepFor(rated, 'mixed', unclear, 'Links of several rates, of which the sum is not known'),
            ...stepFor(rated, 'unlisted', unclear, 'The driver lists no link'),
            ...stepFor(rated, 'enough', supports, `NVLinks with ${promised} GB/s or more together`),
            ...(gpus.length === 0 ? [unclear('The driver reports no GPU.', gpuNvidia)] : []),
          ]
        }),
    })
  },
})

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
  // For links with several rates, only the slowest and the fastest are known.
  return { name: shown, is: 2 * own.active * nominalOf(fastest) >= promised ? 'mixed' : 'less' }
}

function stepFor<S extends string>(
  rows: readonly { readonly name: string; readonly is: S }[],
  is: NoInfer<S>,
  step: Step,
  text: string,
): readonly DraftObservation[] {
  const names = rows.filter((one) => one.is === is).map(({ name }) => name)
  return stepOn(step, `${text} (${names.length} of ${count(rows.length, 'GPU')})`, names, gpuNvlink)
}

/**
 * GB/s of one link in one direction, by generation. NVIDIA’s architecture papers give both directions of all links of a GPU together: P100
 * (2016) four links, 160 GB/s; V100 (2017) six, 300; A100 (2020) twelve, 600; H100 (2022) eighteen, 900; Blackwell (2024) eighteen, 1,800.
 * The driver prints the line rate, which differs slightly: 19.531, 25.781, 25, 26.562 and 53.125.
 */
const RATES: readonly number[] = [19.5, 25, 25, 25, 50]

/**
 * The NVLink generation of a GPU, by words of its name. The rate alone does not distinguish the second from the
 * fourth.
 */
const GENERATIONS: readonly (readonly [RegExp, number])[] = [
  [/\bP100\b/, 1],
  [/\bV100S?\b/, 2],
  [/\b(A100X?|A800|A30|A40|A6000|A5000)\b/, 3],
  [/\b(H100|H200|H800|H20|GH200)\b/, 4],
  [/\b(B100|B200|B300|GB200|GB300)\b/, 5],
]

const GPU_NVLINK_LINKS_LIMITS =
  'The nominal rate and the state of the links as the driver prints them at one moment. Nothing was sent over them, and what they carry under load is not shown.'

export const gpuNvlinkLinks = claimTest({
  id: 'gpu.nvlink-links',
  title: 'Every NVLink of every GPU is up, at the claimed generation’s nominal rate or better.',
  takes: { kind: 'number', unit: 'NVLink generation, 1 to 5' },
  limitations: GPU_NVLINK_LINKS_LIMITS,
  of(value, check) {
    const generation = countUpTo(value, RATES.length)
    const rate = RATES[(generation ?? 0) - 1]
    if (generation === null || rate === undefined) return null
    return check({
      property: 'operations',
      expected: `Every NVLink of every GPU is up, of generation ${generation} or later, at its nominal rate or better.`,
      requires: { pci: pciDevices },
      optional: { driver: gpuNvidia, links: gpuNvlink },
      evaluate: ({ pci }, { driver, links }) =>
        decideOnLinks(pci, driver, links, (gpus) => linkSteps(gpus, { generation, rate })),
    })
  },
})

interface Promised {
  readonly generation: number
  readonly rate: number
}

type LinkStatus = 'up' | 'down' | 'slow' | 'earlier' | 'divided' | 'unnamed' | 'unlisted'

function linkSteps(gpus: readonly LinkedGpu[], promised: Promised) {
  const rows = gpus.map(({ gpu, index, links }) => ({
    name: `${index}: ${gpu.name}`,
    is: statusOfLinks(gpu, links, promised),
    links,
  }))
  const up = rows.filter(({ is }) => is === 'up')
  const rates = up.flatMap(({ links: own }) => own?.speeds ?? [])
  return [
    ...stepFor(rows, 'down', contradicts, 'Links that are not up'),
    ...stepFor(rows, 'slow', contradicts, `Links below ${promised.rate} GB/s`),
    ...stepFor(rows, 'earlier', contradicts, `GPUs with an earlier generation than ${promised.generation}`),
    ...stepFor(
      rows,
      'divided',
      unclear,
      'Links that are not up on GPUs divided into slices (MIG), which the tenant decides',
    ),
    ...stepFor(
      rows,
      'unnamed',
      unclear,
      'The rate alone does not identify the generation, and the model is not listed in this catalog',
    ),
    ...stepFor(rows, 'unlisted', unclear, 'The driver lists no link'),
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

function statusOfLinks(
  { name, migMode }: NvidiaGpu,
  own: GpuLinks | undefined,
  { generation, rate }: Promised,
): LinkStatus {
  if (own === undefined || own.active + own.inactive === 0) return 'unlisted'
  if (own.inactive > 0 || own.speeds === null) return /^Enabled$/i.test(migMode) ? 'divided' : 'down'
  const [slowest] = own.speeds
  if (slowest < rate) return 'slow'
  const named = GENERATIONS.find(([pattern]) => pattern.test(name))?.[1]
  if (named !== undefined) return named < generation ? 'earlier' : 'up'
  // Without a name, the earliest generation that has this rate.
  return RATES.findIndex((one) => one >= rate) + 1 >= generation ? 'up' : 'unnamed'
}

const GPU_NVSWITCH_LIMITS =
  'Switches on the PCI bus, which are those of the A100 and H100 families. Later ones are not on the bus, and are shown only by the fabric state that the driver reports. Whether each port of a switch works is not shown.'

export const gpuNvswitch = plainClaimTest({
  id: 'gpu.nvswitch',
  title: 'NVSwitches join the GPUs.',
  limitations: GPU_NVSWITCH_LIMITS,
  property: 'operations',
  expected: 'NVSwitches are on the PCI bus, or the driver reports that every GPU has joined a fabric of them.',
  requires: { pci: pciDevices },
  optional: { driver: gpuNvidia },
  evaluate({ pci }, { driver }) {
    const switches = pci.devices.filter(isNvSwitch).length
    const boards = pci.devices.flatMap((device) => boardOf(device) ?? []).filter((board) => board.switches > 0)
    const wanted = Math.max(0, ...boards.map((board) => board.switches))
    if (switches > 0)
      return decide([
        supports(`${count(switches, 'NVSwitch', 'NVSwitches')} on the PCI bus.`, pciDevices),
        ...(switches < wanted
          ? [unclear(`A baseboard with eight of these GPUs has ${wanted} of them.`, pciDevices)]
          : []),
      ])
    const none = withoutGpu(pci, NVIDIA)
    if (none !== null) return decide([none])
    if (!driver.ok) return decide(unclearAbout(gpuNvidia, driver))
    const states = driver.fact.gpus.map(({ fabric }) => fabric.state)
    const joined = states.filter((state) => state === 'Completed').length
    if (boards.length > 0)
      return decide([
        joined > 0
          ? unclear(
              `No NVSwitch is on the PCI bus, and the driver reports that ${count(joined, 'GPU')} joined a fabric managed by another system.`,
              gpuNvidia,
            )
          : contradicts(
              `${count(boards.length, 'GPU')} of a family whose NVSwitches are on the PCI bus, and none of the ${count(pci.devices.length, 'PCI device')} is one.`,
              pciDevices,
            ),
      ])
    return decide([
      joined > 0 && joined === states.length
        ? supports(`Every one of ${count(joined, 'GPU')} has joined a fabric of NVSwitches.`, gpuNvidia)
        : unclear('No NVSwitch is on the PCI bus, where those of this family need not be.', pciDevices),
      ...undriven(pci, driver.fact.gpus),
    ])
  },
})
