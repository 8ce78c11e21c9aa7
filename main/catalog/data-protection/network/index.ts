import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import data from './checks.json' with { type: 'json' }
import { networkConnections, networkFlowMap, proxySettings } from './flows.ts'
import { inventoryNetworkInterfaces, type NetInterface, netInterfaces } from './interfaces.ts'
import { networkKernelParams, sysctlNetwork, sysctlNetworkMore } from './kernel.ts'
import { guestAddress, OVERLAY_KINDS, softwareGateway } from './known-adapters.ts'
import {
  type Neighbour,
  type Neighbours,
  type NetLink,
  type NetLinks,
  netLinks,
  netNeighbours,
  netRoutes,
  type Route,
} from './links.ts'
import { netLldp, netLldpNetworkd, netLldpPlace } from './lldp.ts'

const networkSegmentation = defineCheck({
  id: 'network.segmentation',
  property: 'operations',
  expected: 'Interfaces, virtual networks, bridges and routes of this node are recorded.',
  ends: 'recorded',
  limitations:
    'No boundary was declared to compare with. What switches, routers and firewalls outside the node let through is not visible here, nor routes of other tables and of other network namespaces. A route shows where traffic would go, not that it arrives.',
  requires: { interfaces: netInterfaces, routes: netRoutes },
  optional: { links: netLinks },
  evaluate: ({ interfaces, routes }, { links }) => ({
    verdict: 'informational',
    observations: [
      interfaceStep(interfaces.interfaces),
      ...linkSteps(links),
      ...routeSteps('IPv4', routes.ipv4),
      ...routeSteps('IPv6', routes.ipv6),
    ],
  }),
})

function interfaceStep(interfaces: readonly NetInterface[]): DraftObservation {
  const up = interfaces.filter(({ isUp, driver }) => isUp && driver !== null)
  return supports(
    up.length === 0
      ? 'No interface that a device backs has a link.'
      : `${count(up.length, 'interface')} backed by a device and with a link: ${named(
          up.map(({ name }) => name),
          12,
        )}.`,
    netInterfaces,
  )
}

/** ip-link(8) names of what separates or joins networks, in a reader's words. */
const KINDS: readonly (readonly [string, string])[] = [
  ['vlan', 'VLANs'],
  ['vxlan', 'VXLAN overlays'],
  ['geneve', 'Geneve overlays'],
  ['bridge', 'bridges'],
  ['bond', 'bonds'],
  ['vrf', 'routing domains (VRF)'],
  ['macvlan', 'interfaces that share an adapter (macvlan)'],
  ['ipvlan', 'interfaces that share an adapter (ipvlan)'],
  ['wireguard', 'WireGuard tunnels'],
  ['ipip', 'IP-in-IP tunnels'],
  ['gre', 'GRE tunnels'],
]

function linkSteps(links: Parsed<NetLinks>): readonly DraftObservation[] {
  if (!links.ok) return unclearAbout(netLinks, links)
  const found = KINDS.flatMap(([kind, label]) => {
    const own = links.fact.links.filter((link) => link.kind === kind)
    return own.length === 0 ? [] : [`${label}: ${named(own.map(nameOf), 8)}`]
  })
  return [
    supports(
      found.length === 0
        ? 'No VLAN, overlay, bridge, bond or tunnel is configured on the node.'
        : `Set up on the node: ${found.join('; ')}.`,
      netLinks,
    ),
  ]
}

const nameOf = ({ name, networkId }: NetLink): string => (networkId === null ? name : `${name} (${networkId})`)

function routeSteps(label: string, routes: readonly Route[]): readonly DraftObservation[] {
  if (routes.length === 0) return [supports(`There is no ${label} route.`, netRoutes)]
  const gateways = routes.filter(({ to }) => to === 'default')
  const others = [...new Set(routes.filter(({ to }) => to !== 'default').map(describe))]
  return [
    supports(
      gateways.length === 0
        ? `There is no ${label} route to everywhere else.`
        : `${label} traffic to everywhere else leaves by ${named(gateways.map(way), 4)}.`,
      netRoutes,
    ),
    ...(others.length === 0
      ? []
      : [supports(`${count(others.length, `${label} network`)} routed: ${named(others, 16)}.`, netRoutes)]),
  ]
}

const way = ({ via, device }: Route): string =>
  [via, device === null ? null : `on ${device}`].filter((part) => part !== null).join(' ')

const describe = (route: Route): string =>
  route.drops === null
    ? `${route.to} ${route.via === null ? '' : 'via '}${way(route)}`.trim()
    : `${route.to} dropped (${route.drops})`

