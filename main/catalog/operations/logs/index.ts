import { quote } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { withoutRotation } from '../../base/read-text.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import { type HostIdentity, hostIdentity } from '../../hardware/machine/identity.ts'
import { type AuditStatus, auditdStatus } from '../auditd/probes.ts'
import { type LoginRecords, loginRecords } from '../login-records/index.ts'
import { type NodeNow, timeNow } from '../time/probes.ts'
import data from './checks.json' with { type: 'json' }
import { DAY, isOfSystem, missingEntries, momentSeconds, secondsOf } from './journal.ts'
import {
  auditFiles,
  type JournalConfig,
  type JournalState,
  journaldConfig,
  journalState,
  type LogEntry,
  type LogFiles,
  logFiles,
} from './probes.ts'

const auditLogRetention = defineCheck({
  id: 'audit.log-retention',
  property: 'audit',
  expected: 'The system log is kept across restarts, and its oldest record is at least as old as the limit.',
  limitations:
    'The oldest record shows how far the log reaches today, not that it always will: how long records stay depends on their volume and the size limits. The six years of 45 CFR 164.316 concern documentation, and no such period is tested here. Records kept elsewhere are not covered.',
  requires: { journal: journaldConfig, now: timeNow },
  optional: { state: journalState, files: logFiles, audit: auditFiles },
  thresholds: ['log.days'],
  evaluate({ journal, now }, { state, files, audit }, context) {
    const reach = [...journalReach(state, now), ...fileReach(files, now)]
    return decide([
      ...storage(journal, reach),
      ...limits(journal),
      ...auditReach(audit, now),
      ...judge(reach, { state, files }, now, limitOf(context, 'log.days')),
    ])
  },
})

interface Read {
  readonly state: Parsed<JournalState>
  readonly files: Parsed<LogFiles>
}

/** How far back one kind of log goes. */
interface Reach {
  readonly of: 'the journal' | 'text log files'
  /** Seconds since 1970. */
  readonly oldest: number
  readonly step: (text: string) => DraftObservation
}

function journalReach(state: Parsed<JournalState>, now: NodeNow): readonly Reach[] {
  // An account without a session can have a journal from years ago, which is not removed with the system's own.
  const kept = state.ok ? state.fact.files.filter((file) => isOfSystem(file) && !file.path.startsWith('/run/')) : []
  const oldest = kept.flatMap((file) => momentSeconds(file.oldest, now.zone) ?? [])
  return oldest.length === 0
    ? []
    : [{ of: 'the journal', oldest: Math.min(...oldest), step: (text) => supports(text, journalState, 'header') }]
}

/** Logs rotate once a month at the least. A file that is further from the next one is left over, and no part of an unbroken row. */
const ROTATION_SECONDS = 35 * DAY

// The time of the last line of a rotated file is known without reading it, so its first line is at least that old.
// Files that are no longer written to are left over, and are no evidence of present retention.
function oldestOf(files: readonly LogEntry[], now: NodeNow): number | null {
  const times = files.map(({ changedAt }) => changedAt).filter((time) => time <= now.seconds + DAY)
  const [newest, ...older] = times.sort((a, b) => b - a)
  if (newest === undefined || now.seconds - newest > 2 * DAY) return null
  let oldest = newest
  for (const time of older) {
    if (oldest - time > ROTATION_SECONDS) break
    oldest = time
  }
  return oldest
}

const textLogs = (files: Parsed<LogFiles>): readonly LogEntry[] =>
  (files.ok ? files.fact.entries : []).filter(
    ({ path, isLink }) => isLink !== true && /\/(syslog|messages|auth\.log|secure)[^/]*$/.test(path),
  )

function fileReach(files: Parsed<LogFiles>, now: NodeNow): readonly Reach[] {
  const oldest = oldestOf(textLogs(files), now)
  return oldest === null ? [] : [{ of: 'text log files', oldest, step: (text) => supports(text, logFiles) }]
}

/**
 * Since when the text logs may reach, at the earliest: the oldest copy begins where the one before it ended, which is gone. That is as long
 * before its last line as the longest time between two of the copies, if there are two; where a log was rotated once or not yet, as by size,
 * its beginning is not known.
 */
function mayReach(files: Parsed<LogFiles>, now: NodeNow): number {
  const rows = new Map<string, number[]>()
  for (const { path, changedAt } of textLogs(files)) {
    const row = rows.get(withoutRotation(path))
    if (row === undefined) rows.set(withoutRotation(path), [changedAt])
    else row.push(changedAt)
  }
  const starts = [...rows.values()].flatMap((times): readonly number[] => {
    const [newest = 0, ...copies] = times.sort((a, b) => b - a)
    if (now.seconds - newest > 2 * DAY) return []
    const gaps = copies.slice(1).map((time, at) => (copies[at] ?? time) - time)
    return [gaps.length === 0 ? 0 : (copies.at(-1) ?? 0) - Math.max(...gaps)]
  })
  return Math.min(now.seconds, ...starts)
}

