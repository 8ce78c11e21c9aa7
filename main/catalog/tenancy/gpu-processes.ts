import { type Context, type DraftObservation, unclearAbout } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'
import { gpuNvidia, type NvidiaGpu } from '../gpu/nvidia.ts'
import { sharingProcesses } from '../gpu/probes.ts'
import { isGpu, isNvidiaGpu, pciDevices } from '../pci/probes.ts'
import { contradicts, count, named, supports, unclear } from '../steps.ts'
import { type Processes, tenancyKfd, tenancyProcesses } from './processes.ts'
import { rosterOf, type TenancyReadings, wasAnswered } from './readings.ts'

/** Processes on the GPUs that NVIDIA's driver lists, against the process list and the roster. */
function gpuProcessSteps(
  { gpus, processes }: Pick<TenancyReadings, 'gpus' | 'processes'>,
  context: Context,
): readonly DraftObservation[] {
  if (!gpus.ok || !processes.ok) return []
  const ids = [...new Set(gpus.fact.gpus.flatMap((gpu) => gpu.processes.map(({ pid }) => pid)))]
  if (ids.length === 0)
    return [
      supports(
        `No process uses ${gpus.fact.gpus.length === 1 ? 'the GPU' : `any of the ${gpus.fact.gpus.length} GPUs`}.`,
        gpuNvidia,
      ),
    ]
  return ownerSteps(ids, processes.fact, rosterOf(context), gpuNvidia)
}

/** Accounts that run the processes with these ids, those of them that are on no roster, and ids that the process list lacks. */
export function ownersOf(
  ids: readonly number[],
  processes: Processes['processes'],
  roster: ReadonlySet<string> | null,
): { readonly unseen: readonly number[]; readonly owners: readonly string[]; readonly foreign: readonly string[] } {
  const users = new Map(processes.map(({ pid, user }) => [pid, user]))
  const owners = [...new Set(ids.flatMap((id) => users.get(id) ?? []))].sort()
  return {
    unseen: ids.filter((id) => !users.has(id)),
    owners,
    foreign: roster === null ? [] : owners.filter((owner) => !roster.has(owner)),
  }
}

/** Whose the processes with these ids are. An id that no process has belongs to a person outside of what we see. */
function ownerSteps(
  ids: readonly number[],
  { processes }: Processes,
  roster: ReadonlySet<string> | null,
  probe: Probe<unknown>,
): readonly DraftObservation[] {
  const { unseen, owners, foreign } = ownersOf(ids, processes, roster)
  return [
    ...(unseen.length > 0
      ? [
          contradicts(
            `Of the GPU processes, ${unseen.length} cannot be found among the processes of this system.`,
            probe,
          ),
        ]
      : []),
    ...(foreign.length > 0
      ? [contradicts(`GPU processes belong to users not on the declared roster: ${named(foreign)}.`, probe)]
      : []),
    ...(roster === null
      ? [
          unclear(
            `${count(ids.length, 'GPU process', 'GPU processes')}, and no roster was declared to identify their owners.`,
            probe,
          ),
        ]
      : []),
    ...(unseen.length === 0 && foreign.length === 0 && roster !== null
      ? [
          supports(
            `${count(ids.length, 'GPU process', 'GPU processes')}, all of users on the declared roster: ${named(owners)}.`,
            probe,
          ),
        ]
      : []),
  ]
}

/**
 * Everything on GPUs that has to do with whose they are: processes, memory that no one holds, programs that share a GPU, and GPUs that were
 * not queried. Slices of the tenant's own are reported and are no failure.
 */
export function gpuTenancySteps(
  readings: Pick<TenancyReadings, 'gpus' | 'processes' | 'pci' | 'kfd'>,
  context: Context,
): readonly DraftObservation[] {
  const { gpus } = readings
  return [
    ...unaskedSteps(readings),
    ...gpuProcessSteps(readings, context),
    ...(gpus.ok ? memorySteps(gpus.fact.gpus) : []),
    ...(gpus.ok ? sliceSteps(gpus.fact.gpus) : []),
    ...sharingSteps(readings, context),
    ...kfdSteps(readings, context),
  ]
}

