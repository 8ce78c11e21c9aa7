import type { MaybeFactsOf } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { accountsLocal } from '../probes/accounts-local.ts'
import { acpiHeaders } from '../probes/acpi-headers.ts'
import { acpiOverview } from '../probes/acpi-overview.ts'
import { cpuFeatures } from '../probes/cpu-features.ts'
import { cpuHypervisorLeaf } from '../probes/cpu-hypervisor-leaf.ts'
import { cpuPlatform } from '../probes/cpu-platform.ts'
import { dmiIdentity } from '../probes/dmi-identity.ts'
import { dmiTable } from '../probes/dmi-table.ts'
import { gpuNvidia } from '../probes/gpu-nvidia.ts'
import { infiniband } from '../probes/infiniband.ts'
import { inventoryDisks } from '../probes/inventory-disks.ts'
import { inventoryMemory } from '../probes/inventory-memory.ts'
import { namespaces } from '../probes/namespaces.ts'
import { netInterfaces } from '../probes/net-interfaces.ts'
import { pciDevices } from '../probes/pci-devices.ts'
import { steal } from '../probes/steal.ts'
import { tenancyPods } from '../probes/tenancy-pods.ts'
import { tenancyProcesses } from '../probes/tenancy-processes.ts'
import { tenancyRuntimes } from '../probes/tenancy-runtimes.ts'
import { tenancySessions } from '../probes/tenancy-sessions.ts'
import { virtBuses } from '../probes/virt-buses.ts'
import { virtGuests } from '../probes/virt-guests.ts'

/** What the question of the execution layer is argued from. */
export const LAYER_PROBES = {
  cpu: cpuFeatures,
  leaf: cpuHypervisorLeaf,
  platform: cpuPlatform,
  dmi: dmiIdentity,
  table: dmiTable,
  memory: inventoryMemory,
  acpi: acpiOverview,
  headers: acpiHeaders,
  pci: pciDevices,
  buses: virtBuses,
  steal,
  namespaces,
  gpus: gpuNvidia,
  disks: inventoryDisks,
} as const

/** What the question of tenancy on the system is argued from. */
export const TENANCY_PROBES = {
  namespaces,
  processes: tenancyProcesses,
  sessions: tenancySessions,
  accounts: accountsLocal,
  pods: tenancyPods,
  runtimes: tenancyRuntimes,
  guests: virtGuests,
  gpus: gpuNvidia,
} as const

/** What the locality of each device is argued from. */
export const DEVICE_PROBES = {
  pci: pciDevices,
  gpus: gpuNvidia,
  nics: netInterfaces,
  fabric: infiniband,
  disks: inventoryDisks,
} as const

export type LayerReadings = MaybeFactsOf<typeof LAYER_PROBES>
export type TenancyReadings = MaybeFactsOf<typeof TENANCY_PROBES>
export type DeviceReadings = MaybeFactsOf<typeof DEVICE_PROBES>

const NOT_COLLECTED: Parsed<never> = { ok: false, reason: 'this was not collected' }

/** The readings of a set of probes by the names used here; a probe without a reading counts as not collected. */
export function readingsOf<P extends Readonly<Record<string, { readonly id: string }>>>(
  probes: P,
  readings: ReadonlyMap<string, Parsed<unknown>>,
): Readonly<Record<string, Parsed<unknown>>> {
  return Object.fromEntries(Object.entries(probes).map(([name, { id }]) => [name, readings.get(id) ?? NOT_COLLECTED]))
}
