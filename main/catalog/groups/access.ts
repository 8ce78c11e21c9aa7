import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'
import { accessAuthorizedKeys } from '../checks/access-authorized-keys.ts'
import { accessKeyPerAccount } from '../checks/access-key-per-account.ts'
import { accessMacEnforcement } from '../checks/access-mac-enforcement.ts'
import { accessPamLockout } from '../checks/access-pam-lockout.ts'
import { accessRosterMatch } from '../checks/access-roster-match.ts'
import { accessSessionTimeout } from '../checks/access-session-timeout.ts'
import { accessSshdAllowList } from '../checks/access-sshd-allow-list.ts'
import { accessSshdConnectionLimits } from '../checks/access-sshd-connection-limits.ts'
import { accessSshdMfa } from '../checks/access-sshd-mfa.ts'
import { accessSshdPasswordAuth } from '../checks/access-sshd-password-auth.ts'
import { accessSshdRootLogin } from '../checks/access-sshd-root-login.ts'
import { accessSudoPolicy } from '../checks/access-sudo-policy.ts'
import { accessUniqueAccounts } from '../checks/access-unique-accounts.ts'
import { auditAuditdRules } from '../checks/audit-auditd-rules.ts'
import { auditAuditdRunning } from '../checks/audit-auditd-running.ts'
import { auditImmutableRules } from '../checks/audit-immutable-rules.ts'
import { auditLogForwarding } from '../checks/audit-log-forwarding.ts'
import { auditLogRetention } from '../checks/audit-log-retention.ts'
import { auditLoginRecords } from '../checks/audit-login-records.ts'
import { integrityKernelLockdown } from '../checks/integrity-kernel-lockdown.ts'
import { integrityMeasuredBoot } from '../checks/integrity-measured-boot.ts'
import { integritySecureBoot } from '../checks/integrity-secure-boot.ts'
import { networkHostFirewall } from '../checks/network-host-firewall.ts'
import { networkKernelParams } from '../checks/network-kernel-params.ts'
import { timeSync } from '../checks/time-sync.ts'
import { vulnPatchLevel } from '../checks/vuln-patch-level.ts'
import { vulnRebootRequired } from '../checks/vuln-reboot-required.ts'
import { accountsLocal } from '../probes/accounts-local.ts'
import { accountsPasswordState } from '../probes/accounts-password-state.ts'
import { auditdRules } from '../probes/auditd-rules.ts'
import { auditdStatus } from '../probes/auditd-status.ts'
import { authorizedKeys } from '../probes/authorized-keys.ts'
import { firewallLegacy } from '../probes/firewall-legacy.ts'
import { firewallNftables } from '../probes/firewall-nftables.ts'
import { ipvsServices } from '../probes/ipvs-services.ts'
import { journaldConfig } from '../probes/journald-config.ts'
import { kernelProtections } from '../probes/kernel-protections.ts'
import { loginRecords } from '../probes/login-records.ts'
import { lsmApparmor } from '../probes/lsm-apparmor.ts'
import { networkConnections } from '../probes/network-connections.ts'
import { packagesApt } from '../probes/packages-apt.ts'
import { packagesDistribution } from '../probes/packages-distribution.ts'
import { packagesDnf } from '../probes/packages-dnf.ts'
import { pamSettings } from '../probes/pam-settings.ts'
import { pamStack } from '../probes/pam-stack.ts'
import { rebootRequired } from '../probes/reboot-required.ts'
import { rsyslogForwarding } from '../probes/rsyslog-forwarding.ts'
import { secureBoot } from '../probes/secure-boot.ts'
import { servicesState } from '../probes/services-state.ts'
import { sessionTimeout } from '../probes/session-timeout.ts'
import { sshdConditions } from '../probes/sshd-conditions.ts'
import { sshdContexts } from '../probes/sshd-contexts.ts'
import { sudoProgram } from '../probes/sudo-program.ts'
import { sudoersRules } from '../probes/sudoers-rules.ts'
import { sysctlNetwork } from '../probes/sysctl-network.ts'
import { timeChrony } from '../probes/time-chrony.ts'
import { timeTimesyncd } from '../probes/time-timesyncd.ts'
import { tpmPresence } from '../probes/tpm-presence.ts'

/** Questions about access, audit, time, integrity, network and updates. The SSH server's settings are in the encryption group. */
export const probes: readonly Probe<unknown>[] = [
  accountsLocal,
  accountsPasswordState,
  sudoersRules,
  sudoProgram,
  authorizedKeys,
  sshdConditions,
  sshdContexts,
  pamStack,
  pamSettings,
  sessionTimeout,
  servicesState,
  auditdStatus,
  auditdRules,
  journaldConfig,
  rsyslogForwarding,
  networkConnections,
  loginRecords,
  timeChrony,
  timeTimesyncd,
  secureBoot,
  kernelProtections,
  lsmApparmor,
  tpmPresence,
  firewallNftables,
  firewallLegacy,
  ipvsServices,
  sysctlNetwork,
  packagesDistribution,
  packagesApt,
  packagesDnf,
  rebootRequired,
]

export const checks: readonly Check[] = [
  accessUniqueAccounts,
  accessRosterMatch,
  accessSshdRootLogin,
  accessSshdPasswordAuth,
  accessSshdMfa,
  accessSshdAllowList,
  accessSshdConnectionLimits,
  accessAuthorizedKeys,
  accessKeyPerAccount,
  accessSudoPolicy,
  accessSessionTimeout,
  accessPamLockout,
  accessMacEnforcement,
  auditAuditdRunning,
  auditAuditdRules,
  auditImmutableRules,
  auditLogForwarding,
  auditLogRetention,
  auditLoginRecords,
  timeSync,
  integritySecureBoot,
  integrityKernelLockdown,
  integrityMeasuredBoot,
  networkHostFirewall,
  networkKernelParams,
  vulnPatchLevel,
  vulnRebootRequired,
]
