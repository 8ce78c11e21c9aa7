import type { Parsed } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, decide, named, stepOn, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import { type SystemLoad, systemLoad } from '../availability/probes.ts'
import { type ScheduledJobs, scheduledJobs } from '../scheduled-jobs/index.ts'
import data from './checks.json' with { type: 'json' }
import {
  BACKUP_TOOLS,
  type BackupSettings,
  type BackupUnit,
  backupSettings,
  backupUnits,
  isNamedLikeBackup,
  type Stores,
  toolOfSettings,
} from './probes.ts'

/** How a backup job last ended, as far as the service manager retains it. */
type LastRun =
  | { readonly is: 'succeeded'; readonly endedAtSeconds: number }
  /** It ended with a status that its own unit file counts as a success, such as a warning. */
  | { readonly is: 'warned'; readonly endedAtSeconds: number; readonly status: number }
  | { readonly is: 'failed'; readonly result: string }
  | { readonly is: 'running' }
  /** It has not run since the node started, and systemd keeps nothing from before. */
  | { readonly is: 'not-run' }

export function lastRun({ activeState, result, exitStatus, endedAtSeconds }: BackupUnit): LastRun {
  if (activeState === 'failed' || result !== 'success') return { is: 'failed', result }
  if (activeState === 'activating' || activeState === 'active') return { is: 'running' }
  if (endedAtSeconds === null || exitStatus === null) return { is: 'not-run' }
  return exitStatus === 0 ? { is: 'succeeded', endedAtSeconds } : { is: 'warned', endedAtSeconds, status: exitStatus }
}

/** Jobs that make copies away from what they protect: snapshots on the same drives do not count. */
const backupJobs = (units: readonly BackupUnit[]): readonly BackupUnit[] =>
  units.filter(({ isJob, tool }) => isJob && tool.isSnapshot !== true)

/** Hours between the end of a run and now; null where the node's figures contradict each other. */
export function hoursSince(endedAtSeconds: number, uptimeSeconds: number): number | null {
  const seconds = uptimeSeconds - endedAtSeconds
  // The figures were read moments apart, so that a run may seem to end a little later than now.
  return seconds < -120 ? null : Math.max(0, seconds) / 3600
}

/** "less than an hour", "7 hours", "3 days". */
export function hoursText(hours: number): string {
  if (hours < 1) return 'less than an hour'
  const whole = Math.floor(hours)
  if (whole < 49) return `${whole} ${whole === 1 ? 'hour' : 'hours'}`
  return `${Math.floor(whole / 24)} days`
}

export const backupFreshness = defineCheck({
  id: 'backup.freshness',
  property: 'operations',
  expected: 'A backup job of this node ended successfully within the maximum age set for the newest copy.',
  limitations:
    'The age is that of the last successful end of any job, by the node’s own clock since its start; jobs over other data may be older. The copies themselves were not tested, and restorability is not shown.',
  requires: { units: backupUnits, load: systemLoad },
  optional: { scheduled: scheduledJobs },
  thresholds: ['backup.hours'],
  evaluate({ units: { units }, load }, { scheduled }, context) {
    const limit = limitOf(context, 'backup.hours')
    const jobs = backupJobs(units)
    const ends = jobs.flatMap((job) => {
      const run = lastRun(job)
      if (run.is !== 'succeeded' && run.is !== 'warned') return []
      const hours = hoursSince(run.endedAtSeconds, load.uptimeSeconds)
      return hours === null ? [] : [{ job, hours, status: run.is === 'warned' ? run.status : null }]
    })
    const newest = ends.reduce<(typeof ends)[number] | null>(
      (best, end) => (best === null || end.hours < best.hours ? end : best),
      null,
    )
    const newer = mayBeNewer(units, scheduled)
    if (newest === null) return decide(withoutEnd(jobs, newer, scheduled, context))
    const text = `The newest copy${newer.length === 0 ? '' : ' of a known job'} is ${hoursText(newest.hours)} old: the job ${named([newest.job.unit])} (${newest.job.tool.name}) ended then (limit: ${limitText(limit)}).`
    return decide([
      ...(newest.hours <= limit.value
        ? [supports(text, backupUnits)]
        : newer.length === 0
          ? [contradicts(text, backupUnits)]
          : [unclear(text, backupUnits), ...newer]),
      ...(newest.status === null
        ? []
        : [
            unclear(
              `It ended with status ${newest.status}, which its unit counts as a success; whether the copy is whole is not shown.`,
              backupUnits,
            ),
          ]),
      ...[...ends]
        .filter(({ job, hours }) => job !== newest.job && hours > limit.value)
        .map(({ job, hours }) =>
          supports(
            `The job ${named([job.unit])} (${job.tool.name}) ended ${hoursText(hours)} ago (recorded, not evaluated).`,
            backupUnits,
          ),
        ),
    ])
  },
})

