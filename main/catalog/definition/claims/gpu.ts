import { plain } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { type Conclusion, type DraftObservation, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, type Step, stepOn, supports, unclear } from '../../base/steps.ts'
import { boardOf, isGpuFunction, isVirtualGpuName } from '../../hardware/gpu/models.ts'
import { gpuNvidia, type NvidiaGpu, type NvidiaGpus } from '../../hardware/gpu/nvidia.ts'
import { type GpuCards, gpuCards } from '../../hardware/gpu/probes.ts'
import { gpusOf, type PciDevice, type PciDevices, pciDevices } from '../../hardware/pci/probes.ts'
import { claimTest, countUpTo, numberBetween, oneOf, plainClaimTest } from './values.ts'

export const NVIDIA = '10de'
/** Manufacturers whose devices for pictures can be GPUs that compute: NVIDIA, AMD, Intel, Habana. */
const MAKERS: readonly string[] = [NVIDIA, '1002', '8086', '1da3']

/** The GPUs and accelerators of the PCI bus; with a vendor, those of one manufacturer. */
export const gpusOnBus = ({ devices }: PciDevices, vendor?: string): readonly PciDevice[] =>
  gpusOf(devices).filter((device) => isOf(device, vendor))

const isOf = (device: PciDevice, vendor: string | undefined): boolean =>
  vendor === undefined || device.vendor === vendor

/**
 * The observation that there is no GPU, where the bus was read completely and has none; an unclear one where it shows
 * no device at all, or one that may be a GPU; null where there is a GPU.
 */
export function withoutGpu(bus: PciDevices, vendor?: string): DraftObservation | null {
  if (bus.devices.length === 0)
    return unclear('No device is listed on a PCI bus, so that nothing shows which GPUs there are.', pciDevices)
  if (gpusOnBus(bus, vendor).length > 0) return null
  const displays = bus.devices.filter(
    (device) => MAKERS.includes(device.vendor) && isOf(device, vendor) && /^(03|12)/.test(device.class),
  )
  return displays.length > 0
    ? unclear(
        `${count(displays.length, 'device')} for pictures on the PCI bus can be a GPU or a part of the mainboard.`,
        pciDevices,
      )
    : contradicts(
        `No GPU${vendor === NVIDIA ? ' by NVIDIA' : ''} among ${count(bus.devices.length, 'PCI device')}.`,
        pciDevices,
      )
}

/** That the driver is silent about GPUs on the bus: then nothing holds of every GPU. None where it reports each. */
export function undriven(bus: PciDevices, gpus: readonly Pick<NvidiaGpu, 'address'>[]): readonly DraftObservation[] {
  const answered = new Set(gpus.map(({ address }) => address))
  const silent = gpusOnBus(bus, NVIDIA).filter(({ address }) => !answered.has(address))
  return silent.length === 0
    ? []
    : [unclear(`The driver does not report ${count(silent.length, 'GPU')} on the bus.`, gpuNvidia)]
}

/**
 * Concludes from the driver's list of NVIDIA's GPUs, and from those on the bus that it does not have. Without a GPU, or without the list, that
 * is the conclusion.
 */
export function decideOnNvidia(
  bus: PciDevices,
  driver: Parsed<NvidiaGpus>,
  observe: (gpus: readonly NvidiaGpu[]) => readonly DraftObservation[],
): Conclusion {
  const none = withoutGpu(bus, NVIDIA)
  if (none !== null) return decide([none])
  if (!driver.ok) return decide(unclearAbout(gpuNvidia, driver))
  const { gpus } = driver.fact
  return decide([...observe(gpus), ...undriven(bus, gpus)])
}

const KINDS = ['sxm', 'hopper-sxm'] as const
type Kind = (typeof KINDS)[number]

const WORDS: Readonly<Record<Kind, string>> = {
  sxm: 'a module on a baseboard (SXM)',
  'hopper-sxm': 'a Hopper module with 18 NVLinks on a baseboard (H100 or H200, SXM)',
}

/** Names of NVIDIA's cards, which no module has: the form in the name, or a family that is sold as a card only (NVIDIA data sheets). */
const CARD = /\bPCIe?\b|\bNVL\d?\b|\b(L4|L20|L40S?|A2|A10G?|A16|A30X?|A40|T4|RTX)\b/i

const LIMITS =
  'Ids of the PCI bus against this catalog’s list of modules, and names of cards as the driver prints them. An ID in neither is inconclusive.'

