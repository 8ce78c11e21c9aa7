import { defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { expandStack, type PamStack, pamStack } from '../probes/pam-stack.ts'
import { sshdConditions } from '../probes/sshd-conditions.ts'
import { sshdEffective } from '../probes/sshd-effective.ts'
import { conditionSteps, settingWords } from '../sshd-access.ts'
import { leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

export const accessSshdAllowList = defineCheck({
  id: 'access.sshd.allow-list',
  property: 'access',
  claim: 'The SSH server accepts named users or groups only.',
  limits:
    'A list says who may try, not whether each of them still should. From where SSH can be reached is decided by packet filters here and elsewhere. Match blocks are not evaluated for each source.',
  needs: { sshd: sshdEffective },
  wants: { conditions: sshdConditions, pam: pamStack },
  evaluate({ sshd }, { conditions, pam }) {
    const users = settingWords(sshd, 'allowusers')
    const groups = settingWords(sshd, 'allowgroups')
    const wild = [...users, ...groups].filter((pattern) => /^[*?]+(@|$)/.test(pattern))
    const block = conditionSteps(conditions, ['allowusers', 'allowgroups'], () => 'unclear')
    if (users.length === 0 && groups.length === 0) return weigh([...withoutList(pam), ...block])
    if (wild.length > 0)
      return weigh([
        speaksAgainst(`The list of allowed users or groups admits every name: ${named(wild)}.`, sshdEffective),
        ...block,
      ])
    return weigh([
      ...(users.length > 0 ? [speaksFor(`Allowed users: ${named(users)}.`, sshdEffective)] : []),
      ...(groups.length > 0 ? [speaksFor(`Allowed groups: ${named(groups)}.`, sshdEffective)] : []),
      ...block,
    ])
  },
})

function withoutList(pam: Parsed<PamStack>): readonly Step[] {
  const modules = pam.ok ? expandStack(pam.fact, 'sshd', 'account').map((entry) => entry.module) : []
  const filter = modules.filter(
    (module) => module === 'pam_access' || module === 'pam_sss' || module === 'pam_listfile',
  )
  if (filter.length > 0) {
    return [
      leavesUnclear(
        `The SSH server has no list of its own; ${named(filter)} may limit who gets in, by rules that were not read.`,
        pamStack,
      ),
    ]
  }
  return [
    speaksAgainst(
      'The SSH server names neither allowed users nor allowed groups: every account with a shell may try.',
      sshdEffective,
    ),
    ...unclearAbout(pamStack, pam),
  ]
}