/**
 * What else makes copies at times that are not read, so that the newest of a known job may not be the newest: agents that run, and what starts
 * by itself under the name of a backup, such as daily differences next to a full copy each week. A table of cron counts with a line in force.
 */
function mayBeNewer(units: readonly BackupUnit[], scheduled: Parsed<ScheduledJobs>): readonly DraftObservation[] {
  const agents = units.filter(({ isJob, activeState }) => !isJob && activeState === 'active').map(({ unit }) => unit)
  const { timers, cron, schedules } = scheduled.ok ? scheduled.fact : { timers: null, cron: [], schedules: [] }
  const starting = [
    ...cron.filter((entry) => !entry.startsWith('/etc/cron.d/') || schedules.some(({ file }) => file === entry)),
    ...(timers ?? []).filter(({ isActive }) => isActive).map(({ unit }) => unit),
  ]
  const entries = namedLikeBackups(units, starting)
  return [
    ...stepOn(unclear, 'Running, and what they copied last is known to their server only', agents, backupUnits),
    ...stepOn(unclear, 'Named like a backup, with a last run that was not read', entries, scheduledJobs),
  ]
}

/** Names like that of a backup, without timers of the units that are known. */
function namedLikeBackups(units: readonly BackupUnit[], entries: readonly string[]): readonly string[] {
  const known = new Set(units.map(({ unit }) => `${unit}.timer`))
  return entries.filter((entry) => isNamedLikeBackup(entry) && !known.has(entry))
}

/** No successful end is known: the stamps of persistent timers still show when a job was last started, across starts of the node. */
function withoutEnd(
  jobs: readonly BackupUnit[],
  newer: readonly DraftObservation[],
  scheduled: Parsed<ScheduledJobs>,
  context: Context,
): readonly DraftObservation[] {
  if (jobs.length === 0)
    return [
      unclear(
        'No backup job known to this catalog is configured as a service, so that no completion is known.',
        backupUnits,
      ),
    ]
  const limit = limitOf(context, 'backup.hours')
  const now = Date.parse(context.observedAt) / 1000
  const started = jobs.flatMap(({ unit }) => {
    const stamp = scheduled.ok ? scheduled.fact.stamps.get(`${unit}.timer`) : undefined
    const hours = stamp === undefined ? null : hoursSince(stamp, now)
    return hours === null ? [] : [{ unit, hours }]
  })
  const unended = unclear(
    `No successful end of a backup job is known since the node started: ${named(jobs.map(({ unit }) => unit))}.`,
    backupUnits,
  )
  const isStale =
    newer.length === 0 && started.length === jobs.length && started.every(({ hours }) => hours > limit.value)
  return [
    unended,
    ...started.map(({ unit, hours }) => {
      const text = `The timer of ${named([unit])} last went off ${hoursText(hours)} ago (limit: ${limitText(limit)}).`
      return isStale ? contradicts(text, scheduledJobs) : unclear(text, scheduledJobs)
    }),
    ...newer,
  ]
}