/** Audit records are kept by limits of their own and hold none of what the system log does: their age is stated, and shows nothing of it. */
function auditReach(audit: Parsed<Pick<LogFiles, 'entries'>>, now: NodeNow): readonly DraftObservation[] {
  const oldest = audit.ok
    ? oldestOf(
        audit.fact.entries.filter(({ isFolder }) => !isFolder),
        now,
      )
    : null
  if (oldest === null) return []
  const age = count(Math.floor((now.seconds - oldest) / DAY), 'day')
  return [
    supports(
      `The oldest of the audit records that could be measured is ${age} old. They are no system log.`,
      auditFiles,
    ),
  ]
}

// journald.conf(5), Storage=: auto, the default, writes to disk only when /var/log/journal exists.
function storage({ settings, hasFolder }: JournalConfig, reach: readonly Reach[]): readonly DraftObservation[] {
  const mode = settings.get('Storage')?.toLowerCase() ?? 'auto'
  const hasText = reach.some(({ of }) => of === 'text log files')
  const ends = (text: string): DraftObservation =>
    hasText
      ? supports(`${text}; a log service writes text files as well.`, journaldConfig)
      : contradicts(`${text}: it ends with a restart.`, journaldConfig)
  if (mode === 'persistent') return [supports('The journal’s storage is set to persistent.', journaldConfig, 'config')]
  if (mode === 'volatile')
    return [contradicts('The journal’s storage is set to volatile: it ends with a restart.', journaldConfig, 'config')]
  if (mode === 'none') return [ends('The journal’s storage is set to none')]
  if (mode !== 'auto')
    return [
      unclear(
        `The journal’s storage is set to ${quote(mode)}, which is not known to this catalog.`,
        journaldConfig,
        'config',
      ),
    ]
  return [
    hasFolder
      ? supports('The journal’s storage is automatic, and its folder on disk exists.', journaldConfig)
      : ends('The journal’s storage is automatic, and its folder on disk does not exist'),
  ]
}

const limits = ({ settings }: JournalConfig): readonly DraftObservation[] =>
  ['SystemMaxUse', 'MaxRetentionSec'].flatMap((key) => {
    const value = settings.get(key)
    return value === undefined || value === ''
      ? []
      : [supports(`${key} is set to ${quote(value)}.`, journaldConfig, 'config')]
  })

function judge(
  reach: readonly Reach[],
  { state, files }: Read,
  now: NodeNow,
  limit: ReturnType<typeof limitOf>,
): readonly DraftObservation[] {
  const oldest = Math.min(...reach.map((one) => one.oldest))
  if (!Number.isFinite(oldest))
    return [unclear('How far back the system log reaches could not be measured.', journalState)]
  const days = (since: number): number => Math.floor((now.seconds - since) / DAY)
  const reaches = reach.map((one) =>
    one.step(`The oldest record in ${one.of} that could be measured is ${count(days(one.oldest), 'day')} old.`),
  )
  if (days(oldest) >= limit.value) return [...reaches, supports(`At least ${limitText(limit)} are kept.`, timeNow)]
  const setUpAt = files.ok ? files.fact.setUpAt : null
  if (setUpAt !== null && days(setUpAt) < limit.value)
    return [
      ...reaches,
      unclear(
        `This system was set up ${count(days(setUpAt), 'day')} ago, so its logs cannot yet reach back ${limitText(limit)}.`,
        logFiles,
      ),
    ]
  const unread = [...unclearAbout(journalState, state), ...unclearAbout(logFiles, files)]
  return [
    ...reaches,
    ...(unread.length > 0
      ? unread
      : days(mayReach(files, now)) >= limit.value
        ? [
            unclear(
              `The first line of the oldest text log file was not read, and it may be ${limitText(limit)} old.`,
              logFiles,
            ),
          ]
        : [contradicts(`That is less than ${limitText(limit)}.`, timeNow)]),
  ]
}

/** Accounts that write logs: root, and the services that distributions run for it under names of their own. */
const WRITERS: ReadonlySet<string> = new Set([
  'root',
  'syslog',
  'systemd-journal',
  'systemd-journal-remote',
  'messagebus',
])
/** Groups that may write: utmp keeps the records of logins (utmp(5)), syslog is rsyslog's on Ubuntu, root is root's. */
const WRITING_GROUPS: ReadonlySet<string> = new Set(['root', 'utmp', 'syslog', 'systemd-journal'])

const GROUP_WRITES = 0o020
const OTHERS_WRITE = 0o002
const STICKY = 0o1000

