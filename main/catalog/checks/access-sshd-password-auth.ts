import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { sshdConditions } from '../probes/sshd-conditions.ts'
import { sshdContexts } from '../probes/sshd-contexts.ts'
import { type SshdSettings, sshdEffective } from '../probes/sshd-effective.ts'
import { keysOnly, letIn, passwordOffers, RUNNING_SSH, runningSsh } from '../running-ssh.ts'
import {
  conditionSteps,
  contextSteps,
  everyChainNeedsKey,
  methodChains,
  setting,
  settingWords,
} from '../sshd-access.ts'
import { contradicts, decide, supports, unclear } from '../steps.ts'

// What each setting must print. Keyboard-interactive asks PAM, which usually requires the password.
const EXPECTED: Readonly<Record<string, string>> = {
  passwordauthentication: 'no',
  kbdinteractiveauthentication: 'no',
  permitemptypasswords: 'no',
  hostbasedauthentication: 'no',
}
const PASSWORD_SETTINGS: ReadonlySet<string> = new Set(['passwordauthentication', 'kbdinteractiveauthentication'])
const CONDITIONAL = [...Object.keys(EXPECTED), 'challengeresponseauthentication', 'authenticationmethods']

export const accessSshdPasswordAuth = defineCheck({
  id: 'access.sshd.password-auth',
  property: 'access',
  expected: 'A password alone does not open an SSH session: it is refused, or requested only after a public key.',
  limitations:
    'Match blocks are read from the customary files and evaluated for root and an unknown user from two addresses, not for each account and source. The running servers were tested from the node itself, for up to three names. A server that offers a password first counts as offering it, whatever it would require after it. Servers that listen in containers or on addresses of other programs’ networks are not found; consoles and web interfaces are not covered, nor is how well private keys are protected.',
  requires: {},
  optional: { sshd: sshdEffective, conditions: sshdConditions, contexts: sshdContexts, ...RUNNING_SSH },
  evaluate(_, { sshd, conditions, contexts, ...evidence }) {
    const running = runningSsh(sshd, evidence, { contexts, keywords: KEYWORDS, settles: keysOnly })
    const isSettled = running.servers.length > 0 && running.servers.every((server) => keysOnly(server) !== null)
    const bySettings = (settings: SshdSettings): readonly DraftObservation[] => [
      ...judge(settings),
      ...contextSteps(contexts, settings, [...Object.keys(EXPECTED), 'authenticationmethods'], judge),
      ...conditionSteps(conditions, CONDITIONAL, judgeCondition(asksKeyFirst(settings))),
    ]
    return decide([
      ...letIn(running, ['root', 'declared', 'nobody']),
      // Of a server with these settings they show more than its response, which names only how a login begins.
      ...passwordOffers(running, ({ doubts }) => doubts.length > 0),
      ...(sshd.ok && running.isBearing ? bySettings(sshd.fact) : []),
      ...(isSettled ? [] : unclearAbout(sshdEffective, sshd)),
      ...running.steps,
    ])
  },
})

const KEYWORDS = [...CONDITIONAL, 'usepam']

const asksKeyFirst = (sshd: SshdSettings): boolean =>
  everyChainNeedsKey(methodChains(settingWords(sshd, 'authenticationmethods')))

const judge = (sshd: SshdSettings): readonly DraftObservation[] =>
  Object.entries(EXPECTED).map(([key, expected]) => judgeSetting(sshd, key, expected, asksKeyFirst(sshd)))

// A block that turns passwords on may still be under method chains that require a key: only a source knows which apply.
const judgeCondition =
  (keyFirst: boolean) =>
  (key: string, value: string): 'same' | 'weaker' | 'unclear' => {
    if (key === 'authenticationmethods')
      return everyChainNeedsKey(methodChains(value.split(/\s+/))) ? 'same' : 'unclear'
    if (value === 'no') return 'same'
    return keyFirst && PASSWORD_SETTINGS.has(key) ? 'unclear' : 'weaker'
  }

function judgeSetting(sshd: SshdSettings, key: string, expected: string, keyFirst: boolean): DraftObservation {
  const value = setting(sshd, key)
  if (value === null) return unclear(`The SSH server did not print “${key}”.`, sshdEffective)
  if (value === expected) return supports(`The SSH server’s general setting is “${key} ${expected}”.`, sshdEffective)
  if (keyFirst && PASSWORD_SETTINGS.has(key)) {
    return supports(`“${key}” is on, and every accepted chain of methods requires a public key as well.`, sshdEffective)
  }
  return contradicts(`The SSH server’s general setting is “${key}” ${quote(value)}.`, sshdEffective)
}
