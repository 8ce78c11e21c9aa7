import { quote } from '../../../core/plain-text.ts'
import { type NetInterface, netInterfaces } from '../../network/interfaces.ts'
import { netLinks, netNeighbours } from '../../network/links.ts'
import { type LldpNeighbour, netLldp } from '../../network/lldp.ts'
import { pciDevices, pciPorts } from '../../pci/probes.ts'
import { cpuFeatures } from '../../processors/features.ts'
import { contradicts, count, named, supports, unclear } from '../../steps.ts'
import { isRepresentor, partOf } from '../attachments.ts'
import {
  guestAddress,
  HYPERVISOR_DRIVERS,
  IMITATED_DRIVERS,
  isLocallyGiven,
  isSharedGateway,
  isVirtio,
  OVERLAY_KINDS,
  PROVIDER_DRIVERS,
  SERVER_BRIDGE,
  SHARING_KINDS,
  SWITCH_SOFTWARE,
  softwareGateway,
} from '../cpu-tables.ts'
import { cardFunctions } from '../pci-hardware.ts'
import { metal, neutral, type Read, type Sign, type Signal, sign, unreadable, virtual } from '../signal.ts'
import { fabricSignals } from './fabric.ts'

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
    // A container's or guest network's own gateway is no evidence of the machine: only what is behind an adapter, or a bridge or bond over
    // one.
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
            sign(
              'hint',
              null,
              contradicts(
                `The gateway responds with ${quote(mac, 20)}, an address of software: ${whose}.`,
                netNeighbours,
                'neighbours',
              ),
            ),
          ),
      )
    return found.every((mac) => !isLocallyGiven(mac) && !isSharedGateway(mac))
      ? metal(`${count(found.length, 'gateway address', 'gateway addresses')} of a manufacturer’s range`)
      : neutral(`${count(found.length, 'gateway address', 'gateway addresses')} shared by routers or generated`)
  },
}

/** What is around the adapters: overlays, the other end of the cable, the gateway. */
const surroundingSignals: readonly Signal[] = [overlay, lldp, neigh]

/** An interface that a device backs. */
interface Backed extends NetInterface {
  readonly driver: string
}

/** Adapters of this system; null where they were not read. Ports of an adapter's own switch and interfaces on USB are left out. */
function adaptersOf(read: Read): readonly Backed[] | null {
  const reading = read(netInterfaces)
  return reading.ok
    ? reading.fact.interfaces.filter(
        (nic): nic is Backed => nic.driver !== null && !isRepresentor(nic) && !nic.path.includes('/usb'),
      )
    : null
}

const reasonOf = (read: Read): string => {
  const reading = read(netInterfaces)
  return reading.ok ? '' : reading.reason
}

const NONE = 'no interface that this session sees is backed by an adapter'
const names = (nics: readonly NetInterface[]): string =>
  named(
    nics.map(({ name }) => name),
    4,
  )

const driver: Signal = {
  id: 'net.driver',
  family: 'network',
  title: 'Drivers of the network adapters',
  onMetal: 'whole adapters of hardware manufacturers',
  onGuest: 'virtio, VMware’s, Hyper-V’s or Xen’s adapters, or one virtual function of an adapter',
  spoofingEffort: 'S1',
  pitfalls: [
    'Amazon’s, Google’s, Microsoft’s and Alibaba’s adapters are presented by a card of the provider, on whole machines too; so is virtio by a data-processing unit.',
    'Adapters that emulators imitate (e1000, e1000e, igb and older ones) are on real boards as well: they are no evidence.',
    'An adapter that was passed through as a whole indicates bare metal.',
    'A provider’s card can present a virtual function to a whole machine (Huawei’s bare metal): it needs an explanation and decides nothing alone.',
    'Inside a container only its own interfaces are seen.',
  ],
  source:
    'Documentation/ABI/testing/sysfs-bus-pci (physfn); pci.ids; drivers/net/{vmxnet3,hyperv,xen-netfront.c,virtio_net.c}. Measured: corpus of captures.',
  probes: [netInterfaces, pciDevices, pciPorts, cpuFeatures],
  observe(read) {
    const nics = adaptersOf(read)
    if (nics === null) return unreadable(netInterfaces, reasonOf(read))
    if (nics.length === 0) return neutral(NONE)
    const provided = nics.filter((nic) => PROVIDER_DRIVERS.has(nic.driver))
    const alone = nics.filter(
      (nic) =>
        nic.physicalFunction === null &&
        !provided.includes(nic) &&
        !/\.sf\.\d+\//.test(nic.path) &&
        partOf(nic, nic.driver) !== null,
    )
    const cards = cardFunctions(read)
    const isOfCard = ({ pciAddress }: Backed): boolean => pciAddress !== null && cards.has(pciAddress)
    const virtio = nics.filter((nic) => isVirtio(nic.driver, nic.path))
    const signs = [
      ...hypervisorSigns(nics),
      ...loneSigns(alone),
      ...virtioSigns(virtio.filter((nic) => !isOfCard(nic))),
    ]
    const drivers = [...new Set(nics.map((nic) => nic.driver))].sort()
    const value = `${count(nics.length, 'adapter')}: ${named(drivers, 6)}`
    if (signs.length > 0) return virtual(value, ...signs)
    const whole = nics.filter(
      (nic) =>
        nic.pciAddress !== null &&
        !provided.includes(nic) &&
        !virtio.includes(nic) &&
        !IMITATED_DRIVERS.has(nic.driver) &&
        nic.driver !== 'unnamed' &&
        partOf(nic, nic.driver) === null,
    )
    if (whole.length > 0) return metal(value)
    if (virtio.length > 0)
      return neutral(
        value,
        unclear(
          `${names(virtio)} on virtio, presented by a data-processing unit in this machine; the network behind it belongs to the operator of that unit.`,
          netInterfaces,
          'drivers',
        ),
      )
    return provided.length > 0
      ? neutral(
          value,
          unclear(
            `${names(provided)}: an adapter that the provider’s card presents, to guests and to whole machines alike.`,
            netInterfaces,
            'drivers',
          ),
        )
      : neutral(value)
  },
}

