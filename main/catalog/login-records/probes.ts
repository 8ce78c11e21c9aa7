import { defineProbe, known, run, runAsRoot, unknown } from '../../core/probe.ts'
import { readCtime, type Stamp } from '../logs/journal.ts'
import { grepIsComplete, lines, oneLineFiles } from '../read-text.ts'

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

export interface AcceptedLogin {
  /** Seconds since 1970, by the node's clock. */
  readonly at: number
  readonly user: string
  readonly address: string
  readonly port: number
  /** Fingerprint of the key that was used, in OpenSSH's form; null for other methods. */
  readonly key: string | null
}

export interface AcceptedLogins {
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
  /** Where the SSH server states that this session comes from; null where it was not reached over SSH. */
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

/** The login id in what `grep -H` printed of /proc/self/loginuid; null where there is none. */
export function loginIdIn(text: string): number | null {
  const value = oneLineFiles(text).get('/proc/self/loginuid') ?? ''
  return /^\d{1,10}$/.test(value) && Number(value) !== UNSET ? Number(value) : null
}
