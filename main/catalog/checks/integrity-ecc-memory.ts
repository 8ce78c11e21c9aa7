import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { type DmiTable, dmiTable } from '../probes/dmi-table.ts'
import { type GpuModules, gpuModules } from '../probes/gpu-modules.ts'
import { gpuNvidia, type NvidiaGpu, type NvidiaGpus } from '../probes/gpu-nvidia.ts'
import { type MemoryEdac, memoryEdac } from '../probes/memory-edac.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'

export const integrityEccMemory = defineCheck({
  id: 'integrity.ecc-memory',
  property: 'integrity',
  expected:
    'The memory of the server and of its NVIDIA GPUs corrects errors, errors are counted, and none was uncorrectable.',
  limitations:
    'Counts of the main memory begin when the kernel starts. Firmware can correct and hide errors before the kernel detects them, and error correction is self-reported by the firmware. Memory of other devices is not covered.',
  requires: { edac: memoryEdac },
  optional: { dmi: dmiTable, modules: gpuModules, gpus: gpuNvidia },
  evaluate: ({ edac }, { dmi, modules, gpus }) =>
    decide([...firmware(dmi), ...counted(edac), ...graphics(modules, gpus)]),
})

function firmware(dmi: Parsed<DmiTable>): readonly DraftObservation[] {
  if (!dmi.ok) return unclearAbout(dmiTable, dmi)
  const { corrections } = dmi.fact
  const without = corrections.filter((kind) => kind === 'None' || kind === 'Parity')
  if (without.length > 0)
    return [
      contradicts(`The firmware reports memory without error correction: ${named([...new Set(without)])}.`, dmiTable),
    ]
  const corrects = corrections.filter((kind) => /^(Single-bit ECC|Multi-bit ECC|CRC)$/.test(kind))
  return corrects.length === 0 || corrects.length < corrections.length
    ? [unclear('The firmware does not report whether all of the memory corrects errors.', dmiTable)]
    : [supports(`The firmware reports that the memory corrects errors: ${named([...new Set(corrects)])}.`, dmiTable)]
}

function counted({ controllers, days }: MemoryEdac): readonly DraftObservation[] {
  if (controllers.length === 0)
    return [unclear('The kernel counts no memory errors: no driver for the memory controllers is loaded.', memoryEdac)]
  const uncorrected = controllers.reduce((sum, one) => sum + one.uncorrected, 0)
  const corrected = controllers.reduce((sum, one) => sum + one.corrected, 0)
  const span = days === null ? '' : ` in the ${count(days, 'day')} since the counters began`
  return [
    uncorrected === 0
      ? supports(
          `The kernel counts errors of ${count(controllers.length, 'memory controller')}: none uncorrectable, ${corrected} corrected${span}.`,
          memoryEdac,
        )
      : contradicts(
          `${count(uncorrected, 'uncorrectable memory error')} counted, ${corrected} corrected${span}.`,
          memoryEdac,
        ),
  ]
}

function graphics(modules: Parsed<GpuModules>, gpus: Parsed<NvidiaGpus>): readonly DraftObservation[] {
  if (!modules.ok) return unclearAbout(gpuModules, modules)
  if (!modules.fact.modules.includes('nvidia') && modules.fact.driver === null) return []
  if (!gpus.ok) return unclearAbout(gpuNvidia, gpus)
  const all = gpus.fact.gpus
  if (all.length === 0) return [unclear('The NVIDIA driver is loaded and lists no GPU.', gpuNvidia)]
  const are = (wanted: (gpu: NvidiaGpu) => boolean): readonly string[] =>
    all.filter(wanted).map(({ address }) => address)
  const off = are(({ ecc }) => ecc === 'Disabled')
  const silent = are(
    ({ ecc, memoryErrors }) => ecc !== 'Disabled' && (ecc !== 'Enabled' || memoryErrors.uncorrectedNow === null),
  )
  const wrong = are(
    ({ memoryErrors: { uncorrectedNow, uncorrectedEver } }) => (uncorrectedNow ?? 0) + (uncorrectedEver ?? 0) > 0,
  )
  const broken = are(({ memoryErrors }) => memoryErrors.hasFailed)
  const pending = are(({ memoryErrors }) => memoryErrors.isPending)
  const replaced = all.reduce((sum, { memoryErrors }) => sum + (memoryErrors.replaced ?? 0), 0)
  const against = (list: readonly string[], what: string): readonly DraftObservation[] =>
    list.length === 0 ? [] : [contradicts(`${count(list.length, 'GPU')} ${what}: ${named(list)}.`, gpuNvidia)]
  const good = all.length - new Set([...off, ...silent, ...wrong, ...broken, ...pending]).size
  return [
    ...(good === 0
      ? []
      : [
          supports(
            `${count(good, 'GPU')} of ${all.length}: error correction on, no uncorrectable error. Memory rows or pages replaced on all: ${replaced}.`,
            gpuNvidia,
          ),
        ]),
    ...against(off, 'with error correction switched off'),
    ...against(wrong, 'with uncorrectable memory errors'),
    ...against(broken, 'whose memory could not be repaired'),
    ...against(pending, 'waiting for a reset to replace memory'),
    ...(silent.length === 0
      ? []
      : [
          unclear(
            `${count(silent.length, 'GPU')} without a report about error correction: ${named(silent)}.`,
            gpuNvidia,
          ),
        ]),
  ]
}
