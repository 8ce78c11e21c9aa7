import type { DeclaredNode } from '../../../../schemas/types.ts'
import { type DraftObservation, defineCheck, type MaybeFactsOf, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, stepOn, supports, unclear } from '../../base/steps.ts'
import { clusterSlurm } from '../../single-tenancy/tenancy/schedulers.ts'
import {
  doorState,
  type Evidence,
  KEY_SOURCES,
  keySources,
  loginMethods,
  unreadDoors,
} from '../authorized-keys/key-files.ts'
import { authorizedKeys } from '../authorized-keys/probes.ts'
import { sudoersRules } from '../sudo/probes.ts'
import { ADMIN_GROUPS, hostRootRules, onCertainHosts, ownRootRules, ruleNames } from '../sudo/rights.ts'
import { declaredAs, declaredNames } from './login-traces.ts'
import {
  type Account,
  accountsLocal,
  accountsPasswordLocks,
  accountsPasswordState,
  canLogIn,
  type LocalAccounts,
  membersOf,
  type ReportedPasswords,
  reportedPasswords,
} from './probes.ts'
import { aboutSss, otherSources, SSS_EVIDENCE, type SssEvidence } from './sssd.ts'

/** Directory services and other sources of accounts, which the local list does not have. */
export function fromOtherSources(local: LocalAccounts, evidence: SssEvidence): readonly DraftObservation[] {
  const others = otherSources(local, evidence)
  return [
    ...(others.length === 0
      ? []
      : [
          unclear(
            `More accounts may come from ${named(others)}; they are not in the local list.`,
            accountsLocal,
            'sources',
          ),
        ]),
    ...aboutSss(local, evidence),
  ]
}

// Names that images ship with or that teams share. A person's own name does not stand here.
const SHARED_NAMES: ReadonlySet<string> = new Set(
  'admin administrator almalinux centos cloud-user core debian ec2-user fedora guest opc ops oracle rocky shared team test ubuntu user vagrant'.split(
    ' ',
  ),
)

export const accessUniqueAccounts = defineCheck({
  id: 'access.unique-accounts',
  property: 'access',
  expected:
    'Each account that can start a session has its own user ID and an individual name, and requires a password or key.',
  limitations:
    'Two people using one key or password are not detected, and a name does not show who uses it. Accounts from a directory service are not in this list. Which names count as shared is this catalog’s own list.',
  requires: { local: accountsLocal },
  optional: {
    passwords: accountsPasswordState,
    locks: accountsPasswordLocks,
    keys: authorizedKeys,
    ...KEY_SOURCES,
    ...SSS_EVIDENCE,
  },
  evaluate({ local }, facts) {
    const reported = reportedPasswords(facts)
    const open = local.accounts.filter(canLogIn)
    return decide([
      ...duplicateIds(local.accounts),
      ...sharedNames(open, { passwords: reported.passwords, keys: facts.keys, sources: keySources(facts) }),
      ...withoutPassword(reported, local.accounts),
      ...systemAccounts(open, reported),
      ...fromOtherSources(local, facts),
    ])
  },
})

function duplicateIds(accounts: readonly Account[]): readonly DraftObservation[] {
  const byId = new Map<number, string[]>()
  for (const { uid, name } of accounts) {
    const earlier = byId.get(uid)
    if (earlier === undefined) byId.set(uid, [name])
    else earlier.push(name)
  }
  const names = accounts.map(({ name }) => name)
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
  if (twice.length > 0)
    return [contradicts(`Names used for more than one account: ${named(twice)}.`, accountsLocal, 'passwd')]
  const shared = [...byId].filter(([, names]) => names.length > 1)
  return shared.length === 0
    ? [
        supports(
          `Each of the ${count(accounts.length, 'local account')} has a user id of its own.`,
          accountsLocal,
          'passwd',
        ),
      ]
    : shared
        .slice(0, 20)
        .map(([uid, names]) => contradicts(`User id ${uid} is shared by ${named(names)}.`, accountsLocal, 'passwd'))
}

/** A shared name identifies no one who uses it; where neither a password nor a key opens the account, no one does. */
function sharedNames(open: readonly Account[], evidence: Evidence): readonly DraftObservation[] {
  const shared = open.filter((account) => SHARED_NAMES.has(account.name.toLowerCase()))
  const inState = (state: ReturnType<typeof doorState>): readonly string[] =>
    shared.filter((account) => doorState(loginMethods(account, evidence)) === state).map(({ name }) => name)
  const [used, unread, closed] = [inState('open'), inState('unclear'), inState('closed')]
  return [
    ...(shared.length === 0
      ? [
          supports(
            'No account with a login shell has a name from this catalog’s list of shared names.',
            accountsLocal,
            'passwd',
          ),
        ]
      : []),
    ...(used.length > 0
      ? [contradicts(`These accounts can log in under a shared name: ${named(used)}.`, accountsLocal, 'passwd')]
      : []),
    ...(unread.length > 0
      ? [
          unclear(
            `Accounts with a login shell have a shared name; whether a password or key opens them was not read in full: ${named(unread)}.`,
            accountsLocal,
            'passwd',
          ),
          ...unreadDoors(evidence),
        ]
      : []),
    ...(closed.length > 0
      ? [
          supports(
            `Accounts with a shared name that neither a password nor a key opens: ${named(closed)}.`,
            authorizedKeys,
            'keys',
          ),
        ]
      : []),
  ]
}