/** GPUs whose processes nothing listed. */
export function unaskedSteps({ gpus, pci }: Pick<TenancyReadings, 'gpus' | 'pci'>): readonly DraftObservation[] {
  if (!pci.ok) return unclearAbout(pciDevices, pci)
  const listed = pci.fact.devices.filter(isGpu)
  const others = listed.filter((device) => device.vendor !== '1002' && !isNvidiaGpu(device))
  const isNeeded = listed.some(isNvidiaGpu) || !wasAnswered(gpus)
  return [
    ...(isNeeded ? unclearAbout(gpuNvidia, gpus) : []),
    ...(others.length > 0
      ? [
          unclear(
            `Processes were not read for ${count(others.length, 'GPU or accelerator', 'GPUs or accelerators')} of other manufacturers: ${named(others.map(({ address }) => address))}.`,
            pciDevices,
          ),
        ]
      : []),
  ]
}

/** Memory that no listed process holds, beyond what drivers keep for themselves. */
const SPARE_MIB = 2048
const SPARE_PART = 0.03

/** GPUs on which more memory is in use than the listed processes hold. */
export function memorySteps(gpus: readonly NvidiaGpu[]): readonly DraftObservation[] {
  const unheld = gpus.flatMap(({ address, memory: { totalMib, usedMib }, processes }) => {
    // A process of which the driver does not show the memory may hold any of it.
    if (usedMib === null || processes.some(({ memoryMib }) => memoryMib === null)) return []
    const rest = usedMib - processes.reduce((sum, { memoryMib }) => sum + (memoryMib ?? 0), 0)
    return rest > Math.max(SPARE_MIB, (totalMib ?? 0) * SPARE_PART) ? [{ address, rest }] : []
  })
  return unheld.length === 0
    ? []
    : [
        unclear(
          `Memory is in use on GPUs that no listed process holds: ${named(unheld.map(({ address, rest }) => `${address} ${Math.round(rest)} MiB`))}.`,
          gpuNvidia,
        ),
      ]
}

function sliceSteps(gpus: readonly NvidiaGpu[]): readonly DraftObservation[] {
  const sliced = gpus.filter(({ migMode }) => migMode === 'Enabled')
  const slices = sliced.reduce((sum, { migDevices }) => sum + migDevices, 0)
  return sliced.length === 0
    ? []
    : [
        supports(
          `${count(sliced.length, 'GPU')} divided into ${count(slices, 'slice')} (MIG) within this system: a division of its user’s own, reported.`,
          gpuNvidia,
        ),
      ]
}

/** Programs by which several processes share a GPU (MPS), by whose they are. */
function sharingSteps(
  { processes }: Pick<TenancyReadings, 'processes'>,
  context: Context,
): readonly DraftObservation[] {
  const roster = rosterOf(context)
  const found = processes.ok ? sharingProcesses(processes.fact) : []
  if (found.length === 0 || roster === null) return []
  const owners = [...new Set(found.map(({ user }) => user))].sort()
  const foreign = owners.filter((owner) => !roster.has(owner))
  return [
    foreign.length > 0
      ? contradicts(
          `GPUs are shared (MPS) by a service of users not on the declared roster: ${named(foreign)}.`,
          tenancyProcesses,
        )
      : supports(
          `GPUs are shared between processes (MPS) by a service of ${named(owners)}: a division of its user’s own, reported.`,
          tenancyProcesses,
        ),
  ]
}

function kfdSteps(
  { kfd, processes }: Pick<TenancyReadings, 'kfd' | 'processes'>,
  context: Context,
): readonly DraftObservation[] {
  if (!kfd.ok || !processes.ok) return unclearAbout(tenancyKfd, kfd)
  return kfd.fact.ids.length === 0 ? [] : ownerSteps(kfd.fact.ids, processes.fact, rosterOf(context), tenancyKfd)
}
