import {
  type Context,
  type DraftObservation,
  defineCheck,
  type MaybeFactsOf,
  unclearAbout,
} from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import {
  doorState,
  type Evidence,
  isInOthersHome,
  KEY_SOURCES,
  keySources,
  loginMethods,
  unreadDoors,
} from '../authorized-keys/key-files.ts'
import { authorizedKeys } from '../authorized-keys/probes.ts'
import { sudoersRules } from '../sudo/probes.ts'
import { hostRootRules, onCertainHosts, ownRootRules, ROOT_EQUIVALENT_GROUPS, ruleNames } from '../sudo/rights.ts'
import data from './checks.json' with { type: 'json' }
import {
  accountsLastLogin,
  accountsLastlog,
  accountsLastlog2,
  accountsLoginFiles,
  accountsWtmpdb,
} from './last-login.ts'
import { accessLeaverAccounts, accessStaleAccounts } from './leavers.ts'
import { declaredAs, declaredNames } from './login-traces.ts'
import {
  type Account,
  accountsLocal,
  accountsLoginDefs,
  accountsPasswordLocks,
  accountsPasswordMethods,
  accountsPasswordState,
  canLogIn,
  type LocalAccounts,
  membersOf,
  type ReportedPasswords,
  reportedPasswords,
} from './probes.ts'
import { accessRosterMatch, accessUniqueAccounts } from './roster.ts'
import { accountsSssd } from './sssd.ts'

const WANTS = {
  passwords: accountsPasswordState,
  locks: accountsPasswordLocks,
  keys: authorizedKeys,
  ...KEY_SOURCES,
  sudo: sudoersRules,
}

type Wanted = MaybeFactsOf<typeof WANTS> & ReportedPasswords & Pick<Evidence, 'sources'>

const accessServiceAccounts = defineCheck({
  id: 'access.service-accounts',
  property: 'access',
  expected:
    'Only declared service accounts can start a session, and only those declared as administrators can become root.',
  limitations:
    'Accounts count as those of a service by their declaration, or by an id below 1000 as distributions give them out. Keys, tokens and passwords that services keep in files are not searched for, nor are rights inside applications; programs with the setuid bit are tested by another check. Key files and home folders that are links are not followed, and leave open what opens an account. The result applies to the moment of collection.',
  requires: { local: accountsLocal },
  optional: WANTS,
  evaluate({ local }, facts, context) {
    const wanted = { ...facts, ...reportedPasswords(facts), sources: keySources(facts) }
    const services = local.accounts.filter((account) => isService(account, context))
    return decide([
      ...sessions(services, wanted, context),
      ...keysWithoutShell(services, local, wanted, context),
      ...rights(services, local, wanted, context),
    ])
  },
})

/** login.defs(5): UID_MIN is 1000 and 65534 belongs to no one. Other statements of the fleet file make an account a person's. */
function isService({ name, uid }: Account, { node }: Context): boolean {
  const kind = declaredAs(node, name)?.kind
  if (kind !== undefined) return kind === 'service'
  return name !== 'root' && (uid < 1000 || uid === 65_534)
}

function sessions(services: readonly Account[], wanted: Wanted, { node }: Context): readonly DraftObservation[] {
  const declared = declaredNames(node)
  const shells = services.filter(canLogIn)
  const stated = shells.filter(({ name }) => declared?.has(name) === true)
  const rest = shells.filter((account) => !stated.includes(account))
  const state = (account: Account) => doorState(loginMethods(account, wanted))
  const open = rest.filter((account) => state(account) === 'open')
  const unread = rest.filter((account) => state(account) === 'unclear')
  const closed = rest.filter((account) => state(account) === 'closed')
  const names = (accounts: readonly Account[]): string => named(accounts.map(({ name }) => name))
  return [
    ...(shells.length === 0
      ? [
          supports(
            `None of the ${count(services.length, 'account')} of services has a login shell.`,
            accountsLocal,
            'passwd',
          ),
        ]
      : []),
    ...(stated.length > 0
      ? [supports(`Accounts of services with a login shell, as declared: ${names(stated)}.`, accountsLocal, 'passwd')]
      : []),
    ...(open.length > 0
      ? [
          contradicts(
            `Accounts of services that a password or key opens, without being declared: ${names(open)}.`,
            wanted.passwords.ok ? wanted.reportedBy : authorizedKeys,
          ),
        ]
      : []),
    ...(closed.length > 0
      ? [
          supports(
            `Accounts of services with a login shell that neither a password nor a key opens: ${names(closed)}.`,
            wanted.reportedBy,
          ),
        ]
      : []),
    ...(unread.length > 0
      ? [
          unclear(
            `Accounts of services with a login shell; whether a password or key opens them was not read: ${names(unread)}.`,
            accountsLocal,
            'passwd',
          ),
          ...unreadDoors(wanted),
        ]
      : []),
  ]
}

