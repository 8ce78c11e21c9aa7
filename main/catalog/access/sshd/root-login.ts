import { quote } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, count, decide, supports, unclear } from '../../base/steps.ts'
import { accountsLocal, type LocalAccounts, membersOf } from '../accounts/probes.ts'
import { type AuthorizedKeys, authorizedKeys, homeOfKeyFile } from '../authorized-keys/probes.ts'
import { conditionSteps, contextSteps, setting, settingWords } from './access.ts'
import { type SshdSettings, sshdConditions, sshdContexts, sshdEffective } from './probes.ts'
import { letIn, RUNNING_SSH, runningSsh } from './running.ts'

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
    local: accountsLocal,
    ...RUNNING_SSH,
  },
  evaluate(_, { sshd, conditions, contexts, keys, local, ...evidence }) {
    const list = sshd.ok ? listWithoutRoot(sshd.fact, local) : null
    const keywords = ['permitrootlogin', ...(list === null ? [] : [list])]
    const running = runningSsh(sshd, evidence, { contexts, keywords })
    const judge = (settings: SshdSettings): readonly DraftObservation[] => [general(settings, keys, local)]
    const bySettings = (settings: SshdSettings): readonly DraftObservation[] => [
      ...judge(settings),
      ...contextSteps(contexts, settings, keywords, judge, ({ user }) => user === 'root'),
      ...conditionSteps(conditions, list === null ? ['permitrootlogin'] : [list], (key, other) => {
        // A list in a Match block takes the place of the general one, and another list applies next to it.
        if (key !== 'permitrootlogin')
          return other.split(/\s+/).some((name) => mayName(key, name, local)) ? 'weaker' : 'same'
        return other === 'no' ? 'same' : other === 'yes' ? 'weaker' : 'unclear'
      }),
    ]
    return decide([
      ...letIn(running, ['root']),
      ...(sshd.ok ? (running.isBearing ? bySettings(sshd.fact) : []) : unclearAbout(sshdEffective, sshd)),
      ...running.steps,
    ])
  },
})

type UserList = 'allowusers' | 'allowgroups'

const LIST_NAMES: Readonly<Record<UserList, string>> = { allowusers: 'AllowUsers', allowgroups: 'AllowGroups' }

/** Accounts that are root by their user id. */
const rootNames = (local: LocalAccounts): readonly string[] => [
  'root',
  ...local.accounts.filter(({ uid }) => uid === 0).map(({ name }) => name),
]

/** Whether an entry of a list may name root, or a group of root (sshd_config(5), AllowUsers, AllowGroups); a pattern may. */
function mayName(list: string, entry: string, local: Parsed<LocalAccounts>): boolean {
  const name = list === 'allowusers' ? entry.replace(/@.*/, '') : entry
  if (!local.ok || /[*?]/.test(name)) return true
  const names = list === 'allowusers' ? [name] : membersOf(local.fact, entry)
  return names.some((one) => rootNames(local.fact).includes(one))
}

/** Sources of groups that have root in none: SSSD leaves root out unless it is told otherwise (sssd.conf(5), filter_users). */
const isWithoutRoot = ({ otherSources }: LocalAccounts): boolean => otherSources.every((source) => source === 'sss')

/** The list by which the SSH server refuses root, whatever PermitRootLogin states; null where there is none, or it does not matter. */
function listWithoutRoot(settings: SshdSettings, local: Parsed<LocalAccounts>): UserList | null {
  if (setting(settings, 'permitrootlogin') === 'no') return null
  const refuses = (list: UserList): boolean => {
    const entries = settingWords(settings, list)
    return entries.length > 0 && !entries.some((entry) => mayName(list, entry, local))
  }
  if (refuses('allowusers')) return 'allowusers'
  return local.ok && isWithoutRoot(local.fact) && refuses('allowgroups') ? 'allowgroups' : null
}

function general(settings: SshdSettings, keys: Parsed<AuthorizedKeys>, local: Parsed<LocalAccounts>): DraftObservation {
  const value = setting(settings, 'permitrootlogin') ?? ''
  const list = listWithoutRoot(settings, local)
  if (list !== null)
    return supports(
      `The SSH server refuses root, who is not on its list of permitted logins (${LIST_NAMES[list]}), whatever “permitrootlogin” states (${quote(value)}).`,
      sshdEffective,
    )
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
        `Root may log in with a key (${quote(value)}). No key that lets root in was seen, but one added later works at once.`,
        sshdEffective,
      )
}
