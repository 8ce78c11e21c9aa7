import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { plain } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { isVirtualGpuName } from '../gpu/models.ts'
import { type GpuCards, gpuCards } from '../probes/gpu-cards.ts'
import { gpuNvidia, type NvidiaGpus } from '../probes/gpu-nvidia.ts'
import { pciDevices } from '../probes/pci-devices.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { gpusOnBus, NVIDIA, withoutGpu } from './gpu-bus.ts'

const LIMITS =
  'Names as the drivers print them, compared word by word: a claimed “H100” is in “NVIDIA H100 80GB HBM3”; of several models joined by “or”, each GPU has one. Which board carries it, and how much memory it has, is compared only where the claim states it in the same words.'
const LONGEST = 60

export const gpuModel: ClaimTest = {
  id: 'gpu.model',
  title: 'Every GPU on the bus has the claimed model name.',
  takes: { kind: 'text' },
  limitations: LIMITS,
  of(value) {
    const promised = typeof value === 'string' && value.length <= LONGEST ? value.split(/\sor\s/i).map(wordsOf) : []
    // A manufacturer's name alone would fit every model it makes.
    if (promised.length === 0 || !promised.every((words) => words.some((word) => /\d/.test(word)))) return null
    const shown = plain(String(value).trim(), LONGEST)
    return defineCheck({
      id: 'gpu.model',
      property: 'operations',
      expected: `Every GPU on the bus has the words “${shown}” in its model name.`,
      limitations: LIMITS,
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
}

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

/**
 * Whether a name has the model, such as h100, and only words of the board or the manufacturer are missing, which drivers leave out as they
 * like: an H100 of the kind SXM calls itself “NVIDIA H100 80GB HBM3”. Another size of memory is another product.
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
