import { DEMO_SERVER } from '../../../schemas/version.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { momentSeconds } from '../journal.ts'
import { type JournalState, journalState } from '../probes/journal-state.ts'
import { type SshSession, sshSession } from '../probes/ssh-session.ts'
import { type NodeNow, timeNow } from '../probes/time-now.ts'
import { contradicts, count, decide, supports, unclear } from '../steps.ts'

/** The collection ends some minutes after the clock was read; more than this is no matter of waiting. */
const SESSION_SECONDS = 900
/** Log entries are written all the time; the newest is the collection's own. */
const NEWEST_SECONDS = 600

export const timeAuditTimestamps = defineCheck({
  id: 'time.audit-timestamps',
  property: 'audit',
  expected:
    'The node’s time zone is known, its clock agrees with the auditor’s within the duration of the collection, and its newest log entry is from that time.',
  limitations:
    'The clocks are compared to within a quarter of an hour, since only the end of the collection is at hand here; the time service’s own measure is finer. Past entries may have been written by a wrong clock, and text log files may use another zone than the system’s.',
  requires: { now: timeNow },
  optional: { session: sshSession, journal: journalState },
  evaluate: ({ now }, { session, journal }, { observedAt }) =>
    decide([zone(now), clocks(now, session, observedAt), ...newest(journal, now)]),
})

function zone({ zone: { minutes, name } }: NodeNow): DraftObservation {
  const off = `${minutes < 0 ? '-' : '+'}${String(Math.abs(Math.trunc(minutes / 60))).padStart(2, '0')}:${String(Math.abs(minutes % 60)).padStart(2, '0')}`
  return supports(`Local times on this node are ${quote(name)}, ${off} from UTC.`, timeNow)
}

// A printed script is carried back by hand, and a demo node repeats recorded responses: there is no moment in common to compare.
function clocks(now: NodeNow, session: Parsed<SshSession>, observedAt: string): DraftObservation {
  if (!session.ok) return unclear('There was no session of ours in which both clocks could be read.', sshSession)
  if (session.fact.serverVersion.endsWith(DEMO_SERVER))
    return unclear(
      'This is a demo node: its captures were recorded earlier, so its clock was not compared.',
      sshSession,
    )
  const apart = Math.abs(Date.parse(observedAt) / 1000 - now.seconds)
  return apart <= SESSION_SECONDS
    ? supports('The node’s clock and the auditor’s agree within the time of the collection.', timeNow)
    : contradicts(`The node’s clock is ${told(apart)} away from the auditor’s.`, timeNow)
}

const told = (seconds: number): string =>
  seconds < 7200
    ? count(Math.round(seconds / 60), 'minute')
    : seconds < 172_800
      ? count(Math.round(seconds / 3600), 'hour')
      : count(Math.round(seconds / 86_400), 'day')

function newest(journal: Parsed<JournalState>, now: NodeNow): readonly DraftObservation[] {
  if (!journal.ok) return unclearAbout(journalState, journal)
  const latest = Math.max(0, ...journal.fact.files.map((file) => momentSeconds(file.newest, now.zone) ?? 0))
  if (latest === 0) return [unclear('The time of the newest log entry could not be read.', journalState, 'header')]
  const apart = now.seconds - latest
  return [
    Math.abs(apart) <= NEWEST_SECONDS
      ? supports(
          'The newest entry of the journal is less than ten minutes from the node’s present.',
          journalState,
          'header',
        )
      : apart < 0
        ? contradicts('The journal has entries from the future.', journalState, 'header')
        : unclear(`The newest entry of the journal is ${told(apart)} old.`, journalState, 'header'),
  ]
}
