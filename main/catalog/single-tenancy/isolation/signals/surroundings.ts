import { quote } from '../../../../core/base/plain-text.ts'
import { count, named, supports, unclear } from '../../../base/steps.ts'
import { netInterfaces } from '../../../data-protection/network/interfaces.ts'
import {
  isLocallyGiven,
  isSharedGateway,
  OVERLAY_KINDS,
  SERVER_BRIDGE,
  SHARING_KINDS,
  SWITCH_SOFTWARE,
  softwareGateway,
} from '../../../data-protection/network/known-adapters.ts'
import { netLinks, netNeighbours } from '../../../data-protection/network/links.ts'
import { type LldpNeighbour, netLldp } from '../../../data-protection/network/lldp.ts'
import { hintSign, metal, neutral, type Signal, unreadable, virtual } from '../signal.ts'

/** Frame sizes that Ethernet networks are run with. Others are what is left next to the head of a tunnel. */
const PLAIN_FRAMES: ReadonlySet<number> = new Set([1500, 9000, 9001, 9216, 9202, 9192, 9100, 9600, 9978])

const overlay: Signal = {
  id: 'net.overlay',
  family: 'network',
  title: 'Overlays and tunnels on this system',
  onMetal: 'none, or those of the tenant’s own containers',
  onGuest: 'the same',
  spoofingEffort: 'S0',
  pitfalls: [
    'Overlays of containers (Kubernetes, Docker) are the tenant’s own.',
    'An overlay that the provider ends in a switch, a data-processing unit or a hypervisor is not visible from here. It never decides.',
    'Amazon’s and Google’s networks use frame sizes of their own on whole machines too.',
  ],
  source: 'ip-link(8), kinds of links; RFC 7348 (VXLAN), RFC 8926 (Geneve).',
  probes: [netLinks, netInterfaces],
  observe(read) {
    const [reading, nics] = [read(netLinks), read(netInterfaces)]
    if (!reading.ok) return unreadable(netLinks, reading.reason)
    const overlays = reading.fact.links.filter(({ kind }) => OVERLAY_KINDS.has(kind))
    const shared = reading.fact.links.filter(({ kind }) => SHARING_KINDS.has(kind))
    const small = nics.ok
      ? nics.fact.interfaces.filter(
          ({ driver, isUp, mtu, mac }) =>
            driver !== null && isUp && mtu !== null && mac.length === 17 && !PLAIN_FRAMES.has(mtu),
        )
      : []
    const kinds = [...new Set(overlays.map(({ kind }) => kind))].sort()
    return neutral(
      overlays.length === 0
        ? 'no overlay ends on this system'
        : `${count(overlays.length, 'overlay')}: ${kinds.join(', ')}`,
      unclear(
        'An overlay that the provider ends in a switch, a data-processing unit or a hypervisor is not visible from this system, so none can be excluded.',
        netLinks,
      ),
      ...(overlays.length > 0
        ? [
            unclear(
              `Networks inside other networks end here: ${named(
                overlays.map(({ name, kind }) => `${name} (${kind})`),
                6,
              )}. Those of container networks are made by this system itself.`,
              netLinks,
            ),
          ]
        : []),
      ...(shared.length > 0
        ? [
            unclear(
              `Interfaces that lend an adapter to others, such as containers, guests or tunnels: ${named(
                shared.map(({ name, kind }) => `${name} (${kind})`),
                6,
              )}.`,
              netLinks,
            ),
          ]
        : []),
      ...(small.length > 0
        ? [
            unclear(
              `Frame sizes that leave room for a tunnel around them: ${named(
                small.map(({ name, mtu }) => `${name} ${mtu ?? ''}`),
                4,
              )}.`,
              netInterfaces,
              'values',
            ),
          ]
        : []),
    )
  },
}

const isSwitch = ({ description, capabilities }: LldpNeighbour): boolean =>
  SWITCH_SOFTWARE.test(description) && capabilities.some((one) => one === 'Bridge' || one === 'Router')
const isServer = (neighbour: LldpNeighbour): boolean =>
  !isSwitch(neighbour) && SERVER_BRIDGE.test(neighbour.description)

