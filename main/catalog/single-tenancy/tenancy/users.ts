import { known } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { accountsLocal } from '../../access/accounts/probes.ts'
import {
  containersOf,
  isInContainer,
  isInJob,
  isInPod,
  monitorsOf,
  type Process,
  type Processes,
  tenancyProcesses,
} from '../../base/processes.ts'
import { contradicts, count, decide, named, stepOn, supports, unclear } from '../../base/steps.ts'
import { SCREENS } from './gpu-processes.ts'
import { FIRST_PERSON, OVERFLOW_ID, peopleOf, rosterOf, type TenancyReadings, viewSteps } from './readings.ts'
import { tenancyRay, tenancySlices, tenancySlurm } from './schedulers.ts'
import { namespaces, type Runtimes, tenancyRuntimes, tenancySessions } from './sessions.ts'

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
  const foreignIn = (some: readonly Process[]): readonly string[] =>
    unique(some.map(({ user }) => user).filter((user) => people.has(user) && !roster.has(user)))
  const inPods = foreignIn(processes.fact.processes.filter(isInPod))
  const foreign = foreignIn(processes.fact.processes.filter((one) => !isInPod(one)))
  const unnamed = [...running]
    .filter((user) => !known.has(user) && !roster.has(user) && !inContainers.has(user))
    .filter((user) => !isOfService(processes.fact.processes.filter((one) => one.user === user)))
    .sort()
  return [
    foreign.length === 0
      ? supports(
          `Every account with a login that runs a process${inPods.length === 0 ? '' : ' outside of pods'} is on the declared roster (${count(running.size, 'user')} of processes in all).`,
          tenancyProcesses,
        )
      : contradicts(
          `Processes run under accounts that are not on the declared roster: ${named(foreign)}.`,
          tenancyProcesses,
        ),
    ...stepOn(
      supports,
      'Processes of Kubernetes pods have the numbers of accounts that are not on the declared roster. An image chooses the number',
      inPods,
      tenancyProcesses,
    ),
    ...(unnamed.length > 0
      ? [unclear(`Processes run under users that are in no local account: ${named(unnamed)}.`, tenancyProcesses)]
      : []),
  ]
}

/**
 * Whether all processes of an account that no file has are those of one service of the system, for which systemd makes it while the service
 * runs (systemd.exec(5), DynamicUser=, as of systemd-journal-upload): it is called as the unit, or is a number of the range for these, where
 * no name service shows the name.
 */
const isOfService = (own: readonly Process[]): boolean =>
  own.length > 0 &&
  own.every(({ user, cgroup }) => {
    const unit = /\/system\.slice\/(?:[^/,]{1,200}\.slice\/)*([^/,]{1,200})\.service(?:[/,]|$)/.exec(cgroup)?.[1]
    const isDrawn = /^\d{5}$/.test(user) && Number(user) >= FIRST_DYNAMIC && Number(user) <= LAST_DYNAMIC
    return unit !== undefined && (unit === user || isDrawn)
  })

const [FIRST_DYNAMIC, LAST_DYNAMIC] = [61_184, 65_519]

/** What GDM records in utmp for its login screen before any login. */
const NO_ONE = '(unknown)'

