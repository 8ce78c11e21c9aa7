import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { type NetInterface, netInterfaces } from '../probes/net-interfaces.ts'
import { type NetLink, type NetLinks, netLinks } from '../probes/net-links.ts'
import { netRoutes, type Route } from '../probes/net-routes.ts'
import { count, named, supports } from '../steps.ts'

export const networkSegmentation = defineCheck({
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
