import { type Context, type DraftObservation, defineCheck } from '../../core/check.ts'
import { known, type Parsed } from '../../core/probe.ts'
import { type SshdConditions, sshdConditions } from '../probes/sshd-conditions.ts'
import { type SshdSettings, sshdEffective } from '../probes/sshd-effective.ts'
import { RUNNING_SSH, runningSsh } from '../running-ssh.ts'
import { conditionSteps, settingNumber } from '../sshd-access.ts'
import { contradicts, decide, supports, unclear } from '../steps.ts'
import { limitOf, limitText, type ThresholdId } from '../thresholds.ts'

/** A number that `sshd -T` prints, in the unit of its threshold. */
interface SshLimit {
  readonly id: ThresholdId
  readonly keyword: string
  readonly name: string
  /** What the number does, to go between the keyword and the value. */
  readonly does: string
  /** What 0 means, where it switches the limit off; where it does not, 0 is the strictest value. */
  readonly off: string | null
  /** Whether a Match block can set it (sshd_config(5), Match). */
  readonly inMatch: boolean
}

/** sshd_config(5): LoginGraceTime 0 means no limit; MaxSessions 0 allows forwarding only; MaxAuthTries 0 lets no one in. */
const LIMITS: readonly SshLimit[] = [
  {
    id: 'ssh.auth-tries',
    keyword: 'maxauthtries',
    name: 'MaxAuthTries',
    does: 'attempts per connection',
    off: null,
    inMatch: true,
  },
  {
    id: 'ssh.sessions',
    keyword: 'maxsessions',
    name: 'MaxSessions',
    does: 'sessions per connection',
    off: null,
    inMatch: true,
  },
  {
    id: 'ssh.login-grace',
    keyword: 'logingracetime',
    name: 'LoginGraceTime',
    does: 'seconds for a login',
    off: 'there is no time limit for a login',
    inMatch: false,
  },
]

export const accessSshdConnectionLimits = defineCheck({
  id: 'access.sshd.connection-limits',
  property: 'access',
  expected:
    'The running SSH servers limit login attempts, login time and sessions per connection as the chosen profile requires.',
  limitations:
    'It is the state of the settings at the moment of collection. How many connections wait at the same time (MaxStartups, PerSourcePenalties), firewalls and programs that block addresses are not compared.',
  requires: { sshd: sshdEffective },
  optional: { conditions: sshdConditions, ...RUNNING_SSH },
  thresholds: ['ssh.auth-tries', 'ssh.sessions', 'ssh.login-grace'],
  evaluate({ sshd }, { conditions, ...evidence }, context) {
    const running = runningSsh(known(sshd), evidence, { keywords: LIMITS.map(({ keyword }) => keyword) })
    return decide([
      ...(running.isBearing
        ? [...LIMITS.map((one) => limitStep(sshd, context, one)), ...matchSteps(conditions, context)]
        : []),
      ...running.steps,
    ])
  },
})

function limitStep(sshd: SshdSettings, context: Context, { id, keyword, name, does, off }: SshLimit): DraftObservation {
  const value = settingNumber(sshd, keyword)
  if (value === null) return unclear(`The SSH server did not print ${name} as a plain number.`, sshdEffective)
  if (value === 0 && off !== null) return contradicts(`${name} is 0: ${off}.`, sshdEffective)
  const limit = limitOf(context, id)
  const words = `${name} allows ${value} ${does} (at most ${limitText(limit)}).`
  return value <= limit.value ? supports(words, sshdEffective) : contradicts(words, sshdEffective)
}

/** A Match block that sets a number within the limit changes nothing for the claim; one above it is weaker for those it matches. */
function matchSteps(conditions: Parsed<SshdConditions>, context: Context): readonly DraftObservation[] {
  const inMatch = LIMITS.filter((one) => one.inMatch)
  return conditionSteps(
    conditions,
    inMatch.map(({ keyword }) => keyword),
    (key, value) => {
      const limit = inMatch.find(({ keyword }) => keyword === key)
      if (limit === undefined || !/^\d{1,9}$/.test(value)) return 'unclear'
      return Number(value) <= limitOf(context, limit.id).value ? 'same' : 'weaker'
    },
  )
}
