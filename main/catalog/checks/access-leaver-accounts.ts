import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { plain } from '../../core/plain-text.ts'
import { type Doors, type Evidence, KEY_SOURCES, keySources, loginMethods, unreadDoors } from '../account-doors.ts'
import { keyFileGaps } from '../key-files.ts'
import { declaredAs, declaredNames, isPast } from '../login-traces.ts'
import { passwordsTold, type ToldPasswords } from '../password-states.ts'
import { type Account, accountsLocal, canLogIn, type LocalAccounts, membersOf } from '../probes/accounts-local.ts'
import { accountsPasswordLocks } from '../probes/accounts-password-locks.ts'
import { accountsPasswordState } from '../probes/accounts-password-state.ts'
import { authorizedKeys, homeOfKeyFile } from '../probes/authorized-keys.ts'
import { ADMIN_GROUPS } from '../root-equivalents.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'

/**
 * 45 CFR 164.308(a)(3)(ii)(C); NIST SP 800-53 PS-4. A name that the fleet file declares without a last day is a current account by that
 * declaration, be it under `roster` or under `accounts`. So an account that can be opened is accounted for where it is declared and its
 * last day, if any, has not passed; one that is not declared may belong to a person who left, and leaves the result inconclusive.
 */
export const accessLeaverAccounts = defineCheck({
  id: 'access.leaver-accounts',
  property: 'access',
  expected: 'No local account that a password or SSH key can open is past the last day declared for its owner.',
  limitations:
    'The declaration is compared as it is: an owner who left and is still declared without a last day is not detected; the list of leavers is a record of the personnel department. A key that a former user left in the file of root or of a shared account is recognized only where the former user’s own file still holds it. Account expiry dates (usermod -e), running sessions and jobs, Kerberos, host-based logins and accounts of a directory service are not examined.',
  requires: { local: accountsLocal },
  optional: { passwords: accountsPasswordState, locks: accountsPasswordLocks, keys: authorizedKeys, ...KEY_SOURCES },
  evaluate({ local }, facts, context) {
    const declared = declaredNames(context.node)
    if (declared === null)
      return decide([
        unclear(
          'No accounts are declared for this node. Declare each account in the fleet file, with “until” for the last day of its owner.',
          null,
        ),
      ])
    const { passwords, toldBy } = passwordsTold(facts)
    const evidence = { passwords, keys: facts.keys, sources: keySources(facts) }
    const { past, current } = split(local, context)
    const leavers = past.map((account) =>
      leaverStep(account, loginMethods(account, evidence), { local, toldBy }, context),
    )
    return decide([
      ...[...leavers].sort(worstFirst).slice(0, 20),
      ...sharedKeys(past, local, evidence),
      ...coverage(current, declared, evidence, context),
      ...(facts.keys.ok ? keyFileGaps(facts.keys.fact, local) : unclearAbout(authorizedKeys, facts.keys)),
      ...unreadDoors(evidence),
    ])
  },
})

/** Accounts whose declared last day was over when the node was read, and all others. */
function split({ accounts }: LocalAccounts, { node, observedAt }: Context) {
  const isLeaver = ({ name }: Account): boolean => isPast(declaredAs(node, name)?.until, observedAt)
  return { past: accounts.filter(isLeaver), current: accounts.filter((one) => !isLeaver(one)) }
}

const ORDER: Readonly<Record<DraftObservation['direction'], number>> = { contradicts: 0, unclear: 1, supports: 2 }
const worstFirst = (a: DraftObservation, b: DraftObservation): number => ORDER[a.direction] - ORDER[b.direction]

/**
 * What still opens an account that should be closed. A shell that refuses sessions does not keep sshd from accepting a key and forwarding
 * ports or files (sshd_config(5), AllowTcpForwarding, internal-sftp), so that only an account without key and password is closed.
 */
export function waysIn(
  account: Account,
  { password, keys }: Doors,
): 'key' | 'password' | 'none' | 'no-shell' | 'unread' {
  if (keys !== null && keys.length > 0) return 'key'
  if (password === true) return canLogIn(account) ? 'password' : 'no-shell'
  return password === false && keys !== null ? 'none' : 'unread'
}

