import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'
import { accessConsoleAndBoot } from '../checks/access-console-and-boot.ts'
import { accessLeaverAccounts } from '../checks/access-leaver-accounts.ts'
import { accessPamPasswordQuality } from '../checks/access-pam-password-quality.ts'
import { accessProviderAccess } from '../checks/access-provider-access.ts'
import { accessServiceAccounts } from '../checks/access-service-accounts.ts'
import { accessStaleAccounts } from '../checks/access-stale-accounts.ts'
import { accountsLastLogin } from '../probes/accounts-last-login.ts'
import { accountsLastlog, accountsLastlog2 } from '../probes/accounts-lastlog.ts'
import { accountsLoginDefs } from '../probes/accounts-login-defs.ts'
import { accountsLoginFiles } from '../probes/accounts-login-files.ts'
import { accountsPasswordLocks } from '../probes/accounts-password-locks.ts'
import { accountsPasswordMethods } from '../probes/accounts-password-methods.ts'
import { accountsWtmpdb } from '../probes/accounts-wtmpdb.ts'
import { bootLoaderPassword } from '../probes/boot-loader-password.ts'
import { consoleLogin } from '../probes/console-login.ts'
import { pamAccessRules } from '../probes/pam-access-rules.ts'
import { remoteAgents } from '../probes/remote-agents.ts'
import { sudoersOther } from '../probes/sudoers-other.ts'

/** Questions about accounts over time, passwords, service accounts, the provider’s own access, consoles. */
export const probes: readonly Probe<unknown>[] = [
  accountsLastLogin,
  accountsLastlog,
  accountsLastlog2,
  accountsWtmpdb,
  accountsLoginFiles,
  accountsPasswordMethods,
  accountsPasswordLocks,
  accountsLoginDefs,
  remoteAgents,
  bootLoaderPassword,
  consoleLogin,
  pamAccessRules,
  sudoersOther,
]

export const checks: readonly Check[] = [
  accessLeaverAccounts,
  accessStaleAccounts,
  accessServiceAccounts,
  accessPamPasswordQuality,
  accessProviderAccess,
  accessConsoleAndBoot,
]