const lldp: Signal = {
  id: 'net.lldp',
  family: 'network',
  title: 'The switch at the other end of the cable',
  onMetal: 'a physical switch names itself, with the port',
  onGuest: 'nothing, or the bridge of a host',
  spoofingEffort: 'S0',
  pitfalls: [
    'Many networks do not announce switches, and few nodes run the service: absence is no evidence.',
    'A host can be configured to pass the announcements of its switch on to a guest, or to falsify them.',
    'Data-processing units announce themselves to the machine that they serve.',
  ],
  source: 'IEEE 802.1AB; lldpd’s manual (lldpcli).',
  probes: [netLldp],
  observe(read) {
    const reading = read(netLldp)
    if (!reading.ok) return unreadable(netLldp, reading.reason)
    const { neighbours } = reading.fact
    const switches = neighbours.filter(isSwitch)
    const servers = neighbours.filter(isServer)
    const at = ({ device, name, chassis, port }: LldpNeighbour): string =>
      `${device} → ${name === '' ? chassis : name} ${port}`
    if (switches.length > 0)
      return metal(
        count(switches.length, 'switch', 'switches'),
        supports(
          `Physical switches announce themselves on the cables: ${named(switches.map(at), 4)}. The operator of the machine can falsify this.`,
          netLldp,
        ),
      )
    return servers.length > 0
      ? neutral(
          `${count(servers.length, 'server')} at the other end`,
          unclear(
            `What announces itself on the cables is software of a server (${quote(servers[0]?.description ?? '', 80)}): a host, a data-processing unit, or another machine.`,
            netLldp,
          ),
        )
      : neutral(
          neighbours.length === 0
            ? 'nothing announces itself'
            : `${count(neighbours.length, 'neighbor')} of an unknown kind`,
        )
  },
}

const neigh: Signal = {
  id: 'net.neigh',
  family: 'network',
  title: 'The address of the gateway',
  onMetal: 'one registered by a network equipment manufacturer',
  onGuest: 'one generated by software on the host',
  spoofingEffort: 'S0',
  pitfalls: [
    'Routers that share an address (VRRP, HSRP) and fabrics with one gateway address for all show no manufacturer’s address.',
    'Container networks and clouds make up gateways on whole machines too.',
    'A gateway without recent traffic has no entry.',
  ],
  source: 'ip-neighbour(8); RFC 9568 (VRRP); the gateways that Calico, Azure and Google document.',
  probes: [netNeighbours, netInterfaces],
  observe(read) {
    const [reading, nics] = [read(netNeighbours), read(netInterfaces)]
    if (!reading.ok) return unreadable(netNeighbours, reading.reason)
    const { neighbours, gateways } = reading.fact
    // The gateway of a container or guest network is no evidence about the machine; only what is behind an adapter,
    // or a bridge or bond over one, counts.
    const inner = new Set(
      nics.ok
        ? nics.fact.interfaces
            .filter(
              ({ driver, name }) =>
                driver === null && /^(docker|cni|virbr|veth|cali|flannel|lxd?|tun|tap|wg)/.test(name),
            )
            .map(({ name }) => name)
        : [],
    )
    const wanted = new Set(
      gateways.filter(({ device }) => !inner.has(device)).map(({ address, device }) => `${device} ${address}`),
    )
    const found = [
      ...new Set(neighbours.filter(({ address, device }) => wanted.has(`${device} ${address}`)).map(({ mac }) => mac)),
    ]
    if (found.length === 0) return neutral(gateways.length === 0 ? 'no default route' : 'the gateway has no entry')
    const soft = found.flatMap((mac) => {
      const whose = softwareGateway(mac)
      return whose === null ? [] : [{ mac, whose }]
    })
    if (soft.length > 0)
      return virtual(
        named(found, 3),
        ...soft
          .slice(0, 8)
          .map(({ mac, whose }) =>
            hintSign(
              `The gateway responds with ${quote(mac, 20)}, an address of software: ${whose}.`,
              netNeighbours,
              'neighbours',
            ),
          ),
      )
    return found.every((mac) => !isLocallyGiven(mac) && !isSharedGateway(mac))
      ? metal(`${count(found.length, 'gateway address', 'gateway addresses')} of a manufacturer’s range`)
      : neutral(`${count(found.length, 'gateway address', 'gateway addresses')} shared by routers or generated`)
  },
}

/** Signals around the adapters: overlays, the other end of the cable, the gateway. */
export const surroundingSignals: readonly Signal[] = [overlay, lldp, neigh]
