import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { declaredAs } from '../login-traces.ts'
import { accountsLocal } from '../probes/accounts-local.ts'
import { remoteAgents } from '../probes/remote-agents.ts'
import { tenancyProcesses } from '../probes/tenancy-processes.ts'
import { PROVIDER_ACCOUNTS, REMOTE_AGENTS, type RemoteAgent } from '../remote-agents.ts'
import { decide, named, supports, unclear } from '../steps.ts'

const LIMITS =
  'Agents listed in this catalog, accounts that providers document, and accounts that were declared as the provider’s. None of these shows that the provider has no access: the management controller, the console and unknown agents are not detected.'

/** cloud-init works at boot and lets no one in later. */
const AT_BOOT_ONLY = 'cloud-init'

/** Evidence of administration by a provider. It can agree with a statement that the provider operates the node, and never contradicts it. */
export const accessProviderAgents: ClaimTest = {
  id: 'access.provider-agents',
  title: 'An agent or an account of a provider is present, through which it can administer the node.',
  takes: { kind: 'nothing' },
  limitations: LIMITS,
  of(value) {
    if (value !== null) return null
    return defineCheck({
      id: 'access.provider-agents',
      property: 'access',
      expected: 'An agent of a provider runs or starts at boot, or an account of a provider exists.',
      limitations: LIMITS,
      requires: { agents: remoteAgents },
      optional: { processes: tenancyProcesses, local: accountsLocal },
      evaluate({ agents }, { processes, local }, { node }) {
        const running = new Set(processes.ok ? processes.fact.processes.map(({ command }) => command) : [])
        const works = ({ units }: RemoteAgent): boolean =>
          units.some((unit) => agents.units.get(unit)?.active === true || agents.units.get(unit)?.atBoot === true)
        const found = REMOTE_AGENTS.filter(
          (agent) => agent.name !== AT_BOOT_ONLY && (works(agent) || agent.processes.some((name) => running.has(name))),
        )
        const isTheirs = ({ name, kind }: RemoteAgent): boolean =>
          kind === 'provider' || declaredAs(node, name)?.kind === 'provider'
        const accounts = (local.ok ? local.fact.accounts : [])
          .map(({ name }) => name)
          .filter((name) => PROVIDER_ACCOUNTS.has(name) || declaredAs(node, name)?.kind === 'provider')
        const [theirs, open] = [found.filter(isTheirs), found.filter((agent) => !isTheirs(agent))]
        const present: readonly DraftObservation[] = [
          ...[true, false].flatMap((byUnit): readonly DraftObservation[] => {
            const some = theirs.filter((agent) => works(agent) === byUnit)
            return some.length === 0
              ? []
              : [
                  supports(
                    `Agents of a provider that run${byUnit ? ' or start at boot' : ''}: ${named(some.map(({ name }) => name))}.`,
                    byUnit ? remoteAgents : tenancyProcesses,
                  ),
                ]
          }),
          ...(accounts.length > 0
            ? [supports(`Accounts of a provider: ${named(accounts)}.`, accountsLocal, 'passwd')]
            : []),
        ]
        if (present.length > 0) return decide(present)
        return decide([
          unclear(
            'No agent or account of a provider listed in this catalog was found; others are not detected.',
            remoteAgents,
          ),
          ...(open.length > 0
            ? [
                unclear(
                  `Agents of which it is not declared whether they are the provider’s: ${named(open.map(({ name }) => name))}.`,
                  remoteAgents,
                ),
              ]
            : []),
          ...unclearAbout(tenancyProcesses, processes),
          ...unclearAbout(accountsLocal, local),
        ])
      },
    })
  },
}
