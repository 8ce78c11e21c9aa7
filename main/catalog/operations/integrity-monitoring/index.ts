import type { Parsed } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { type Processes, tenancyProcesses } from '../../base/processes.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import { type ScheduledJobs, scheduledJobs } from '../scheduled-jobs/index.ts'
import data from './checks.json' with { type: 'json' }
import {
  type AgentName,
  type AgentUnits,
  agentsThat,
  daysBefore,
  type IntegrityMarks,
  type IntegritySchedules,
  integrityAgents,
  integrityMarks,
  integritySchedules,
  type KernelIma,
  kernelIma,
  lastChange,
  type MarkPath,
} from './probes.ts'

const TIMERS = ['dailyaidecheck.timer', 'aidecheck.timer', 'aide.timer'] as const

interface Read {
  readonly agents: AgentUnits
  readonly marks: IntegrityMarks
  readonly schedules: IntegritySchedules
  /** Timers with names of a site’s own that wait; none where timers were not read. */
  readonly timers: readonly string[]
}

/** Timers that wait, among all of the server: a site chooses the names of its own, and few distributions ship one for these tools. */
const waitingTimers = (scheduled: Parsed<ScheduledJobs>): readonly string[] =>
  ((scheduled.ok ? scheduled.fact.timers : null) ?? []).filter(({ isActive }) => isActive).map(({ unit }) => unit)

export const integrityFim = defineCheck({
  id: 'integrity.fim',
  property: 'integrity',
  expected: 'A file-integrity tool has a baseline, checks against it on a schedule, and did so recently.',
  limitations:
    'Which files it watches, with which options cron starts it, the content of its reports and their review are not read. A baseline on the same server can be rebuilt by root. Tools that are not in this catalog are not detected; audit rules on files are no file-integrity check, and read-only images with checksums (dm-verity, fs-verity) are not searched for.',
  requires: { agents: integrityAgents, marks: integrityMarks, schedules: integritySchedules },
  optional: { ima: kernelIma, scheduled: scheduledJobs, processes: tenancyProcesses },
  thresholds: ['integrity.days'],
  evaluate({ agents, marks, schedules }, { ima, scheduled, processes }, context) {
    const read = { agents, marks, schedules, timers: waitingTimers(scheduled) }
    const has = (paths: Parameters<typeof lastChange>[1]): boolean => lastChange(marks, paths) !== null
    const tools = [
      has(['/usr/bin/aide', '/usr/sbin/aide']) ? aide(read, context) : [],
      has(['/usr/sbin/tripwire']) ? tripwire(read, context) : [],
      ...hostAgents(read, context),
    ].filter((steps) => steps.length > 0)
    if (tools.length > 0) return decide(bestOf(tools))
    const managed = agentsThat(agents, WATCHING, 'active')
    if (managed.length > 0)
      return decide([
        unclear(
          `${named(managed)} is running and can watch files; whether it does is configured at its service and not shown here.`,
          integrityAgents,
        ),
      ])
    const others = underOtherUnits('a tool that checks files', WATCHER_PROCESS, processes)
    if (others.length > 0) return decide(others)
    return decide([
      contradicts('No known tool that checks files against a baseline is on the server.', integrityMarks),
      ...measured(ima.ok ? ima.fact : null),
    ])
  },
})

/**
 * Agents with a module for the integrity of files that their service switches on: Falcon FileVantage, the file integrity monitoring of Microsoft
 * Defender for Cloud, Integrity Monitoring of Trend Micro, Qualys FIM and Tanium Integrity Monitor.
 */
const WATCHING: readonly AgentName[] = [
  'falcon-sensor.service',
  'mdatp.service',
  'ds_agent.service',
  'qualys-cloud-agent.service',
  'taniumclient.service',
]

/** Names of processes, as the kernel cuts them: Auditbeat (file_integrity), osquery (file_events), Wazuh, OSSEC, Samhain, and the agents above. */
const WATCHER_PROCESS =
  /^(auditbeat|osqueryd|(wazuh|ossec)-syscheckd|samhain|falcon-sensor(-b)?|wdavdaemon|ds_agent|qualys-cloud-ag|TaniumClient)$/

