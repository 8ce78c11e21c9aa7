import { type Context, type Step, unclearAbout } from '../../core/check.ts'
import { accountsLocal } from '../probes/accounts-local.ts'
import { tenancyPods } from '../probes/tenancy-pods.ts'
import {
  type Container,
  containersOf,
  guestServicesOf,
  monitorsOf,
  tenancyProcesses,
} from '../probes/tenancy-processes.ts'
import { virtGuests } from '../probes/virt-guests.ts'
import { count, leavesUnclear, named, speaksAgainst, speaksFor } from '../steps.ts'
import type { TenancyReadings } from './readings.ts'

/** The declared roster, or null where none was declared. */
export const rosterOf = ({ node }: Context): ReadonlySet<string> | null =>
  node.roster === undefined ? null : new Set(node.roster)

// Namespaces in which Kubernetes and its drivers run their own parts.
const SYSTEM_NAMESPACES =
  /^(kube-[a-z-]+|gpu-operator.*|nvidia-.*|network-operator.*|cert-manager|calico-.*|tigera-operator|cilium.*|metallb-system|ingress-nginx|local-path-storage|monitoring|longhorn-system|rook-ceph)$/

/**
 * Running containers and Kubernetes namespaces, against the roster. A container that root's manager started can run under any user
 * number, so a roster name among its users explains nothing; a login account that is not on the roster speaks against.
 */
export function containerSteps(
  { processes, pods, accounts }: Pick<TenancyReadings, 'processes' | 'pods' | 'accounts'>,
  context: Context,
): readonly Step[] {
  const missing = [...unclearAbout(tenancyPods, pods), ...unclearAbout(accountsLocal, accounts)]
  if (!processes.ok || !pods.ok || !accounts.ok) return missing
  const containers = containersOf(processes.fact)
  const spaces = [...new Set(pods.fact.pods.map(({ namespace }) => namespace))]
    .filter((name) => !SYSTEM_NAMESPACES.test(name))
    .sort()
  if (containers.length === 0 && spaces.length === 0)
    return [speaksFor('No container runs, and no tenant’s Kubernetes namespace has pods here.', tenancyProcesses)]
  const managers = [...new Set(containers.map(({ manager }) => manager))].sort()
  const what = `${count(containers.length, 'container')} with processes (${managers.join(', ') || 'none'})`
  const roster = rosterOf(context)
  if (roster === null)
    return [leavesUnclear(`${what}, and no roster was declared to tell whose they are.`, tenancyProcesses)]
  const people = accounts.fact.accounts.filter(({ name, uid }) => uid >= 1000 && name !== 'nobody')
  const isForeign = (user: string): boolean => people.some(({ name }) => name === user) && !roster.has(user)
  const foreignSpaces = spaces.filter((name) => !roster.has(name))
  const foreignUsers = [...new Set(containers.flatMap(({ users }) => users.filter(isForeign)))].sort()
  const isOwned = ({ ownerId }: Container): boolean =>
    people.some(({ uid, name }) => uid === ownerId && roster.has(name))
  const unowned = containers.filter(
    (container) => container.manager !== 'Kubernetes' && !isOwned(container) && !container.users.some(isForeign),
  )
  return [
    ...(foreignSpaces.length > 0
      ? [
          speaksAgainst(
            `Kubernetes namespaces with pods here that are not on the declared roster: ${named(foreignSpaces)}.`,
            tenancyPods,
          ),
        ]
      : []),
    ...(foreignUsers.length > 0
      ? [
          speaksAgainst(
            `Containers run under accounts that are not on the declared roster: ${named(foreignUsers)}.`,
            tenancyProcesses,
          ),
        ]
      : []),
    ...(unowned.length > 0
      ? [
          leavesUnclear(
            `${what}; of ${unowned.length} nobody on the declared roster can be named as the owner.`,
            tenancyProcesses,
          ),
        ]
      : []),
    ...(foreignSpaces.length + foreignUsers.length + unowned.length === 0
      ? [speaksFor(`${what}, all of them under owners on the declared roster.`, tenancyProcesses)]
      : []),
  ]
}

/** Virtual machines that run here, and services that would start them. */
export function guestSteps(
  { processes, guests }: Pick<TenancyReadings, 'processes' | 'guests'>,
  context: Context,
): readonly Step[] {
  const missing = unclearAbout(virtGuests, guests)
  if (!processes.ok || !guests.ok) return missing
  const monitors = monitorsOf(processes.fact)
  const services = guestServicesOf(processes.fact)
  const open = guests.fact.openGuests ?? 0
  const owners = [...new Set(monitors.map(({ user }) => user))].sort()
  const roster = rosterOf(context)
  const explained = monitors.length > 0 && owners.every((owner) => roster?.has(owner) === true && owner !== 'root')
  return [
    ...(monitors.length === 0
      ? []
      : [
          (explained ? leavesUnclear : speaksAgainst)(
            `Virtual machines run here (${monitors.length}), under ${named(owners)}: ${named([...new Set(monitors.map(({ command }) => command))])}.`,
            tenancyProcesses,
          ),
        ]),
    ...(open > 0 && monitors.length === 0
      ? [
          speaksAgainst(
            `The kernel has ${count(open, 'virtual machine')} open, and no process that we can name runs it.`,
            virtGuests,
            'uses',
          ),
        ]
      : []),
    ...(services.length > 0
      ? [
          leavesUnclear(
            `Services that start virtual machines are running: ${named([...new Set(services.map(({ command }) => command))])}.`,
            tenancyProcesses,
          ),
        ]
      : []),
    ...(monitors.length === 0 && open === 0
      ? [
          speaksFor(
            `No virtual machine runs here${guests.fact.openGuests === null ? '' : '; the kernel has none open'}.`,
            virtGuests,
          ),
        ]
      : []),
  ]
}
