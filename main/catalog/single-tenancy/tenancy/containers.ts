import { known } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { accountsLocal, type LocalAccounts } from '../../access/accounts/probes.ts'
import {
  type Container,
  containersOf,
  type Pods,
  plainId,
  tenancyPods,
  tenancyProcesses,
} from '../../base/processes.ts'
import { contradicts, count, decide, named, stepOn, supports, unclear } from '../../base/steps.ts'
import { peopleOf, rosterOf, type TenancyReadings, viewSteps } from './readings.ts'
import { namespaces } from './sessions.ts'

/**
 * Namespaces in which Kubernetes, its distributions, its network and its GPU drivers run their own parts on every node. Exact names: any
 * person can make one that is alike.
 */
const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set([
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'kube-flannel',
  'gpu-operator',
  'gpu-operator-resources',
  'nvidia-gpu-operator',
  'nvidia-network-operator',
  'network-operator',
  'node-feature-discovery',
  'cert-manager',
  'calico-system',
  'calico-apiserver',
  'tigera-operator',
  'cilium',
  'cilium-secrets',
  'metallb-system',
  'ingress-nginx',
  'local-path-storage',
  'longhorn-system',
  'rook-ceph',
  'monitoring',
  'cattle-system',
  'cattle-fleet-system',
  'openshift-cluster-node-tuning-operator',
  'openshift-dns',
  'openshift-image-registry',
  'openshift-ingress-canary',
  'openshift-kni-infra',
  'openshift-machine-config-operator',
  'openshift-monitoring',
  'openshift-multus',
  'openshift-network-diagnostics',
  'openshift-network-node-identity',
  'openshift-network-operator',
  'openshift-nfd',
  'openshift-ovn-kubernetes',
  'openshift-sdn',
])

/**
 * Running containers and Kubernetes namespaces, against the roster. A container that root's manager started can run under any user number,
 * so a roster name among its users explains nothing; a login account that is not on the roster contradicts, except in a pod, which no
 * account here starts. Containers that have a name (LXC, systemd-nspawn) are explained by that name on the roster.
 */
export function containerSteps(
  { processes, pods, accounts }: Pick<TenancyReadings, 'processes' | 'pods' | 'accounts'>,
  context: Context,
): readonly DraftObservation[] {
  const missing = [...unclearAbout(tenancyPods, pods), ...unclearAbout(accountsLocal, accounts)]
  if (!processes.ok || !pods.ok || !accounts.ok) return missing
  const containers = containersOf(processes.fact)
  const spaces = spacesOf(pods.fact)
  if (containers.length === 0 && spaces.length === 0)
    return [supports('No container runs, and no tenant’s Kubernetes namespace has pods here.', tenancyProcesses)]
  const managers = [...new Set(containers.map(({ manager }) => manager))].sort()
  const what = `${count(containers.length, 'container')} with processes (${managers.join(', ') || 'none'})`
  const roster = rosterOf(context)
  if (roster === null)
    return [unclear(`${what}, and no roster was declared to identify their owners.`, tenancyProcesses)]
  const open = [
    ...spaceSteps(spaces, runningSpaces(containers, pods.fact), roster),
    ...unlistedPods(containers, pods.fact),
    ...ownerSteps(containers, accounts.fact, roster, what),
  ]
  return open.length > 0
    ? open
    : [
        supports(
          `${what}, all of them under owners on the declared roster${spaces.length === 0 ? '' : `; Kubernetes namespaces ${named(spaces)}`}.`,
          tenancyProcesses,
        ),
      ]
}

const spacesOf = ({ pods }: Pods): readonly string[] =>
  [...new Set(pods.map(({ namespace }) => namespace))].filter((name) => !SYSTEM_NAMESPACES.has(name)).sort()

/** Digits of the id of each pod that has a folder → its namespace. */
export const namespacesOf = ({ pods }: Pods): ReadonlyMap<string, string> =>
  new Map(pods.map(({ uid, namespace }) => [plainId(uid), namespace]))

/** Whether a namespace is on the roster, or one in which Kubernetes runs its own parts. */
export const isOwnSpace = (name: string, roster: ReadonlySet<string>): boolean =>
  roster.has(name) || SYSTEM_NAMESPACES.has(name)

