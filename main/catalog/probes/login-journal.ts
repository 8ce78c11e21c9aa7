import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

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
