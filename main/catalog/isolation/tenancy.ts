import type { Isolation } from '../../../schemas/types.ts'
import { type Context, type Step, unclearAbout } from '../../core/check.ts'
import { accountsLocal } from '../probes/accounts-local.ts'
import { gpuNvidia } from '../probes/gpu-nvidia.ts'
import { INITIAL_NAMESPACES, namespaces as namespacesProbe } from '../probes/namespaces.ts'
import { containersOf, monitorsOf, tenancyProcesses } from '../probes/tenancy-processes.ts'
import { tenancyRuntimes } from '../probes/tenancy-runtimes.ts'
import { tenancySessions } from '../probes/tenancy-sessions.ts'
import { count, leavesUnclear, named, speaksAgainst, speaksFor } from '../steps.ts'
import type { TenancyReadings } from './readings.ts'
import { containerSteps, guestSteps, rosterOf } from './workloads.ts'

export interface TenancyAnswer {
  readonly tenancy: Isolation['tenancy']
  readonly because: readonly Step[]
}

/**
 * Who uses this system, at this moment: by rule only. Any user, container, guest or GPU process that the declared roster does not
 * explain makes it shared; that none is there is said only when the whole process list, and the managers' own lists, were read.
 */
export function decideTenancy(readings: TenancyReadings, context: Context): TenancyAnswer {
  const because = [
    ...viewSteps(readings),
    ...userSteps(readings, context),
    ...containerSteps(readings, context),
    ...guestSteps(readings, context),
    ...gpuProcessSteps(readings, context),
    ...managerSteps(readings),
  ]
  const says = (what: Step['says']): boolean => because.some((step) => step.says === what)
  return { tenancy: says('against') ? 'shared' : says('unclear') ? 'unknown' : 'single-observed', because }
}

/** Whether we see everything that runs: from the initial process namespace, and with nothing hidden. */
export function viewSteps({
  namespaces,
  processes,
}: Pick<TenancyReadings, 'namespaces' | 'processes'>): readonly Step[] {
  const steps = [...unclearAbout(namespacesProbe, namespaces), ...unclearAbout(tenancyProcesses, processes)]
  const isInitial = namespaces.ok && namespaces.fact.own.pid === INITIAL_NAMESPACES.pid
  return [
    ...steps,
    ...(namespaces.ok && !isInitial
      ? [
          leavesUnclear(
            'We look from inside a container: processes outside it are not visible.',
            namespacesProbe,
            'own',
          ),
        ]
      : []),
    ...(processes.ok && !processes.fact.isComplete
      ? [
          leavesUnclear(
            'The process list lacks the first processes of the system: others may be hidden too.',
            tenancyProcesses,
          ),
        ]
      : []),
  ]
}

/** Login accounts that run something or hold a terminal, against the roster. Accounts inside containers are counted with those. */
export function userSteps(
  { accounts, processes, sessions }: Pick<TenancyReadings, 'accounts' | 'processes' | 'sessions'>,
  context: Context,
): readonly Step[] {
  const missing = [...unclearAbout(accountsLocal, accounts), ...unclearAbout(tenancySessions, sessions)]
  if (!accounts.ok || !processes.ok) return missing
  const roster = rosterOf(context)
  if (roster === null)
    return [
      ...missing,
      leavesUnclear('No roster was declared for this node, so its users cannot be told apart from others.', null),
    ]
  // Ids below 1000 belong to services on current distributions (login.defs(5), UID_MIN).
  const people = new Set(
    accounts.fact.accounts.filter(({ name, uid }) => uid >= 1000 && name !== 'nobody').map(({ name }) => name),
  )
  const known = new Set(accounts.fact.accounts.map(({ name }) => name))
  const inContainers = new Set(containersOf(processes.fact).flatMap(({ users }) => users))
  const running = new Set(processes.fact.processes.map(({ user }) => user))
  const foreign = [...running].filter((user) => people.has(user) && !roster.has(user)).sort()
  const unnamed = [...running].filter((user) => !known.has(user) && !roster.has(user) && !inContainers.has(user)).sort()
  const logged = sessions.ok ? sessions.fact.sessions.map(({ user }) => user).filter((user) => !roster.has(user)) : []
  return [
    ...missing,
    foreign.length === 0
      ? speaksFor(
          `Every account with a login that runs a process is on the declared roster (${count(running.size, 'user')} of processes in all).`,
          tenancyProcesses,
        )
      : speaksAgainst(
          `Processes run under accounts that are not on the declared roster: ${named(foreign)}.`,
          tenancyProcesses,
        ),
    ...(unnamed.length > 0
      ? [leavesUnclear(`Processes run under users that are in no local account: ${named(unnamed)}.`, tenancyProcesses)]
      : []),
    ...(sessions.ok
      ? [
          logged.length === 0
            ? speaksFor(
                `${count(sessions.fact.sessions.length, 'open session')}, none of an account off the roster.`,
                tenancySessions,
              )
            : speaksAgainst(
                `Open sessions of accounts not on the declared roster: ${named([...new Set(logged)])}.`,
                tenancySessions,
              ),
        ]
      : []),
  ]
}