const backupImmutability = defineCheck({
  id: 'backup.immutability',
  property: 'operations',
  expected:
    'The settings of a backup tool on this node require an immutable target: append-only, or with locked objects.',
  ends: 'supported-or-recorded',
  limitations:
    'A lock is usually set at the target, where this node cannot see it: the absence of such a setting here is recorded, not counted as a deviation. Not shown: that the target enforces it, and that no administrator of the node can undo it.',
  requires: { settings: backupSettings },
  optional: { units: backupUnits },
  evaluate({ settings: { files, locking } }, { units }) {
    const tools = [
      ...new Set([
        ...files.flatMap((file) => toolOfSettings(file) ?? []),
        ...(units.ok
          ? units.fact.units.filter(({ tool }) => tool.isSnapshot !== true).map(({ tool }) => tool.name)
          : []),
      ]),
    ]
    if (locking.length > 0) return decide([supports(`Required in ${named(locking, 5)}.`, backupSettings, 'locking')])
    if (tools.length > 0)
      return {
        verdict: 'informational',
        observations: [
          supports(
            `Found: ${named(tools)}. No setting on this node requires an immutable target.`,
            backupSettings,
            'files',
            'locking',
          ),
        ],
      }
    return decide([
      unclear('No settings of a backup tool known to this catalog were found.', backupSettings, 'files'),
      ...unclearAbout(backupUnits, units),
    ])
  },
})

const backupJobStatus = defineCheck({
  id: 'backup.job-status',
  property: 'operations',
  expected: 'Every backup job known to the service manager of this node ended successfully when it last ran.',
  limitations:
    'Jobs are found by the names of known tools: a site’s own name is not known here, and jobs started by cron or by a server elsewhere leave no result that is read. A job that ended successfully may have copied too little. That a copy can be restored is not shown.',
  requires: { units: backupUnits },
  optional: { load: systemLoad, scheduled: scheduledJobs },
  evaluate({ units: { units } }, { load, scheduled }) {
    const jobs = backupJobs(units)
    const steps = jobs.map((job) => jobStep(job, load))
    const agents = units.filter(({ isJob }) => !isJob).map(agentStep)
    const entries = namedSteps(units, scheduled, jobs.length > 0)
    if (jobs.length > 0)
      return decide([...steps, ...agents.filter(({ direction }) => direction === 'contradicts'), ...entries])
    return decide([
      ...agents,
      ...entries,
      ...snapshotSteps(units),
      ...(agents.length === 0
        ? [
            unclear(
              'No backup job or agent known to this catalog is configured as a service. This does not show that there is none: a site can choose the names of its jobs.',
              backupUnits,
            ),
          ]
        : []),
    ])
  },
})

function jobStep(job: BackupUnit, load: Parsed<SystemLoad>): DraftObservation {
  const what = `The backup job ${named([job.unit])} (${job.tool.name})`
  const run = lastRun(job)
  const ago = (endedAtSeconds: number): string => {
    const hours = load.ok ? hoursSince(endedAtSeconds, load.fact.uptimeSeconds) : null
    return hours === null ? '' : `, ${hoursText(hours)} ago`
  }
  switch (run.is) {
    case 'succeeded':
      return supports(`${what} ended successfully${ago(run.endedAtSeconds)}.`, backupUnits)
    case 'warned':
      return unclear(
        `${what} ended with status ${run.status}, which its unit counts as a success${ago(run.endedAtSeconds)}.`,
        backupUnits,
      )
    case 'failed':
      return contradicts(`${what} failed when it last ran: ${named([run.result])}.`, backupUnits)
    case 'running':
      return unclear(`${what} runs now; how it ended before is not kept.`, backupUnits)
    case 'not-run':
      return unclear(`${what} has not run since the node started; how it ended before is not kept.`, backupUnits)
  }
}

function agentStep({ unit, tool, activeState }: BackupUnit): DraftObservation {
  const what = `The backup agent ${named([unit])} (${tool.name})`
  if (activeState === 'failed') return contradicts(`${what} failed.`, backupUnits)
  return activeState === 'active'
    ? unclear(`${what} runs; what it backed up is known to its server only.`, backupUnits)
    : unclear(`${what} is installed and does not run.`, backupUnits)
}

