import { type Context, type DraftObservation, defineCheck } from '../../core/check.ts'
import { type AgentUnits, agentsThat, integrityAgents } from '../probes/integrity-agents.ts'
import { daysBefore, type IntegrityMarks, integrityMarks, lastChange } from '../probes/integrity-marks.ts'
import { type IntegritySchedules, integritySchedules } from '../probes/integrity-schedules.ts'
import { type KernelIma, kernelIma } from '../probes/kernel-ima.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { limitOf, limitText } from '../thresholds.ts'

const TIMERS = ['dailyaidecheck.timer', 'aidecheck.timer', 'aide.timer'] as const

interface Read {
  readonly agents: AgentUnits
  readonly marks: IntegrityMarks
  readonly schedules: IntegritySchedules
}

export const integrityFim = defineCheck({
  id: 'integrity.fim',
  property: 'integrity',
  expected: 'A file-integrity tool has a baseline, checks against it on a schedule, and did so recently.',
  limitations:
    'Which files it watches, with which options cron starts it, the content of its reports and their review are not read. A baseline on the same server can be rebuilt by root. Tools that are not in this catalog are not detected; audit rules on files are no file-integrity check, and read-only images with checksums (dm-verity, fs-verity) are not searched for.',
  requires: { agents: integrityAgents, marks: integrityMarks, schedules: integritySchedules },
  optional: { ima: kernelIma },
  thresholds: ['integrity.days'],
  evaluate({ agents, marks, schedules }, { ima }, context) {
    const read = { agents, marks, schedules }
    const has = (paths: Parameters<typeof lastChange>[1]): boolean => lastChange(marks, paths) !== null
    const steps = [
      ...(has(['/usr/bin/aide', '/usr/sbin/aide']) ? aide(read, context) : []),
      ...(has(['/usr/sbin/tripwire']) ? tripwire(read, context) : []),
      ...hostAgents(read, context),
    ]
    if (steps.length > 0) return decide(steps)
    return decide([
      contradicts('No known tool that checks files against a baseline is on the server.', integrityMarks),
      ...measured(ima.ok ? ima.fact : null),
    ])
  },
})

function aide({ agents, marks, schedules }: Read, context: Context): readonly DraftObservation[] {
  const baseline = lastChange(marks, ['/var/lib/aide/aide.db', '/var/lib/aide/aide.db.gz'])
  if (baseline === null)
    return [contradicts('AIDE is installed and was never initialised: it has no baseline.', integrityMarks)]
  const timers = agentsThat(agents, TIMERS, 'active')
  const cron = schedules.tools.get('aide') ?? []
  const run = lastRun(agents, marks)
  const status = agents.units.get('aidecheck.service')?.exitStatus ?? null
  return [
    supports(
      `AIDE has a baseline, made or renewed ${count(Math.max(daysBefore(baseline, context.observedAt), 0), 'day')} before the collection.`,
      integrityMarks,
    ),
    timers.length > 0
      ? supports(`Its check is scheduled by the timer ${named(timers)}.`, integrityAgents)
      : cron.length > 0
        ? supports(`Its check is scheduled by cron: ${named(cron, 3)}.`, integritySchedules)
        : contradicts('No known timer or table of cron starts its check.', integritySchedules),
    run === null
      ? unclear('When it last ran is not recorded in the files that are read.', integrityMarks)
      : age(run.what, daysBefore(run.seconds, context.observedAt), context, run.probe),
    // aide(1), EXIT STATUS: 1 to 7 report new, removed and changed files; 14 and above are errors.
    ...(status === null || status === 0
      ? []
      : [
          status < 8
            ? unclear('Its last check found differences; whether they were reviewed is not shown.', integrityAgents)
            : contradicts(`Its last check failed with the status ${status}.`, integrityAgents),
        ]),
  ]
}

function lastRun(
  { units }: AgentUnits,
  marks: IntegrityMarks,
): {
  readonly what: string
  readonly seconds: number
  readonly probe: typeof integrityAgents | typeof integrityMarks
} | null {
  const log = lastChange(marks, ['/var/log/aide/aide.log'])
  if (log !== null) return { what: 'Its log was last written to', seconds: log, probe: integrityMarks }
  const days = TIMERS.flatMap((timer) => units.get(timer)?.lastDay ?? []).sort()
  const last = Date.parse(`${days.at(-1) ?? ''}T00:00:00Z`)
  return Number.isNaN(last) ? null : { what: 'Its timer last started it', seconds: last / 1000, probe: integrityAgents }
}

function tripwire({ marks, schedules }: Read, context: Context): readonly DraftObservation[] {
  const reports = lastChange(marks, ['/var/lib/tripwire/report'])
  const cron = schedules.tools.get('tripwire') ?? []
  if (lastChange(marks, ['/var/lib/tripwire']) === null)
    return [contradicts('Tripwire is installed and was never initialised: it has no baseline.', integrityMarks)]
  return [
    cron.length > 0
      ? supports(`Tripwire’s check is scheduled by cron: ${named(cron, 3)}.`, integritySchedules)
      : contradicts('Tripwire is installed, and no table of cron starts its check.', integritySchedules),
    reports === null
      ? contradicts('Tripwire has written no report.', integrityMarks)
      : age('Tripwire last wrote a report', daysBefore(reports, context.observedAt), context, integrityMarks),
  ]
}

function hostAgents({ agents, marks }: Read, context: Context): readonly DraftObservation[] {
  const names = ['wazuh-agent.service', 'ossec.service', 'samhain.service'] as const
  const active = agentsThat(agents, names, 'active')
  const stopped = agentsThat(agents, names, 'loaded').filter((name) => !active.includes(name))
  const database = lastChange(marks, ['/var/ossec/queue/fim/db/fim.db'])
  return [
    ...(active.length === 0
      ? []
      : database === null
        ? [
            unclear(
              `${named(active)} is running and can watch files; whether it does is configured in settings that were not read.`,
              integrityAgents,
            ),
          ]
        : [
            supports(`${named(active)} is running and keeps a baseline of files.`, integrityAgents),
            age('Its baseline last changed', daysBefore(database, context.observedAt), context, integrityMarks),
          ]),
    ...(stopped.length === 0 ? [] : [contradicts(`${named(stopped)} is installed and not running.`, integrityAgents)]),
  ]
}

function age(
  what: string,
  days: number,
  context: Context,
  probe: typeof integrityAgents | typeof integrityMarks,
): DraftObservation {
  const limit = limitOf(context, 'integrity.days')
  if (days < -1) return unclear(`${what} at a time in the future.`, probe)
  const said = `${what} ${count(Math.max(days, 0), 'day')} before the collection`
  return days <= limit.value
    ? supports(`${said} (limit ${limitText(limit)}).`, probe)
    : contradicts(`${said}; the limit is ${limitText(limit)}.`, probe)
}

const measured = (ima: KernelIma | null): readonly DraftObservation[] =>
  ima === null || ima.measurements === null || ima.measurements < 2
    ? []
    : [
        supports(
          `The kernel measures files before their use (IMA): ${ima.measurements} measurements; nothing on the server compares them.`,
          kernelIma,
        ),
      ]
