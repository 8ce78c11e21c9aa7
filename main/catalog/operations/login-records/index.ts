import { plain, quote } from '../../../core/base/plain-text.ts'
import { defineProbe, known, type Parsed, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { grepIsComplete, lines, oneLineFiles } from '../../base/read-text.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { sshSession } from '../evidence/probes.ts'
import { momentSeconds, readCtime, type Stamp } from '../logs/journal.ts'
import { type JournalState, journalState } from '../logs/probes.ts'
import { type NodeNow, timeNow } from '../time/probes.ts'
import data from './checks.json' with { type: 'json' }

export interface LoginRecords {
  readonly logins: readonly { readonly user: string; readonly from: string; readonly at: Stamp | null }[]
  /** Starts of the system, in the node's own zone. */
  readonly starts: readonly Stamp[]
  /** The oldest moment the file reaches back to, in the node's own words. */
  readonly since: string
}

const AT = /[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}/

/** last(1). The file rotates, so the first line states how far back it reaches; newer distributions have replaced the tool. */
export const loginRecords = defineProbe({
  id: 'login.records',
  title: 'Recent logins',
  why: 'Shows recent logins and their sources, as far as the server still records them.',
  ignoredInDrift: {
    why: 'Logins are recorded and old records are removed. Not detected: who logged in.',
    normalize: () => null,
  },
  commands: { logins: run(['last', '-w', '-F', '-n', '200']) },
  parse({ logins }) {
    const [, since] = /^\S+ begins (.+)$/m.exec(logins.text) ?? []
    if (logins.exitCode !== 0 || since === undefined) return unknown('there is no record of logins')
    const rows = lines(logins.text)
      .filter((line) => !/^\S+ begins /.test(line))
      .map((row) => ({ words: row.split(/\s+/), at: readCtime(AT.exec(row.slice(0, 1000))?.[0] ?? '') }))
    return known<LoginRecords>({
      since,
      logins: rows.flatMap(({ words: [user = '', terminal = '', from = ''], at }) =>
        SYSTEM_ROWS.has(user) || terminal === '' ? [] : [{ user, from, at }],
      ),
      starts: rows.flatMap(({ words: [user], at }) => (user === 'reboot' && at !== null ? [at] : [])),
    })
  },
})

const SYSTEM_ROWS: ReadonlySet<string> = new Set(['reboot', 'shutdown', 'runlevel'])

interface AcceptedLogin {
  /** Seconds since 1970, by the node's clock. */
  readonly at: number
  readonly user: string
  readonly address: string
  readonly port: number
  /** Fingerprint of the key that was used, in OpenSSH's form; null for other methods. */
  readonly key: string | null
}

interface AcceptedLogins {
  readonly logins: readonly AcceptedLogin[]
}

/**
 * journalctl(1): what the SSH server wrote about logins of the last half hour (OpenSSH auth.c, auth_log: “Accepted METHOD for USER from
 * ADDRESS port PORT ssh2: TYPE FINGERPRINT”). The identifier is sshd-session from OpenSSH 9.8 on. With a pattern and no match the status is
 * 1. Blanks are in the pattern by their code, since sudo-rs cannot grant a word that holds one.
 */
export const loginJournal = defineProbe({
  id: 'login.journal',
  title: 'SSH logins of the last half hour, in the system journal',
  why: 'Shows whether the server logged the login of this collection: user, time, source and key. No other messages are read.',
  ignoredInDrift: {
    why: 'Logins are recorded and old records are removed. Not detected: who logged in.',
    normalize: () => null,
  },
  commands: {
    accepted: runAsRoot(
      [
        'journalctl',
        '-q',
        '--no-pager',
        '-o',
        'short-unix',
        '--since=-30min',
        '-t',
        'sshd',
        '-t',
        'sshd-session',
        '-g',
        '^Accepted\\x20[a-z/-]+\\x20for\\x20',
      ],
      { maxBytes: 262144 },
    ),
  },
  parse({ accepted }) {
    const complained = accepted.errorText.trim() !== '' && accepted.text === ''
    if (accepted.exitCode > 1 || complained) return unknown('the journal did not respond for SSH logins')
    const read = lines(accepted.text).map(readAccepted)
    if (read.includes(null)) return unknown('the journal’s lines about SSH logins have an unexpected format')
    return known<AcceptedLogins>({ logins: read.filter((login) => login !== null) })
  },
})

function readAccepted(line: string): AcceptedLogin | null {
  const [, at, user, address, port, rest = ''] =
    /^(\d{9,11})\.\d{1,9} \S{1,255} sshd(?:-session)?\[\d{1,10}\]: Accepted \S{1,64} for (\S{1,256}) from (\S{1,64}) port (\d{1,5})(.*)$/.exec(
      line,
    ) ?? []
  if (at === undefined || user === undefined || address === undefined) return null
  const key = /(?:^|\s)((?:SHA256|MD5):[A-Za-z0-9+/:=]{20,64})/.exec(rest)?.[1]
  return { at: Number(at), user, address, port: Number(port), key: key ?? null }
}

export interface LoginSession {
  /** The origin of this session as the SSH server states it; null where the node was not reached over SSH. */
  readonly client: { readonly address: string; readonly port: number } | null
  /** The port of the node that this session came in by, as its SSH server states; null where it was not reached over SSH. */
  readonly serverPort: number | null
  readonly uid: number
  /** The login id that the kernel's audit system ties to this session; null where none is set. */
  readonly loginUid: number | null
}

/**
 * sshd(8), ENVIRONMENT: SSH_CONNECTION holds the client's address and port and the server's. It is the one variable that is read.
 * proc(5), /proc/pid/loginuid: 4294967295 while pam_loginuid(8) has set none.
 */
export const loginSession = defineProbe({
  id: 'login.session',
  title: 'This login as recorded by the server',
  why: 'Identifies this collection’s own login in the server’s records, and shows whether the server assigns a login ID to it.',
  ignoredInDrift: {
    why: 'Each session uses another source port, and the collector’s address is not a property of the node.',
    normalize: ({ client, ...login }: LoginSession) => ({ ...login, isOverSsh: client !== null }),
  },
  commands: {
    origin: run(['printenv', 'SSH_CONNECTION']),
    user: run(['id', '-u']),
    login: run(['grep', '-H', '', '/proc/self/loginuid', '/proc/self/sessionid']),
  },
  parse({ origin, user, login }) {
    const uid = /^\d{1,10}\s*$/.test(user.text) ? Number(user.text) : null
    if (uid === null || !grepIsComplete(login)) return unknown('the server did not report who is logged in')
    const [, address, port, serverPort] =
      /^([0-9a-fA-F.:]{2,45})(?:%[\w.-]{1,16})? (\d{1,5}) \S+ (\d{1,5})\s*$/.exec(origin.text) ?? []
    return known<LoginSession>({
      client: address === undefined || port === undefined ? null : { address, port: Number(port) },
      serverPort: serverPort === undefined ? null : Number(serverPort),
      uid,
      loginUid: loginIdIn(login.text),
    })
  },
})

const UNSET = 4_294_967_295

/** The login id in the output of `grep -H` on /proc/self/loginuid; null where there is none. */
export function loginIdIn(text: string): number | null {
  const value = oneLineFiles(text).get('/proc/self/loginuid') ?? ''
  return /^\d{1,10}$/.test(value) && Number(value) !== UNSET ? Number(value) : null
}

const auditLoginRecords = defineCheck({
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
/**
 * In seconds: the greatest age of a login, by the node’s clock, that can be the one of this collection where its port
 * is unknown.
 */
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

export const loginRecordsSubject = defineSubject({
  id: 'login-records',
  title: 'Records of logins',
  probes: [loginRecords, loginSession, loginJournal],
  checks: [auditLoginRecords, auditCollectorSelfRecord],
  data,
})