/** Namespaces of which a pod has a process. The folder of a pod stays until the pod is deleted, though it ended, or for good without a kubelet. */
function runningSpaces(containers: readonly Container[], { pods }: Pods): ReadonlySet<string> {
  const running = new Set(containers.filter(({ manager }) => manager === 'Kubernetes').map(({ id }) => plainId(id)))
  return new Set(pods.filter(({ uid }) => running.has(plainId(uid))).map(({ namespace }) => namespace))
}

function spaceSteps(
  spaces: readonly string[],
  running: ReadonlySet<string>,
  roster: ReadonlySet<string>,
): readonly DraftObservation[] {
  const foreign = spaces.filter((name) => !roster.has(name))
  return [
    ...stepOn(
      contradicts,
      'Kubernetes namespaces with pods here that are not on the declared roster',
      foreign.filter((name) => running.has(name)),
      tenancyPods,
    ),
    ...stepOn(
      unclear,
      'Kubernetes namespaces that are not on the declared roster have folders of pods, none of which runs now',
      foreign.filter((name) => !running.has(name)),
      tenancyPods,
    ),
  ]
}

/** Pods that run and have no folder: the kubelet keeps its folders elsewhere, or something else made the groups. */
function unlistedPods(containers: readonly Container[], { pods }: Pods): readonly DraftObservation[] {
  const listed = new Set(pods.map(({ uid }) => plainId(uid)))
  const unlisted = containers.filter(({ manager, id }) => manager === 'Kubernetes' && !listed.has(plainId(id)))
  return unlisted.length === 0
    ? []
    : [
        unclear(
          `Of ${count(unlisted.length, 'running pod')} the Kubernetes namespace is unknown: the list of pods lacks them.`,
          tenancyPods,
        ),
      ]
}

const NAMED_MANAGERS: ReadonlySet<string> = new Set(['LXC', 'systemd-nspawn'])

function ownerSteps(
  containers: readonly Container[],
  accounts: LocalAccounts,
  roster: ReadonlySet<string>,
  what: string,
): readonly DraftObservation[] {
  const people = peopleOf(accounts)
  const names = new Set(people.map(({ name }) => name))
  const isForeign = (user: string): boolean => names.has(user) && !roster.has(user)
  const isOwned = ({ manager, id, ownerId }: Container): boolean =>
    people.some(({ uid, name }) => uid === ownerId && roster.has(name)) ||
    (NAMED_MANAGERS.has(manager) && roster.has(id))
  // The namespace decides whose a pod is, unless an account runs Kubernetes itself: an image chooses the number that its processes have.
  const byNumber = containers.filter(({ manager, ownerId }) => manager !== 'Kubernetes' || ownerId !== null)
  const foreign = [...new Set(byNumber.flatMap(({ users }) => users.filter(isForeign)))].sort()
  const unowned = containers.filter(
    (container) => container.manager !== 'Kubernetes' && !isOwned(container) && !container.users.some(isForeign),
  )
  return [
    ...(foreign.length > 0
      ? [
          contradicts(
            `Containers run under accounts that are not on the declared roster: ${named(foreign)}.`,
            tenancyProcesses,
          ),
        ]
      : []),
    ...(unowned.length > 0
      ? [
          unclear(
            `${what}; for ${unowned.length} no owner on the declared roster could be identified.`,
            tenancyProcesses,
          ),
        ]
      : []),
  ]
}

export const tenancyContainerCensus = defineCheck({
  id: 'tenancy.container-census',
  property: 'isolation',
  expected: 'No container runs on this system except under owners that the declared roster names.',
  limitations:
    'One moment of observation, based on control groups and folder names. The roster is a statement, and activity inside a container is not evaluated.',
  requires: { namespaces, processes: tenancyProcesses, pods: tenancyPods, accounts: accountsLocal },
  evaluate: ({ namespaces: own, processes, pods, accounts }, _, context) =>
    decide([
      ...viewSteps({ namespaces: known(own), processes: known(processes) }),
      ...containerSteps({ processes: known(processes), pods: known(pods), accounts: known(accounts) }, context),
    ]),
})