const auditLogPermissions = defineCheck({
  id: 'audit.log-permissions',
  property: 'audit',
  expected: 'Only root and the log services can change the system’s log files.',
  limitations:
    'Root can always change them. Only owners and permission bits of the usual log files were tested: access lists beyond them, who may read, files of applications, and attributes such as append-only were not.',
  requires: { files: logFiles },
  optional: { audit: auditFiles },
  evaluate({ files }, { audit }) {
    const own = judgePermissions(files.entries, logFiles)
    const audited = audit.ok ? judgePermissions(audit.fact.entries, auditFiles) : unclearAbout(auditFiles, audit)
    const logs = files.entries.filter(({ path, isFolder }) => !isFolder && !/\/[wb]tmp$|\/lastlog$/.test(path))
    const none =
      logs.length === 0 && (!audit.ok || audit.fact.entries.length === 0)
        ? [unclear('None of the usual log files is there, so there is nothing to evaluate.', logFiles)]
        : []
    const partial = files.isPartial
      ? [unclear('Some of the log files could not be read for lack of privileges.', logFiles)]
      : []
    return decide([...own, ...audited, ...none, ...partial])
  },
})

function judgePermissions(
  entries: readonly LogEntry[],
  probe: typeof logFiles | typeof auditFiles,
): readonly DraftObservation[] {
  if (entries.length === 0) return []
  const [links, own] = [entries.filter(({ isLink }) => isLink), entries.filter(({ isLink }) => isLink !== true)]
  const behind =
    links.length === 0 ? [] : [unclear(`What is behind symbolic links was not read: ${listed(links)}.`, probe)]
  const open = own.filter(isOpenToAll)
  const shared = own.filter((entry) => !isOpenToAll(entry) && isOpenToGroup(entry))
  const owned = own.filter(({ owner }) => !WRITERS.has(owner))
  const steps = [
    ...(open.length === 0 ? [] : [contradicts(`Every account can change ${listed(open)}.`, probe)]),
    ...(shared.length === 0
      ? []
      : [
          contradicts(
            `A group that is not a log service’s can change ${named(shared.map(({ path, group }) => `${path} (${group})`))}.`,
            probe,
          ),
        ]),
    ...(owned.length === 0
      ? []
      : [
          contradicts(
            `An account that is not a log service’s owns ${named(owned.map(({ path, owner }) => `${path} (${owner})`))}.`,
            probe,
          ),
        ]),
  ]
  if (steps.length > 0 || own.length === 0) return [...steps, ...behind]
  return [
    supports(
      `${count(own.length, 'entry', 'entries')} tested: root or a log service owns each, and no other account can write to it.`,
      probe,
    ),
    ...behind,
  ]
}

const listed = (entries: readonly LogEntry[]): string => named(entries.map(({ path }) => path))

// In a folder with the sticky bit others can add files, and not touch those of root.
const isOpenToAll = ({ mode, isFolder }: LogEntry): boolean =>
  (mode & OTHERS_WRITE) !== 0 && !(isFolder && (mode & STICKY) !== 0)
const isOpenToGroup = ({ mode, group }: LogEntry): boolean => (mode & GROUP_WRITES) !== 0 && !WRITING_GROUPS.has(group)

/**
 * Boot records and the journal’s first entry are minutes apart; an additional hour covers a change to or from summer
 * time.
 */
const APART_SECONDS = 4500
const CURRENT_SECONDS = 3600
/** Entries that are written while we ask are seconds ahead of the moment at which the clock was read. */
const AHEAD_SECONDS = 600

export const auditLogContinuity = defineCheck({
  id: 'audit.log-continuity',
  property: 'audit',
  expected:
    'The system journal has no gap in its numbering and contains every system start in the login record, and no audit event was lost.',
  limitations:
    'A gap shows that something is missing, not why. What was never written leaves no gap, messages that the journal held back under load are not counted, and times when the server was off are not distinguished from others. Root can rewrite the entire journal.',
  requires: { journal: journalState, now: timeNow },
  optional: { audit: auditdStatus, records: loginRecords, host: hostIdentity },
  evaluate({ journal, now }, { audit, records, host }) {
    if (journal.files.length === 0) return decide([EMPTY, ...lost(audit)])
    return decide([
      ...numbering(journal),
      ...present(journal, now, host),
      ...starts(journal, records, now),
      ...lost(audit),
    ])
  },
})

// journald may not run at all (other init systems, containers), or keep nothing (journald.conf(5), Storage=none).
const EMPTY = unclear(
  'The system journal is empty, as where journald does not run or stores nothing; gaps cannot be tested.',
  journalState,
  'header',
)