const hypervisorSigns = (nics: readonly Backed[]): readonly Sign[] =>
  [...new Set(nics.map((nic) => nic.driver))].flatMap((one) => {
    const platform = HYPERVISOR_DRIVERS.get(one)
    return platform === undefined
      ? []
      : [
          sign(
            'names',
            platform,
            contradicts(
              `The driver of ${names(nics.filter((nic) => nic.driver === one))} is ${quote(one, 40)}, for adapters of ${platform}.`,
              netInterfaces,
              'drivers',
            ),
          ),
        ]
  })

const loneSigns = (alone: readonly Backed[]): readonly Sign[] =>
  alone.length === 0
    ? []
    : [
        sign(
          'odd',
          null,
          contradicts(
            `${names(alone)} (${named(
              alone.map(({ pciId }) => pciId ?? 'no id'),
              2,
            )}): a virtual function, and the adapter that it is a part of is not in this system; on hardware both are.`,
            netInterfaces,
            'drivers',
          ),
        ),
      ]

function virtioSigns(virtio: readonly Backed[]): readonly Sign[] {
  return virtio.length === 0
    ? []
    : [
        sign(
          'hint',
          null,
          contradicts(
            `${names(virtio)} on virtio. Guests have such adapters, and so has hardware with a data-processing unit.`,
            netInterfaces,
            'drivers',
          ),
        ),
      ]
}

/** Ranges that providers give to whole machines as well. */
const OPEN_RANGES: ReadonlySet<string> = new Set(['Xen', 'OpenStack', 'Google Compute Engine'])

const mac: Signal = {
  id: 'net.mac',
  family: 'network',
  title: 'Addresses of the network adapters',
  onMetal: 'addresses registered by an adapter manufacturer',
  onGuest: 'the beginnings that hypervisors hand out: 52:54:00, 00:50:56, 00:15:5d and others',
  spoofingEffort: 'S0',
  pitfalls: [
    'An address is text: a provider can set a real manufacturer’s as easily.',
    'Bonds, bridges and container ends generate their own addresses; only adapters are evaluated.',
    'Alibaba gives its whole machines addresses of Xen’s range, and Huawei of OpenStack’s: those ranges only hint.',
    'Software on real hardware can set any address; the kernel reports this, and then it does not count.',
  ],
  source: 'IEEE registration authority (MA-L); include/uapi/linux/netdevice.h (addr_assign_type).',
  probes: [netInterfaces],
  observe(read) {
    const nics = adaptersOf(read)
    if (nics === null) return unreadable(netInterfaces, reasonOf(read))
    const own = nics.filter(
      ({ mac: address, addressSource }) =>
        /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(address) && (addressSource ?? 0) === 0,
    )
    if (own.length === 0) return neutral(nics.length === 0 ? NONE : 'no adapter has an Ethernet address of its own')
    const given = own.flatMap((nic) => {
      const platform = guestAddress(nic.mac)
      return platform === null ? [] : [{ nic, platform }]
    })
    if (given.length > 0)
      return virtual(
        `${given.length} of ${count(own.length, 'address', 'addresses')} begin as those of guests`,
        ...given.slice(0, 16).map(({ nic, platform }) =>
          sign(
            // Where the adapter is the hypervisor's or provider's by its driver, the address adds nothing; under a manufacturer's driver it
            // contradicts.
            OPEN_RANGES.has(platform) ||
              isVirtio(nic.driver, nic.path) ||
              PROVIDER_DRIVERS.has(nic.driver) ||
              HYPERVISOR_DRIVERS.has(nic.driver)
              ? 'hint'
              : 'odd',
            null,
            contradicts(
              `The address of ${quote(nic.name, 40)} (driver ${quote(nic.driver, 40)}) begins with ${quote(nic.mac.slice(0, 8), 8)}, as ${platform} gives to guests.`,
              netInterfaces,
              'values',
            ),
          ),
        ),
      )
    const registered = own.filter((nic) => !isLocallyGiven(nic.mac))
    return registered.length === own.length
      ? metal(`${count(own.length, 'address', 'addresses')} of manufacturers’ ranges`)
      : neutral(
          `${own.length - registered.length} of ${count(own.length, 'address', 'addresses')} not from a manufacturer’s range`,
        )
  },
}

/** What adapters and the network around them show. Adapters that only look virtual state where they are, not what the machine is. */
export const networkSignals: readonly Signal[] = [driver, mac, ...surroundingSignals, ...fabricSignals]
