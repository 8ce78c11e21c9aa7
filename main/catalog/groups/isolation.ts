import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'
import { encryptionInUseCcState } from '../checks/encryption-in-use-cc-state.ts'
import { evidenceCollectorIdentity } from '../checks/evidence-collector-identity.ts'
import { evidenceHostIdentity } from '../checks/evidence-host-identity.ts'
import { evidenceHostKeyUnique } from '../checks/evidence-host-key-unique.ts'
import { inventoryDisksRecorded } from '../checks/inventory-disks.ts'
import { inventoryHardware } from '../checks/inventory-hardware.ts'
import { inventoryNetworkInterfaces } from '../checks/inventory-network-interfaces.ts'
import { lifecycleDiskSwapDetection } from '../checks/lifecycle-disk-swap-detection.ts'
import { tenancyContainerCensus } from '../checks/tenancy-container-census.ts'
import { tenancyCpuIsolation } from '../checks/tenancy-cpu-isolation.ts'
import { tenancyCpuSideChannels } from '../checks/tenancy-cpu-side-channels.ts'
import { tenancyFabricPartition } from '../checks/tenancy-fabric-partition.ts'
import { tenancyForeignMounts } from '../checks/tenancy-foreign-mounts.ts'
import { tenancyGpuExclusive } from '../checks/tenancy-gpu-exclusive.ts'
import { tenancyGpuProcesses } from '../checks/tenancy-gpu-processes.ts'
import { tenancyIommu } from '../checks/tenancy-iommu.ts'
import { tenancyNetworkNeighbours } from '../checks/tenancy-network-neighbours.ts'
import { tenancyNoGuests } from '../checks/tenancy-no-guests.ts'
import { tenancyNoHypervisor } from '../checks/tenancy-no-hypervisor.ts'
import { tenancyPcieInventory } from '../checks/tenancy-pcie-inventory.ts'
import { tenancyUserCensus } from '../checks/tenancy-user-census.ts'
import { LIVE_PROBES } from '../isolation/live-tests.ts'
import { acpiHeaders } from '../probes/acpi-headers.ts'
import { acpiOverview } from '../probes/acpi-overview.ts'
import { armPlatform } from '../probes/arm-platform.ts'
import { bmc } from '../probes/bmc.ts'
import { bmcPresence } from '../probes/bmc-presence.ts'
import { bootMemory } from '../probes/boot-memory.ts'
import { cpuConfidential } from '../probes/cpu-confidential.ts'
import { cpuEnergy } from '../probes/cpu-energy.ts'
import { cpuFeatures } from '../probes/cpu-features.ts'
import { cpuHypervisorLeaf } from '../probes/cpu-hypervisor-leaf.ts'
import { cpuIsolation } from '../probes/cpu-isolation.ts'
import { cpuLeaves } from '../probes/cpu-leaves.ts'
import { cpuMsr } from '../probes/cpu-msr.ts'
import { cpuPlatform } from '../probes/cpu-platform.ts'
import { cpuSensors } from '../probes/cpu-sensors.ts'
import { cpuTopology } from '../probes/cpu-topology.ts'
import { dmiEntries } from '../probes/dmi-entries.ts'
import { dmiIdentity } from '../probes/dmi-identity.ts'
import { dmiTable } from '../probes/dmi-table.ts'
import { gpuAmd, gpuAmdLegacy } from '../probes/gpu-amd.ts'
import { gpuCards } from '../probes/gpu-cards.ts'
import { gpuConfCompute } from '../probes/gpu-conf-compute.ts'
import { gpuFabric } from '../probes/gpu-fabric.ts'
import { gpuModules } from '../probes/gpu-modules.ts'
import { gpuMps } from '../probes/gpu-mps.ts'
import { gpuNvidia } from '../probes/gpu-nvidia.ts'
import { gpuNvlink } from '../probes/gpu-nvlink.ts'
import { gpuTopology } from '../probes/gpu-topology.ts'
import { hostIdentity, hostSerials } from '../probes/host-identity.ts'
import { hostKeyList } from '../probes/host-key-list.ts'
import { infiniband } from '../probes/infiniband.ts'
import { inventoryDisks } from '../probes/inventory-disks.ts'
import { inventoryMemory } from '../probes/inventory-memory.ts'
import { kernelMessages } from '../probes/kernel-messages.ts'
import { memorySpd } from '../probes/memory-spd.ts'
import { namespaces } from '../probes/namespaces.ts'
import { netInterfaces } from '../probes/net-interfaces.ts'
import { netLinks } from '../probes/net-links.ts'
import { netLldp } from '../probes/net-lldp.ts'
import { netNeighbours } from '../probes/net-neighbours.ts'
import { osIdentity } from '../probes/os-identity.ts'
import { pciDevices } from '../probes/pci-devices.ts'
import { pciIommu } from '../probes/pci-iommu.ts'
import { pciPorts } from '../probes/pci-ports.ts'
import { rdmaGpudirect } from '../probes/rdma-gpudirect.ts'
import { sessionLimits } from '../probes/session-limits.ts'
import { sshSession } from '../probes/ssh-session.ts'
import { steal } from '../probes/steal.ts'
import { storageRemote } from '../probes/storage-remote.ts'
import { tenancyKfd } from '../probes/tenancy-kfd.ts'
import { tenancyPods } from '../probes/tenancy-pods.ts'
import { tenancyProcesses } from '../probes/tenancy-processes.ts'
import { tenancyRay } from '../probes/tenancy-ray.ts'
import { tenancyRuntimes } from '../probes/tenancy-runtimes.ts'
import { tenancySessions } from '../probes/tenancy-sessions.ts'
import { tenancySlices } from '../probes/tenancy-slices.ts'
import { tenancySlurm } from '../probes/tenancy-slurm.ts'
import { tpmEk } from '../probes/tpm-ek.ts'
import { tpmMeasurements } from '../probes/tpm-measurements.ts'
import { usbDevices } from '../probes/usb-devices.ts'
import { virtBuses } from '../probes/virt-buses.ts'
import { virtGuests } from '../probes/virt-guests.ts'
import { virtHosted } from '../probes/virt-hosted.ts'
import { virtInterrupts } from '../probes/virt-interrupts.ts'
import { virtMachines } from '../probes/virt-machines.ts'