export const gpuBoard = claimTest({
  id: 'gpu.board',
  title: 'Every GPU is a module of the claimed kind.',
  takes: { kind: 'text', oneOf: KINDS },
  limitations: LIMITS,
  of(value, check) {
    const kind = oneOf(value, KINDS)
    if (kind === null) return null
    return check({
      property: 'operations',
      expected: `Every GPU on the bus is ${WORDS[kind]}.`,
      requires: { pci: pciDevices },
      optional: { driver: gpuNvidia },
      evaluate({ pci }, { driver }) {
        const none = withoutGpu(pci)
        if (none !== null) return decide([none])
        const gpus = gpusOnBus(pci)
        const names = new Map((driver.ok ? driver.fact.gpus : []).map(({ address, name }) => [address, name]))
        const isKind = (gpu: PciDevice): boolean => fits(gpu, kind)
        const isOther = (gpu: PciDevice): boolean =>
          !isKind(gpu) && (gpu.vendor !== NVIDIA || boardOf(gpu) !== null || CARD.test(names.get(gpu.address) ?? ''))
        const ids = (some: readonly PciDevice[]): string =>
          named([...new Set(some.map((gpu) => names.get(gpu.address) || `${gpu.vendor}:${gpu.device}`))].sort())
        const [those, others] = [gpus.filter(isKind), gpus.filter(isOther)]
        const what = count(gpus.length, 'GPU')
        if (those.length === gpus.length) return decide([supports(`${what}, each ${WORDS[kind]}.`, pciDevices)])
        return decide([
          others.length === gpus.length
            ? contradicts(`${what}, none of which is ${WORDS[kind]}: ${ids(others)}.`, pciDevices)
            : unclear(
                `${what}, of which ${those.length} are known to be ${WORDS[kind]} and ${others.length} known to be another.`,
                pciDevices,
              ),
        ])
      },
    })
  },
})

/** Modules on a board with Grace are not SXM modules. */
function fits(gpu: PciDevice, kind: Kind): boolean {
  const board = boardOf(gpu)
  if (board === null) return false
  return kind === 'hopper-sxm'
    ? board.family === 'H100' && board.links === 18
    : ['A100', 'H100', 'B200', 'B300'].includes(board.family)
}

const GPU_COUNT_LIMITS =
  'Whole GPUs reported by a driver, at least as many as claimed. Whether each works under load is not tested.'
/** More than any server holds. */
const MOST = 256

export const gpuCount = claimTest({
  id: 'gpu.count',
  title: 'A driver reports at least the claimed number of whole GPUs.',
  takes: { kind: 'number', unit: 'GPUs' },
  limitations: GPU_COUNT_LIMITS,
  of(value, check) {
    const promised = countUpTo(value, MOST)
    if (promised === null) return null
    return check({
      property: 'operations',
      expected: `At least ${count(promised, 'whole GPU')} on the bus is reported by its driver.`,
      requires: { pci: pciDevices },
      optional: { driver: gpuNvidia, cards: gpuCards },
      evaluate({ pci }, { driver, cards }) {
        const none = withoutGpu(pci)
        if (none !== null) return decide([none])
        const listed = gpusOnBus(pci)
        if (listed.length < promised)
          return decide([
            contradicts(`${count(listed.length, 'GPU')} on the PCI bus; the provider claims ${promised}.`, pciDevices),
          ])
        // Each manufacturer's own driver reports its GPUs: else one that is missing could hide that a GPU is virtual.
        const gpus = driver.ok ? driver.fact.gpus : []
        const others = cards.ok ? cards.fact.cards.filter(({ vendor }) => vendor !== NVIDIA) : []
        const parts = new Set([
          ...listed.filter(isGpuFunction).map(({ address }) => address),
          ...others.filter(({ physicalFunction }) => physicalFunction !== null).map(({ address }) => address),
          ...gpus
            .filter(({ name, virtualization }) => isVirtualGpuName(name) || /^VGPU$/i.test(virtualization))
            .map(({ address }) => address),
        ])
        const driven = new Set([...gpus, ...others].map(({ address }) => address))
        const whole = listed.filter(({ address }) => !parts.has(address))
        if (whole.length < promised)
          return decide([
            contradicts(
              `${whole.length} of ${count(listed.length, 'GPU')} on the PCI bus are whole and the others are parts of GPUs; the provider claims ${promised}.`,
              driver.ok ? gpuNvidia : pciDevices,
            ),
          ])
        const answering = whole.filter(({ address }) => driven.has(address)).length
        return decide(
          answering >= promised
            ? [supports(`${count(answering, 'whole GPU')} on the bus and answering.`, driver.ok ? gpuNvidia : gpuCards)]
            : [
                unclear(
                  `${count(listed.length, 'GPU')} on the PCI bus, of which ${answering} are reported by a driver.`,
                  pciDevices,
                ),
                ...unclearAbout(gpuNvidia, driver),
              ],
        )
      },
    })
  },
})

