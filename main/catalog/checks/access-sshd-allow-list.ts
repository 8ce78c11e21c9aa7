import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { type AccessRules, pamAccessRules } from '../probes/pam-access-rules.ts'
import { expandStack, type PamStack, pamStack } from '../probes/pam-stack.ts'
import { sshdConditions } from '../probes/sshd-conditions.ts'
import { sshdContexts } from '../probes/sshd-contexts.ts'
import { type SshdSettings, sshdEffective } from '../probes/sshd-effective.ts'
import { letIn, RUNNING_SSH, runningSsh } from '../running-ssh.ts'
import { conditionSteps, contextSteps, setting, settingWords } from '../sshd-access.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'

export const accessSshdAllowList = defineCheck({
  id: 'access.sshd.allow-list',
  property: 'access',
  expected:
    'Only named users or groups can log in over SSH: by the SSH server’s own list, or by the rules of its login modules.',
  limitations:
    'A list shows who may attempt to log in, not whether the access is still justified. Packet filters here and elsewhere decide from where SSH can be reached. Match blocks are evaluated for root and an unknown user from two addresses, not for each account and source.',
  requires: {},
  optional: {
    sshd: sshdEffective,
    conditions: sshdConditions,
    contexts: sshdContexts,
    pam: pamStack,
    rules: pamAccessRules,
    ...RUNNING_SSH,
  },
  evaluate(_, { sshd, conditions, contexts, pam, rules, ...evidence }) {
    const running = runningSsh(sshd, evidence, { contexts, keywords: [...LISTS, 'usepam'] })
    const judge = (settings: SshdSettings): readonly DraftObservation[] => listed(settings, pam, rules)
    const bySettings = (settings: SshdSettings): readonly DraftObservation[] => [
      ...judge(settings),
      ...contextSteps(contexts, settings, LISTS, judge),
      // A list of its own that names people is a list too.
      ...conditionSteps(conditions, ['allowusers', 'allowgroups'], (_key, value) =>
        value.split(/\s+/).some(admitsAll) ? 'weaker' : 'same',
      ),
    ]
    return decide([
      ...letIn(running, ['nobody']),
      ...(sshd.ok ? (running.isBearing ? bySettings(sshd.fact) : []) : unclearAbout(sshdEffective, sshd)),
      ...running.steps,
    ])
  },
})

const LISTS = ['allowusers', 'allowgroups', 'denyusers', 'denygroups']

const admitsAll = (pattern: string): boolean => /^[*?]+(@|$)/.test(pattern)

function listed(sshd: SshdSettings, pam: Parsed<PamStack>, rules: Parsed<AccessRules>): readonly DraftObservation[] {
  const users = settingWords(sshd, 'allowusers')
  const groups = settingWords(sshd, 'allowgroups')
  const wild = [...users, ...groups].filter(admitsAll)
  if (users.length === 0 && groups.length === 0) return withoutList(sshd, pam, rules)
  if (wild.length > 0)
    return [contradicts(`The list of allowed users or groups admits every name: ${named(wild)}.`, sshdEffective)]
  return [
    ...(users.length > 0 ? [supports(`Allowed users: ${named(users)}.`, sshdEffective)] : []),
    ...(groups.length > 0 ? [supports(`Allowed groups: ${named(groups)}.`, sshdEffective)] : []),
  ]
}

// Modules that may limit who gets in by rules that are not read here: a directory's, or a list of names in a file.
const UNREAD: ReadonlySet<string> = new Set(['pam_sss', 'pam_listfile', 'pam_ldap', 'pam_winbind'])

function withoutList(
  sshd: SshdSettings,
  pam: Parsed<PamStack>,
  rules: Parsed<AccessRules>,
): readonly DraftObservation[] {
  const denied = [...settingWords(sshd, 'denyusers'), ...settingWords(sshd, 'denygroups')]
  const without =
    denied.length > 0
      ? `The SSH server lists refused users (${named(denied)}) but no permitted ones`
      : 'The SSH server names neither allowed users nor allowed groups'
  // Modules are queried only where the server uses them (sshd_config(5), UsePAM).
  const isAsked = setting(sshd, 'usepam') !== 'no'
  const modules = pam.ok && isAsked ? expandStack(pam.fact, 'sshd', 'account').map((entry) => entry.module) : []
  if (modules.includes('pam_access')) return byAccessRules(without, rules)
  const filter = modules.filter((module) => UNREAD.has(module))
  if (filter.length > 0)
    return [unclear(`${without}; ${named(filter)} may limit who gets in, by rules that were not read.`, pamStack)]
  return [contradicts(`${without}: every account with a shell may try.`, sshdEffective), ...unclearAbout(pamStack, pam)]
}

/** access.conf(5): the first line that matches decides, and without one access is granted; so the last line must refuse the rest. */
function byAccessRules(without: string, rules: Parsed<AccessRules>): readonly DraftObservation[] {
  if (!rules.ok)
    return [unclear(`${without}; pam_access limits who gets in.`, pamStack), ...unclearAbout(pamAccessRules, rules)]
  const everybody = ({ who, from }: AccessRules['rules'][number]): boolean => who === 'ALL' && from === 'ALL'
  const first = rules.fact.rules.findIndex(everybody)
  const last = rules.fact.rules[first]
  if (last === undefined)
    return [
      unclear(`${without}; the rules of pam_access have no last line that refuses everybody else.`, pamAccessRules),
    ]
  const admits = rules.fact.rules.slice(0, first).filter(({ permits }) => permits)
  const wide = admits.filter(({ who }) => /(^|\s)ALL(\s|$)/.test(who))
  if (last.permits || wide.length > 0)
    return [contradicts(`${without}, and the rules of pam_access admit every name.`, pamAccessRules)]
  return [
    supports(
      `The rules of pam_access refuse all users except: ${admits.length > 0 ? named(admits.map(({ who }) => who)) : 'none'}.`,
      pamAccessRules,
    ),
  ]
}
