import { ok } from '../../../core/base/failure.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, unclearAbout } from '../../../core/rules/check.ts'
import { declaredAs } from '../../access/accounts/login-traces.ts'
import { accountsLocal } from '../../access/accounts/probes.ts'
import {
  type CloudInit,
  cloudInit,
  PROVIDER_ACCOUNTS,
  REMOTE_AGENTS,
  type RemoteAgent,
  remoteAgents,
  worksBy,
} from '../../access/provider-access/probes.ts'
import { containersOf, tenancyProcesses } from '../../base/processes.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { inventoryMemory } from '../../hardware/machine/memory.ts'
import { boundBy, timeSteps } from '../../location/bounds.ts'
import { countryName, isCountry, readDelay } from '../../location/discs.ts'
import { cloudInitSignals } from '../../location/provider-signals.ts'
import { nonceEcho } from '../../operations/evidence/probes.ts'
import { claimTest, numberBetween, oneOf, plainClaimTest } from './values.ts'

const LIMITS =
  'Agents listed in this catalog, accounts that providers document, and accounts that were declared as the provider’s. None of these shows that the provider has no access: the management controller, the console and unknown agents are not detected.'

/** cloud-init works at boot and lets no one in later. */
const AT_BOOT_ONLY = 'cloud-init'