function terminalSteps({ sessions }: Readings, roster: ReadonlySet<string>): readonly DraftObservation[] {
  if (!sessions.ok) return []
  const others = sessions.fact.sessions.map(({ user }) => user).filter((user) => !roster.has(user))
  const screens = others.filter((user) => SCREENS.has(user) || user === NO_ONE)
  const logged = others.filter((user) => !screens.includes(user))
  return [
    ...stepOn(supports, 'A login screen waits for a person', [...new Set(screens)], tenancySessions),
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

/** Sessions without a terminal, and services kept by users: systemd assigns each account a slice of its own. */
function sliceSteps({ accounts, slices }: Readings, roster: ReadonlySet<string>): readonly DraftObservation[] {
  if (!accounts.ok || !slices.ok) return []
  const people = slices.fact.userIds.filter((uid) => uid >= FIRST_PERSON && uid !== OVERFLOW_ID)
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

/** Containers and guests from the side of what manages them: work that they list and that no process belongs to is hidden from us. */
export function managerSteps({
  runtimes,
  processes,
  slices,
}: Pick<TenancyReadings, 'runtimes' | 'processes' | 'slices'>): readonly DraftObservation[] {
  if (!runtimes.ok) return unclearAbout(tenancyRuntimes, runtimes)
  if (!processes.ok) return []
  const units = unitsOf(processes.fact)
  const hidden = hiddenWork(runtimes.fact, processes.fact, units)
  const unseen = slices.ok ? slices.fact.machines.filter((name) => !units.has(name)) : []
  const { containerdTasks, podmanContainers, libvirtGuests, machines, jailedGuests } = runtimes.fact
  const listed = [...containerdTasks, ...podmanContainers, ...libvirtGuests, ...machines, ...jailedGuests]
  const defined = definedOf(runtimes.fact)
  return [
    ...(hidden.length > 0
      ? [unclear(`The managers list work without a matching process: ${named(hidden)}.`, tenancyRuntimes)]
      : [
          supports(
            `${listed.length === 0 ? listsNothing(processes.fact) : `Container and guest managers list: ${named(listed)}`}${defined.length === 0 ? '' : `; they know of ${named(defined)}, running or not`}.`,
            tenancyRuntimes,
          ),
        ]),
    ...(unseen.length > 0
      ? [
          unclear(
            `The kernel keeps shares of containers or guests without a matching process: ${named(unseen)}.`,
            tenancySlices,
          ),
        ]
      : []),
  ]
}

/** K3s and RKE2 have a containerd of their own, with its state elsewhere (/run/k3s); containers without root have none at these places. */
const listsNothing = (processes: Processes): string =>
  containersOf(processes).length === 0
    ? 'Container and guest managers list nothing that runs'
    : 'Container and guest managers list nothing at the usual places; the containers that run are known by their processes'

function hiddenWork(runtimes: Runtimes, processes: Processes, units: ReadonlySet<string>): readonly string[] {
  const { containerdTasks, podmanContainers, unlistedNamespaces, libvirtGuests, machines, jailedGuests } = runtimes
  const seen = containersOf(processes).length + monitorsOf(processes).length
  // Only the names of these are known, and they need not be in a control group: something must run where they are
  // listed.
  const loose = [...unlistedNamespaces, ...libvirtGuests, ...machines, ...jailedGuests]
  return [...[...containerdTasks, ...podmanContainers].filter((id) => !units.has(id)), ...(seen === 0 ? loose : [])]
}

const definedOf = ({ lxcContainers, definedContainers, definedGuests }: Runtimes): readonly string[] => [
  ...new Set([...lxcContainers, ...definedContainers, ...definedGuests]),
]

/** Control groups with processes: each by its name, and the id in names such as docker-<id>.scope. */
function unitsOf({ processes }: Processes): ReadonlySet<string> {
  const units = new Set<string>()
  for (const path of new Set(processes.map(({ cgroup }) => cgroup)))
    for (const folder of path.split(/[/,]/)) {
      units.add(folder)
      const name = folder.replace(/\.scope$/, '')
      units.add(name.slice(Math.max(name.lastIndexOf('-'), name.lastIndexOf(':')) + 1))
    }
  return units
}

type SchedulerReadings = Pick<TenancyReadings, 'processes' | 'slices' | 'slurm' | 'ray' | 'accounts'>

/**
 * Compares batch jobs, and clusters that place work here, with the roster. The answer of a scheduler counts only
 * where it runs: without its programs in a complete list of processes, and without a job’s control group, there is
 * none.
 */
export function schedulerSteps(readings: SchedulerReadings, context: Context): readonly DraftObservation[] {
  const { processes, slices } = readings
  // Without these two the result is undetermined already, and they state this themselves.
  if (!processes.ok || !slices.ok) return []
  const roster = rosterOf(context)
  return [
    ...slurmSteps(readings, processes.fact, roster),
    ...raySteps(readings, processes.fact, roster),
    ...otherJobSteps(processes.fact, roster),
  ]
}

/** Groups of jobs: HTCondor’s manual, “Cgroup-based process tracking”; Nomad’s, “Resource isolation” (control groups of version 2). */
const JOB_GROUPS: readonly (readonly [RegExp, string])[] = [
  [/\/nomad\.slice\/(?:share|reserve)\.slice\/[0-9a-f]{8}-[0-9a-f-]{27}\./, 'Nomad'],
  [/\/condor_[^/,]{1,200}_slot\d/, 'HTCondor'],
]

/** Jobs that other batch systems run under an account of the system, as “nobody”, which shows no one. Those of people are with the users. */
const otherJobSteps = (list: Processes, roster: ReadonlySet<string> | null): readonly DraftObservation[] =>
  JOB_GROUPS.flatMap(([pattern, system]) => {
    const users = unique(list.processes.filter(({ cgroup }) => pattern.test(cgroup)).map(({ user }) => user))
    return stepOn(
      unclear,
      `${system} runs jobs here under accounts that are not on the declared roster, so that their owners are not known`,
      users.filter((user) => roster?.has(user) !== true),
      tenancyProcesses,
    )
  })

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)].sort()

const SLURM = /^slurm(d|stepd)$/

function slurmSteps(
  { slices, slurm, accounts }: SchedulerReadings,
  list: Processes,
  roster: ReadonlySet<string> | null,
): readonly DraftObservation[] {
  const daemons = list.processes.filter(({ command }) => SLURM.test(command))
  const jobs = slices.ok ? slices.fact.jobs : []
  if (daemons.length === 0 && jobs.length === 0) return []
  if (roster === null)
    return [unclear('Slurm places jobs here, and no roster was declared to identify their owners.', tenancyProcesses)]
  const inJobs = list.processes.filter((one) => isInJob(one) && !SLURM.test(one.command))
  const listed = slurm.ok ? slurm.fact.jobs : []
  const ids = new Set(listed.map(({ id }) => id))
  // Accounts of a directory are in no file: the scheduler’s list names the owner of such a job, or a process in its control group does.
  const isNamed = ({ id }: { readonly id: number }): boolean =>
    ids.has(String(id)) || inJobs.some(({ cgroup, user }) => user !== 'root' && `${cgroup}/`.includes(`/job_${id}/`))
  const nameOf = (uid: number): string | undefined =>
    accounts.ok ? accounts.fact.accounts.find((account) => account.uid === uid)?.name : undefined
  const numbered = jobs.flatMap((job) => (job.uid === null ? [] : [{ ...job, uid: job.uid, name: nameOf(job.uid) }]))
  const nameless = numbered.filter((job) => job.name === undefined && !isNamed(job)).map(({ uid }) => `number ${uid}`)
  const open = !accounts.ok || accounts.fact.otherSources.length > 0 ? unique(nameless) : []
  const owners = unique([
    ...inJobs.map(({ user }) => user),
    ...numbered.flatMap(({ name }) => name ?? []),
    ...(open.length > 0 ? [] : nameless),
    ...listed.map(({ user }) => user),
  ]).filter((user) => user !== 'root')
  const foreign = owners.filter((owner) => !roster.has(owner))
  const billed = unique(listed.flatMap(({ account }) => (account === '' ? [] : [account])))
  const running = Math.max(jobs.length, listed.length)
  // A scheduler can keep others' jobs from an ordinary login; their control groups it cannot.
  const unlisted = slurm.ok ? jobs.filter(({ id }) => !ids.has(String(id))) : []
  return [
    ...unclearAbout(tenancySlurm, slurm),
    ...(unlisted.length > 0
      ? [
          unclear(
            `Slurm jobs have control groups here that its own list does not show: ${named(unlisted.map(({ id }) => String(id)))}.`,
            tenancySlices,
          ),
        ]
      : []),
    ...(open.length > 0
      ? [
          unclear(
            `Slurm runs jobs here of accounts that are in no local list, and no name of theirs was seen: ${named(open)}.`,
            tenancySlices,
          ),
        ]
      : []),
    ...(foreign.length > 0
      ? [contradicts(`Slurm runs jobs here of users not on the declared roster: ${named(foreign)}.`, tenancySlurm)]
      : open.length > 0
        ? []
        : [
            supports(
              running === 0
                ? 'Slurm may place jobs here, and none runs.'
                : `Slurm runs ${count(running, 'job')} here, all of users on the declared roster: ${named(owners)}${billed.length === 0 ? '' : `, for the accounts ${named(billed)}`}.`,
              tenancySlurm,
            ),
          ]),
  ]
}

// "ray::IDLE" and "ray::" with the name of what runs: the programs of a Ray node.
const RAY = /^(raylet|gcs_server|ray::.*)$/

function raySteps(
  { ray }: SchedulerReadings,
  list: Processes,
  roster: ReadonlySet<string> | null,
): readonly DraftObservation[] {
  const all: readonly Process[] = list.processes.filter(({ command }) => RAY.test(command))
  if (all.length === 0) return []
  // An image chooses the number of its account: who owns the container is tested with the containers.
  const found = all.filter((one) => !isInPod(one) && !(isInContainer(one) && /^\d{1,10}$/.test(one.user)))
  if (found.length === 0)
    return [
      supports('Ray runs here in containers alone; their owners are tested with the containers.', tenancyProcesses),
    ]
  if (roster === null)
    return [unclear('A Ray cluster runs here, and no roster was declared to identify its owner.', tenancyProcesses)]
  const owners = unique(found.map(({ user }) => user))
  const foreign = owners.filter((owner) => !roster.has(owner))
  const nodes = found.filter(({ command }) => command === 'raylet').length
  const starts = ray.ok && ray.fact.sessions.length > 0 ? ` since ${count(ray.fact.sessions.length, 'start')}` : ''
  return [
    ...unclearAbout(tenancyRay, ray),
    foreign.length > 0
      ? contradicts(`Ray runs here under users not on the declared roster: ${named(foreign)}.`, tenancyProcesses)
      : supports(
          `Ray runs here (${count(nodes, 'worker node')}${starts}) under users on the declared roster: ${named(owners)}. The owners of its jobs are not shown.`,
          tenancyProcesses,
        ),
  ]
}

export const tenancyUserCensus = defineCheck({
  id: 'tenancy.user-census',
  property: 'isolation',
  expected: 'Every personal account with a process or session on this system is on the declared roster.',
  limitations:
    'One moment of observation. The roster is a statement by the author of the fleet file, and a shared account hides who uses it.',
  requires: {
    namespaces,
    processes: tenancyProcesses,
    sessions: tenancySessions,
    slices: tenancySlices,
    accounts: accountsLocal,
  },
  evaluate({ namespaces: own, processes, sessions, slices, accounts }, _, context) {
    return decide([
      ...viewSteps({ namespaces: known(own), processes: known(processes) }),
      ...userSteps(
        {
          accounts: known(accounts),
          processes: known(processes),
          sessions: known(sessions),
          slices: known(slices),
        },
        context,
      ),
    ])
  },
})