function leaverStep(
  account: Account,
  doors: Doors,
  { local, toldBy }: Pick<ToldPasswords, 'toldBy'> & { readonly local: LocalAccounts },
  { node }: Context,
): DraftObservation {
  const who = `The last day declared for “${plain(account.name, 64)}” was ${declaredAs(node, account.name)?.until?.slice(0, 10)}`
  const rights = rightsOf(account, local)
  const keys = doors.keys?.length ?? 0
  const byPassword = account.inPasswd === undefined ? toldBy : accountsLocal
  switch (waysIn(account, doors)) {
    case 'key':
      return contradicts(
        `${who}, and ${count(keys, 'SSH key')} still ${keys === 1 ? 'opens' : 'open'} the account${rights}.`,
        authorizedKeys,
        'keys',
      )
    case 'password':
      return contradicts(`${who}, and the account still has a login shell and a password${rights}.`, byPassword)
    case 'none':
      return supports(`${who}; the account is kept, its password is locked and no SSH key opens it.`, byPassword)
    case 'no-shell':
      return unclear(
        `${who}; the account has no login shell, but a password is set, which services other than a shell may accept.`,
        byPassword,
      )
    case 'unread':
      return unclear(
        `${who}; the account still exists, and whether a password or SSH key opens it was not read in full.`,
        accountsLocal,
        'passwd',
      )
  }
}

function rightsOf({ name, uid }: Account, local: LocalAccounts): string {
  if (uid === 0) return '; it is root by its user id'
  const groups = ADMIN_GROUPS.filter((group) => membersOf(local, group).includes(name))
  return groups.length === 0 ? '' : `; it has administrator rights by group ${named(groups)}`
}

/** Keys of former users that also open accounts of others, root among them. */
function sharedKeys(
  past: readonly Account[],
  { accounts }: LocalAccounts,
  { keys }: Evidence,
): readonly DraftObservation[] {
  if (!keys.ok) return []
  const names = new Set(past.map(({ name }) => name))
  const holders = (fingerprint: string): readonly Account[] => {
    const homes = new Set(
      keys.fact.keys.filter((key) => key.fingerprint === fingerprint).map(({ path }) => homeOfKeyFile(path)),
    )
    return accounts.filter(({ home }) => homes.has(home.replace(/(?<=.)\/$/, '')))
  }
  const homes = new Set(past.map(({ home }) => home.replace(/(?<=.)\/$/, '')))
  const theirs = new Set(
    keys.fact.keys.filter(({ path }) => homes.has(homeOfKeyFile(path) ?? '')).map(({ fingerprint }) => fingerprint),
  )
  return [...theirs].slice(0, 20).flatMap((fingerprint) => {
    const others = holders(fingerprint).filter(({ name }) => !names.has(name))
    return others.length === 0
      ? []
      : [
          contradicts(
            `${fingerprint}, a key of a former user, also opens ${named(others.map(({ name }) => name))}.`,
            authorizedKeys,
            'keys',
          ),
        ]
  })
}

/** Every account that something opens, or may open, against the declaration. */
function coverage(
  current: readonly Account[],
  declared: ReadonlySet<string>,
  evidence: Evidence,
  { node }: Context,
): readonly DraftObservation[] {
  const open = current.filter((account) => {
    const way = waysIn(account, loginMethods(account, evidence))
    return way === 'key' || way === 'password' || (way === 'unread' && canLogIn(account))
  })
  const undeclared = open.filter(({ name }) => !declared.has(name))
  if (undeclared.length > 0)
    return [
      unclear(
        `${count(undeclared.length, 'account')} that can be opened, or may be, ${undeclared.length === 1 ? 'is' : 'are'} not declared, so that whether the owner has left is not known: ${named(undeclared.map(({ name }) => name))}. Declare each in the fleet file, with “until” for the last day of its owner.`,
        accountsLocal,
        'passwd',
      ),
    ]
  const dated = open.filter(({ name }) => declaredAs(node, name)?.until !== undefined)
  return [
    supports(
      `Every other account that can be opened, or may be, is declared (${open.length}); a last day is declared for ${dated.length} of them, and none has passed.`,
      accountsLocal,
      'passwd',
    ),
  ]
}
