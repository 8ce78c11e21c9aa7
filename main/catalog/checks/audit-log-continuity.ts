import { defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { missingEntries, momentSeconds } from '../journal.ts'
import { type AuditStatus, auditdStatus } from '../probes/auditd-status.ts'
import { type JournalState, journalState } from '../probes/journal-state.ts'
import { type LoginRecords, loginRecords } from '../probes/login-records.ts'
import { type NodeNow, timeNow } from '../probes/time-now.ts'
import { secondsOf } from '../stamps.ts'
import { count, leavesUnclear, speaksAgainst, speaksFor, weigh } from '../steps.ts'

/** Start records and the journal's first entry lie minutes apart; an hour more covers a change to or from summer time. */
const APART_SECONDS = 4500
const CURRENT_SECONDS = 3600

export const auditLogContinuity = defineCheck({
  id: 'audit.log-continuity',
  property: 'audit',
  claim:
    'The system journal has no gap in its numbering, has every start of the system that the login record knows of, and no audit event was lost.',
  limits:
    'A gap shows that something is missing, not why. What was never written leaves no gap, messages that the journal held back under load are not counted, and times when the server was off are not told from others. Root can rewrite the whole.',
  needs: { journal: journalState, now: timeNow },
  wants: { audit: auditdStatus, records: loginRecords },
  evaluate({ journal, now }, { audit, records }) {
    if (journal.files.length === 0)
      return weigh([speaksAgainst('The system journal holds nothing.', journalState, 'header'), ...lost(audit)])
    return weigh([...numbering(journal), ...present(journal, now), ...starts(journal, records, now), ...lost(audit)])
  },
})

function numbering({ files }: JournalState): readonly Step[] {
  const missing = missingEntries(files)
  const broken = files.filter(({ path }) => path.endsWith('~')).length
  return [
    missing === 0
      ? speaksFor(`Entries are numbered without a gap over ${count(files.length, 'file')}.`, journalState, 'header')
      : speaksAgainst(
          `${count(missing, 'entry', 'entries')} missing from the numbering of the journal.`,
          journalState,
          'header',
        ),
    ...(broken === 0
      ? []
      : [
          leavesUnclear(
            `${count(broken, 'file')} of the journal ended without being closed, as after a loss of power; entries around that may be missing.`,
            journalState,
            'header',
          ),
        ]),
  ]
}

function present({ files, boots }: JournalState, now: NodeNow): readonly Step[] {
  const latest = Math.max(0, ...files.map((file) => momentSeconds(file.newest, now.zone) ?? 0))
  const recent =
    latest === 0
      ? leavesUnclear('The time of the newest entry is in a zone that we cannot tell.', journalState, 'header')
      : now.seconds - latest <= CURRENT_SECONDS
        ? speaksFor('The newest entry is less than an hour old.', journalState, 'header')
        : speaksAgainst(
            `The newest entry is ${Math.round((now.seconds - latest) / 3600)} hours old.`,
            journalState,
            'header',
          )
  return [
    recent,
    boots.some(({ index }) => index === 0)
      ? speaksFor(
          `The journal covers ${count(boots.length, 'start')} of the system, the running one among them.`,
          journalState,
          'boots',
        )
      : speaksAgainst('The journal does not cover the running system.', journalState, 'boots'),
  ]
}

/** Starts that the login record has since the journal begins, and the journal has not. */
function starts({ boots }: JournalState, records: Parsed<LoginRecords>, now: NodeNow): readonly Step[] {
  if (!records.ok) return isAbsentTool(records) ? [] : unclearAbout(loginRecords, records)
  const begins = boots.flatMap(({ from }) => momentSeconds(from, now.zone) ?? [])
  const first = Math.min(...begins)
  if (begins.length < boots.length)
    return [leavesUnclear('The starts in the journal are in a zone that we cannot tell.', journalState, 'boots')]
  const known = records.fact.starts.flatMap((stamp) => secondsOf(stamp, now.zone) ?? [])
  const since = known.filter((at) => at > first + APART_SECONDS)
  const absent = since.filter((at) => !begins.some((begin) => Math.abs(begin - at) <= APART_SECONDS))
  if (absent.length > 0)
    return [
      speaksAgainst(
        `${count(absent.length, 'start')} of the system in the record of logins since the journal begins, and not in the journal.`,
        loginRecords,
      ),
    ]
  return known.length === 0
    ? []
    : [
        speaksFor(
          'Every start of the system in the record of logins since the journal begins is in the journal.',
          loginRecords,
        ),
      ]
}

/** Without the tool there is no audit service that could lose events, and no login record to compare with. */
const isAbsentTool = (reading: Parsed<unknown>): boolean =>
  !reading.ok && reading.reason.startsWith('not collected: tool absent')

function lost(audit: Parsed<AuditStatus>): readonly Step[] {
  if (!audit.ok) return isAbsentTool(audit) ? [] : unclearAbout(auditdStatus, audit)
  if (audit.fact.lost === null) return [leavesUnclear('Whether audit events were lost was not printed.', auditdStatus)]
  return audit.fact.lost > 0
    ? [speaksAgainst(`The kernel lost ${count(audit.fact.lost, 'audit event')} since it started.`, auditdStatus)]
    : [speaksFor('No audit event was lost since the kernel started.', auditdStatus)]
}
