import { type Context, type DraftObservation, unclearAbout } from '../../../core/check.ts'
import { type Process, type Processes, tenancyProcesses } from '../../probes/tenancy-processes.ts'
import { tenancyRay } from '../../probes/tenancy-ray.ts'
import { tenancySlices } from '../../probes/tenancy-slices.ts'
import { tenancySlurm } from '../../probes/tenancy-slurm.ts'
import { contradicts, count, named, supports, unclear } from '../../steps.ts'
import type { TenancyReadings } from './readings.ts'
import { rosterOf } from './roster.ts'

type Readings = Pick<TenancyReadings, 'processes' | 'slices' | 'slurm' | 'ray' | 'accounts'>

/**
 * Batch jobs and clusters that place work here, against the roster. What a scheduler states counts only where it runs: without its programs
 * in a list of processes that is whole, and without a job's control group, there is none.
 */
export function schedulerSteps(readings: Readings, context: Context): readonly DraftObservation[] {
  const { processes, slices } = readings
  // Without these two the result is undetermined already, and they state this themselves.
  if (!processes.ok || !slices.ok) return []
  const roster = rosterOf(context)
  return [...slurmSteps(readings, processes.fact, roster), ...raySteps(readings, processes.fact, roster)]
}

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)].sort()

// slurmd/slurmstepd; the groups of jobs in both versions of control groups (Slurm, "Control Group v2 plugin").
const SLURM = /^slurm(d|stepd)$/
const JOB = /\/job_\d{1,10}\//

function slurmSteps(
  { slices, slurm, accounts }: Readings,
  list: Processes,
  roster: ReadonlySet<string> | null,
): readonly DraftObservation[] {
  const daemons = list.processes.filter(({ command }) => SLURM.test(command))
  const jobs = slices.ok ? slices.fact.jobs : []
  if (daemons.length === 0 && jobs.length === 0) return []
  if (roster === null)
    return [unclear('Slurm places jobs here, and no roster was declared to identify their owners.', tenancyProcesses)]
  const inJobs = list.processes.filter(
    ({ cgroup, command }) => cgroup.includes('slurm') && JOB.test(`${cgroup}/`) && !SLURM.test(command),
  )
  const nameOf = (uid: number): string =>
    (accounts.ok ? accounts.fact.accounts.find((account) => account.uid === uid)?.name : undefined) ?? `number ${uid}`
  const listed = slurm.ok ? slurm.fact.jobs : []
  const owners = unique([
    ...inJobs.map(({ user }) => user),
    ...jobs.flatMap(({ uid }) => (uid === null ? [] : [nameOf(uid)])),
    ...listed.map(({ user }) => user),
  ]).filter((user) => user !== 'root')
  const foreign = owners.filter((owner) => !roster.has(owner))
  const billed = unique(listed.flatMap(({ account }) => (account === '' ? [] : [account])))
  const running = Math.max(jobs.length, listed.length)
  // A scheduler can keep others' jobs from an ordinary login; their control groups it cannot.
  const ids = new Set(listed.map(({ id }) => id))
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
    ...(foreign.length > 0
      ? [contradicts(`Slurm runs jobs here of users not on the declared roster: ${named(foreign)}.`, tenancySlurm)]
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

function raySteps({ ray }: Readings, list: Processes, roster: ReadonlySet<string> | null): readonly DraftObservation[] {
  const found: readonly Process[] = list.processes.filter(({ command }) => RAY.test(command))
  if (found.length === 0) return []
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
