import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { passwordsTold, type ToldPasswords } from '../password-states.ts'
import { type Account, accountsLocal, canLogIn } from '../probes/accounts-local.ts'
import { accountsPasswordLocks } from '../probes/accounts-password-locks.ts'
import { accountsPasswordState } from '../probes/accounts-password-state.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'

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
  optional: { passwords: accountsPasswordState, locks: accountsPasswordLocks },
  evaluate({ local }, facts) {
    const told = passwordsTold(facts)
    const open = local.accounts.filter(canLogIn)
    return decide([
      ...duplicateIds(local.accounts),
      ...sharedNames(open),
      ...withoutPassword(told, local.accounts),
      ...systemAccounts(open, told),
      ...(local.otherSources.length > 0
        ? [
            unclear(
              `More accounts may come from ${named(local.otherSources)}; they are not in the local list.`,
              accountsLocal,
              'sources',
            ),
          ]
        : []),
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

function sharedNames(open: readonly Account[]): readonly DraftObservation[] {
  const shared = open.filter((account) => SHARED_NAMES.has(account.name.toLowerCase())).map((account) => account.name)
  return shared.length === 0
    ? [
        supports(
          'No account with a login shell has a name from this catalog’s list of shared names.',
          accountsLocal,
          'passwd',
        ),
      ]
    : [contradicts(`These accounts can log in under a shared name: ${named(shared)}.`, accountsLocal, 'passwd')]
}

function withoutPassword(
  { passwords, toldBy }: ToldPasswords,
  accounts: readonly Account[],
): readonly DraftObservation[] {
  const bare = accounts.filter(({ inPasswd }) => inPasswd === 'nothing').map(({ name }) => name)
  if (bare.length > 0)
    return [contradicts(`The account list requires no password for ${named(bare)}.`, accountsLocal, 'passwd')]
  if (!passwords.ok) return unclearAbout(accountsPasswordState, passwords)
  const untold = accounts.filter(({ name }) => !passwords.fact.states.has(name)).map(({ name }) => name)
  const open = [...passwords.fact.states].filter(([, state]) => state === 'none').map(([name]) => name)
  if (open.length === 0 && untold.length > 0)
    return [unclear(`Whether a password is set was not reported for ${named(untold)}.`, toldBy)]
  return open.length === 0
    ? [supports('No account has an empty password.', toldBy)]
    : [contradicts(`These accounts have an empty password: ${named(open)}.`, toldBy)]
}

// Ids below 1000 belong to services on current distributions (login.defs(5), UID_MIN).
function systemAccounts(open: readonly Account[], { passwords, toldBy }: ToldPasswords): readonly DraftObservation[] {
  if (!passwords.ok) return []
  const usable = open.filter(({ uid, name }) => uid > 0 && uid < 1000 && passwords.fact.states.get(name) === 'usable')
  return usable.length === 0
    ? [supports('No system account has both a login shell and a password.', toldBy)]
    : [
        contradicts(
          `These system accounts have a login shell and a password: ${named(usable.map(({ name }) => name))}.`,
          toldBy,
        ),
      ]
}
