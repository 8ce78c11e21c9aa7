import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'
import { auditCollectorSelfRecord } from '../checks/audit-collector-self-record.ts'
import { auditCommandAccountability } from '../checks/audit-command-accountability.ts'
import { auditLogContinuity } from '../checks/audit-log-continuity.ts'
import { auditLogPermissions } from '../checks/audit-log-permissions.ts'
import { tenancyBmcExposure } from '../checks/tenancy-bmc-exposure.ts'
import { timeAuditTimestamps } from '../checks/time-audit-timestamps.ts'
import { auditdRemote } from '../probes/auditd-remote.ts'
import { auditdRuleFiles } from '../probes/auditd-rule-files.ts'
import { bmcDevice } from '../probes/bmc-device.ts'
import { bmcLan } from '../probes/bmc-lan.ts'
import { clusterKubernetes } from '../probes/cluster-kubernetes.ts'
import { clusterSlurm } from '../probes/cluster-slurm.ts'
import { journalState } from '../probes/journal-state.ts'
import { journalUpload } from '../probes/journal-upload.ts'
import { auditFiles, logFiles } from '../probes/log-files.ts'
import { loginJournal } from '../probes/login-journal.ts'
import { loginRoot } from '../probes/login-root.ts'
import { loginSession } from '../probes/login-session.ts'
import { servicesLogAgents } from '../probes/services-log-agents.ts'
import { sudoLog } from '../probes/sudo-log.ts'
import { syslogNgForwarding } from '../probes/syslog-ng-forwarding.ts'
import { timeNow } from '../probes/time-now.ts'
import { timeNtpq } from '../probes/time-ntpq.ts'
import { timeSources } from '../probes/time-sources.ts'

/** Questions about the management controller’s users, clusters, and what the logs state about themselves and about this collection. */
export const probes: readonly Probe<unknown>[] = [
  timeNow,
  timeSources,
  timeNtpq,
  auditdRuleFiles,
  auditdRemote,
  syslogNgForwarding,
  journalUpload,
  servicesLogAgents,
  logFiles,
  auditFiles,
  bmcLan,
  bmcDevice,
  clusterKubernetes,
  clusterSlurm,
  loginSession,
  loginRoot,
  loginJournal,
  journalState,
  sudoLog,
]

export const checks: readonly Check[] = [
  auditLogPermissions,
  auditLogContinuity,
  auditCommandAccountability,
  auditCollectorSelfRecord,
  timeAuditTimestamps,
  tenancyBmcExposure,
]
