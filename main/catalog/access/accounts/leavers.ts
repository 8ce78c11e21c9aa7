import { plain } from '../../../core/base/plain-text.ts'
import type { Probe } from '../../../core/recording/probe.ts'
import {
  type Context,
  type DraftObservation,
  defineCheck,
  type FactsOf,
  type MaybeFactsOf,
  unclearAbout,
} from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, stepOn, supports, unclear } from '../../base/steps.ts'
import { limitOf } from '../../base/thresholds.ts'
import {
  type Doors,
  doorState,
  type Evidence,
  isInOthersHome,
  KEY_SOURCES,
  keyFileGaps,
  keySources,
  loginMethods,
  unreadDoors,
} from '../authorized-keys/key-files.ts'
import { authorizedKeys, homeOfKeyFile } from '../authorized-keys/probes.ts'
import { pamStack } from '../pam/probes.ts'
import { ADMIN_GROUPS } from '../sudo/rights.ts'
import { expired, expiredOn, looksAtExpiry } from './expiry.ts'
import {
  accountsLastLogin,
  accountsLastlog,
  accountsLastlog2,
  accountsLoginFiles,
  accountsWtmpdb,
  LASTLOG,
  LASTLOG2,
  WTMP,
} from './last-login.ts'
import { DAY, dayOf, declaredAs, declaredNames, isPast, type LoginTrace } from './login-traces.ts'
import {
  type Account,
  accountsLocal,
  accountsPasswordLocks,
  accountsPasswordMethods,
  accountsPasswordState,
  canLogIn,
  type LocalAccounts,
  membersOf,
  type ReportedPasswords,
  reportedPasswords,
} from './probes.ts'
import { fromOtherSources } from './roster.ts'
import { SSS_EVIDENCE } from './sssd.ts'

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
    'The declaration is compared as it is: an owner who left and is still declared without a last day is not detected; the list of leavers is a record of the personnel department. A key that a former user left in the file of root or of a shared account is recognized only where the former user’s own file still holds it. An account that has expired counts as closed. Running sessions and jobs, Kerberos, host-based logins and accounts of a directory service are not examined.',
  requires: { local: accountsLocal },
  optional: {
    passwords: accountsPasswordState,
    locks: accountsPasswordLocks,
    keys: authorizedKeys,
    methods: accountsPasswordMethods,
    pam: pamStack,
    ...KEY_SOURCES,
    ...SSS_EVIDENCE,
  },
  evaluate({ local }, facts, context) {
    const declared = declaredNames(context.node)
    if (declared === null)
      return decide([
        unclear(
          'No accounts are declared for this node. Declare each account in the fleet file, with “until” for the last day of its owner.',
          null,
        ),
      ])
    const { passwords, reportedBy } = reportedPasswords(facts)
    const evidence = { passwords, keys: facts.keys, sources: keySources(facts) }
    const { past, current } = split(local, context)
    const leavers = past.map(
      (account) =>
        expired(account, facts, context) ??
        leaverStep(account, loginMethods(account, evidence), { local, reportedBy }, context),
    )
    return decide([
      ...[...leavers].sort(worstFirst).slice(0, 20),
      ...sharedKeys(past, local, evidence),
      ...coverage(
        current.filter((account) => !isInOthersHome(account, local)),
        declared,
        evidence,
        context,
      ),
      ...(facts.keys.ok ? keyFileGaps(facts.keys.fact, local, facts) : unclearAbout(authorizedKeys, facts.keys)),
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
 * What still opens an account that should be closed. A shell that refuses sessions does not prevent sshd from
 * accepting a key and forwarding ports or files (sshd_config(5), AllowTcpForwarding, internal-sftp), so that only an
 * account without key and password is closed.
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
  { local, reportedBy }: Pick<ReportedPasswords, 'reportedBy'> & { readonly local: LocalAccounts },
  { node }: Context,
): DraftObservation {
  const who = `The last day declared for “${plain(account.name, 64)}” was ${declaredAs(node, account.name)?.until?.slice(0, 10)}`
  const rights = rightsOf(account, local)
  const keys = doors.keys?.length ?? 0
  const byPassword = account.inPasswd === undefined ? reportedBy : accountsLocal
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

const NEEDS = { local: accountsLocal }
const WANTS = {
  sessions: accountsLastLogin,
  lastlog: accountsLastlog,
  lastlog2: accountsLastlog2,
  database: accountsWtmpdb,
  files: accountsLoginFiles,
  passwords: accountsPasswordState,
  locks: accountsPasswordLocks,
  methods: accountsPasswordMethods,
  pam: pamStack,
  keys: authorizedKeys,
  ...KEY_SOURCES,
  ...SSS_EVIDENCE,
}

type Wanted = MaybeFactsOf<typeof WANTS> & ReportedPasswords & Pick<Evidence, 'sources'>

export const accessStaleAccounts = defineCheck({
  id: 'access.stale-accounts',
  property: 'access',
  expected: 'Every local account that a password or key can open was used within the limit.',
  limitations:
    'Commands and file transfers over SSH without a terminal leave no record in several distributions, so that an automated account may look unused; records can be lost when files rotate or are rebuilt. Key files and home folders that are links are not followed, and leave undetermined what opens an account. Accounts of a directory service are not listed here. Root is excluded because it cannot be removed; so is the login that this collection used.',
  requires: NEEDS,
  optional: WANTS,
  thresholds: ['account.idle-days'],
  evaluate({ local }, facts, context) {
    const wanted = { ...facts, ...reportedPasswords(facts), sources: keySources(facts) }
    return decide([...unused(local, wanted, context), ...fromOtherSources(local, facts)])
  },
})

const doorsFor = (account: Account, wanted: Wanted): Doors => loginMethods(account, wanted)

interface Source {
  readonly probe: Probe<LoginTrace>
  readonly trace: LoginTrace
  readonly since: number | null
}

/**
 * Records that were read and hold at least one login, each with the moment from which an absence in it is evidence. wtmp alone may be left
 * from before an upgrade: from Debian 13 on, logins are recorded elsewhere. Then only a login since `oldest` shows that it is still written.
 */
function sourcesOf({ sessions, lastlog, lastlog2, database, files }: Wanted, oldest: number): readonly Source[] {
  const isAlone = !lastlog.ok && !lastlog2.ok && !database.ok
  const made = (path: string): number | null => (files.ok ? (files.fact.files.get(path)?.since ?? null) : null)
  const all = [
    [accountsLastLogin, sessions, made(WTMP)],
    [accountsLastlog, lastlog, made(LASTLOG)],
    [accountsLastlog2, lastlog2, made(LASTLOG2)],
    [accountsWtmpdb, database, database.ok ? database.fact.since : null],
  ] as const
  return all.flatMap(([probe, reading, since]) =>
    reading.ok && [...reading.fact.last.values()].some((moment) => moment !== null && (!isAlone || moment >= oldest))
      ? [{ probe, trace: reading.fact, since }]
      : [],
  )
}

function unused(local: FactsOf<typeof NEEDS>['local'], wanted: Wanted, context: Context): readonly DraftObservation[] {
  const { node } = context
  const usable = local.accounts.filter((account) => canLogIn(account) && account.name !== 'root')
  const ended = usable.filter(
    (account) => looksAtExpiry(wanted.pam) && expiredOn(account, wanted.methods, context) !== null,
  )
  const current = usable.filter((account) => !ended.includes(account))
  const closed = current.filter((account) => doorState(doorsFor(account, wanted)) === 'closed')
  const open = current.filter((account) => !closed.includes(account))
  const reserved = open.filter(({ name }) => declaredAs(node, name)?.kind === 'emergency')
  const asked = open.filter((account) => account.name !== node.user && !reserved.includes(account))
  const sources = sourcesOf(wanted, oldestOf(context))
  return [
    ...stepOn(
      supports,
      'Accounts that have expired, and are closed by it',
      ended.map(({ name }) => name),
      accountsPasswordMethods,
    ),
    ...notJudged(closed, reserved, wanted),
    ...(asked.length === 0
      ? [supports('No other account can be opened by a password or key.', accountsLocal, 'passwd')]
      : sources.length === 0
        ? [
            unclear(
              'No record of last logins could be read on this server, or none holds a login that shows it to be in use.',
              null,
            ),
          ]
        : asked.map((account) => judge(account, sources, wanted, context))),
  ]
}

function notJudged(
  closed: readonly Account[],
  reserved: readonly Account[],
  { reportedBy }: ReportedPasswords,
): readonly DraftObservation[] {
  return [
    ...(closed.length > 0
      ? [
          supports(
            `Neither a password nor a key opens ${count(closed.length, 'account')} with a login shell: ${named(closed.map(({ name }) => name))}.`,
            reportedBy,
          ),
        ]
      : []),
    ...(reserved.length > 0
      ? [
          supports(
            `Declared for emergencies and so expected to be unused: ${named(reserved.map(({ name }) => name))}.`,
            null,
          ),
        ]
      : []),
  ]
}

/** A login before this moment is too long ago. */
const oldestOf = (context: Context): number =>
  Date.parse(context.observedAt) - limitOf(context, 'account.idle-days').value * DAY

function judge(account: Account, sources: readonly Source[], wanted: Wanted, context: Context): DraftObservation {
  const { value: days } = limitOf(context, 'account.idle-days')
  const oldest = oldestOf(context)
  const who = named([account.name])
  const seen = sources
    .flatMap(({ probe, trace }) => ({ probe, moment: trace.last.get(account.name) ?? null }))
    .reduce<{ readonly probe: Probe<unknown>; readonly moment: number } | null>(
      (latest, { probe, moment }) =>
        moment !== null && (latest === null || moment > latest.moment) ? { probe, moment } : latest,
      null,
    )
  const silent = leavesNoTrace(account, wanted, context)
  if (seen !== null && seen.moment > Date.parse(context.observedAt) + DAY)
    return unclear(`The record has a login of ${who} on ${dayOf(seen.moment)}, which is yet to come.`, seen.probe)
  if (seen !== null && seen.moment >= oldest)
    return supports(`${who} last logged in on ${dayOf(seen.moment)}.`, seen.probe)
  if (seen !== null) {
    const text = `${who} last logged in on ${dayOf(seen.moment)}, more than ${days} days before this collection`
    return silent
      ? unclear(`${text}; it opens with a key and may be used without leaving a record.`, seen.probe)
      : contradicts(`${text}.`, seen.probe)
  }
  const covering = sources.find(({ since }) => since !== null && since <= oldest)
  const probe = covering?.probe ?? sources[0]?.probe ?? null
  if (covering === undefined)
    return unclear(`No login of ${who} is recorded, and no record is known to reach back ${days} days.`, probe)
  const changed = wanted.methods.ok ? (wanted.methods.fact.accounts.get(account.name)?.changed ?? null) : null
  if (changed === null || changed > oldest)
    return unclear(
      `No login of ${who} is recorded; the account ${changed === null ? 'may be' : 'is'} younger than ${days} days or was changed in that time.`,
      changed === null ? probe : accountsPasswordMethods,
    )
  return silent
    ? unclear(
        `No login of ${who} is recorded; it opens with a key only and may be used without leaving a record.`,
        probe,
      )
    : contradicts(
        `No login of ${who} was recorded in the last ${days} days, and the record reaches back further.`,
        probe,
      )
}

/** Automation: declared as a service, or opened by keys alone. Its commands have no terminal, and several systems record terminals only. */
function leavesNoTrace(account: Account, wanted: Wanted, { node }: Context): boolean {
  const kind = declaredAs(node, account.name)?.kind
  if (kind === 'service') return true
  const { password, keys } = doorsFor(account, wanted)
  return kind !== 'person' && password !== true && keys?.length !== 0
}
