import { type Context, type DraftObservation, defineCheck, type FactsOf, type MaybeFactsOf } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'
import { type Doors, doorState, type Evidence, KEY_SOURCES, keySources, loginMethods } from '../account-doors.ts'
import { DAY, dayOf, declaredAs, type LoginTrace } from '../login-traces.ts'
import { passwordsTold, type ToldPasswords } from '../password-states.ts'
import { accountsLastLogin } from '../probes/accounts-last-login.ts'
import { accountsLastlog, accountsLastlog2 } from '../probes/accounts-lastlog.ts'
import { type Account, accountsLocal, canLogIn } from '../probes/accounts-local.ts'
import { accountsLoginFiles, LASTLOG, LASTLOG2, WTMP } from '../probes/accounts-login-files.ts'
import { accountsPasswordLocks } from '../probes/accounts-password-locks.ts'
import { accountsPasswordMethods } from '../probes/accounts-password-methods.ts'
import { accountsPasswordState } from '../probes/accounts-password-state.ts'
import { accountsWtmpdb } from '../probes/accounts-wtmpdb.ts'
import { authorizedKeys } from '../probes/authorized-keys.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { limitOf } from '../thresholds.ts'

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
  keys: authorizedKeys,
  ...KEY_SOURCES,
}
type Wanted = MaybeFactsOf<typeof WANTS> & ToldPasswords & Pick<Evidence, 'sources'>

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
    const wanted = { ...facts, ...passwordsTold(facts), sources: keySources(facts) }
    return decide([...unused(local, wanted, context), ...directories(local)])
  },
})

type Local = FactsOf<typeof NEEDS>['local']

const doorsFor = (account: Account, wanted: Wanted): Doors => loginMethods(account, wanted)

interface Source {
  readonly probe: Probe<LoginTrace>
  readonly trace: LoginTrace
  readonly since: number | null
}

/** Records that were read and hold at least one login, each with the moment from which an absence in it is evidence. */
function sourcesOf({ sessions, lastlog, lastlog2, database, files }: Wanted): readonly Source[] {
  const made = (path: string): number | null => (files.ok ? (files.fact.files.get(path)?.since ?? null) : null)
  const all = [
    [accountsLastLogin, sessions, made(WTMP)],
    [accountsLastlog, lastlog, made(LASTLOG)],
    [accountsLastlog2, lastlog2, made(LASTLOG2)],
    [accountsWtmpdb, database, database.ok ? database.fact.since : null],
  ] as const
  return all.flatMap(([probe, reading, since]) =>
    reading.ok && [...reading.fact.last.values()].some((moment) => moment !== null)
      ? [{ probe, trace: reading.fact, since }]
      : [],
  )
}

function unused(local: Local, wanted: Wanted, context: Context): readonly DraftObservation[] {
  const { node } = context
  const usable = local.accounts.filter((account) => canLogIn(account) && account.name !== 'root')
  const closed = usable.filter((account) => doorState(doorsFor(account, wanted)) === 'closed')
  const open = usable.filter((account) => !closed.includes(account))
  const reserved = open.filter(({ name }) => declaredAs(node, name)?.kind === 'emergency')
  const asked = open.filter((account) => account.name !== node.user && !reserved.includes(account))
  const sources = sourcesOf(wanted)
  return [
    ...notJudged(closed, reserved, wanted),
    ...(asked.length === 0
      ? [supports('No other account can be opened by a password or key.', accountsLocal, 'passwd')]
      : sources.length === 0
        ? [unclear('No record of last logins could be read on this server, or none holds a login.', null)]
        : asked.map((account) => judge(account, sources, wanted, context))),
  ]
}

function notJudged(
  closed: readonly Account[],
  reserved: readonly Account[],
  { toldBy }: ToldPasswords,
): readonly DraftObservation[] {
  return [
    ...(closed.length > 0
      ? [
          supports(
            `Neither a password nor a key opens ${count(closed.length, 'account')} with a login shell: ${named(closed.map(({ name }) => name))}.`,
            toldBy,
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

function judge(account: Account, sources: readonly Source[], wanted: Wanted, context: Context): DraftObservation {
  const { value: days } = limitOf(context, 'account.idle-days')
  const oldest = Date.parse(context.observedAt) - days * DAY
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

const directories = ({ otherSources }: Local): readonly DraftObservation[] =>
  otherSources.length === 0
    ? []
    : [
        unclear(
          `More accounts may come from ${named(otherSources)}; they are not in the local list.`,
          accountsLocal,
          'sources',
        ),
      ]