/** Evidence of administration by a provider. It can agree with a statement that the provider operates the node, and never contradicts it. */
export const accessProviderAgents = plainClaimTest({
  id: 'access.provider-agents',
  title: 'An agent or an account of a provider is present, through which it can administer the node.',
  limitations: LIMITS,
  property: 'access',
  expected: 'An agent of a provider runs or starts at boot, or an account of a provider exists.',
  requires: { agents: remoteAgents },
  optional: { processes: tenancyProcesses, local: accountsLocal },
  evaluate({ agents }, { processes, local }, { node }) {
    const running = new Set(processes.ok ? processes.fact.processes.map(({ command }) => command) : [])
    const works = (agent: RemoteAgent): boolean => worksBy(agents, agent)
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

const LOCATION_COUNTRY_LIMITS =
  'It bounds the holder of the SSH session keys, by land borders and the speed of light; a relay in the country with a copy of the host key would respond the same way. It assumes the declared places of the measuring computers and their clocks. The provider’s statement at first boot, in a file that administrators of the server can change, makes it inconclusive where it names another country, and cannot support it. Neither data, copies nor backups are bounded.'

export const locationCountry = claimTest({
  id: 'location.country',
  title: 'The SSH responder is inside the claimed country.',
  takes: { kind: 'text', unit: 'ISO 3166-1 code of two letters' },
  limitations: LOCATION_COUNTRY_LIMITS,
  of(value, check) {
    const promised = typeof value === 'string' && /^[A-Z]{2}$/.test(value) && isCountry(value) ? value : null
    if (promised === null) return null
    return check({
      property: 'location',
      expected: `The SSH responder is inside ${countryName(promised)}.`,
      requires: { echo: nonceEcho },
      optional: { cloud: cloudInit },
      evaluate({ echo }, { cloud }, context) {
        const delay = readDelay(echo, context)
        const asked = ok({ region: { kind: 'countries', codes: [promised] } } as const)
        const { indicates, because } = boundBy({ of: 'residency', title: countryName(promised), asked }, delay, context)
        const argued = decide([...because, ...stated(cloud, promised)])
        return {
          ...argued,
          observations: [...argued.observations, ...timeSteps(delay, indicates === 'inside' ? 'supports' : 'unclear')],
        }
      },
    })
  },
})

/**
 * What the provider stated at first boot may concern another machine, or may have changed: where it disagrees, a
 * person has to examine it.
 */
const stated = (cloud: Parsed<CloudInit>, promised: string): readonly DraftObservation[] => [
  ...unclearAbout(cloudInit, cloud),
  ...cloudInitSignals(cloud)
    .filter(({ country }) => country !== null && country !== promised)
    .map(({ text }) => unclear(`${text} The provider claims ${countryName(promised)}.`, cloudInit)),
]

/**
 * The kernel does not count one part in 64 of the installed memory, which its own page list occupies (struct page: 64
 * bytes for 4,096), nor what firmware reserves. From 97 percent this explains the difference; below 90 percent it
 * does not. Between them the result is unclear.
 */
const EXPLAINED = 0.97
const UNEXPLAINED = 0.9
const MOST_GIB = 1_048_576

const MEMORY_GIB_LIMITS =
  'Memory that the kernel counts as its own, plus at most three percent that it and the firmware keep. Which modules hold it, and how fast they are, is not shown.'

export const memoryGib = claimTest({
  id: 'memory.gib',
  title: 'The system has at least the claimed memory.',
  takes: { kind: 'number', unit: 'GiB' },
  limitations: MEMORY_GIB_LIMITS,
  of(value, check) {
    const promised = numberBetween(value, 1, MOST_GIB)
    if (promised === null) return null
    return check({
      property: 'operations',
      expected: `The system has ${promised} GiB of memory or more, including the part reserved by kernel and firmware.`,
      requires: { memory: inventoryMemory },
      evaluate({ memory }) {
        const gib = memory.totalKib / 1024 / 1024
        // Cut off, not rounded: a shown number never reaches one that was not there.
        const shown = `${Math.floor(gib * 10) / 10} GiB`
        if (gib >= promised * EXPLAINED) return decide([supports(`The kernel counts ${shown}.`, inventoryMemory)])
        return decide([
          gib < promised * UNEXPLAINED
            ? contradicts(`The kernel reports ${shown}; the provider claims ${promised} GiB.`, inventoryMemory)
            : unclear(
                `The kernel reports ${shown}: less than ${promised} GiB by more than it usually reserves, and by less than a module.`,
                inventoryMemory,
              ),
        ])
      },
    })
  },
})

const KINDS = ['kubernetes', 'slurm'] as const

/** Programs of each on a node that does work, as ps shows them, cut after 15 characters. */
const PROGRAMS: Readonly<Record<(typeof KINDS)[number], RegExp>> = {
  kubernetes: /^(kubelet|k3s(-server|-agent)?|rke2|k0s|kubelite)$/,
  slurm: /^slurm(d|stepd)$/,
}

const SOFTWARE_SCHEDULER_LIMITS =
  'Programs of root by their names at one moment. The owner of the cluster, whether the node accepts work, and its configuration are not shown.'

export const softwareScheduler = claimTest({
  id: 'software.scheduler',
  title: 'The node’s program of the claimed scheduler runs.',
  takes: { kind: 'text', oneOf: KINDS },
  limitations: SOFTWARE_SCHEDULER_LIMITS,
  of(value, check) {
    const kind = oneOf(value, KINDS)
    if (kind === null) return null
    const word = kind === 'slurm' ? 'Slurm' : 'Kubernetes'
    return check({
      property: 'operations',
      expected: `The program that joins this node to ${word} runs.`,
      requires: { processes: tenancyProcesses },
      evaluate({ processes }) {
        const running = processes.processes.filter(
          ({ user, command }) => user === 'root' && PROGRAMS[kind].test(command),
        )
        const pods = kind === 'slurm' ? [] : containersOf(processes).filter(({ manager }) => manager === word)
        if (running.length > 0)
          return decide([
            supports(
              `Running: ${named([...new Set(running.map(({ command }) => command))].sort())}${pods.length > 0 ? `, with ${count(pods.length, 'pod')}` : ''}.`,
              tenancyProcesses,
            ),
          ])
        if (pods.length > 0)
          return decide([
            unclear(
              `${count(pods.length, 'pod')} of ${word} runs under a program not listed in this catalog.`,
              tenancyProcesses,
            ),
          ])
        return decide([
          processes.isComplete
            ? contradicts(
                `No program of ${word} is among ${count(processes.processes.length, 'process', 'processes')}, in a list that is complete.`,
                tenancyProcesses,
              )
            : unclear('The list of processes is not complete, so that one may run unseen.', tenancyProcesses),
        ])
      },
    })
  },
})