/**
 * One tool is enough: the steps of the tools that come closest to the condition, and what is against the others as a remark, so that one
 * that was left installed and stopped takes nothing from one that is kept well.
 */
function bestOf(tools: readonly (readonly DraftObservation[])[]): readonly DraftObservation[] {
  const isFree = (...directions: readonly DraftObservation['direction'][]) =>
    tools.filter((steps) => !steps.some(({ direction }) => directions.includes(direction)))
  const [met, open] = [isFree('contradicts', 'unclear'), isFree('contradicts')]
  const best = met.length > 0 ? met : open.length > 0 ? open : tools
  const rest = tools.filter((steps) => !best.includes(steps)).flat()
  return [
    ...best.flat(),
    ...rest
      .filter(({ direction }) => direction !== 'supports')
      .map(
        (step): DraftObservation => ({
          ...step,
          direction: 'supports',
          text: `Another tool does not count: ${step.text}`,
        }),
      ),
  ]
}

function aide({ agents, marks, schedules, timers: all }: Read, context: Context): readonly DraftObservation[] {
  const baseline = lastChange(marks, ['/var/lib/aide/aide.db', '/var/lib/aide/aide.db.gz'])
  if (baseline === null)
    return [contradicts('AIDE is installed and was never initialised: it has no baseline.', integrityMarks)]
  const timers = agentsThat(agents, TIMERS, 'active')
  const others = all.filter((unit) => /aide/i.test(unit))
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
        : others.length > 0
          ? unclear(`A timer with its name waits, and what it starts was not read: ${named(others, 3)}.`, scheduledJobs)
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

function hostAgents({ agents, marks }: Read, context: Context): readonly (readonly DraftObservation[])[] {
  const names = ['wazuh-agent.service', 'ossec.service', 'samhain.service'] as const
  const active = agentsThat(agents, names, 'active')
  const stopped = agentsThat(agents, names, 'loaded').filter((name) => !active.includes(name))
  const database = lastChange(marks, ['/var/ossec/queue/fim/db/fim.db'])
  return [
    active.length === 0
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
          ],
    stopped.length === 0 ? [] : [contradicts(`${named(stopped)} is installed and not running.`, integrityAgents)],
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
  const text = `${what} ${count(Math.max(days, 0), 'day')} before the collection`
  return days <= limit.value
    ? supports(`${text} (limit ${limitText(limit)}).`, probe)
    : contradicts(`${text}; the limit is ${limitText(limit)}.`, probe)
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

const CLAMAV: readonly AgentName[] = [
  'clamav-daemon.service',
  'clamd@scan.service',
  'clamav-clamonacc.service',
  'clamonacc.service',
]
/** Agents whose detections come from their manufacturer's service; nothing on the node dates them. */
const ENDPOINT: ReadonlyMap<AgentName, string> = new Map<AgentName, string>([
  ['falcon-sensor.service', 'CrowdStrike Falcon'],
  ['sentinelone.service', 'SentinelOne'],
  ['mdatp.service', 'Microsoft Defender for Endpoint'],
  ['sophos-spl.service', 'Sophos Protection for Linux'],
  ['sav-protect.service', 'Sophos Anti-Virus'],
  ['ds_agent.service', 'Trend Micro Deep Security'],
  ['efs.service', 'ESET Server Security'],
  ['eea.service', 'ESET Endpoint Antivirus'],
  ['cbdaemon.service', 'Carbon Black'],
  ['cbagentd.service', 'Carbon Black Cloud'],
  ['cylancesvc.service', 'Cylance'],
  ['traps_pmd.service', 'Cortex XDR'],
  ['xagt.service', 'Trellix Endpoint Security (HX)'],
  ['mfetpd.service', 'Trellix Endpoint Security'],
  ['bdsec.service', 'Bitdefender'],
  ['ElasticEndpoint.service', 'Elastic Defend'],
])

export const integrityMalwareProtection = defineCheck({
  id: 'integrity.malware-protection',
  property: 'integrity',
  expected: 'An anti-malware agent is running, and its signatures, where stored on the server, are recent.',
  limitations:
    'Not shown: what it would detect, whether it blocks or stays idle on an unsupported kernel, and whether its alerts are reviewed. The age of the detections of cloud-managed agents is shown only in their consoles. Agents that are not in this catalog are not detected.',
  requires: { agents: integrityAgents, marks: integrityMarks, schedules: integritySchedules },
  optional: { processes: tenancyProcesses, scheduled: scheduledJobs },
  thresholds: ['malware.days'],
  evaluate({ agents, marks, schedules }, { processes, scheduled }, context) {
    const running = agentsThat(agents, [...ENDPOINT.keys()], 'active')
    const endpoints = running.map((unit) => supports(`${ENDPOINT.get(unit) ?? ''} is running.`, integrityAgents))
    const scanner = clamav({ agents, marks, schedules, timers: waitingTimers(scheduled) }, context)
    if (endpoints.length > 0)
      return decide([...endpoints, ...scanner.filter(({ direction }) => direction === 'supports')])
    const stopped = agentsThat(agents, [...ENDPOINT.keys()], 'loaded').map((unit) =>
      contradicts(`${ENDPOINT.get(unit) ?? ''} is installed and not running.`, integrityAgents),
    )
    const runs = agentsThat(agents, CLAMAV, 'active').length > 0
    const others =
      runs || stopped.length > 0 ? [] : underOtherUnits('an agent against malware', AGENT_PROCESS, processes)
    if (others.length > 0) return decide(others)
    const found = [stopped, scanner].filter((steps) => steps.length > 0)
    return decide(
      found.length > 0 ? bestOf(found) : [contradicts('No known agent against malware is installed.', integrityAgents)],
    )
  },
})

/** Names of agents' processes, as the kernel cuts them (15 characters): of ClamAV, Falcon, Defender, SentinelOne and Deep Security. */
const AGENT_PROCESS = /^(clamd|clamonacc|falcon-sensor(-b)?|wdavdaemon|s1-agent|ds_agent)$/

/**
 * None of the units asked for runs: whether an agent runs under a unit of another name (SUSE’s clamd.service) or in a container is shown by
 * the processes. Empty where the list is whole and has none.
 */
function underOtherUnits(agent: string, names: RegExp, processes: Parsed<Processes>): readonly DraftObservation[] {
  const none = `None of the units asked for runs ${agent}`
  if (!processes.ok) return [unclear(`${none}.`, integrityAgents), ...unclearAbout(tenancyProcesses, processes)]
  const { processes: all, isComplete } = processes.fact
  const found = [...new Set(all.map(({ command }) => command))].filter((command) => names.test(command))
  if (found.length > 0) return [unclear(`${none}; ${named(found)} runs, and its state was not read.`, tenancyProcesses)]
  return isComplete ? [] : [unclear(`${none}; not every process is listed, so that another may run.`, tenancyProcesses)]
}

// clamav-freshclam-once.timer of Debian and others of the updater scan nothing.
const SCANS = /^(?!.*freshclam).*clam/i

function clamav({ agents, marks, schedules, timers }: Read, context: Context): readonly DraftObservation[] {
  const running = agentsThat(agents, CLAMAV, 'active')
  const updater = agentsThat(agents, ['clamav-freshclam.service'], 'active')
  const cron = ['clamscan', 'clamdscan'].flatMap((tool) => schedules.tools.get(tool) ?? [])
  const signatures = lastChange(marks, ['/var/lib/clamav/daily.cvd', '/var/lib/clamav/daily.cld'])
  const installed = agentsThat(agents, [...CLAMAV, 'clamav-freshclam.service'], 'loaded')
  const scans = timers.filter((unit) => SCANS.test(unit))
  if (installed.length === 0 && cron.length === 0 && signatures === null) return []
  return [
    running.length > 0
      ? supports(`ClamAV is running: ${named(running)}.`, integrityAgents)
      : cron.length > 0
        ? unclear(`ClamAV does not run as a service; cron starts it: ${named(cron, 3)}.`, integritySchedules)
        : scans.length > 0
          ? unclear(
              `ClamAV does not run as a service; a timer with its name waits, and what it starts was not read: ${named(scans, 3)}.`,
              scheduledJobs,
            )
          : contradicts('ClamAV is installed; no service of it runs and cron does not start it.', integrityAgents),
    ...(running.length > 0 && !running.some((unit) => unit.includes('clamonacc')) && cron.length === 0
      ? [
          unclear(
            'Its service scans what it is handed; nothing that hands it files by schedule or on access is seen.',
            integrityAgents,
          ),
        ]
      : []),
    signatures === null
      ? contradicts('ClamAV has no signatures for daily use.', integrityMarks)
      : fresh(daysBefore(signatures, context.observedAt), updater.length > 0, context),
  ]
}

function fresh(days: number, isUpdated: boolean, context: Context): DraftObservation {
  const limit = limitOf(context, 'malware.days')
  if (days < -1) return unclear('The signatures of ClamAV are dated in the future.', integrityMarks)
  const text = `The signatures of ClamAV changed ${count(Math.max(days, 0), 'day')} before the collection`
  return days <= limit.value
    ? supports(`${text} (limit ${limitText(limit)})${isUpdated ? '; its updater is running' : ''}.`, integrityMarks)
    : contradicts(`${text}; the limit is ${limitText(limit)}.`, integrityMarks)
}

const AGENTS: readonly (readonly [name: string, unit: AgentName, log: MarkPath | null])[] = [
  ['Nessus Agent', 'nessusagent.service', '/opt/nessus_agent/var/nessus/logs/nessusd.messages'],
  ['Qualys Cloud Agent', 'qualys-cloud-agent.service', '/var/log/qualys/qualys-cloud-agent.log'],
  ['Rapid7 Insight Agent', 'ir_agent.service', '/opt/rapid7/ir_agent/components/insight_agent/common/agent.log'],
  ['Tanium Client', 'taniumclient.service', null],
]

const vulnScannerEvidence = defineCheck({
  id: 'vuln.scanner-evidence',
  property: 'integrity',
  expected: 'The vulnerability scanners with an agent or a report on the server are recorded.',
  ends: 'recorded',
  limitations:
    'The results of a scan, and the response to them, are shown only in the scanner’s own console or report. Scanners that test from outside, with or without a login, leave no agent here. No expected value is set.',
  requires: { agents: integrityAgents, marks: integrityMarks },
  optional: { schedules: integritySchedules },
  thresholds: ['scan.days'],
  evaluate({ agents: { units }, marks: { changedAt } }, { schedules }, context) {
    const limit = limitOf(context, 'scan.days')
    const ago = (path: MarkPath | null, what: string): string => {
      const at = path === null ? undefined : changedAt.get(path)
      if (at === undefined) return ''
      const days = Math.max(daysBefore(at, context.observedAt), 0)
      return ` ${what} ${count(days, 'day')} before the collection${days > limit.value ? `, more than ${limitText(limit)}` : ''}.`
    }
    const found: DraftObservation[] = AGENTS.filter(([, unit]) => units.get(unit)?.loaded === true).map(
      ([name, unit, log]) =>
        supports(
          `${name} is installed and ${units.get(unit)?.active === true ? 'running' : 'not running'}.${ago(log, 'Its log last changed')}`,
          integrityAgents,
        ),
    )
    if (changedAt.has('/var/log/lynis-report.dat'))
      found.push(
        supports(
          `Lynis has audited the server.${ago('/var/log/lynis-report.dat', 'Its report is of')}`,
          integrityMarks,
        ),
      )
    const oscap = schedules.ok ? (schedules.fact.tools.get('oscap') ?? []) : []
    if (oscap.length > 0) found.push(supports(`Cron starts OpenSCAP: ${named(oscap, 3)}.`, integritySchedules))
    return {
      verdict: 'informational',
      observations:
        found.length > 0
          ? found
          : [supports('No agent or report of a known vulnerability scanner is on the server.', integrityAgents)],
    }
  },
})

export const integrityMonitoringSubject = defineSubject({
  id: 'integrity-monitoring',
  title: 'Integrity and malware monitoring',
  probes: [integrityAgents, integrityMarks, integritySchedules, kernelIma],
  checks: [vulnScannerEvidence, integrityFim, integrityMalwareProtection],
  data,
})