/**
 * The driver keeps a part: an H100 of 80 GB reports 81,559 MiB, an H200 of 141 GB 143,771. Checked correction of GDDR takes one part in 16.
 */
const EXPLAINED = 0.97
const UNEXPLAINED = 0.9
const MOST_GIB = 65_536

const GPU_MEMORY_LIMITS =
  'Memory of each GPU as the driver counts it, plus at most three percent that it keeps. Its kind, its bandwidth and what it held before are not shown.'

export const gpuMemory = claimTest({
  id: 'gpu.memory-gib',
  title: 'Every GPU has at least the claimed memory.',
  takes: { kind: 'number', unit: 'GiB on each GPU' },
  limitations: GPU_MEMORY_LIMITS,
  of(value, check) {
    const promised = numberBetween(value, 1, MOST_GIB)
    if (promised === null) return null
    return check({
      property: 'operations',
      expected: `Every GPU has ${promised} GiB of memory or more, including the part reserved by its driver.`,
      requires: { pci: pciDevices },
      optional: { driver: gpuNvidia },
      evaluate: ({ pci }, { driver }) =>
        decideOnNvidia(pci, driver, (gpus) => {
          const gib = ({ memory }: Pick<NvidiaGpu, 'memory'>): number => (memory.totalMib ?? 0) / 1024
          const reported = gpus.filter(({ memory }) => memory.totalMib !== null)
          const enough = reported.filter((gpu) => gib(gpu) >= promised * EXPLAINED)
          const less = reported.filter((gpu) => gib(gpu) < promised * UNEXPLAINED)
          const near = reported.filter((gpu) => !enough.includes(gpu) && !less.includes(gpu))
          // Cut off, not rounded: a shown number never reaches one that was not there.
          const shown = ({ name, memory }: NvidiaGpu): string => `${name}, ${Math.floor(gib({ memory }) * 10) / 10} GiB`
          const stepFor = (some: readonly NvidiaGpu[], step: Step, text: string) =>
            stepOn(
              step,
              `${text} (${some.length} of ${count(gpus.length, 'GPU')})`,
              [...new Set(some.map(shown))].sort(),
              gpuNvidia,
            )
          return [
            ...stepFor(less, contradicts, `Less than ${promised} GiB`),
            ...stepFor(near, unclear, `Less than ${promised} GiB by more than the driver usually reserves`),
            ...stepFor(enough, supports, `${promised} GiB or more, including the part reserved by the driver`),
            ...(reported.length < gpus.length || gpus.length === 0
              ? [
                  unclear(
                    `The driver does not report the memory of ${count(gpus.length - reported.length, 'GPU')}.`,
                    gpuNvidia,
                  ),
                ]
              : []),
          ]
        }),
    })
  },
})

const GPU_MIG_LIMITS =
  'The driver reports the mode as on or off, so that it can be set. Setting it takes root and a reset of the GPU, and neither was tried.'

export const gpuMig = plainClaimTest({
  id: 'gpu.mig',
  title: 'GPUs can be divided into slices (MIG) on the node.',
  limitations: GPU_MIG_LIMITS,
  property: 'operations',
  expected: 'The driver reports the MIG mode of every GPU as on or off, and of none as not supported.',
  requires: { pci: pciDevices },
  optional: { driver: gpuNvidia },
  evaluate: ({ pci }, { driver }) =>
    decideOnNvidia(pci, driver, (gpus) => {
      const having = (pattern: RegExp): readonly string[] =>
        gpus.filter(({ migMode }) => pattern.test(migMode)).map(({ name }) => name)
      const [on, off, never] = [having(/^Enabled$/i), having(/^Disabled$/i), having(/^(\[?N\/A\]?|Not Supported)$/i)]
      const silent = gpus.length - on.length - off.length - never.length
      return [
        ...(never.length > 0
          ? [contradicts(`MIG is not supported by ${count(never.length, 'GPU')}: ${named(never)}.`, gpuNvidia)]
          : []),
        ...(on.length + off.length > 0
          ? [
              supports(
                `MIG is on for ${on.length} and off for ${off.length} of ${count(gpus.length, 'GPU')}.`,
                gpuNvidia,
              ),
            ]
          : []),
        ...(silent > 0 || gpus.length === 0
          ? [unclear(`The driver does not report the mode of ${count(silent, 'GPU')}.`, gpuNvidia)]
          : []),
      ]
    }),
})

