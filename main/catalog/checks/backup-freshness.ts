import { type Context, type DraftObservation, defineCheck } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { backupJobs, hoursSince, hoursText, lastRun } from '../operations/backup-runs.ts'
import { type BackupUnit, backupUnits } from '../probes/backup-units.ts'
import { type ScheduledJobs, scheduledJobs } from '../probes/scheduled-jobs.ts'
import { systemLoad } from '../probes/system-load.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'
import { limitOf, limitText } from '../thresholds.ts'

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
    if (newest === null) return decide(withoutEnd(jobs, scheduled, context))
    const text = `The newest copy is ${hoursText(newest.hours)} old: the job ${named([newest.job.unit])} (${newest.job.tool.name}) ended then (limit: ${limitText(limit)}).`
    return decide([
      newest.hours <= limit.value ? supports(text, backupUnits) : contradicts(text, backupUnits),
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

/** No successful end is known: the stamps of persistent timers still show when a job was last started, across starts of the node. */
function withoutEnd(
  jobs: readonly BackupUnit[],
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
  const isStale = started.length === jobs.length && started.every(({ hours }) => hours > limit.value)
  return [
    unended,
    ...started.map(({ unit, hours }) => {
      const text = `The timer of ${named([unit])} last went off ${hoursText(hours)} ago (limit: ${limitText(limit)}).`
      return isStale ? contradicts(text, scheduledJobs) : unclear(text, scheduledJobs)
    }),
  ]
}
