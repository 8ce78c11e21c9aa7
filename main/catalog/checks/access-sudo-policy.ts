import { defineCheck, type Step } from '../../core/check.ts'
import { accountsLocal, type LocalAccounts, membersOf } from '../probes/accounts-local.ts'
import { type SudoPolicy, type SudoRule, sudoersRules } from '../probes/sudoers-rules.ts'
import { ROOT_EQUIVALENT_GROUPS } from '../root-equivalents.ts'
import { count, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

export const accessSudoPolicy = defineCheck({
  id: 'access.sudo-policy',
  property: 'access',
  claim:
    'Whoever runs any command as root through sudo is asked for a password and logged, and no group gives the same rights beside sudo.',
  limits:
    'Rules from a directory service are not in this file. A rule for one named command can still give root rights if that command can start others. Whether each person needs the rights is not shown.',
  needs: { sudo: sudoersRules, local: accountsLocal },
  evaluate({ sudo, local }) {
    return weigh([...unlimited(sudo), ...everyone(sudo), logging(sudo), ...besideSudo(local)])
  },
})

// A shell, or su, is any command.
const anyCommand = (rule: SudoRule): boolean =>
  rule.commands.some((command) => command === 'ALL' || /^\S*\/(sh|bash|dash|ksh|zsh|su)$/.test(command))
const asRoot = (rule: SudoRule): boolean =>
  rule.runAs.some((user) => user === 'root' || user === 'ALL' || user === '#0')
const others = (rule: SudoRule): readonly string[] =>
  rule.who.filter((name) => name !== 'root' && !name.startsWith('!'))

function unlimited(sudo: SudoPolicy): readonly Step[] {
  const all = sudo.rules.filter((rule) => anyCommand(rule) && asRoot(rule) && others(rule).length > 0)
  const silent = all.filter((rule) => !rule.asksPassword || !sudo.asksPasswordByDefault).flatMap(others)
  const asked = all.flatMap(others)
  if (silent.length > 0)
    return [
      speaksAgainst(`May run any command as root without a password: ${named([...new Set(silent)])}.`, sudoersRules),
    ]
  return [
    asked.length > 0
      ? speaksFor(`May run any command as root after a password: ${named([...new Set(asked)])}.`, sudoersRules)
      : speaksFor('Nobody but root may run any command as root through sudo.', sudoersRules),
  ]
}

function everyone(sudo: SudoPolicy): readonly Step[] {
  const open = sudo.rules.filter((rule) => rule.who.includes('ALL') && anyCommand(rule) && asRoot(rule))
  return open.length > 0 ? [speaksAgainst('Every account may run any command as root.', sudoersRules)] : []
}

const logging = (sudo: SudoPolicy): Step =>
  sudo.logs
    ? speaksFor('sudo’s own log is not switched off.', sudoersRules)
    : speaksAgainst('sudo’s log to the system log is switched off, and no log file is set.', sudoersRules)

function besideSudo(local: LocalAccounts): readonly Step[] {
  const members = ROOT_EQUIVALENT_GROUPS.map((group) => [group, membersOf(local, group)] as const).filter(
    ([, names]) => names.length > 0,
  )
  if (members.length === 0)
    return [speaksFor('No account is in a group that gives root rights beside sudo.', accountsLocal, 'group', 'passwd')]
  return members.map(([group, names]) =>
    speaksAgainst(
      `Group “${group}” gives ${count(names.length, 'account')} root rights beside sudo: ${named(names)}.`,
      accountsLocal,
      'group',
      'passwd',
    ),
  )
}
