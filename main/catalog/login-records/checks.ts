import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { plain, quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { sshSession } from '../evidence/probes.ts'
import { momentSeconds } from '../logs/journal.ts'
import { type JournalState, journalState } from '../logs/probes.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { type NodeNow, timeNow } from '../time/probes.ts'
import {
  type AcceptedLogin,
  type LoginRecords,
  type LoginSession,
  loginJournal,
  loginRecords,
  loginSession,
} from './probes.ts'

export const auditLoginRecords = defineCheck({
  id: 'audit.login-records',
  property: 'audit',
  expected: 'The node keeps a record of logins.',
  ends: 'recorded',
  limitations:
    'The record reaches back only as far as its file does, root can alter it, and logins without a terminal may be missing. Failed attempts are not in it. No expectation is set.',
  requires: { records: loginRecords },
  evaluate({ records }) {
    const users = [...new Set(records.logins.map(({ user }) => user))]
    return {
      verdict: 'informational',
      observations: [
        supports(`The record begins ${quote(records.since)}.`, loginRecords),
        users.length === 0
          ? supports('It holds no login.', loginRecords)
          : supports(
              `${count(records.logins.length, 'login')} among the last 200 entries, by ${named(users)}.`,
              loginRecords,
            ),
      ],
    }
  },
})

/** A journal whose newest entry is older than this may no longer be written to. */
const LATELY_SECONDS = 600
/** How long before the node's own present a login may lie and still be the one of this collection, where its port is not known. */
const LOGIN_SECONDS = 900

export const auditCollectorSelfRecord = defineCheck({
  id: 'audit.collector-self-record',
  property: 'audit',
  expected: 'The node’s own log records the login of this collection with the correct user and time.',
  limitations:
    'One login was searched for, in the hour of the collection: it shows that logging works now, not that it always did. Commands are not part of it, text log files were not searched, and root can alter the record afterwards.',
  requires: { session: loginSession, now: timeNow },
  optional: { journal: loginJournal, state: journalState, records: loginRecords, ssh: sshSession },
  evaluate({ session, now }, { journal, state, records, ssh }, { node }) {
    if (session.client === null)
      return decide([
        unclear(
          'The node does not report the source of this session, so it may not be an SSH login.',
          loginSession,
          'origin',
        ),
      ])
    const from = supports(
      `The node reports that this session comes from ${plain(session.client.address)}, port ${session.client.port}, as ${quote(node.user)}.`,
      loginSession,
      'origin',
    )
    const logins = journal.ok ? journal.fact.logins : []
    const own = logins.find((login) => isOwn(login, session, node.user, now))
    if (own !== undefined) return decide([from, ...found(own, now)])
    if (ssh.ok && !/^(SSH-2\.0-)?OpenSSH|^unknown$|^$/.test(ssh.fact.serverVersion))
      return decide([
        from,
        unclear(
          `The SSH server calls itself ${quote(ssh.fact.serverVersion)}: only login messages of OpenSSH were searched for.`,
          sshSession,
        ),
      ])
    if (journal.ok) return decide([from, ...missing(logins.length, state, now)])
    return decide([
      from,
      ...unclearAbout(loginJournal, journal),
      ...recordedOnTerminal(session, node.user, now, records),
    ])
  },
})

const isOwn = (login: AcceptedLogin, { client }: LoginSession, user: string, now: NodeNow): boolean =>
  login.user === user &&
  login.port === client?.port &&
  login.address === client.address &&
  now.seconds - login.at <= 2 * LOGIN_SECONDS &&
  login.at <= now.seconds + 2

const found = ({ at, key }: AcceptedLogin, now: NodeNow): readonly DraftObservation[] => [
  supports(
    `The journal has this login, ${count(Math.max(0, now.seconds - at), 'second')} before the node’s clock was read, from the same address and port.`,
    loginJournal,
  ),
  ...(key === null ? [] : [supports(`The record names the key that was used: ${named([key])}.`, loginJournal)]),
]

function missing(others: number, state: Parsed<JournalState>, now: NodeNow): readonly DraftObservation[] {
  if (!state.ok) return unclearAbout(journalState, state)
  const newest = state.fact.files.map((file) => momentSeconds(file.newest, now.zone) ?? 0)
  const latest = Math.max(0, ...newest)
  if (now.seconds - latest > LATELY_SECONDS)
    return [
      unclear(
        'The journal was not written to in the last ten minutes, so logins may be recorded elsewhere; text log files were not searched.',
        journalState,
        'header',
      ),
    ]
  return [
    contradicts(
      `The journal is readable and was written to in the last ten minutes, and does not have this login (${count(others, 'other SSH login')} in half an hour).`,
      loginJournal,
    ),
  ]
}

// sshd writes wtmp for logins with a terminal only, and without a port: an earlier login of the same person looks the same.
function recordedOnTerminal(
  { client }: LoginSession,
  user: string,
  now: NodeNow,
  records: Parsed<LoginRecords>,
): readonly DraftObservation[] {
  if (!records.ok) return []
  const own = records.fact.logins.find(
    (login) =>
      login.user === user &&
      login.from === client?.address &&
      login.at !== null &&
      Math.abs(now.seconds + now.zone.minutes * 60 - login.at.wallSeconds) <= LOGIN_SECONDS,
  )
  return own === undefined
    ? []
    : [
        unclear(
          'The record of logins has one of this user from this address in these minutes; it names no port, so it may be another.',
          loginRecords,
        ),
      ]
}