/** Units named like a backup: recorded next to jobs with a known result, otherwise an open question. */
function namedSteps(
  units: readonly BackupUnit[],
  scheduled: Parsed<ScheduledJobs>,
  hasJobs: boolean,
): readonly DraftObservation[] {
  if (!scheduled.ok) return []
  const timers = (scheduled.fact.timers ?? []).map(({ unit }) => unit)
  const entries = namedLikeBackups(units, [...scheduled.fact.cron, ...timers])
  if (entries.length === 0) return []
  const text = `Named like a backup, with a result that was not read: ${named(entries)}.`
  return [hasJobs ? supports(text, scheduledJobs) : unclear(text, scheduledJobs)]
}

function snapshotSteps(units: readonly BackupUnit[]): readonly DraftObservation[] {
  const tools = [...new Set(units.filter(({ tool }) => tool.isSnapshot === true).map(({ tool }) => tool.name))]
  return tools.length === 0
    ? []
    : [unclear(`Snapshots are made by ${tools.join(', ')}; they lie on the drives that they protect.`, backupUnits)]
}

export const encryptionAtRestBackupTarget = defineCheck({
  id: 'encryption.at-rest.backup-target',
  property: 'encryption-at-rest',
  expected: 'Every backup tool found on this node encrypts what it stores, by its design or by its settings.',
  limitations:
    'Based on the tools present and the names of their settings, not on inspection of a copy. Where one file names several repositories, one that is set to encrypt counts for the file. Settings given in the environment or at a server are not read. Who holds the key or passphrase, and whether the target itself encrypts, is not shown. Backups of a cluster and tools of a site’s own are not found.',
  requires: { units: backupUnits, settings: backupSettings },
  evaluate({ units: { units }, settings }) {
    const running = units.filter(({ tool }) => tool.isSnapshot !== true).map(({ tool }) => tool.name)
    const configured = settings.files.flatMap((file) => toolOfSettings(file) ?? [])
    const tools = [...new Set([...running, ...configured])].sort()
    if (tools.length === 0)
      return decide([
        unclear('No backup tool known to this catalog was found as a service or by its settings.', backupUnits),
      ])
    return decide(tools.map((name) => toolStep(name, settings, running.includes(name))))
  },
})

const STORES: ReadonlyMap<string, Stores> = new Map(BACKUP_TOOLS.map(({ name, stores }) => [name, stores]))

function toolStep(name: string, settings: BackupSettings, isService: boolean): DraftObservation {
  const seen = isService ? backupUnits : backupSettings
  switch (STORES.get(name)) {
    case 'encrypted':
      return supports(`${name} encrypts every repository, whatever its settings.`, seen)
    case 'as-is':
      return unclear(`${name} copies files unchanged: whether they are stored encrypted depends on the target.`, seen)
    case 'by-server':
      return unclear(`${name} is configured at its server: whether copies are encrypted is not visible here.`, seen)
    default:
      return settingsStep(name, settings)
  }
}

function settingsStep(name: string, { files, encrypting, clear }: BackupSettings): DraftObservation {
  const own = files.filter((file) => toolOfSettings(file) === name)
  const open = own.filter((file) => clear.includes(file))
  const ciphered = own.filter((file) => encrypting.includes(file) && !clear.includes(file))
  if (open.length > 0)
    return contradicts(`${name} is configured not to encrypt, in ${named(open, 5)}.`, backupSettings, 'clear')
  if (name === 'rclone' && ciphered.length > 0)
    return unclear(
      `rclone has a target that encrypts, in addition to the underlying one: ${named(ciphered, 5)}. Which of them a job writes to is not read.`,
      backupSettings,
      'encrypting',
    )
  if (own.length > 0 && ciphered.length === own.length)
    return supports(`${name} is set to encrypt, in ${named(ciphered, 5)}.`, backupSettings, 'encrypting')
  return unclear(
    own.length === 0
      ? `${name} encrypts where configured, and none of its settings were found.`
      : `${name} encrypts where configured, and not every one of its settings files configures it: ${named(own, 5)}.`,
    backupSettings,
    'files',
    'encrypting',
  )
}

export const backupSubject = defineSubject({
  id: 'backup',
  title: 'Backups',
  probes: [backupUnits, backupSettings],
  checks: [backupJobStatus, backupFreshness, backupImmutability, encryptionAtRestBackupTarget],
  data,
})
