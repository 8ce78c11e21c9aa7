import { defineCheck, type Step } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { type AuthorizedKeys, authorizedKeys, homeOfKeyFile } from '../probes/authorized-keys.ts'
import { sshdConditions } from '../probes/sshd-conditions.ts'
import { sshdContexts } from '../probes/sshd-contexts.ts'
import { type SshdSettings, sshdEffective } from '../probes/sshd-effective.ts'
import { conditionSteps, contextSteps, setting } from '../sshd-access.ts'
import { count, leavesUnclear, speaksAgainst, speaksFor, weigh } from '../steps.ts'

// sshd -T prints "without-password" for what the file calls prohibit-password.
const KEYS_ONLY: ReadonlySet<string> = new Set(['without-password', 'prohibit-password', 'forced-commands-only'])

export const accessSshdRootLogin = defineCheck({
  id: 'access.sshd.root-login',
  property: 'access',
  claim: 'The SSH server refuses direct logins as root.',
  limits:
    'This is the configuration on disk as sshd reads it now; a server that was not reloaded may still run older settings. Other SSH servers, consoles and the management controller are other ways in.',
  needs: { sshd: sshdEffective },
  wants: { conditions: sshdConditions, contexts: sshdContexts, keys: authorizedKeys },
  evaluate({ sshd }, { conditions, contexts, keys }) {
    const judge = (settings: SshdSettings): readonly Step[] => [
      general(setting(settings, 'permitrootlogin') ?? '', keys),
    ]
    return weigh([
      ...judge(sshd),
      ...contextSteps(contexts, sshd, ['permitrootlogin'], judge, ({ user }) => user === 'root'),
      ...conditionSteps(conditions, ['permitrootlogin'], (_, other) =>
        other === 'no' ? 'same' : other === 'yes' ? 'weaker' : 'unclear',
      ),
    ])
  },
})

function general(value: string, keys: Parsed<AuthorizedKeys>): Step {
  if (value === 'no') return speaksFor('The SSH server’s general setting is “permitrootlogin no”.', sshdEffective)
  if (value === 'yes')
    return speaksAgainst('The SSH server lets root log in directly (“permitrootlogin yes”).', sshdEffective)
  if (!KEYS_ONLY.has(value))
    return leavesUnclear(`“permitrootlogin” has the value ${quote(value)}, which we do not know.`, sshdEffective)
  const own = keys.ok ? keys.fact.keys.filter((key) => homeOfKeyFile(key.path) === '/root').length : 0
  return own > 0
    ? speaksAgainst(
        `Root may log in with a key (${quote(value)}), and ${count(own, 'key')} for root ${own === 1 ? 'is' : 'are'} in place.`,
        authorizedKeys,
      )
    : leavesUnclear(
        `Root may log in with a key (${quote(value)}). No key for root was seen, but one added later works at once.`,
        sshdEffective,
      )
}
