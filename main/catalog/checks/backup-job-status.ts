import { type DraftObservation, defineCheck } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { backupJobs, hoursSince, hoursText, lastRun } from '../operations/backup-runs.ts'
import { isNamedLikeBackup } from '../operations/backup-tools.ts'
import { type BackupUnit, backupUnits } from '../probes/backup-units.ts'
import { type ScheduledJobs, scheduledJobs } from '../probes/scheduled-jobs.ts'
import { type SystemLoad, systemLoad } from '../probes/system-load.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'

export const backupJobStatus = defineCheck({
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

/** Entries named like a backup: a record next to jobs whose end is known, an open question where there are none. */
function namedSteps(
  units: readonly BackupUnit[],
  scheduled: Parsed<ScheduledJobs>,
  hasJobs: boolean,
): readonly DraftObservation[] {
  if (!scheduled.ok) return []
  const known = new Set(units.map(({ unit }) => `${unit}.timer`))
  const timers = (scheduled.fact.timers ?? []).map(({ unit }) => unit).filter((unit) => !known.has(unit))
  const entries = [...scheduled.fact.cron, ...timers].filter(isNamedLikeBackup)
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