function withoutPassword(
  { passwords, reportedBy }: ReportedPasswords,
  accounts: readonly Account[],
): readonly DraftObservation[] {
  const bare = accounts.filter(({ inPasswd }) => inPasswd === 'nothing').map(({ name }) => name)
  if (bare.length > 0)
    return [contradicts(`The account list requires no password for ${named(bare)}.`, accountsLocal, 'passwd')]
  if (!passwords.ok) return unclearAbout(accountsPasswordState, passwords)
  const unreported = accounts.filter(({ name }) => !passwords.fact.states.has(name)).map(({ name }) => name)
  const open = [...passwords.fact.states].filter(([, state]) => state === 'none').map(([name]) => name)
  if (open.length === 0 && unreported.length > 0)
    return [unclear(`Whether a password is set was not reported for ${named(unreported)}.`, reportedBy)]
  return open.length === 0
    ? [supports('No account has an empty password.', reportedBy)]
    : [contradicts(`These accounts have an empty password: ${named(open)}.`, reportedBy)]
}

// Ids below 1000 belong to services on current distributions (login.defs(5), UID_MIN).
function systemAccounts(
  open: readonly Account[],
  { passwords, reportedBy }: ReportedPasswords,
): readonly DraftObservation[] {
  if (!passwords.ok) return []
  const usable = open.filter(({ uid, name }) => uid > 0 && uid < 1000 && passwords.fact.states.get(name) === 'usable')
  return usable.length === 0
    ? [supports('No system account has both a login shell and a password.', reportedBy)]
    : [
        contradicts(
          `These system accounts have a login shell and a password: ${named(usable.map(({ name }) => name))}.`,
          reportedBy,
        ),
      ]
}

const WANTS = {
  sudo: sudoersRules,
  slurm: clusterSlurm,
  passwords: accountsPasswordState,
  locks: accountsPasswordLocks,
  keys: authorizedKeys,
  ...KEY_SOURCES,
  ...SSS_EVIDENCE,
}
type Wanted = MaybeFactsOf<typeof WANTS>

export const accessRosterMatch = defineCheck({
  id: 'access.roster-match',
  property: 'access',
  expected:
    'Every local account that can start a session, and every member of an administrator group, is declared, with the rights declared.',
  limitations:
    'The declaration is a statement by the author of the fleet file; its approval is documented outside the node. Directory accounts are not listed here, and a name does not identify the person who uses it. A plain roster declares names only, so that rights are compared only where accounts are declared. Root, and accounts with an id of services (below 1000, or 65534), count as able to start a session where a password or key opens them; whether others on the node can use them is not tested.',
  requires: { local: accountsLocal },
  optional: WANTS,
  evaluate({ local }, wanted, context) {
    const declared = declaredNames(context.node)
    if (declared === null)
      return decide([unclear('No roster was declared for this node, so there is nothing to compare with.', null)])
    return decide([
      ...undeclared(local, declared, {
        passwords: reportedPasswords(wanted).passwords,
        keys: wanted.keys,
        sources: keySources(wanted),
      }),
      ...(context.node.accounts === undefined ? [] : movers(local, wanted, context.node)),
      ...scheduler(wanted, declared),
      ...absent(local, declared),
      ...fromOtherSources(local, wanted),
    ])
  },
})

/** Root; ids that distributions give to services; and the one that belongs to no one, to which SUSE gives a shell (login.defs(5), UID_MIN). */
const isOfSystem = ({ name, uid }: Account): boolean => (uid === 0 ? name === 'root' : uid < 1000) || uid === 65_534

