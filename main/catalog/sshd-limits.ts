import type { Context, Step } from '../core/check.ts'
import { type SshdSettings, sshdEffective } from './probes/sshd-effective.ts'
import { setting } from './sshd-access.ts'
import { leavesUnclear, speaksAgainst, speaksFor } from './steps.ts'
import { limitOf, limitText, type ThresholdId } from './thresholds.ts'

/** A number that `sshd -T` prints, in the unit of its threshold. */
interface SshLimit {
  readonly id: ThresholdId
  readonly keyword: string
  readonly name: string
  /** What the number does, to go between the keyword and the value. */
  readonly does: string
  /** What 0 means, where it switches the limit off; where it does not, 0 is the strictest value. */
  readonly off: string | null
}

/** sshd_config(5): LoginGraceTime 0 means no limit; MaxSessions 0 allows forwarding only; MaxAuthTries 0 lets nobody in. */
const LIMITS: readonly SshLimit[] = [
  { id: 'ssh.auth-tries', keyword: 'maxauthtries', name: 'MaxAuthTries', does: 'attempts per connection', off: null },
  { id: 'ssh.sessions', keyword: 'maxsessions', name: 'MaxSessions', does: 'sessions per connection', off: null },
  {
    id: 'ssh.login-grace',
    keyword: 'logingracetime',
    name: 'LoginGraceTime',
    does: 'seconds for a login',
    off: 'a login may take for ever',
  },
]

/** The keywords that are read here. */
export const SSH_LIMITS: readonly string[] = [
  ...LIMITS.map(({ keyword }) => keyword),
  'clientaliveinterval',
  'clientalivecountmax',
]

/**
 * What the SSH server's general settings say about attempts, sessions, waiting logins and silent clients, against the limits that
 * hold. `sshd -T` prints times in seconds. Settings that it did not print leave their limit unclear. Where something else ends idle
 * sessions (`endsSessions`), those of clients that fell silent end with them, and nothing is asked of ClientAlive.
 */
export const sshLimitSteps = (sshd: SshdSettings, context: Context, endsSessions: boolean): readonly Step[] => [
  ...LIMITS.map((one) => limitStep(sshd, context, one)),
  ...(endsSessions ? [] : [silentClients(sshd, context)]),
]

function limitStep(sshd: SshdSettings, context: Context, { id, keyword, name, does, off }: SshLimit): Step {
  const value = plainNumber(setting(sshd, keyword))
  if (value === null) return leavesUnclear(`The SSH server did not print ${name} as a plain number.`, sshdEffective)
  if (value === 0 && off !== null) return speaksAgainst(`${name} is 0: ${off}.`, sshdEffective)
  const limit = limitOf(context, id)
  const words = `${name} allows ${value} ${does} (at most ${limitText(limit)}).`
  return value <= limit.value ? speaksFor(words, sshdEffective) : speaksAgainst(words, sshdEffective)
}

// A client is dropped after ClientAliveCountMax questions without an answer, ClientAliveInterval apart; a 0 in either switches it off.
function silentClients(sshd: SshdSettings, context: Context): Step {
  const [interval, most] = [
    plainNumber(setting(sshd, 'clientaliveinterval')),
    plainNumber(setting(sshd, 'clientalivecountmax')),
  ]
  if (interval === null || most === null)
    return leavesUnclear('The SSH server did not print its ClientAlive settings as plain numbers.', sshdEffective)
  if (interval === 0 || most === 0)
    return speaksAgainst(
      'The SSH server never drops a client that no longer answers (ClientAlive is off).',
      sshdEffective,
    )
  const limit = limitOf(context, 'ssh.idle')
  const words = `The SSH server drops a client that no longer answers after ${interval * most} seconds (ClientAlive; at most ${limitText(limit)}). That is not an idle limit and does not count as one.`
  return interval * most <= limit.value ? speaksFor(words, sshdEffective) : speaksAgainst(words, sshdEffective)
}

const plainNumber = (text: string | null): number | null =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null
