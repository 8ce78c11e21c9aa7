import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { capacityFilesystems, type FilesystemUses } from '../probes/capacity-filesystems.ts'
import { cpuFeatures } from '../probes/cpu-features.ts'
import { gpuNvidia, type NvidiaGpus } from '../probes/gpu-nvidia.ts'
import { type SystemLoad, systemLoad } from '../probes/system-load.ts'
import { count, named, supports } from '../steps.ts'

/** File systems from here on are named. */
const NEARLY_FULL = 80

export const availabilityCapacity = defineCheck({
  id: 'availability.capacity',
  property: 'operations',
  expected: 'Current load, free memory, free space on local file systems and free GPU memory are recorded.',
  ends: 'recorded',
  limitations:
    'One moment, which this collection itself adds a little load to. No trend, no forecast and no agreed level was compared. Network file systems, inodes and network bandwidth were not read.',
  requires: { load: systemLoad },
  optional: { cpu: cpuFeatures, filesystems: capacityFilesystems, gpus: gpuNvidia },
  evaluate: ({ load }, { cpu, filesystems, gpus }) => ({
    verdict: 'informational',
    observations: [
      supports(
        `Average load ${load.load[0]}, ${load.load[1]} and ${load.load[2]} over one, five and fifteen minutes${cpu.ok ? `, on ${count(cpu.fact.logicalCpus, 'logical CPU')}` : ''}.`,
        systemLoad,
      ),
      memoryStep(load),
      ...(filesystems.ok ? [roomStep(filesystems.fact)] : unclearAbout(capacityFilesystems, filesystems)),
      ...gpuSteps(gpus),
    ],
  }),
})

const gib = (kib: number): number => Math.round(kib / 1024 / 1024)

const memoryStep = ({ memory }: SystemLoad): DraftObservation =>
  supports(
    `${gib(memory.availableKib)} of ${gib(memory.totalKib)} GiB of memory available; ${
      memory.swapTotalKib === 0
        ? 'no swap'
        : `${gib(memory.swapTotalKib - memory.swapFreeKib)} of ${gib(memory.swapTotalKib)} GiB of swap in use`
    }.`,
    systemLoad,
  )

function roomStep({ filesystems }: FilesystemUses): DraftObservation {
  const full = filesystems.filter(({ usedPercent }) => usedPercent >= NEARLY_FULL)
  const most = filesystems.reduce((highest, { usedPercent }) => Math.max(highest, usedPercent), 0)
  return supports(
    full.length === 0
      ? `${count(filesystems.length, 'local file system')} read; the fullest is ${most} % full.`
      : `Of ${count(filesystems.length, 'local file system')}, at least ${NEARLY_FULL} % full: ${named(full.map(({ mountpoint, usedPercent }) => `${mountpoint} ${usedPercent} %`))}.`,
    capacityFilesystems,
  )
}

function gpuSteps(gpus: Parsed<NvidiaGpus>): readonly DraftObservation[] {
  if (!gpus.ok) return []
  const sizes = gpus.fact.gpus.flatMap(({ memory: { totalMib, usedMib } }) =>
    totalMib === null || usedMib === null ? [] : [{ totalMib, usedMib }],
  )
  if (sizes.length === 0) return []
  const sum = (pick: (size: { readonly totalMib: number; readonly usedMib: number }) => number): number =>
    Math.round(sizes.reduce((total, size) => total + pick(size), 0) / 1024)
  return [
    supports(
      `${sum(({ usedMib }) => usedMib)} of ${sum(({ totalMib }) => totalMib)} GiB of the memory of ${count(sizes.length, 'GPU')} in use.`,
      gpuNvidia,
    ),
  ]
}
