import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { isAbsent } from '../read-text.ts'
import { loginIdIn } from './login-session.ts'

export interface RootLogin {
  /** The login id that a command run as root carries; null where none is set. */
  readonly loginUid: number | null
}

/** credentials(7): the login id survives a change of user, which is what ties root's doings to a login. */
export const loginRoot = defineProbe({
  id: 'login.root',
  title: 'Login ID of a command run as root',
  why: 'Shows whether actions as root remain attributable to the login that started them.',
  commands: { login: runAsRoot(['grep', '-H', '.', '/proc/self/loginuid']) },
  parse({ login }) {
    if (isAbsent(login)) return known<RootLogin>({ loginUid: null })
    if (login.exitCode !== 0) return unknown('the login id could not be read as root')
    return known<RootLogin>({ loginUid: loginIdIn(login.text) })
  },
})
