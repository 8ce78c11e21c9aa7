import { defineProbe, known, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import {
  foundLines,
  grepIsComplete,
  inOrder,
  lines,
  oneLineFiles,
  readUnits,
  showUnits,
  type UnitState,
  whether,
} from '../../base/read-text.ts'

interface AgentUnit {
  readonly loaded: boolean
  /** A process of it runs, or the timer waits: “active (exited)”, as systemd shows a daemon of an old start script that ended, is not. */
  readonly active: boolean
  /** Day (YYYY-MM-DD, the node's zone) on which a timer last started its service, or a service last ended; null where it never did. */
  readonly lastDay: string | null
  /** Exit status of the last run; null where the service has not run since the start, or is still running. */
  readonly exitStatus: number | null
}

export interface AgentUnits {
  readonly units: ReadonlyMap<string, AgentUnit>
}

const UNITS = [
  'dailyaidecheck.timer',
  'dailyaidecheck.service',
  'aidecheck.timer',
  'aidecheck.service',
  'aide.timer',
  'wazuh-agent.service',
  'ossec.service',
  'samhain.service',
  'clamav-daemon.service',
  'clamd@scan.service',
  'clamav-clamonacc.service',
  'clamonacc.service',
  'clamav-freshclam.service',
  'falcon-sensor.service',
  'sentinelone.service',
  'mdatp.service',
  'sophos-spl.service',
  'sav-protect.service',
  'ds_agent.service',
  'efs.service',
  'eea.service',
  'cbdaemon.service',
  'cbagentd.service',
  'cylancesvc.service',
  'traps_pmd.service',
  'xagt.service',
  'mfetpd.service',
  'bdsec.service',
  'ElasticEndpoint.service',
  'nessusagent.service',
  'qualys-cloud-agent.service',
  'ir_agent.service',
  'taniumclient.service',
  'lynis.timer',
] as const
export type AgentName = (typeof UNITS)[number]

export const integrityAgents = defineProbe({
  id: 'integrity.agents',
  title: 'File integrity, malware and vulnerability agents',
  why: 'Shows which known agents for file integrity, malware and vulnerability scans are installed and running.',
  ignoredInDrift: {
    why: 'Timers run, and the units they start end.',
    normalize: ({ units }: AgentUnits) => ({
      units: inOrder(
        [...units].map(([unit, { loaded, active }]) => [unit, loaded, STARTED_BY_TIMERS.test(unit) ? null : active]),
      ),
    }),
  },
  commands: {
    units: showUnits('Id,LoadState,ActiveState,SubState,LastTriggerUSec,ExecMainStatus,ExecMainExitTimestamp', UNITS),
  },
  parse({ units }) {
    const states = readUnits(units, UNITS)
    if (!states.ok) return states
    return known<AgentUnits>({
      units: new Map([...states.fact].map(([unit, state]) => [unit, readUnit(state)])),
    })
  },
})

function readUnit(block: UnitState): AgentUnit {
  const ended = block.get('ExecMainExitTimestamp') ?? ''
  const status = block.get('ExecMainStatus') ?? ''
  return {
    loaded: block.get('LoadState') === 'loaded',
    active: block.get('ActiveState') === 'active' && /^(running|waiting)$/.test(block.get('SubState') ?? ''),
    // "Fri 2026-11-20 02:13:55 UTC"; empty or n/a where it never happened.
    lastDay: /\b(\d{4}-\d{2}-\d{2})\b/.exec(block.get('LastTriggerUSec') ?? ended)?.[1] ?? null,
    exitStatus: /\d{4}-/.test(ended) && /^\d{1,3}$/.test(status) ? Number(status) : null,
  }
}

/** The units among those named that are in the given state. */
export const agentsThat = (
  { units }: AgentUnits,
  names: readonly AgentName[],
  state: 'loaded' | 'active',
): readonly AgentName[] => names.filter((name) => units.get(name)?.[state] === true)

/** Such a service runs for a while when its timer goes off. */
const STARTED_BY_TIMERS = /check\.service$/

export interface IntegrityMarks {
  /** Files and folders that exist: path → last change, seconds since 1970. Nothing of their content is read. */
  readonly changedAt: ReadonlyMap<string, number>
}

const FILES = [
  '/usr/bin/aide',
  '/usr/sbin/aide',
  '/var/lib/aide/aide.db',
  '/var/lib/aide/aide.db.gz',
  '/var/log/aide/aide.log',
  '/usr/sbin/tripwire',
  '/var/lib/tripwire',
  '/var/lib/tripwire/report',
  '/var/ossec/bin/wazuh-syscheckd',
  '/var/ossec/bin/ossec-syscheckd',
  '/var/ossec/queue/fim/db/fim.db',
  '/var/lib/clamav/daily.cvd',
  '/var/lib/clamav/daily.cld',
  '/var/log/lynis-report.dat',
  '/opt/nessus_agent/var/nessus/logs/nessusd.messages',
  '/var/log/qualys/qualys-cloud-agent.log',
  '/opt/rapid7/ir_agent/components/insight_agent/common/agent.log',
] as const
export type MarkPath = (typeof FILES)[number]

/** stat(1). Their folders are closed to ordinary users. */
export const integrityMarks = defineProbe({
  id: 'integrity.marks',
  title: 'Last file writes of integrity and malware tools',
  why: 'Shows when a baseline was made, a check last ran and signatures last changed. Only times are read.',
  ignoredInDrift: {
    why: 'Tools rewrite their files; only which files are present is compared.',
    normalize: ({ changedAt }: IntegrityMarks) => ({ files: inOrder(changedAt.keys()) }),
  },
  commands: { files: runAsRoot(['stat', '-c', '%Y:%n', ...FILES]) },
  parse({ files }) {
    if (lines(files.errorText).some((complaint) => !/No such file or directory$/.test(complaint)))
      return unknown('not every file could be looked at')
    if (files.exitCode > 1) return unknown('the files could not be looked at')
    return known<IntegrityMarks>({
      changedAt: new Map(
        lines(files.text).flatMap((line) => {
          const [, seconds, path] = /^(\d{1,12}):(\/\S{1,200})$/.exec(line) ?? []
          return seconds === undefined || path === undefined ? [] : [[path, Number(seconds)] as const]
        }),
      ),
    })
  },
})

/** The newest of the named files: when it last changed. Null where none of them exists. */
export function lastChange({ changedAt }: IntegrityMarks, paths: readonly MarkPath[]): number | null {
  const times = paths.flatMap((path) => changedAt.get(path) ?? [])
  return times.length === 0 ? null : Math.max(...times)
}

/** Whole days from a moment (seconds since 1970) to the time of the collection; negative for the future. */
export const daysBefore = (seconds: number, observedAt: string): number =>
  Math.floor((Date.parse(observedAt) / 1000 - seconds) / 86_400)

export interface IntegritySchedules {
  /** Tools that a table or script of cron names: tool → the files that name it. */
  readonly tools: ReadonlyMap<string, readonly string[]>
}

// \K drops the text before the name, and -o that after it except one separating character, so that no other word of a
// line is printed. A folder such as /var/lib/aide is not a program. The pattern contains no asterisk and no question
// mark, which sudo-rs could not grant; where a line names several tools, the last one counts.
const PATTERN =
  '^([^#]{0,}([\\s;&|(\\x22\\x27]|bin/)|)\\K(aide|dailyaidecheck|tripwire|samhain|clamscan|clamdscan|lynis|oscap)([^\\w/-]|$)'

// run-parts(8) and cron(8): neither reads what packages and editors put aside.
const NOT_READ = /(~|\.(bak|old|orig|save|disabled|swp|placeholder|dpkg-[a-z]{1,9}|rpm(save|new|orig)))$/

/** crontab(5) and run-parts(8): tables of the system and of users, and scripts that run daily or weekly. */
export const integritySchedules = defineProbe({
  id: 'integrity.schedules',
  title: 'Integrity and malware checks started by cron',
  why: 'Shows whether file checks and scans run on a schedule. Only the names of known tools are read from the tables.',
  commands: {
    cron: runAsRoot([
      'grep',
      '-rHoP',
      PATTERN,
      '/etc/crontab',
      '/etc/cron.d',
      '/etc/cron.daily',
      '/etc/cron.weekly',
      '/var/spool/cron',
    ]),
  },
  parse({ cron }) {
    if (!grepIsComplete(cron)) return unknown('the tables of cron could not be read')
    const tools = new Map<string, Set<string>>()
    for (const { path, line } of foundLines(cron.text)) {
      if (NOT_READ.test(path)) continue
      const [, name] = /^([a-z]{1,20})[^\w-]?$/.exec(line) ?? []
      const tool = name === 'dailyaidecheck' ? 'aide' : name
      if (tool !== undefined) tools.set(tool, (tools.get(tool) ?? new Set()).add(path))
    }
    return known<IntegritySchedules>({ tools: new Map([...tools].map(([tool, paths]) => [tool, [...paths]])) })
  },
})

export interface KernelIma {
  /** Files that the kernel measured since its start; null where it has no such measurement. */
  readonly measurements: number | null
  readonly violations: number | null
}

const FOLDER = '/sys/kernel/security/ima/'

/** Linux Documentation/ABI/testing/ima_policy and security/integrity/ima/ima_fs.c. The list itself names files and is not read. */
export const kernelIma = defineProbe({
  id: 'kernel.ima',
  title: 'File measurements of the kernel (IMA)',
  why: 'Shows whether the kernel itself records the digests of files before they are used.',
  ignoredInDrift: {
    why: 'Files are measured as they are used; only whether the kernel measures is compared.',
    normalize: ({ measurements, violations }: KernelIma) => ({
      measures: measurements !== null,
      hasViolations: whether(violations),
    }),
  },
  commands: {
    counts: runAsRoot(['grep', '-H', '.', `${FOLDER}runtime_measurements_count`, `${FOLDER}violations`], {
      needsPath: [`${FOLDER}runtime_measurements_count`, `${FOLDER}violations`],
    }),
  },
  parse({ counts }) {
    if (!grepIsComplete(counts)) return unknown('the counts of the kernel’s measurements could not be read')
    const values = oneLineFiles(counts.text)
    const number = (name: string): number | null => {
      const text = values.get(FOLDER + name) ?? ''
      return /^\d{1,12}$/.test(text) ? Number(text) : null
    }
    return known<KernelIma>({ measurements: number('runtime_measurements_count'), violations: number('violations') })
  },
})