/** Kinds of interfaces behind which this system’s own containers and guests are. */
const INNER_KINDS: ReadonlySet<string> = new Set(['bridge', 'veth', 'tun', 'dummy', 'ipvlan', 'macvlan', 'macvtap'])

export const tenancyNetworkNeighbours = defineCheck({
  id: 'tenancy.network-neighbours',
  property: 'isolation',
  expected:
    'Only the node’s routers were recently observed on its own networks, and no router uses an address of virtualization software.',
  limitations:
    'The kernel’s neighbor table at one moment: a machine that sends nothing is not detected, and nothing is sent to find one. The permitted peers were not declared, so other machines leave this inconclusive. InfiniBand neighbors are not in this list.',
  requires: { neighbours: netNeighbours, links: netLinks },
  evaluate({ neighbours, links }) {
    const outer = outerNeighbours(neighbours, links)
    const routes = new Set(neighbours.gateways.map(({ address, device }) => `${device} ${address}`))
    const isRouter = ({ address, device }: Neighbour): boolean => routes.has(`${device} ${address}`)
    const routers = outer.filter(isRouter)
    // A router has an address for each protocol and network, but is one machine by its hardware address.
    const known = new Set(routers.map(({ mac }) => mac))
    return decide([
      ...routerSteps(routers),
      ...otherSteps(outer.filter((one) => !isRouter(one) && !known.has(one.mac))),
      ...(outer.length === 0
        ? [unclear('The kernel remembers no machine on the networks around it, not even a router.', netNeighbours)]
        : []),
    ])
  },
})

/** Neighbors outside this system. A bridge that carries a default route is over an adapter and counts as outside. */
function outerNeighbours({ neighbours, gateways }: Neighbours, { links }: NetLinks): readonly Neighbour[] {
  const ways = new Set(gateways.map(({ device }) => device))
  const inner = new Set(
    links
      .filter(({ name, kind }) => (INNER_KINDS.has(kind) || OVERLAY_KINDS.has(kind)) && !ways.has(name))
      .map(({ name }) => name),
  )
  return neighbours.filter(({ device }) => !inner.has(device))
}

function routerSteps(routers: readonly Neighbour[]): readonly DraftObservation[] {
  const soft = routers.flatMap(({ address, mac }) => {
    const whose = softwareGateway(mac)
    return whose === null ? [] : [{ address, text: `${mac} (${whose})` }]
  })
  const plain = new Set(routers.filter(({ mac }) => softwareGateway(mac) === null).map(({ mac }) => mac))
  return [
    ...(soft.length > 0
      ? [
          contradicts(
            `Routers use addresses of virtualization software, to which other guests can be connected: ${named(soft.map(({ text }) => text))}.`,
            netNeighbours,
            'neighbours',
          ),
        ]
      : []),
    ...(plain.size > 0
      ? [
          supports(
            `Observed ${count(plain.size, 'router')}, by hardware address: ${named([...plain], 4)}.`,
            netNeighbours,
            'neighbours',
          ),
        ]
      : []),
  ]
}

function otherSteps(others: readonly Neighbour[]): readonly DraftObservation[] {
  const guests = others.filter(({ mac }) => guestAddress(mac) !== null)
  const rest = others.filter(({ mac }) => guestAddress(mac) === null)
  const text = ({ address, device }: Neighbour): string => `${address} on ${device}`
  return [
    ...(guests.length > 0
      ? [
          contradicts(
            `Virtual machines are on the same network, by the addresses that hypervisors give (${guests.length}): ${named(guests.map(text), 4)}.`,
            netNeighbours,
            'neighbours',
          ),
        ]
      : []),
    ...(rest.length > 0
      ? [
          unclear(
            `Other machines are on the same network, and their owner was not declared (${rest.length}): ${named(rest.map(text), 4)}.`,
            netNeighbours,
            'neighbours',
          ),
        ]
      : []),
  ]
}

export const networkSubject = defineSubject({
  id: 'network',
  title: 'Network interfaces and routes',
  probes: [
    netInterfaces,
    netLinks,
    netLldp,
    netNeighbours,
    netLldpPlace,
    netLldpNetworkd,
    networkConnections,
    sysctlNetwork,
    netRoutes,
    proxySettings,
    sysctlNetworkMore,
  ],
  checks: [
    tenancyNetworkNeighbours,
    inventoryNetworkInterfaces,
    networkKernelParams,
    networkSegmentation,
    networkFlowMap,
  ],
  data,
})
