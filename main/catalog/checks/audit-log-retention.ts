import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { momentSeconds } from '../journal.ts'
import { type JournalState, journalState } from '../probes/journal-state.ts'
import { type JournalConfig, journaldConfig } from '../probes/journald-config.ts'
import { auditFiles, type LogFiles, logFiles } from '../probes/log-files.ts'
import { type NodeNow, timeNow } from '../probes/time-now.ts'
import { DAY } from '../stamps.ts'
import { contradicts, count, decide, supports, unclear } from '../steps.ts'
import { limitOf, limitText } from '../thresholds.ts'

export const auditLogRetention = defineCheck({
  id: 'audit.log-retention',
  property: 'audit',
  expected: 'The system log is kept across restarts, and its oldest record is at least as old as the limit.',
  limitations:
    'The oldest record shows how far the log reaches today, not that it always will: how long records stay depends on their volume and the size limits. The six years of 45 CFR 164.316 concern documentation, and no such period is tested here. Records kept elsewhere are not covered.',
  requires: { journal: journaldConfig, now: timeNow },
  optional: { state: journalState, files: logFiles, audit: auditFiles },
  thresholds: ['log.days'],
  evaluate({ journal, now }, { state, files, audit }, context) {
    const reach = [...journalReach(state, now), ...fileReach(files, now), ...auditReach(audit, now)]
    return decide([
      ...storage(journal, reach),
      ...limits(journal),
      ...judge(reach, { state, files, audit }, now, limitOf(context, 'log.days')),
    ])
  },
})

interface Read {
  readonly state: Parsed<JournalState>
  readonly files: Parsed<LogFiles>
  readonly audit: Parsed<Pick<LogFiles, 'entries'>>
}

/** How far back one kind of log goes. */
interface Reach {
  readonly of: 'the journal' | 'text log files' | 'audit records'
  /** Seconds since 1970. */
  readonly oldest: number
  readonly step: (text: string) => DraftObservation
}

function journalReach(state: Parsed<JournalState>, now: NodeNow): readonly Reach[] {
  const kept = state.ok ? state.fact.files.filter(({ path }) => !path.startsWith('/run/')) : []
  const oldest = kept.flatMap((file) => momentSeconds(file.oldest, now.zone) ?? [])
  return oldest.length === 0
    ? []
    : [{ of: 'the journal', oldest: Math.min(...oldest), step: (text) => supports(text, journalState, 'header') }]
}

/** Logs rotate once a month at the least. A file that is further from the next one is left over, and no part of an unbroken row. */
const ROTATION_SECONDS = 35 * DAY

// Of a rotated file the time of its last line is known without reading it, so its first line is at least that old. Files that no one writes
// to any more are left over, and are no evidence of what is kept now.
function textReach(times: readonly number[], of: Reach['of'], now: NodeNow, step: Reach['step']): readonly Reach[] {
  const [newest, ...older] = times.filter((time) => time <= now.seconds + DAY).sort((a, b) => b - a)
  if (newest === undefined || now.seconds - newest > 2 * DAY) return []
  let oldest = newest
  for (const time of older) {
    if (oldest - time > ROTATION_SECONDS) break
    oldest = time
  }
  return [{ of, oldest, step }]
}

const fileReach = (files: Parsed<LogFiles>, now: NodeNow): readonly Reach[] =>
  textReach(
    (files.ok ? files.fact.entries : [])
      .filter(({ path }) => /\/(syslog|messages|auth\.log|secure)[^/]*$/.test(path))
      .map(({ changedAt }) => changedAt),
    'text log files',
    now,
    (text) => supports(text, logFiles),
  )

const auditReach = (audit: Parsed<Pick<LogFiles, 'entries'>>, now: NodeNow): readonly Reach[] =>
  textReach(
    (audit.ok ? audit.fact.entries : []).filter(({ isFolder }) => !isFolder).map(({ changedAt }) => changedAt),
    'audit records',
    now,
    (text) => supports(text, auditFiles),
  )

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
  { state, files, audit }: Read,
  now: NodeNow,
  limit: ReturnType<typeof limitOf>,
): readonly DraftObservation[] {
  const oldest = Math.min(...reach.map((one) => one.oldest))
  if (!Number.isFinite(oldest)) return [unclear('How far back the logs reach could not be measured.', journalState)]
  const days = (since: number): number => Math.floor((now.seconds - since) / DAY)
  const told = reach.map((one) =>
    one.step(`The oldest record in ${one.of} that could be measured is ${count(days(one.oldest), 'day')} old.`),
  )
  if (days(oldest) >= limit.value) return [...told, supports(`At least ${limitText(limit)} are kept.`, timeNow)]
  const setUpAt = files.ok ? files.fact.setUpAt : null
  if (setUpAt !== null && days(setUpAt) < limit.value)
    return [
      ...told,
      unclear(
        `This system was set up ${count(days(setUpAt), 'day')} ago, so its logs cannot yet reach back ${limitText(limit)}.`,
        logFiles,
      ),
    ]
  const unread = [
    ...unclearAbout(journalState, state),
    ...unclearAbout(logFiles, files),
    ...unclearAbout(auditFiles, audit),
  ]
  return [...told, ...(unread.length > 0 ? unread : [contradicts(`That is less than ${limitText(limit)}.`, timeNow)])]
}
