import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { type AuditStatus, auditdStatus } from '../auditd/probes.ts'
import { type LoginRecords, loginRecords } from '../login-records/probes.ts'
import { type HostIdentity, hostIdentity } from '../machine/identity.ts'
import { contradicts, count, decide, supports, unclear } from '../steps.ts'
import { type NodeNow, timeNow } from '../time/probes.ts'
import { isOfSystem, missingEntries, momentSeconds, secondsOf } from './journal.ts'
import { type JournalState, journalState } from './probes.ts'

/** Start records and the journal's first entry lie minutes apart; an hour more covers a change to or from summer time. */
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
function starts({ boots }: JournalState, records: Parsed<LoginRecords>, now: NodeNow): readonly DraftObservation[] {
  if (!records.ok) return isAbsentTool(records) ? [] : unclearAbout(loginRecords, records)
  const begins = boots.flatMap(({ from }) => momentSeconds(from, now.zone) ?? [])
  const first = Math.min(...begins)
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

/** Without the tool there is no audit service that could lose events, and no login record to compare with. */
const isAbsentTool = (reading: Parsed<unknown>): boolean =>
  !reading.ok && reading.reason.startsWith('not collected: tool absent')

function lost(audit: Parsed<AuditStatus>): readonly DraftObservation[] {
  if (!audit.ok) return isAbsentTool(audit) ? [] : unclearAbout(auditdStatus, audit)
  if (audit.fact.lost === null) return [unclear('Whether audit events were lost was not printed.', auditdStatus)]
  return audit.fact.lost > 0
    ? [contradicts(`The kernel lost ${count(audit.fact.lost, 'audit event')} since it started.`, auditdStatus)]
    : [supports('No audit event was lost since the kernel started.', auditdStatus)]
}