export { evidenceCollectionCompleteness } from '../checks/evidence-collection-completeness.ts'
export { assessIsolation, SIGNAL_NOTES } from '../isolation/argue.ts'

/** Isolation, inventory, and what the evidence itself depends on. The accounts it also reads are listed with access. */
export const probes: readonly Probe<unknown>[] = [
  sshSession,
  hostKeyList,
  hostIdentity,
  hostSerials,
  osIdentity,
  cpuFeatures,
  cpuHypervisorLeaf,
  cpuPlatform,
  cpuEnergy,
  cpuSensors,
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
  bmcPresence,
  bmc,
  bootMemory,
  dmiEntries,
  gpuAmd,
  gpuAmdLegacy,
  gpuCards,
  gpuConfCompute,
  gpuFabric,
  gpuModules,
  gpuMps,
  gpuNvlink,
  kernelMessages,
  memorySpd,
  netLinks,
  netLldp,
  netNeighbours,
  pciPorts,
  rdmaGpudirect,
  storageRemote,
  tpmEk,
  tpmMeasurements,
  usbDevices,
  virtInterrupts,
  armPlatform,
  cpuConfidential,
  cpuLeaves,
  cpuMsr,
  cpuTopology,
  cpuIsolation,
  sessionLimits,
  tenancyKfd,
  tenancyRay,
  tenancySlices,
  tenancySlurm,
  virtHosted,
  virtMachines,
  ...LIVE_PROBES,
]

export const checks: readonly Check[] = [
  tenancyNoHypervisor,
  tenancyNoGuests,
  tenancyUserCensus,
  tenancyContainerCensus,
  tenancyGpuExclusive,
  tenancyGpuProcesses,
  tenancyCpuSideChannels,
  tenancyPcieInventory,
  tenancyFabricPartition,
  tenancyIommu,
  tenancyCpuIsolation,
  tenancyForeignMounts,
  tenancyNetworkNeighbours,
  encryptionInUseCcState,
  inventoryHardware,
  inventoryDisksRecorded,
  inventoryNetworkInterfaces,
  lifecycleDiskSwapDetection,
  evidenceHostIdentity,
  evidenceHostKeyUnique,
  evidenceCollectorIdentity,
]
