import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { grepIsComplete, oneLineFiles } from '../read-text.ts'

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