const GPU_MODEL_LIMITS =
  'Names as the drivers print them, compared word by word: a claimed “H100” is in “NVIDIA H100 80GB HBM3”; of several models joined by “or”, each GPU has one. Which board carries it, and how much memory it has, is compared only where the claim states it in the same words.'
const LONGEST = 60

export const gpuModel = claimTest({
  id: 'gpu.model',
  title: 'Every GPU on the bus has the claimed model name.',
  takes: { kind: 'text' },
  limitations: GPU_MODEL_LIMITS,
  of(value, check) {
    const promised = typeof value === 'string' && value.length <= LONGEST ? value.split(/\sor\s/i).map(wordsOf) : []
    // A manufacturer's name alone would fit every model it makes.
    if (promised.length === 0 || !promised.every((words) => words.some((word) => /\d/.test(word)))) return null
    const shown = plain(String(value).trim(), LONGEST)
    return check({
      property: 'operations',
      expected: `Every GPU on the bus has the words “${shown}” in its model name.`,
      requires: { pci: pciDevices },
      optional: { driver: gpuNvidia, cards: gpuCards },
      evaluate({ pci }, { driver, cards }) {
        const none = withoutGpu(pci)
        if (none !== null) return decide([none])
        const names = namesOf(driver, cards)
        const gpus = gpusOnBus(pci).map(({ address }) => names.get(address) ?? null)
        const nameless = gpus.filter((name) => name === null).length
        const known = gpus.filter((name) => name !== null)
        const virtual = known.filter(isVirtualGpuName)
        const whole = known.filter((name) => !isVirtualGpuName(name))
        const isPromised = (name: string): boolean => {
          const words = wordsOf(name)
          return promised.some((model) => model.every((word) => words.includes(word)))
        }
        const fits = whole.filter(isPromised)
        const near = whole.filter((name) => !isPromised(name) && promised.some((model) => isNear(model, wordsOf(name))))
        const others = whole.filter((name) => !isPromised(name) && !near.includes(name))
        return decide([
          ...about(others, (text) => contradicts(`Another model: ${text}.`, gpuNvidia)),
          ...about(virtual, (text) =>
            contradicts(`A virtual GPU, which is a part of one that its owner shares out: ${text}.`, gpuNvidia),
          ),
          ...about(near, (text) => unclear(`That model, without every word of the claim: ${text}.`, gpuNvidia)),
          ...about(fits, (text) => supports(`${count(fits.length, 'GPU')} of that model: ${text}.`, gpuNvidia)),
          ...(nameless === 0
            ? []
            : [unclear(`No driver names the model of ${count(nameless, 'GPU')} on the bus.`, pciDevices)]),
          ...(nameless === 0 ? [] : unclearAbout(gpuNvidia, driver)),
        ])
      },
    })
  },
})

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

/**
 * Whether a name has the model, such as h100, and lacks only words of the board or the manufacturer, which drivers
 * omit at will: an H100 of the kind SXM calls itself “NVIDIA H100 80GB HBM3”. A different size of memory is a
 * different product.
 */
function isNear(promised: readonly string[], words: readonly string[]): boolean {
  const models = promised.filter((word) => /^[a-z]{1,3}\d{2,4}$/.test(word))
  const isSize = (word: string): boolean => /^\d+gb$/.test(word)
  return (
    models.length > 0 &&
    models.every((word) => words.includes(word)) &&
    !(promised.some((word) => isSize(word) && !words.includes(word)) && words.some(isSize))
  )
}

const about = (names: readonly string[], step: (text: string) => DraftObservation): readonly DraftObservation[] =>
  names.length === 0 ? [] : [step(named([...new Set(names)].sort()))]

/** PCI address → the name that the driver of the manufacturer gives. */
function namesOf(driver: Parsed<NvidiaGpus>, cards: Parsed<GpuCards>): ReadonlyMap<string, string> {
  return new Map([
    ...(cards.ok ? cards.fact.cards : []).flatMap(({ address, vendor, productName }) =>
      productName === null || vendor === NVIDIA ? [] : [[address, productName] as const],
    ),
    ...(driver.ok ? driver.fact.gpus : []).flatMap(({ address, name }) =>
      name === '' ? [] : [[address, name] as const],
    ),
  ])
}
