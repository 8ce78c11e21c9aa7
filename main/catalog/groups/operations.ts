import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'
import { availabilityBootRecovery } from '../checks/availability-boot-recovery.ts'
import { availabilityCapacity } from '../checks/availability-capacity.ts'
import { availabilityHardwareHealth } from '../checks/availability-hardware-health.ts'
import { availabilityMonitoringAgent } from '../checks/availability-monitoring-agent.ts'
import { availabilityRedundancy } from '../checks/availability-redundancy.ts'
import { backupFreshness } from '../checks/backup-freshness.ts'
import { backupImmutability } from '../checks/backup-immutability.ts'
import { backupJobStatus } from '../checks/backup-job-status.ts'
import { changePackageHistory } from '../checks/change-package-history.ts'
import { changeScheduledJobs } from '../checks/change-scheduled-jobs.ts'
import { encryptionAtRestBackupTarget } from '../checks/encryption-at-rest-backup-target.ts'
import { networkEgressPolicy } from '../checks/network-egress-policy.ts'
import { networkFlowMap } from '../checks/network-flow-map.ts'
import { networkListeningPorts } from '../checks/network-listening-ports.ts'
import { networkSegmentation } from '../checks/network-segmentation.ts'
import { backupSettings } from '../probes/backup-settings.ts'
import { backupUnits } from '../probes/backup-units.ts'
import { capacityFilesystems } from '../probes/capacity-filesystems.ts'
import { cpuThrottling } from '../probes/cpu-throttling.ts'
import { storageDmStatus } from '../probes/dm-status.ts'
import { driveHealthNvme } from '../probes/drive-health-nvme.ts'
import { driveHealthSmart } from '../probes/drive-health-smart.ts'
import { netRoutes } from '../probes/net-routes.ts'
import { packageLogs } from '../probes/package-logs.ts'
import { proxySettings } from '../probes/proxy-settings.ts'
import { redundancyState } from '../probes/redundancy-state.ts'
import { scheduledJobs } from '../probes/scheduled-jobs.ts'
import { servicesFailed } from '../probes/services-failed.ts'
import { servicesMonitoring } from '../probes/services-monitoring.ts'
import { sysctlNetworkMore } from '../probes/sysctl-network-more.ts'
import { systemLoad } from '../probes/system-load.ts'
import { userCrontabs } from '../probes/user-crontabs.ts'

/** Questions about what listens and connects, backups, health, and changes. */
export const probes: readonly Probe<unknown>[] = [
  netRoutes,
  proxySettings,
  sysctlNetworkMore,
  redundancyState,
  storageDmStatus,
  driveHealthNvme,
  driveHealthSmart,
  cpuThrottling,
  servicesFailed,
  servicesMonitoring,
  systemLoad,
  capacityFilesystems,
  backupUnits,
  backupSettings,
  packageLogs,
  scheduledJobs,
  userCrontabs,
]

export const checks: readonly Check[] = [
  networkListeningPorts,
  networkEgressPolicy,
  networkSegmentation,
  networkFlowMap,
  availabilityRedundancy,
  availabilityHardwareHealth,
  availabilityBootRecovery,
  availabilityCapacity,
  availabilityMonitoringAgent,
  backupJobStatus,
  backupFreshness,
  backupImmutability,
  encryptionAtRestBackupTarget,
  changePackageHistory,
  changeScheduledJobs,
]