// sshd still forwards ports for an account whose shell refuses logins (sshd_config(5), AllowTcpForwarding).
function keysWithoutShell(
  services: readonly Account[],
  local: LocalAccounts,
  wanted: Wanted,
  { node }: Context,
): readonly DraftObservation[] {
  const { keys } = wanted
  if (!keys.ok) return unclearAbout(authorizedKeys, keys)
  const declared = declaredNames(node)
  const holding = services.filter(
    (account) =>
      !canLogIn(account) &&
      declared?.has(account.name) !== true &&
      (loginMethods(account, wanted).keys ?? []).length > 0,
  )
  const keyed = holding.filter((account) => !isInOthersHome(account, local))
  const guests = holding.filter((account) => !keyed.includes(account))
  return [
    keyed.length === 0
      ? supports('No SSH key is in place for an undeclared account of a service without a login shell.', authorizedKeys)
      : contradicts(
          `SSH keys are in place for accounts of services without a login shell: ${named(keyed.map(({ name }) => name))}.`,
          authorizedKeys,
        ),
    ...(guests.length === 0
      ? []
      : [
          supports(
            `Keys in the home folder of another account count as that one’s, not as those of ${named(guests.map(({ name }) => name))}.`,
            accountsLocal,
            'passwd',
          ),
        ]),
  ]
}

function rights(
  services: readonly Account[],
  local: LocalAccounts,
  { sudo }: Wanted,
  { node }: Context,
): readonly DraftObservation[] {
  const asked = services.filter(({ name }) => declaredAs(node, name)?.administrator !== true)
  const roots = asked.filter(({ uid }) => uid === 0)
  const grouped = ROOT_EQUIVALENT_GROUPS.flatMap((group) =>
    membersOf(local, group)
      .filter((name) => asked.some((account) => account.name === name))
      .map((name) => `${name} (${group})`),
  )
  const byGroup = [
    ...(roots.length > 0
      ? [
          contradicts(
            `Accounts other than root that are root by their user id: ${named(roots.map(({ name }) => name))}.`,
            accountsLocal,
            'passwd',
          ),
        ]
      : []),
    ...(grouped.length > 0
      ? [
          contradicts(
            `Accounts of services in groups that give root rights: ${named(grouped)}.`,
            accountsLocal,
            'group',
            'passwd',
          ),
        ]
      : [supports('No account of a service is in a group that gives root rights.', accountsLocal, 'group', 'passwd')]),
  ]
  if (!sudo.ok) return [...byGroup, ...unclearAbout(sudoersRules, sudo)]
  const rules = ownRootRules(sudo.fact)
  const able = asked.filter(({ name }) => rules.some((rule) => ruleNames(rule, name, local)))
  const elsewhere = asked.filter(({ name }) => hostRootRules(sudo.fact).some((rule) => ruleNames(rule, name, local)))
  return [
    ...byGroup,
    ...onCertainHosts(elsewhere.map(({ name }) => name)),
    ...(able.length > 0
      ? [
          contradicts(
            `Accounts of services that may run any command as root: ${named(able.map(({ name }) => name))}.`,
            sudoersRules,
          ),
        ]
      : elsewhere.length > 0
        ? []
        : [
            supports(
              'No account of a service may run any command as root through sudo, unless declared.',
              sudoersRules,
            ),
          ]),
  ]
}

export const accountsSubject = defineSubject({
  id: 'accounts',
  title: 'Accounts',
  probes: [
    accountsLocal,
    accountsSssd,
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
