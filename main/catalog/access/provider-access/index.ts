import {
  type Context,
  type DraftObservation,
  defineCheck,
  type MaybeFactsOf,
  unclearAbout,
} from '../../../core/rules/check.ts'
import { tenancyProcesses } from '../../base/processes.ts'
import { contradicts, decide, named, stepOn, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { cpuFeatures } from '../../hardware/processors/features.ts'
import { declaredAs, declaredNames } from '../accounts/login-traces.ts'
import {
  accountsLocal,
  accountsPasswordLocks,
  accountsPasswordState,
  canLogIn,
  type LocalAccounts,
  type ReportedPasswords,
  reportedPasswords,
} from '../accounts/probes.ts'
import {
  doorState,
  type Evidence,
  KEY_SOURCES,
  keySources,
  loginMethods,
  unreadDoors,
} from '../authorized-keys/key-files.ts'
import { authorizedKeys, homeOfKeyFile } from '../authorized-keys/probes.ts'
import data from './checks.json' with { type: 'json' }
import {
  type AgentUnits,
  CLOUD_INIT,
  cloudInit,
  GUEST_ONLY,
  PROVIDER_ACCOUNTS,
  REMOTE_AGENTS,
  type RemoteAgent,
  remoteAgents,
  worksBy,
} from './probes.ts'

/** Accounts that images of distributions and clouds make at first boot (cloud-init, `system_info: default_user` of each distribution). */
const IMAGE_ACCOUNTS: ReadonlySet<string> = new Set(
  'admin almalinux arch azureuser centos cloud-user core debian ec2-user fedora opc opensuse rocky sles ubuntu'.split(
    ' ',
  ),
)

const WANTS = {
  processes: tenancyProcesses,
  cloud: cloudInit,
  cpu: cpuFeatures,
  keys: authorizedKeys,
  passwords: accountsPasswordState,
  locks: accountsPasswordLocks,
  ...KEY_SOURCES,
}

type Wanted = MaybeFactsOf<typeof WANTS> & ReportedPasswords & Pick<Evidence, 'sources'>

const accessProviderAccess = defineCheck({
  id: 'access.provider-access',
  property: 'access',
  expected:
    'Every account, key and agent on this node through which a provider or a remote access product could act is declared, or there is none.',
  limitations:
    'The management controller, the console, the provider’s network and physical access are not visible from inside. Agents are known by the names of their units and processes from this catalog’s list; one that is renamed or unknown to it is not found. Key files and home folders that are links are not followed, and leave open what opens an account. Comments of keys are not read, so that a key counts as its account’s.',
  requires: { local: accountsLocal, agents: remoteAgents },
  optional: WANTS,
  evaluate({ local, agents }, facts, context) {
    const wanted = { ...facts, ...reportedPasswords(facts), sources: keySources(facts) }
    return decide([
      ...agentSteps(agents, wanted, context),
      ...provisioning(wanted, context),
      ...accounts(local, wanted, context),
      ...keyOwners(local, wanted, context),
      ...unreadDoors(wanted),
    ])
  },
})

/** An agent is declared by its name: as an account of kind provider or service, or among the services. */
const isDeclared = ({ node }: Context, name: string): boolean =>
  declaredAs(node, name) !== undefined || node.services?.some((service) => service.name === name) === true

const worded = ({ name, kind }: RemoteAgent): string => `${name} (${kind})`

function agentSteps(
  { units }: AgentUnits,
  { processes, cloud, cpu }: Wanted,
  context: Context,
): readonly DraftObservation[] {
  const running = new Set(processes.ok ? processes.fact.processes.map(({ command }) => command) : [])
  const installed = REMOTE_AGENTS.filter((agent) => agent.units.some((unit) => units.has(unit)))
  const works = (agent: RemoteAgent): boolean => worksBy({ units }, agent)
  const alive = (agent: RemoteAgent): boolean => agent.processes.some((name) => running.has(name))
  const found = REMOTE_AGENTS.filter((agent) => works(agent) || alive(agent))
  const waiting = installed.filter(
    (agent) => !found.includes(agent) && agent.units.some((unit) => units.get(unit)?.atBoot === true),
  )
  const foreign = found.filter(({ name }) => !isDeclared(context, name))
  const stated = found.filter(({ name }) => isDeclared(context, name))
  const idle = installed.filter((agent) => !found.includes(agent) && !waiting.includes(agent))
  return [
    ...foreign.slice(0, 20).map((agent) => {
      const idle = agent.name === CLOUD_INIT ? withoutInstructions(agent, units, cloud) : null
      if (idle !== null)
        return unclear(`${worded(agent)} ${idle}, and is not declared; later boots are not shown.`, cloudInit)
      const text = `${worded(agent)} ${works(agent) ? 'runs or starts at boot' : 'runs'} and is not declared.`
      return contradicts(text, works(agent) ? remoteAgents : tenancyProcesses)
    }),
    ...waiting.map((agent) => ofGuests(agent, cpu, context)),
    ...(stated.length > 0
      ? [supports(`Declared, and running or started at boot: ${named(stated.map(worded))}.`, remoteAgents)]
      : []),
    ...(idle.length > 0
      ? [supports(`Installed, not running now and not set to start at boot: ${named(idle.map(worded))}.`, remoteAgents)]
      : []),
    ...(found.length === 0
      ? [
          supports(
            `None of the ${REMOTE_AGENTS.length} agents listed in this catalog runs or starts at boot.`,
            remoteAgents,
          ),
        ]
      : []),
    ...(processes.ok && !processes.fact.isComplete
      ? [unclear('The list of processes is not complete, so that an agent may run unseen.', tenancyProcesses)]
      : unclearAbout(tenancyProcesses, processes)),
  ]
}

/** On x86 every guest of these products shows the bit for software that runs on a hypervisor (CPUID.1:ECX[31]). */
function ofGuests(agent: RemoteAgent, cpu: Wanted['cpu'], context: Context): DraftObservation {
  const product = GUEST_ONLY[agent.name] ?? ''
  if (cpu.ok && cpu.fact.architecture === 'x86' && !cpu.fact.hypervisorBit)
    return supports(
      `Enabled for virtual machines of ${product} alone, not running, and the processor shows no hypervisor: ${named([worded(agent)])}.`,
      remoteAgents,
    )
  const text = `${worded(agent)} is enabled for virtual machines of ${product}, does not run now`
  return isDeclared(context, agent.name)
    ? supports(`${text}, and is declared.`, remoteAgents)
    : unclear(`${text}, and is not declared.`, remoteAgents)
}

/** Its fallback, DataSourceNone, which the installer of Ubuntu leaves in place: cloud-init found no source of instructions but the server’s own files. */
const isWithoutProvider = (cloud: Wanted['cloud']): boolean => cloud.ok && cloud.fact.cloudName === 'none'

/**
 * That cloud-init followed no provider at this boot; null where it may have. Its units are enabled for a target of their own, which its
 * generator leaves out where a file switches it off, as Ubuntu’s installer does, or nothing gives instructions; the file of what it was
 * given is in memory, and is there after each boot at which it ran.
 */
function withoutInstructions(agent: RemoteAgent, units: AgentUnits['units'], cloud: Wanted['cloud']): string | null {
  if (isWithoutProvider(cloud)) return 'starts at boot, found no provider’s instructions at this boot'
  const isIdle = cloud.ok && !cloud.fact.present && agent.units.every((unit) => units.get(unit)?.active !== true)
  return isIdle ? 'is enabled, did not start at this boot' : null
}

function provisioning({ cloud }: Wanted, context: Context): readonly DraftObservation[] {
  if (!cloud.ok) return unclearAbout(cloudInit, cloud)
  if (!cloud.fact.present) return [supports('No provider’s instructions for first boot are in place.', cloudInit)]
  if (isWithoutProvider(cloud))
    return [supports('cloud-init found no provider’s instructions at this boot.', cloudInit)]
  const text = `The server was initialized by a provider’s instructions (${named([cloud.fact.cloudName ?? 'unnamed'])})`
  return isDeclared(context, CLOUD_INIT)
    ? [supports(`${text}, as declared.`, cloudInit)]
    : [unclear(`${text}; whether they are followed at later boots is not shown, and they are not declared.`, cloudInit)]
}

function accounts(local: LocalAccounts, wanted: Wanted, { node }: Context): readonly DraftObservation[] {
  const declared = declaredNames(node)
  const suspects = local.accounts.filter(
    ({ name }) => (IMAGE_ACCOUNTS.has(name) || PROVIDER_ACCOUNTS.has(name)) && declared?.has(name) !== true,
  )
  const state = (account: LocalAccounts['accounts'][number]) =>
    canLogIn(account) ? doorState(loginMethods(account, wanted)) : 'closed'
  const open = suspects.filter((account) => state(account) === 'open')
  const unread = suspects.filter((account) => state(account) === 'unclear')
  const stated = local.accounts.filter(({ name }) => declaredAs(node, name)?.kind === 'provider')
  const names = (list: LocalAccounts['accounts']): string => named(list.map(({ name }) => name))
  return [
    ...(open.length > 0
      ? [
          contradicts(
            `Accounts of an image or a provider can be opened and are not declared: ${names(open)}.`,
            accountsLocal,
            'passwd',
          ),
        ]
      : []),
    ...(unread.length > 0
      ? [
          unclear(
            `Accounts of an image or a provider exist; whether something opens them was not read: ${names(unread)}.`,
            accountsLocal,
            'passwd',
          ),
        ]
      : []),
    ...(open.length + unread.length === 0
      ? [supports('No undeclared account of an image or a provider can be opened.', accountsLocal, 'passwd')]
      : []),
    ...(stated.length > 0
      ? [supports(`Declared as accounts of a provider: ${names(stated)}.`, accountsLocal, 'passwd')]
      : []),
  ]
}

function keyOwners(local: LocalAccounts, { keys }: Wanted, { node }: Context): readonly DraftObservation[] {
  if (!keys.ok) return unclearAbout(authorizedKeys, keys)
  if (keys.fact.unreadable > 0)
    return [
      unclear('Lines in the key files could not be read as keys, so that not every key is known.', authorizedKeys),
    ]
  if (keys.fact.keys.length === 0) return [supports('No SSH key is in place below /home and /root.', authorizedKeys)]
  const declared = declaredNames(node)
  if (declared === null)
    return [
      unclear(
        'No accounts were declared for this node, so that keys cannot be compared with expected ones.',
        authorizedKeys,
      ),
    ]
  const places = [...new Set(keys.fact.keys.map(({ path }) => homeOfKeyFile(path) ?? path))]
  const ownersOf = (place: string): LocalAccounts['accounts'] =>
    local.accounts.filter(({ home }) => home.replace(/(?<=.)\/$/, '') === place)
  // A key opens every account that shares the folder.
  const foreign = places.filter((place) => {
    const owners = ownersOf(place)
    const isOpen = owners.some((account) => canLogIn(account) && !declared.has(account.name))
    return owners.length > 0 && (isOpen || !owners.some(({ name }) => declared.has(name)))
  })
  const copies = places.filter((place) => ownersOf(place).length === 0)
  return [
    ...stepOn(contradicts, 'SSH keys lie with accounts that are not declared', foreign, authorizedKeys),
    ...stepOn(unclear, 'SSH keys are in files of no local account', copies, authorizedKeys),
    ...(foreign.length + copies.length === 0
      ? [supports('Every SSH key belongs to a declared account.', authorizedKeys)]
      : []),
  ]
}

export const providerAccessSubject = defineSubject({
  id: 'provider-access',
  title: 'Access of the provider',
  probes: [cloudInit, remoteAgents],
  checks: [accessProviderAccess],
  data,
})
