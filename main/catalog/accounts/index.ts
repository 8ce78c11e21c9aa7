import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import {
  accountsLastLogin,
  accountsLastlog,
  accountsLastlog2,
  accountsLoginFiles,
  accountsWtmpdb,
} from './last-login.ts'
import { accessLeaverAccounts, accessStaleAccounts } from './leavers.ts'
import {
  accountsLocal,
  accountsLoginDefs,
  accountsPasswordLocks,
  accountsPasswordMethods,
  accountsPasswordState,
} from './probes.ts'
import { accessRosterMatch, accessUniqueAccounts } from './roster.ts'
import { accessServiceAccounts } from './services.ts'

export const accountsSubject = defineSubject({
  id: 'accounts',
  title: 'Accounts',
  probes: [
    accountsLocal,
    accountsPasswordState,
    accountsLastLogin,
    accountsLastlog,
    accountsLastlog2,
    accountsWtmpdb,
    accountsLoginFiles,
    accountsPasswordMethods,
    accountsPasswordLocks,
    accountsLoginDefs,
  ],
  checks: [accessUniqueAccounts, accessRosterMatch, accessLeaverAccounts, accessStaleAccounts, accessServiceAccounts],
  data,
})