function undeclared(
  local: LocalAccounts,
  roster: ReadonlySet<string>,
  evidence: Evidence,
): readonly DraftObservation[] {
  const open = local.accounts.filter(canLogIn)
  const strangers = open.filter(({ name }) => !roster.has(name))
  const ofSystem = (state: ReturnType<typeof doorState>): readonly string[] =>
    strangers
      .filter((account) => isOfSystem(account) && doorState(loginMethods(account, evidence)) === state)
      .map(({ name }) => name)
  const [closed, unread] = [ofSystem('closed'), ofSystem('unclear')]
  const unexpected = strangers
    .map(({ name }) => name)
    .filter((name) => !closed.includes(name) && !unread.includes(name))
  // Root gains nothing by a group.
  const admins = ADMIN_GROUPS.flatMap((group) =>
    membersOf(local, group)
      .filter((name) => name !== 'root' && !roster.has(name))
      .map((name) => `${name} (${group})`),
  )
  return [
    unexpected.length === 0
      ? supports(
          strangers.length === 0
            ? `All ${count(open.length, 'account')} with a login shell are on the declared roster.`
            : `All accounts with a login shell are on the declared roster, but for ${count(strangers.length, 'account')} of the system.`,
          accountsLocal,
          'passwd',
        )
      : contradicts(
          `${count(unexpected.length, 'account')} with a login shell not on the declared roster: ${named(unexpected)}.`,
          accountsLocal,
          'passwd',
        ),
    ...stepOn(
      supports,
      'Accounts of the system (root, services) with a login shell that neither a password nor a key opens',
      closed,
      accountsLocal,
    ),
    ...stepOn(
      unclear,
      'Accounts of the system (root, services) with a login shell, not on the declared roster; whether a password or key opens them was not read',
      unread,
      accountsLocal,
    ),
    admins.length === 0
      ? supports('Every member of a group with administrator rights is on the declared roster.', accountsLocal, 'group')
      : contradicts(
          `Members of groups with administrator rights not on the declared roster: ${named(admins)}.`,
          accountsLocal,
          'group',
        ),
  ]
}

/**
 * Compares rights with their declaration, in both directions. Names that only a roster declares are excluded, since a
 * roster states no rights.
 */
function movers(local: LocalAccounts, { sudo }: Wanted, node: DeclaredNode): readonly DraftObservation[] {
  const rules = sudo.ok ? ownRootRules(sudo.fact) : []
  const hasRights = ({ name, uid }: LocalAccounts['accounts'][number]): boolean =>
    uid === 0 ||
    ADMIN_GROUPS.some((group) => membersOf(local, group).includes(name)) ||
    rules.some((rule) => ruleNames(rule, name, local))
  const judged = local.accounts.filter(({ name }) => name !== 'root' && declaredAs(node, name) !== undefined)
  const asked = (administrator: boolean) =>
    judged.filter((account) => (declaredAs(node, account.name)?.administrator === true) === administrator)
  const more = asked(false).filter(hasRights)
  const lacking = judged.filter((account) => !hasRights(account))
  const elsewhere = sudo.ok ? hostRootRules(sudo.fact) : []
  const open = lacking.filter(({ name }) => elsewhere.some((rule) => ruleNames(rule, name, local)))
  const less = asked(true).filter((account) => lacking.includes(account) && !open.includes(account))
  return [
    ...onCertainHosts(open.map(({ name }) => name)),
    ...(more.length > 0
      ? [
          contradicts(
            `Have administrator rights that were not declared: ${named(more.map(({ name }) => name))}.`,
            sudo.ok ? sudoersRules : accountsLocal,
          ),
        ]
      : []),
    ...(sudo.ok
      ? less.length > 0
        ? [
            contradicts(
              `Declared as administrators and without such rights here: ${named(less.map(({ name }) => name))}.`,
              sudoersRules,
            ),
          ]
        : more.length + open.length === 0
          ? [supports('Administrator rights, by groups and by sudo, are as declared.', sudoersRules)]
          : []
      : unclearAbout(sudoersRules, sudo)),
  ]
}

/**
 * A server without the tool belongs to no such system. Where the accounting service did not list its administrators, that stays open. It
 * keeps root among them on its own (sacctmgr(1)).
 */
function scheduler({ slurm }: Wanted, declared: ReadonlySet<string>): readonly DraftObservation[] {
  if (!slurm.ok) return slurm.reason.startsWith('not collected: tool absent') ? [] : unclearAbout(clusterSlurm, slurm)
  const foreign = slurm.fact.administrators.filter((name) => name !== 'root' && !declared.has(name))
  return foreign.length === 0
    ? [
        supports(
          'Every administrator of the batch system (Slurm) is on the declared roster, or there is none but root.',
          clusterSlurm,
        ),
      ]
    : [
        contradicts(
          `Administrators of the batch system (Slurm) not on the declared roster: ${named(foreign)}.`,
          clusterSlurm,
          'administrators',
        ),
      ]
}

/** Rosters are often written for a whole fleet, so that a missing account is reported and not counted as a deviation. */
function absent({ accounts }: LocalAccounts, declared: ReadonlySet<string>): readonly DraftObservation[] {
  const missing = [...declared].filter((name) => !accounts.some((account) => account.name === name))
  return missing.length === 0
    ? []
    : [supports(`Declared, and not among the local accounts: ${named(missing)}.`, accountsLocal, 'passwd')]
}