/** Processes on the GPUs, against the process list and the roster. */
export function gpuProcessSteps(
  { gpus, processes }: Pick<TenancyReadings, 'gpus' | 'processes'>,
  context: Context,
): readonly Step[] {
  if (!gpus.ok || !processes.ok) return []
  const users = new Map(processes.fact.processes.map(({ pid, user }) => [pid, user]))
  const pids = [...new Set(gpus.fact.gpus.flatMap((gpu) => gpu.processes.map(({ pid }) => pid)))]
  if (pids.length === 0)
    return [
      speaksFor(
        `No process uses ${gpus.fact.gpus.length === 1 ? 'the GPU' : `any of the ${gpus.fact.gpus.length} GPUs`}.`,
        gpuNvidia,
      ),
    ]
  const roster = rosterOf(context)
  const unseen = pids.filter((pid) => !users.has(pid))
  const owners = [...new Set(pids.flatMap((pid) => users.get(pid) ?? []))].sort()
  const foreign = roster === null ? [] : owners.filter((owner) => !roster.has(owner))
  return [
    ...(unseen.length > 0
      ? [
          speaksAgainst(
            `Of the GPU processes, ${unseen.length} cannot be found among the processes of this system.`,
            gpuNvidia,
          ),
        ]
      : []),
    ...(foreign.length > 0
      ? [speaksAgainst(`GPU processes belong to users not on the declared roster: ${named(foreign)}.`, gpuNvidia)]
      : []),
    ...(roster === null
      ? [
          leavesUnclear(
            `${count(pids.length, 'GPU process', 'GPU processes')}, and no roster was declared to tell whose they are.`,
            gpuNvidia,
          ),
        ]
      : []),
    ...(unseen.length === 0 && foreign.length === 0 && roster !== null
      ? [
          speaksFor(
            `${count(pids.length, 'GPU process', 'GPU processes')}, all of users on the declared roster: ${named(owners)}.`,
            gpuNvidia,
          ),
        ]
      : []),
  ]
}

function managerSteps({ runtimes, processes }: TenancyReadings): readonly Step[] {
  if (!runtimes.ok) return unclearAbout(tenancyRuntimes, runtimes)
  const { containerdNamespaces, libvirtGuests, machines } = runtimes.fact
  const seen = processes.ok ? containersOf(processes.fact).length + monitorsOf(processes.fact).length : 0
  const managed = [...containerdNamespaces, ...libvirtGuests, ...machines]
  return managed.length > 0 && seen === 0
    ? [
        leavesUnclear(
          `The managers list work that no process in our list belongs to: ${named(managed)}.`,
          tenancyRuntimes,
        ),
      ]
    : [
        speaksFor(
          managed.length === 0
            ? 'Container and guest managers list nothing.'
            : `Container and guest managers list: ${named(managed)}.`,
          tenancyRuntimes,
        ),
      ]
}
