import type { MaybeFactsOf } from '../../../core/check.ts'
import type { Parsed } from '../../../core/probe.ts'
import { accountsLocal } from '../../probes/accounts-local.ts'
import { gpuNvidia } from '../../probes/gpu-nvidia.ts'
import { namespaces } from '../../probes/namespaces.ts'
import { pciDevices } from '../../probes/pci-devices.ts'
import { sessionLimits } from '../../probes/session-limits.ts'
import { tenancyKfd } from '../../probes/tenancy-kfd.ts'
import { tenancyPods } from '../../probes/tenancy-pods.ts'
import { tenancyProcesses } from '../../probes/tenancy-processes.ts'
import { tenancyRay } from '../../probes/tenancy-ray.ts'
import { tenancyRuntimes } from '../../probes/tenancy-runtimes.ts'
import { tenancySessions } from '../../probes/tenancy-sessions.ts'
import { tenancySlices } from '../../probes/tenancy-slices.ts'
import { tenancySlurm } from '../../probes/tenancy-slurm.ts'
import { virtBuses } from '../../probes/virt-buses.ts'
import { virtGuests } from '../../probes/virt-guests.ts'
import { virtHosted } from '../../probes/virt-hosted.ts'
import { virtMachines } from '../../probes/virt-machines.ts'
import type { Read } from '../signal.ts'

/** What the question of tenancy on the system is argued from. */
export const TENANCY_PROBES = {
  namespaces,
  limits: sessionLimits,
  processes: tenancyProcesses,
  sessions: tenancySessions,
  slices: tenancySlices,
  accounts: accountsLocal,
  pods: tenancyPods,
  runtimes: tenancyRuntimes,
  guests: virtGuests,
  hosted: virtHosted,
  machines: virtMachines,
  buses: virtBuses,
  slurm: tenancySlurm,
  ray: tenancyRay,
  pci: pciDevices,
  gpus: gpuNvidia,
  kfd: tenancyKfd,
} as const

export type TenancyReadings = MaybeFactsOf<typeof TENANCY_PROBES>

export const tenancyReadings = (read: Read): TenancyReadings =>
  Object.fromEntries(
    Object.entries(TENANCY_PROBES).map(([name, probe]) => [name, read<unknown, string>(probe)]),
  ) as TenancyReadings

/**
 * Whether the question was put and responded, be it that the node has no such tool or right. a capture that was removed, cut off or lost is
 * none: it may be the one that contradicts.
 */
export const wasAnswered = (reading: Parsed<unknown>): boolean =>
  reading.ok || !/^(this was not collected$|not usable: |not collected: the session ended)/.test(reading.reason)