function numbering({ files }: JournalState): readonly DraftObservation[] {
  const own = files.filter(isOfSystem)
  if (own.length === 0)
    return [
      unclear(
        'None of the journal’s files is the system’s own, so its numbering was not seen.',
        journalState,
        'header',
      ),
    ]
  const missing = missingEntries(files)
  const broken = files.filter(({ path }) => path.endsWith('~')).length
  return [
    missing === 0
      ? supports(`Entries are numbered without a gap over ${count(files.length, 'file')}.`, journalState, 'header')
      : contradicts(
          `${count(missing, 'entry', 'entries')} missing from the numbering of the journal.`,
          journalState,
          'header',
        ),
    ...(broken === 0
      ? []
      : [
          unclear(
            `${count(broken, 'file')} of the journal ended without being closed, as after a loss of power; entries around that may be missing.`,
            journalState,
            'header',
          ),
        ]),
  ]
}

function present(
  { files, boots }: JournalState,
  now: NodeNow,
  host: Parsed<HostIdentity>,
): readonly DraftObservation[] {
  const latest = Math.max(0, ...files.map((file) => momentSeconds(file.newest, now.zone) ?? 0))
  const recent =
    latest === 0
      ? unclear('The time of the newest entry is in a time zone that could not be determined.', journalState, 'header')
      : latest - now.seconds > AHEAD_SECONDS
        ? contradicts('The journal has entries from the future.', journalState, 'header')
        : now.seconds - latest <= CURRENT_SECONDS
          ? supports('The newest entry is less than an hour old.', journalState, 'header')
          : contradicts(
              `The newest entry is ${count(Math.round((now.seconds - latest) / 3600), 'hour')} old.`,
              journalState,
              'header',
            )
  return [recent, ...covers(boots, host)]
}

/** The last boot in the journal’s list has index 0 even where nothing was written since; so the kernel’s own id is searched for. */
function covers(boots: JournalState['boots'], host: Parsed<HostIdentity>): readonly DraftObservation[] {
  if (!host.ok) return unclearAbout(hostIdentity, host)
  const running = host.fact.bootId.replaceAll('-', '').toLowerCase()
  return [
    boots.some(({ id }) => id === running)
      ? supports(
          `The journal covers ${count(boots.length, 'start')} of the system, the running one among them.`,
          journalState,
          'boots',
        )
      : contradicts('The journal does not cover the running system.', journalState, 'boots'),
  ]
}

/** Starts that the login record has since the journal begins, and the journal has not. */
function starts(
  { files, boots }: JournalState,
  records: Parsed<LoginRecords>,
  now: NodeNow,
): readonly DraftObservation[] {
  if (!records.ok) return isAbsentTool(records) ? [] : unclearAbout(loginRecords, records)
  const begins = boots.flatMap(({ from }) => momentSeconds(from, now.zone) ?? [])
  // The list of boots counts the journals of accounts too, which can begin long before the system's own.
  const own = files.filter(isOfSystem).flatMap(({ oldest }) => momentSeconds(oldest, now.zone) ?? [])
  const first = Math.max(Math.min(...begins), own.length === 0 ? 0 : Math.min(...own))
  if (begins.length < boots.length)
    return [
      unclear('The starts in the journal are in a time zone that could not be determined.', journalState, 'boots'),
    ]
  const known = records.fact.starts.flatMap((stamp) => secondsOf(stamp, now.zone) ?? [])
  const since = known.filter((at) => at > first + APART_SECONDS)
  const absent = since.filter((at) => !begins.some((begin) => Math.abs(begin - at) <= APART_SECONDS))
  if (absent.length > 0)
    return [
      contradicts(
        `${count(absent.length, 'start')} of the system in the record of logins since the journal begins, and not in the journal.`,
        loginRecords,
      ),
    ]
  return known.length === 0
    ? []
    : [
        supports(
          'Every start of the system in the record of logins since the journal begins is in the journal.',
          loginRecords,
        ),
      ]
}

/** Without the tool, there is no audit service that could lose events, and no login record to compare with. */
const isAbsentTool = (reading: Parsed<unknown>): boolean =>
  !reading.ok && reading.reason.startsWith('not collected: tool absent')

function lost(audit: Parsed<AuditStatus>): readonly DraftObservation[] {
  if (!audit.ok) return isAbsentTool(audit) ? [] : unclearAbout(auditdStatus, audit)
  if (audit.fact.lost === null) return [unclear('Whether audit events were lost was not printed.', auditdStatus)]
  return audit.fact.lost > 0
    ? [contradicts(`The kernel lost ${count(audit.fact.lost, 'audit event')} since it started.`, auditdStatus)]
    : [supports('No audit event was lost since the kernel started.', auditdStatus)]
}

export const logsSubject = defineSubject({
  id: 'logs',
  title: 'Logs on the node',
  probes: [journaldConfig, logFiles, auditFiles, journalState],
  checks: [auditLogRetention, auditLogPermissions, auditLogContinuity],
  data,
})
