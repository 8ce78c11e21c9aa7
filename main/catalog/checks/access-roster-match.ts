import { defineCheck } from '../../core/check.ts'
import { accountsLocal, canLogIn, membersOf } from '../probes/accounts-local.ts'
import { ADMIN_GROUPS } from '../root-equivalents.ts'
import { count, leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

export const accessRosterMatch = defineCheck({
  id: 'access.roster-match',
  property: 'access',
  claim:
    'Every local account that can start a session, and every member of a group with administrator rights, is on the declared roster.',
  limits:
    'The roster is a statement by whoever wrote the fleet file; that someone approved it is a record outside the node. Directory accounts are not listed here, and a name says nothing about the person who uses it.',
  needs: { local: accountsLocal },
  evaluate({ local }, _, { node }) {
    if (node.roster === undefined)
      return weigh([leavesUnclear('No roster was declared for this node, so there is nothing to compare with.', null)])
    const roster = new Set(node.roster)
    const open = local.accounts.filter(canLogIn).map((account) => account.name)
    const unexpected = open.filter((name) => !roster.has(name))
    const admins = ADMIN_GROUPS.flatMap((group) =>
      membersOf(local, group)
        .filter((name) => !roster.has(name))
        .map((name) => `${name} (${group})`),
    )
    return weigh([
      unexpected.length === 0
        ? speaksFor(
            `All ${count(open.length, 'account')} with a login shell are on the declared roster.`,
            accountsLocal,
            'passwd',
          )
        : speaksAgainst(
            `${count(unexpected.length, 'account')} with a login shell not on the declared roster: ${named(unexpected)}.`,
            accountsLocal,
            'passwd',
          ),
      admins.length === 0
        ? speaksFor(
            'Every member of a group with administrator rights is on the declared roster.',
            accountsLocal,
            'group',
          )
        : speaksAgainst(
            `Members of groups with administrator rights not on the declared roster: ${named(admins)}.`,
            accountsLocal,
            'group',
          ),
      ...(local.otherSources.length > 0
        ? [
            leavesUnclear(
              `More accounts may come from ${named(local.otherSources)}; they are not in the local list.`,
              accountsLocal,
              'sources',
            ),
          ]
        : []),
    ])
  },
})
