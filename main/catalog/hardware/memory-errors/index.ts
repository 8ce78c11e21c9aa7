import { defineProbe, glob, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { oneLineFiles, whether } from '../../base/read-text.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { gpuNvidia, type NvidiaGpu, type NvidiaGpus } from '../gpu/nvidia.ts'
import { type GpuModules, gpuModules } from '../gpu/probes.ts'
import { type DmiTable, dmiTable } from '../machine/dmi.ts'
import data from './checks.json' with { type: 'json' }

interface MemoryController {
  /** mc0, mc1 and so on. */
  readonly name: string
  /** Errors that were corrected, and that could not be, since the driver was loaded; those without a known place included. */
  readonly corrected: number
  readonly uncorrected: number
}

interface MemoryEdac {
  /** Empty where no driver for the memory controllers is loaded: then nothing counts errors. */
  readonly controllers: readonly MemoryController[]
  /** Days since the counters began; null where the kernel does not state. */
  readonly days: number | null
}

const FOLDER = '/sys/devices/system/edac/mc/'

/** Documentation/ABI/testing/sysfs-devices-edac and admin-guide/RAS: ce_count and ue_count hold those without a place, too. */
export const memoryEdac = defineProbe({
  id: 'memory.edac',
  title: 'Memory errors counted by the kernel',
  why: 'Shows whether errors of the main memory are counted, and how many there were.',
  ignoredInDrift: {
    why: 'Corrected errors are counted as they occur; only whether there was an uncorrectable error is compared.',
    normalize: ({ controllers }: MemoryEdac) => ({
      controllers: controllers.map(({ name, uncorrected }) => ({ name, uncorrected: whether(uncorrected) })),
    }),
  },
  commands: {
    counts: run([
      'grep',
      '-sH',
      '',
      glob('/sys/devices/system/edac/mc/mc*/ce_count'),
      glob('/sys/devices/system/edac/mc/mc*/ue_count'),
      glob('/sys/devices/system/edac/mc/mc*/seconds_since_reset'),
      '/proc/sys/kernel/random/boot_id',
    ]),
  },
  parse({ counts }) {
    const values = oneLineFiles(counts.text)
    // Asked for only so that a machine without controllers can be distinguished from one where nothing could be read.
    if (!values.has('/proc/sys/kernel/random/boot_id')) return unknown('the kernel’s files could not be read')
    const number = (path: string): number | null => {
      const text = values.get(FOLDER + path) ?? ''
      return /^\d{1,15}$/.test(text) ? Number(text) : null
    }
    const names = [
      ...new Set([...values.keys()].flatMap((path) => /\/mc\/(mc\d{1,4})\/[cu]e_count$/.exec(path)?.[1] ?? [])),
    ]
    const read = names.map((name) => ({
      name,
      corrected: number(`${name}/ce_count`),
      uncorrected: number(`${name}/ue_count`),
    }))
    const controllers = read.flatMap(({ name, corrected, uncorrected }) =>
      corrected === null || uncorrected === null ? [] : [{ name, corrected, uncorrected }],
    )
    if (controllers.length < names.length) return unknown('the counts of a memory controller could not be read')
    const seconds = names.flatMap((name) => number(`${name}/seconds_since_reset`) ?? [])
    return known<MemoryEdac>({
      controllers,
      days: seconds.length === 0 ? null : Math.floor(seconds.reduce((least, one) => Math.min(least, one)) / 86_400),
    })
  },
})

export const integrityEccMemory = defineCheck({
  id: 'integrity.ecc-memory',
  property: 'integrity',
  expected:
    'The memory of the server and of its NVIDIA GPUs corrects errors, errors are counted, and none was uncorrectable.',
  limitations:
    'Counts of the main memory begin when the kernel starts, and those of GPUs when their driver is loaded; what a GPU counted over its life has no dates. Firmware can correct and hide errors before the kernel detects them, and error correction is self-reported by the firmware. Memory of other devices is not covered.',
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
  // Of a divided GPU (MIG) the driver counts over its life alone, which includes all since it was loaded (NVML, nvmlDeviceGetMemoryErrorCounter).
  const silent = are(
    ({ ecc, memoryErrors: { uncorrectedNow, uncorrectedEver } }) =>
      ecc !== 'Disabled' && (ecc !== 'Enabled' || (uncorrectedNow === null && uncorrectedEver !== 0)),
  )
  const wrong = are(({ memoryErrors: { uncorrectedNow } }) => (uncorrectedNow ?? 0) > 0)
  // NVML reference, nvmlEccCounterType_t: the counts of a device’s life are never reset, also after its memory was replaced by spare rows.
  const earlier = are(
    ({ memoryErrors: { uncorrectedNow, uncorrectedEver } }) => uncorrectedNow === 0 && (uncorrectedEver ?? 0) > 0,
  )
  const broken = are(({ memoryErrors }) => memoryErrors.hasFailed)
  const pending = are(({ memoryErrors }) => memoryErrors.isPending)
  const replaced = all.reduce((sum, { memoryErrors }) => sum + (memoryErrors.replaced ?? 0), 0)
  const against = (list: readonly string[], what: string): readonly DraftObservation[] =>
    list.length === 0 ? [] : [contradicts(`${count(list.length, 'GPU')} ${what}: ${named(list)}.`, gpuNvidia)]
  const good = all.length - new Set([...off, ...silent, ...wrong, ...earlier, ...broken, ...pending]).size
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
    ...against(wrong, 'with uncorrectable memory errors since the driver was loaded'),
    ...against(broken, 'whose memory could not be repaired'),
    ...against(pending, 'waiting for a reset to replace memory'),
    ...(earlier.length === 0
      ? []
      : [
          unclear(
            `${count(earlier.length, 'GPU')} with uncorrectable memory errors at some time since they were made, and none since the driver was loaded: ${named(earlier)}. Memory rows or pages replaced on all: ${replaced}.`,
            gpuNvidia,
          ),
        ]),
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

export const memoryErrorsSubject = defineSubject({
  id: 'memory-errors',
  title: 'Memory error correction',
  probes: [memoryEdac],
  checks: [integrityEccMemory],
  data,
})
