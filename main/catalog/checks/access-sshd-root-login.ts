import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { type AuthorizedKeys, authorizedKeys, homeOfKeyFile } from '../probes/authorized-keys.ts'
import { sshdConditions } from '../probes/sshd-conditions.ts'
import { sshdContexts } from '../probes/sshd-contexts.ts'
import { type SshdSettings, sshdEffective } from '../probes/sshd-effective.ts'
import { letIn, RUNNING_SSH, runningSsh } from '../running-ssh.ts'
import { conditionSteps, contextSteps, setting } from '../sshd-access.ts'
import { contradicts, count, decide, supports, unclear } from '../steps.ts'

// sshd -T prints "without-password" for what the file calls prohibit-password.
const KEYS_ONLY: ReadonlySet<string> = new Set(['without-password', 'prohibit-password', 'forced-commands-only'])

export const accessSshdRootLogin = defineCheck({
  id: 'access.sshd.root-login',
  property: 'access',
  expected: 'Direct root login over SSH is disabled.',
  limitations:
    'Whether root may log in is read from the configuration on disk, for servers that are shown to have it: a server that was not reloaded may still run an older one where it offers the same methods. The methods that a server offers root do not show whether it admits root. Servers that listen in containers or on addresses of other programs’ networks are not found; consoles and the management controller are other ways in.',
  requires: {},
  optional: {
    sshd: sshdEffective,
    conditions: sshdConditions,
    contexts: sshdContexts,
    keys: authorizedKeys,
    ...RUNNING_SSH,
  },
  evaluate(_, { sshd, conditions, contexts, keys, ...evidence }) {
    const running = runningSsh(sshd, evidence, { contexts, keywords: ['permitrootlogin'] })
    const judge = (settings: SshdSettings): readonly DraftObservation[] => [
      general(setting(settings, 'permitrootlogin') ?? '', keys),
    ]
    const bySettings = (settings: SshdSettings): readonly DraftObservation[] => [
      ...judge(settings),
      ...contextSteps(contexts, settings, ['permitrootlogin'], judge, ({ user }) => user === 'root'),
      ...conditionSteps(conditions, ['permitrootlogin'], (_key, other) =>
        other === 'no' ? 'same' : other === 'yes' ? 'weaker' : 'unclear',
      ),
    ]
    return decide([
      ...letIn(running, ['root']),
      ...(sshd.ok ? (running.isBearing ? bySettings(sshd.fact) : []) : unclearAbout(sshdEffective, sshd)),
      ...running.steps,
    ])
  },
})

function general(value: string, keys: Parsed<AuthorizedKeys>): DraftObservation {
  if (value === 'no') return supports('The SSH server’s general setting is “permitrootlogin no”.', sshdEffective)
  if (value === 'yes')
    return contradicts('The SSH server lets root log in directly (“permitrootlogin yes”).', sshdEffective)
  if (!KEYS_ONLY.has(value))
    return unclear(
      `“permitrootlogin” has the value ${quote(value)}, which is not known to this catalog.`,
      sshdEffective,
    )
  const own = keys.ok ? keys.fact.keys.filter((key) => homeOfKeyFile(key.path) === '/root').length : 0
  return own > 0
    ? contradicts(
        `Root may log in with a key (${quote(value)}), and ${count(own, 'key')} for root ${own === 1 ? 'is' : 'are'} in place.`,
        authorizedKeys,
      )
    : unclear(
        `Root may log in with a key (${quote(value)}). No key for root was seen, but one added later works at once.`,
        sshdEffective,
      )
}
