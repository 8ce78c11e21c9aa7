import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { gpuNvidia, type NvidiaGpu } from '../probes/gpu-nvidia.ts'
import { pciDevices } from '../probes/pci-devices.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { NVIDIA, undriven, withoutGpu } from './gpu-bus.ts'
import { numberBetween } from './values.ts'

/**
 * The driver keeps a part: an H100 of 80 GB reports 81,559 MiB, an H200 of 141 GB 143,771. Checked correction of GDDR takes one part in 16.
 */
const EXPLAINED = 0.97
const UNEXPLAINED = 0.9
const MOST_GIB = 65_536

const LIMITS =
  'Memory of each GPU as the driver counts it, plus at most three percent that it keeps. Its kind, its bandwidth and what it held before are not shown.'

export const gpuMemory: ClaimTest = {
  id: 'gpu.memory-gib',
  title: 'Every GPU has at least the claimed memory.',
  takes: { kind: 'number', unit: 'GiB on each GPU' },
  limitations: LIMITS,
  of(value) {
    const promised = numberBetween(value, 1, MOST_GIB)
    if (promised === null) return null
    return defineCheck({
      id: 'gpu.memory-gib',
      property: 'operations',
      expected: `Every GPU has ${promised} GiB of memory or more, including the part reserved by its driver.`,
      limitations: LIMITS,
      requires: { pci: pciDevices },
      optional: { driver: gpuNvidia },
      evaluate({ pci }, { driver }) {
        const none = withoutGpu(pci, NVIDIA)
        if (none !== null) return decide([none])
        if (!driver.ok) return decide(unclearAbout(gpuNvidia, driver))
        const { gpus } = driver.fact
        const gib = ({ memory }: NvidiaGpu): number => (memory.totalMib ?? 0) / 1024
        const told = gpus.filter(({ memory }) => memory.totalMib !== null)
        const enough = told.filter((gpu) => gib(gpu) >= promised * EXPLAINED)
        const less = told.filter((gpu) => gib(gpu) < promised * UNEXPLAINED)
        const near = told.filter((gpu) => !enough.includes(gpu) && !less.includes(gpu))
        // Cut off, not rounded: a shown number never reaches one that was not there.
        const shown = (some: readonly NvidiaGpu[]): string =>
          named([...new Set(some.map((gpu) => `${gpu.name}, ${Math.floor(gib(gpu) * 10) / 10} GiB`))].sort())
        const say = (some: readonly NvidiaGpu[], step: typeof supports, text: string): readonly DraftObservation[] =>
          some.length === 0
            ? []
            : [step(`${text} (${some.length} of ${count(gpus.length, 'GPU')}): ${shown(some)}.`, gpuNvidia)]
        return decide([
          ...say(less, contradicts, `Less than ${promised} GiB`),
          ...say(near, unclear, `Less than ${promised} GiB by more than the driver usually reserves`),
          ...say(enough, supports, `${promised} GiB or more, including the part reserved by the driver`),
          ...(told.length < gpus.length || gpus.length === 0
            ? [
                unclear(
                  `The driver does not report the memory of ${count(gpus.length - told.length, 'GPU')}.`,
                  gpuNvidia,
                ),
              ]
            : []),
          ...undriven(pci, gpus),
        ])
      },
    })
  },
}
