import { type LocalAccounts, membersOf } from './probes/accounts-local.ts'
import type { SudoPolicy, SudoRule } from './probes/sudoers-rules.ts'

/** Shells, and programs whose only purpose is to start another one. */
const STARTERS = /^(sh|bash|dash|ash|ksh|mksh|zsh|csh|tcsh|fish|rbash|busybox|su|sudo|runuser|env|chroot|nsenter)$/

/** A shell, su and their like are any command; so are a whole folder, its every program, and a pattern of sudo 1.9.10 that ends open. */
export const anyCommand = ({ commands }: SudoRule): boolean =>
  commands.some((command) => {
    const [program = ''] = command.split(' ', 1)
    const name = program.slice(program.lastIndexOf('/') + 1)
    return (
      command === 'ALL' ||
      (program.startsWith('/') && (name === '' || name === '*' || STARTERS.test(name))) ||
      (program.startsWith('^') && program.includes('.*'))
    )
  })

export const asRoot = ({ runAs }: SudoRule): boolean =>
  runAs.some((user) => user === 'root' || user === 'ALL' || user === '#0')

/** Rules that make root of the party that they name. */
export const rootRules = ({ rules }: SudoPolicy): readonly SudoRule[] =>
  rules.filter((rule) => anyCommand(rule) && asRoot(rule))

/**
 * Of these, the ones that need nothing but the caller: with targetpw and its kin, the party that lacks root's password gains nothing by a
 * rule.
 */
export const ownRootRules = (policy: SudoPolicy): readonly SudoRule[] =>
  rootRules(policy).filter(
    (rule) => !policy.asksOther || !rule.asksPassword || !policy.asksPasswordByDefault || policy.neverAsked.length > 0,
  )

/** Whether a rule names an account: itself, by id, or by a local group. Its last word on the account counts (sudoers(5), User_List). */
export function ruleNames(rule: SudoRule, name: string, local: LocalAccounts): boolean {
  const uid = local.accounts.find((account) => account.name === name)?.uid
  const matches = (who: string): boolean => {
    if (who === 'ALL' || who === name) return true
    if (who.startsWith('%#')) {
      const gid = Number(who.slice(2))
      return local.groups.some((group) => group.gid === gid && membersOf(local, group.name).includes(name))
    }
    if (who.startsWith('%')) return membersOf(local, who.slice(1)).includes(name)
    return who.startsWith('#') && uid !== undefined && Number(who.slice(1)) === uid
  }
  const last = rule.who.findLast((who) => matches(who.replace(/^!/, '')))
  return last !== undefined && !last.startsWith('!')
}

/** Names in rules that only a directory can resolve: netgroups and groups of other systems (sudoers(5)). */
export const beyondLocal = (rules: readonly SudoRule[]): readonly string[] => [
  ...new Set(rules.flatMap(({ who }) => who.filter((name) => /^!?(\+|%:)/.test(name)))),
]
