import type { DeclaredNode } from '../../../schemas/types.ts'
import { type DraftObservation, defineCheck, type MaybeFactsOf, unclearAbout } from '../../core/check.ts'
import { declaredAs, declaredNames } from '../login-traces.ts'
import { accountsLocal, canLogIn, type LocalAccounts, membersOf } from '../probes/accounts-local.ts'
import { clusterSlurm } from '../probes/cluster-slurm.ts'
import { sudoersRules } from '../probes/sudoers-rules.ts'
import { ADMIN_GROUPS } from '../root-equivalents.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { ownRootRules, ruleNames } from '../sudo-rights.ts'

const WANTS = { sudo: sudoersRules, slurm: clusterSlurm }
type Wanted = MaybeFactsOf<typeof WANTS>

export const accessRosterMatch = defineCheck({
  id: 'access.roster-match',
  property: 'access',
  expected:
    'Every local account that can start a session, and every member of an administrator group, is declared, with the rights declared.',
  limitations:
    'The declaration is a statement by the author of the fleet file; its approval is documented outside the node. Directory accounts are not listed here, and a name does not identify the person who uses it. A plain roster declares names only, so that rights are compared only where accounts are declared.',
  requires: { local: accountsLocal },
  optional: WANTS,
  evaluate({ local }, wanted, context) {
    const declared = declaredNames(context.node)
    if (declared === null)
      return decide([unclear('No roster was declared for this node, so there is nothing to compare with.', null)])
    return decide([
      ...undeclared(local, declared),
      ...(context.node.accounts === undefined ? [] : movers(local, wanted, context.node)),
      ...scheduler(wanted, declared),
      ...absent(local, declared),
      ...(local.otherSources.length > 0
        ? [
            unclear(
              `More accounts may come from ${named(local.otherSources)}; they are not in the local list.`,
              accountsLocal,
              'sources',
            ),
          ]
        : []),
    ])
  },
})

function undeclared(local: LocalAccounts, roster: ReadonlySet<string>): readonly DraftObservation[] {
  const open = local.accounts.filter(canLogIn).map((account) => account.name)
  const unexpected = open.filter((name) => !roster.has(name))
  const admins = ADMIN_GROUPS.flatMap((group) =>
    membersOf(local, group)
      .filter((name) => !roster.has(name))
      .map((name) => `${name} (${group})`),
  )
  return [
    unexpected.length === 0
      ? supports(
          `All ${count(open.length, 'account')} with a login shell are on the declared roster.`,
          accountsLocal,
          'passwd',
        )
      : contradicts(
          `${count(unexpected.length, 'account')} with a login shell not on the declared roster: ${named(unexpected)}.`,
          accountsLocal,
          'passwd',
        ),
    admins.length === 0
      ? supports('Every member of a group with administrator rights is on the declared roster.', accountsLocal, 'group')
      : contradicts(
          `Members of groups with administrator rights not on the declared roster: ${named(admins)}.`,
          accountsLocal,
          'group',
        ),
  ]
}

/** Rights against their declaration, both ways. Names that only a roster declares are left out: it is no evidence of rights. */
function movers(local: LocalAccounts, { sudo }: Wanted, node: DeclaredNode): readonly DraftObservation[] {
  const rules = sudo.ok ? ownRootRules(sudo.fact) : []
  const hasRights = ({ name, uid }: LocalAccounts['accounts'][number]): boolean =>
    uid === 0 ||
    ADMIN_GROUPS.some((group) => membersOf(local, group).includes(name)) ||
    rules.some((rule) => ruleNames(rule, name, local))
  const judged = local.accounts.filter(({ name }) => name !== 'root' && declaredAs(node, name) !== undefined)
  const asked = (administrator: boolean) =>
    judged.filter((account) => (declaredAs(node, account.name)?.administrator === true) === administrator)
  const more = asked(false).filter(hasRights)
  const less = asked(true).filter((account) => !hasRights(account))
  return [
    ...(more.length > 0
      ? [
          contradicts(
            `Have administrator rights that were not declared: ${named(more.map(({ name }) => name))}.`,
            sudo.ok ? sudoersRules : accountsLocal,
          ),
        ]
      : []),
    ...(sudo.ok
      ? less.length > 0
        ? [
            contradicts(
              `Declared as administrators and without such rights here: ${named(less.map(({ name }) => name))}.`,
              sudoersRules,
            ),
          ]
        : more.length === 0
          ? [supports('Administrator rights, by groups and by sudo, are as declared.', sudoersRules)]
          : []
      : unclearAbout(sudoersRules, sudo)),
  ]
}

/**
 * A server without the tool belongs to no such system. Where the accounting service did not list its administrators, that stays open. It
 * keeps root among them on its own (sacctmgr(1)).
 */
function scheduler({ slurm }: Wanted, declared: ReadonlySet<string>): readonly DraftObservation[] {
  if (!slurm.ok) return slurm.reason.startsWith('not collected: tool absent') ? [] : unclearAbout(clusterSlurm, slurm)
  const foreign = slurm.fact.administrators.filter((name) => name !== 'root' && !declared.has(name))
  return foreign.length === 0
    ? [
        supports(
          'Every administrator of the batch system (Slurm) is on the declared roster, or there is none but root.',
          clusterSlurm,
        ),
      ]
    : [
        contradicts(
          `Administrators of the batch system (Slurm) not on the declared roster: ${named(foreign)}.`,
          clusterSlurm,
          'administrators',
        ),
      ]
}

/** Rosters are often written for a whole fleet, so that a missing account is reported and not counted as a deviation. */
function absent({ accounts }: LocalAccounts, declared: ReadonlySet<string>): readonly DraftObservation[] {
  const missing = [...declared].filter((name) => !accounts.some((account) => account.name === name))
  return missing.length === 0
    ? []
    : [supports(`Declared, and not among the local accounts: ${named(missing)}.`, accountsLocal, 'passwd')]
}
