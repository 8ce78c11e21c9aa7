import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { guestAddress, OVERLAY_KINDS, softwareGateway } from '../isolation/net-tables.ts'
import { type NetLinks, netLinks } from '../probes/net-links.ts'
import { type Neighbour, type Neighbours, netNeighbours } from '../probes/net-neighbours.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'

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
    // A router has an address for each protocol and each network, and is one machine by its hardware address.
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

/** Neighbors outside of this system. A bridge that a default route leaves by is one over an adapter, and counts as outside. */
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
