import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'
import { evidenceCollectorIdentity } from '../checks/evidence-collector-identity.ts'
import { evidenceHostIdentity } from '../checks/evidence-host-identity.ts'
import { inventoryDisksRecorded } from '../checks/inventory-disks.ts'
import { inventoryHardware } from '../checks/inventory-hardware.ts'
import { inventoryNetworkInterfaces } from '../checks/inventory-network-interfaces.ts'
import { locationLocaleHints } from '../checks/location-locale-hints.ts'
import { locationProviderClaim } from '../checks/location-provider-claim.ts'
import { locationRttBound } from '../checks/location-rtt-bound.ts'
import { tenancyContainerCensus } from '../checks/tenancy-container-census.ts'
import { tenancyFabricPartition } from '../checks/tenancy-fabric-partition.ts'
import { tenancyGpuExclusive } from '../checks/tenancy-gpu-exclusive.ts'
import { tenancyIommu } from '../checks/tenancy-iommu.ts'
import { tenancyNoGuests } from '../checks/tenancy-no-guests.ts'
import { tenancyNoHypervisor } from '../checks/tenancy-no-hypervisor.ts'
import { tenancyPcieInventory } from '../checks/tenancy-pcie-inventory.ts'
import { tenancyUserCensus } from '../checks/tenancy-user-census.ts'
import { acpiHeaders } from '../probes/acpi-headers.ts'
import { acpiOverview } from '../probes/acpi-overview.ts'
import { cloudInit } from '../probes/cloud-init.ts'
import { cpuFeatures } from '../probes/cpu-features.ts'
import { cpuHypervisorLeaf } from '../probes/cpu-hypervisor-leaf.ts'
import { cpuPlatform } from '../probes/cpu-platform.ts'
import { dmiIdentity } from '../probes/dmi-identity.ts'
import { dmiTable } from '../probes/dmi-table.ts'
import { gpuNvidia } from '../probes/gpu-nvidia.ts'
import { gpuTopology } from '../probes/gpu-topology.ts'
import { hostIdentity, hostSerials } from '../probes/host-identity.ts'
import { infiniband } from '../probes/infiniband.ts'
import { inventoryDisks } from '../probes/inventory-disks.ts'
import { inventoryMemory } from '../probes/inventory-memory.ts'
import { namespaces } from '../probes/namespaces.ts'
import { netInterfaces } from '../probes/net-interfaces.ts'
import { nonceEcho } from '../probes/nonce-echo.ts'
import { osIdentity } from '../probes/os-identity.ts'
import { pciDevices } from '../probes/pci-devices.ts'
import { pciIommu } from '../probes/pci-iommu.ts'
import { sshSession } from '../probes/ssh-session.ts'
import { steal } from '../probes/steal.ts'
import { tenancyPods } from '../probes/tenancy-pods.ts'
import { tenancyProcesses } from '../probes/tenancy-processes.ts'
import { tenancyRuntimes } from '../probes/tenancy-runtimes.ts'
import { tenancySessions } from '../probes/tenancy-sessions.ts'
import { timezone } from '../probes/timezone.ts'
import { virtBuses } from '../probes/virt-buses.ts'
import { virtGuests } from '../probes/virt-guests.ts'

export { evidenceCollectionCompleteness } from '../checks/evidence-collection-completeness.ts'
export { arguesIsolation } from '../isolation/argue.ts'

/** Isolation, location, inventory, and what the evidence itself rests on. The accounts it also reads are listed with access. */
export const probes: readonly Probe<unknown>[] = [
  sshSession,
  nonceEcho,
  hostIdentity,
  hostSerials,
  osIdentity,
  cpuFeatures,
  cpuHypervisorLeaf,
  cpuPlatform,
  dmiIdentity,
  dmiTable,
  acpiOverview,
  acpiHeaders,
  pciDevices,
  pciIommu,
  virtBuses,
  virtGuests,
  namespaces,
  steal,
  gpuNvidia,
  gpuTopology,
  infiniband,
  netInterfaces,
  inventoryDisks,
  inventoryMemory,
  tenancyProcesses,
  tenancySessions,
  tenancyPods,
  tenancyRuntimes,
  cloudInit,
  timezone,
]

export const checks: readonly Check[] = [
  tenancyNoHypervisor,
  tenancyNoGuests,
  tenancyUserCensus,
  tenancyContainerCensus,
  tenancyGpuExclusive,
  tenancyPcieInventory,
  tenancyFabricPartition,
  tenancyIommu,
  locationRttBound,
  locationProviderClaim,
  locationLocaleHints,
  inventoryHardware,
  inventoryDisksRecorded,
  inventoryNetworkInterfaces,
  evidenceHostIdentity,
  evidenceCollectorIdentity,
]
