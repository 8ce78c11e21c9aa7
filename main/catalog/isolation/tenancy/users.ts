import { type Context, type DraftObservation, unclearAbout } from '../../../core/check.ts'
import { accountsLocal } from '../../probes/accounts-local.ts'
import { containersOf, tenancyProcesses } from '../../probes/tenancy-processes.ts'
import { tenancySessions } from '../../probes/tenancy-sessions.ts'
import { tenancySlices } from '../../probes/tenancy-slices.ts'
import { contradicts, count, named, supports, unclear } from '../../steps.ts'
import type { TenancyReadings } from './readings.ts'
import { FIRST_PERSON, NOBODY, peopleOf, rosterOf } from './roster.ts'

type Readings = Pick<TenancyReadings, 'accounts' | 'processes' | 'sessions' | 'slices'>

/** Login accounts that run something or have a session, against the roster. Accounts inside containers are counted with those. */
export function userSteps(readings: Readings, context: Context): readonly DraftObservation[] {
  const { accounts, processes, sessions, slices } = readings
  const missing = [
    ...unclearAbout(accountsLocal, accounts),
    ...unclearAbout(tenancySessions, sessions),
    ...unclearAbout(tenancySlices, slices),
  ]
  if (!accounts.ok || !processes.ok) return missing
  const roster = rosterOf(context)
  if (roster === null)
    return [
      ...missing,
      unclear('No roster was declared for this node, so authorized users cannot be distinguished from others.', null),
    ]
  return [
    ...missing,
    ...processSteps(readings, roster),
    ...terminalSteps(readings, roster),
    ...sliceSteps(readings, roster),
  ]
}

function processSteps({ accounts, processes }: Readings, roster: ReadonlySet<string>): readonly DraftObservation[] {
  if (!accounts.ok || !processes.ok) return []
  const people = new Set(peopleOf(accounts.fact).map(({ name }) => name))
  const known = new Set(accounts.fact.accounts.map(({ name }) => name))
  const inContainers = new Set(containersOf(processes.fact).flatMap(({ users }) => users))
  const running = new Set(processes.fact.processes.map(({ user }) => user))
  const foreign = [...running].filter((user) => people.has(user) && !roster.has(user)).sort()
  const unnamed = [...running].filter((user) => !known.has(user) && !roster.has(user) && !inContainers.has(user)).sort()
  return [
    foreign.length === 0
      ? supports(
          `Every account with a login that runs a process is on the declared roster (${count(running.size, 'user')} of processes in all).`,
          tenancyProcesses,
        )
      : contradicts(
          `Processes run under accounts that are not on the declared roster: ${named(foreign)}.`,
          tenancyProcesses,
        ),
    ...(unnamed.length > 0
      ? [unclear(`Processes run under users that are in no local account: ${named(unnamed)}.`, tenancyProcesses)]
      : []),
  ]
}

function terminalSteps({ sessions }: Readings, roster: ReadonlySet<string>): readonly DraftObservation[] {
  if (!sessions.ok) return []
  const logged = sessions.fact.sessions.map(({ user }) => user).filter((user) => !roster.has(user))
  return [
    logged.length === 0
      ? supports(
          `${count(sessions.fact.sessions.length, 'open session')}, none of an account off the roster.`,
          tenancySessions,
        )
      : contradicts(
          `Open sessions of accounts not on the declared roster: ${named([...new Set(logged)])}.`,
          tenancySessions,
        ),
  ]
}

/** Sessions without a terminal, and services that users keep: systemd gives each account a share of its own. */
function sliceSteps({ accounts, slices }: Readings, roster: ReadonlySet<string>): readonly DraftObservation[] {
  if (!accounts.ok || !slices.ok) return []
  const people = slices.fact.userIds.filter((uid) => uid >= FIRST_PERSON && uid !== NOBODY)
  const names = (uid: number): readonly string[] =>
    accounts.fact.accounts.filter((account) => account.uid === uid).map(({ name }) => name)
  const unnamed = people.filter((uid) => names(uid).length === 0)
  const foreign = people.flatMap((uid) => {
    const own = names(uid)
    return own.length > 0 && !own.some((name) => roster.has(name)) ? [own[0] ?? ''] : []
  })
  return [
    ...(foreign.length > 0
      ? [
          contradicts(
            `Accounts that are not on the declared roster have sessions or services of their own: ${named(foreign)}.`,
            tenancySlices,
          ),
        ]
      : []),
    ...(unnamed.length > 0
      ? [
          unclear(
            `Accounts that are not in the local list have sessions or services of their own: ${named(unnamed.map(String))}.`,
            tenancySlices,
          ),
        ]
      : []),
    ...(foreign.length + unnamed.length === 0
      ? [
          supports(
            `${count(people.length, 'account')} with sessions or services of their own, all on the roster.`,
            tenancySlices,
          ),
        ]
      : []),
  ]
}
