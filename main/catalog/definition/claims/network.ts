import { known, type Parsed } from '../../../core/recording/probe.ts'
import { readFrom } from '../../../core/recording/readings.ts'
import type { DraftObservation } from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, stepOn, supports, unclear } from '../../base/steps.ts'
import { type NetInterface, netInterfaces } from '../../data-protection/network/interfaces.ts'
import { HYPERVISOR_DRIVERS, isVirtio, PROVIDER_DRIVERS } from '../../data-protection/network/known-adapters.ts'
import { type Fabric, type FabricAdapter, type FabricPort, infiniband } from '../../hardware/fabric/index.ts'
import { type RdmaLinks, rdmaLinks } from '../../hardware/fabric/rdma.ts'
import { type PciDevices, pciDevices } from '../../hardware/pci/probes.ts'
import { isRepresentor, isSoftwareAdapter, nicAnswers, partOf } from '../../single-tenancy/isolation/attachments.ts'
import { decideEnvironment } from '../../single-tenancy/isolation/rules.ts'
import { SIGNAL_PROBES } from '../../single-tenancy/isolation/signals.ts'
import { claimTest, MOST_GBPS, numberBetween, oneOf, plainClaimTest } from './values.ts'

/** An RDMA port of hardware with the adapter it belongs to. */
interface Port extends FabricPort {
  readonly of: FabricAdapter
}

function portsOf({ adapters, ports }: Fabric): readonly Port[] {
  const byName = new Map(adapters.map((adapter) => [adapter.name, adapter]))
  return ports.flatMap((port) => {
    const of = byName.get(port.adapter)
    return of === undefined || isSoftwareAdapter(of) ? [] : [{ ...port, of }]
  })
}

const portName = ({ adapter, port }: FabricPort): string => `${adapter}/${port}`

/**
 * For ports that should be active and are not: contradicts where the kernel states that each is down, otherwise
 * unclear.
 */
function withoutActive(ports: readonly Port[], rdma: Parsed<RdmaLinks>, kind: string): DraftObservation {
  const down = new Set(
    rdma.ok ? rdma.fact.ports.filter(({ active }) => !active).map(({ device, port }) => `${device}/${port}`) : [],
  )
  const text = `None of ${count(ports.length, `${kind} port`)} is active: ${named(ports.map(portName))}.`
  return ports.every((port) => down.has(portName(port))) ? contradicts(text, rdmaLinks) : unclear(text, infiniband)
}

/**
 * Network adapters, by vendor and device, that support RDMA but whose port the kernel lists only with a separate
 * driver (pci.ids).
 */
const ABLE: readonly RegExp[] = [/^15b3:/, /^14e4:(16[cd]|17[56])/, /^19e5:a22/, /^8086:(159|18[89]|37[cd])/]

/**
 * Why there is no port of that kind: contradicts where the bus was read completely and contains no adapter that could
 * have one.
 */
function withoutPort({ devices }: PciDevices, fabric: Fabric, kind: 'InfiniBand' | 'RoCE'): DraftObservation {
  const seen = new Set(fabric.adapters.map(({ pciAddress }) => pciAddress))
  const idle = devices.filter(
    (device) =>
      !seen.has(device.address) &&
      (kind === 'InfiniBand'
        ? device.class.startsWith('0207')
        : device.class.startsWith('0200') && ABLE.some((id) => id.test(`${device.vendor}:${device.device}`))),
  )
  if (devices.length === 0)
    return unclear('No device is listed on a PCI bus, so that nothing shows which adapters there are.', pciDevices)
  return idle.length > 0
    ? unclear(
        `${count(idle.length, 'adapter')} on the PCI bus could have a port of ${kind}, and the kernel has none for it.`,
        pciDevices,
      )
    : contradicts(
        `No ${kind} port of an adapter among ${count(fabric.ports.length, 'RDMA port')}, and no idle adapter for one among ${count(devices.length, 'PCI device')}.`,
        infiniband,
      )
}

const LIMITS =
  'The nominal rate of a port, as its driver gives it. Where the port leads, what else shares the way, and how much goes through are not shown; nothing was sent.'

export const networkEthernetRate = claimTest({
  id: 'network.ethernet-rate',
  title: 'A port of the Ethernet network is up at the claimed nominal rate or better.',
  takes: { kind: 'number', unit: 'Gbit/s' },
  limitations: LIMITS,
  of(value, check) {
    const promised = numberBetween(value, 0.01, MOST_GBPS)
    if (promised === null) return null
    return check({
      property: 'operations',
      expected: `An Ethernet port is up at ${promised} Gbit/s or more.`,
      requires: { nics: netInterfaces },
      evaluate({ nics }) {
        const ports = nics.interfaces.filter(isPort)
        const up = ports.filter(({ isUp }) => isUp)
        const fast = up.filter((nic) => isRated(nic) && (nic.speedMbps ?? 0) >= promised * 1000)
        const silent = up.filter((nic) => !isRated(nic))
        if (fast.length > 0)
          return decide([supports(`Up at that rate or better: ${named(fast.map(rated))}.`, netInterfaces)])
        if (up.length === 0) return decide([unclear('No Ethernet port of hardware is known to be up.', netInterfaces)])
        return decide([
          silent.length > 0
            ? unclear(
                `Up, with no rate reported by the driver: ${named(silent.map(({ name }) => name))}.`,
                netInterfaces,
              )
            : contradicts(`Every Ethernet port that is up is slower: ${named(up.map(rated))}.`, netInterfaces),
        ])
      },
    })
  },
})

const rated = ({ name, speedMbps }: NetInterface): string => `${name}, ${(speedMbps ?? 0) / 1000} Gbit/s`

/** What drivers report for an unknown rate: minus one in two or four bytes (ethtool.h, SPEED_UNKNOWN). */
const NO_RATE: readonly number[] = [65_535, 4_294_967_295]

/** A part of an adapter gives the rate of the whole, regardless of who else shares it. */
const isRated = (nic: NetInterface): boolean =>
  nic.speedMbps !== null && !NO_RATE.includes(nic.speedMbps) && partOf(nic, nic.driver ?? '') === null

// RFC 4391, 5: addresses of IP over InfiniBand are twenty bytes long; Ethernet's are six.
const ETHERNET = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i

/** A port that hardware backs. Rates of paravirtual adapters are numbers of a program; those on USB lead to the management controller. */
const isPort = (nic: NetInterface): boolean =>
  nic.driver !== null &&
  ETHERNET.test(nic.mac) &&
  !nic.path.includes('/usb') &&
  !HYPERVISOR_DRIVERS.has(nic.driver) &&
  !isVirtio(nic.driver, nic.path) &&
  !isRepresentor(nic)

const KINDS = ['infiniband', 'roce'] as const

const NETWORK_FABRIC_KIND_LIMITS =
  'The kind of link that RDMA ports of adapters have, by the kernel. A port that is there and not active leaves it open, and no port counts as absent while an adapter without a listed port could have one.'

/**
 * The fabric of a node, for claims about one kind only. Unlike `network.rdma`, a port that is down never shows that
 * the node lacks the fabric: the cable may be at fault rather than the order.
 * Documentation/ABI/stable/sysfs-class-infiniband, link_layer.
 */
export const networkFabricKind = claimTest({
  id: 'network.fabric-kind',
  title: 'The node has a port of the named kind of RDMA fabric.',
  takes: { kind: 'text', oneOf: KINDS },
  limitations: NETWORK_FABRIC_KIND_LIMITS,
  of(value, check) {
    const kind = oneOf(value, KINDS)
    if (kind === null) return null
    const word = kind === 'infiniband' ? 'InfiniBand' : 'RoCE'
    return check({
      property: 'operations',
      expected: `An RDMA port of an adapter has the link of ${word}, and it is active.`,
      requires: { fabric: infiniband, pci: pciDevices },
      evaluate({ fabric, pci }) {
        const layer = kind === 'infiniband' ? 'InfiniBand' : 'Ethernet'
        const all = portsOf(fabric)
        const ports = all.filter(({ linkLayer }) => linkLayer === layer)
        const active = ports.filter(({ isActive }) => isActive)
        if (active.length > 0)
          return decide([supports(`Active over ${layer}: ${named(active.map(portName))}.`, infiniband)])
        if (ports.length > 0)
          return decide([unclear(`Over ${layer}, and not active: ${named(ports.map(portName))}.`, infiniband)])
        const unstated = all.filter(({ linkLayer }) => linkLayer !== 'InfiniBand' && linkLayer !== 'Ethernet')
        return decide([
          unstated.length > 0
            ? unclear(`The kernel does not give the kind of link of ${named(unstated.map(portName))}.`, infiniband)
            : withoutPort(pci, fabric, word),
        ])
      },
    })
  },
})

const NETWORK_INFINIBAND_RATE_LIMITS =
  'The nominal rate and width of a port, as the kernel gives them. The traffic and other users of the fabric’s switches are not shown; nothing was sent.'

export const networkInfinibandRate = claimTest({
  id: 'network.infiniband-rate',
  title: 'An InfiniBand port is active at the claimed nominal rate or better.',
  takes: { kind: 'number', unit: 'Gbit/s' },
  limitations: NETWORK_INFINIBAND_RATE_LIMITS,
  of(value, check) {
    const promised = numberBetween(value, 1, MOST_GBPS)
    if (promised === null) return null
    return check({
      property: 'operations',
      expected: `An InfiniBand port is active at ${promised} Gbit/s or more.`,
      requires: { fabric: infiniband, pci: pciDevices },
      optional: { rdma: rdmaLinks },
      evaluate({ fabric, pci }, { rdma }) {
        const ports = portsOf(fabric).filter(({ linkLayer }) => linkLayer === 'InfiniBand')
        if (ports.length === 0) return decide([withoutPort(pci, fabric, 'InfiniBand')])
        const active = ports.filter(({ isActive }) => isActive)
        if (active.length === 0) return decide([withoutActive(ports, rdma, 'InfiniBand')])
        const fast = active.filter((port) => (gigabits(port) ?? 0) >= promised)
        if (fast.length > 0)
          return decide([
            supports(`Active at that rate or better: ${named(fast.map(infinibandRated))}.`, infiniband, 'values'),
          ])
        const silent = active.filter((port) => gigabits(port) === null)
        return decide([
          silent.length > 0
            ? unclear(
                `Active, with no rate reported by the kernel: ${named(silent.map(portName))}.`,
                infiniband,
                'values',
              )
            : contradicts(
                `Every InfiniBand port that is active is slower: ${named(active.map(infinibandRated))}.`,
                infiniband,
                'values',
              ),
        ])
      },
    })
  },
})

/** sysfs-class-infiniband: "200 Gb/sec (4X HDR)". */
function gigabits({ rate }: Port): number | null {
  const digits = /^(\d{1,6}(?:\.\d{1,3})?) Gb\/sec/.exec(rate)?.[1]
  return digits === undefined ? null : Number(digits)
}

const infinibandRated = (port: Port): string => `${portName(port)}, ${port.rate}`

const NETWORK_OWN_PORT_LIMITS =
  'The adapter on the node’s side. Whether the switch, the cable and the way behind it are shared is with the provider.'

export const networkOwnPort = plainClaimTest({
  id: 'network.own-port',
  title: 'Network ports that are up are whole adapters of the machine, and no parts that a host hands out.',
  limitations: NETWORK_OWN_PORT_LIMITS,
  property: 'isolation',
  expected: 'Every network port that is up belongs to a whole adapter of the machine that the system runs on.',
  requires: { nics: netInterfaces },
  optional: SIGNAL_PROBES,
  evaluate({ nics }, wanted) {
    const read = readFrom(new Map([...Object.entries(wanted), [netInterfaces.id, known(nics)]]))
    const places = new Map(
      nicAnswers(read, decideEnvironment(read).environment).map(({ device, attachment }) => [device, attachment]),
    )
    const up = nics.interfaces.filter((nic) => nic.isUp && nic.driver !== null && !isRepresentor(nic))
    const isOthers = (nic: NetInterface): boolean =>
      nic.physicalFunction === null && !PROVIDER_DRIVERS.has(nic.driver ?? '') && partOf(nic, nic.driver ?? '') !== null
    const isWhole = ({ name }: NetInterface): boolean => places.get(name) === 'physical'
    const others = up.filter(isOthers)
    const whole = up.filter((nic) => !isOthers(nic) && isWhole(nic))
    const open = up.filter((nic) => !isOthers(nic) && !isWhole(nic))
    const names = (nics: readonly NetInterface[]): readonly string[] => nics.map(({ name }) => name)
    return decide([
      ...stepOn(
        contradicts,
        'Parts of an adapter that is not in this system, so that others can share it',
        names(others),
        netInterfaces,
      ),
      ...stepOn(supports, 'Whole adapters of this machine', names(whole), netInterfaces),
      ...stepOn(unclear, 'Adapters not shown to be whole and this machine’s own', names(open), netInterfaces),
      ...(up.length === 0 ? [unclear('No network port of hardware is known to be up.', netInterfaces)] : []),
    ])
  },
})

const RDMA_KINDS = ['roce-v2', 'infiniband', 'either'] as const

/**
 * Drivers whose adapters all use RoCE version 2: ConnectX-4 and later (mlx5), NetXtreme-E (bnxt), Kunpeng (hns). Older ones use version 1,
 * and adapters of other manufacturers can be set to iWARP, with the same kind of port.
 */
const VERSION_2: ReadonlySet<string> = new Set(['mlx5_core', 'bnxt_en', 'hns3'])

const NETWORK_RDMA_LIMITS =
  'An active port of an adapter that supports it, as reported by the kernel. Which version of RoCE a connection uses is chosen for each connection and not read, and neither are the switches’ settings against loss.'

const CLAIMS: Readonly<Record<(typeof RDMA_KINDS)[number], string>> = {
  infiniband: 'An RDMA port over InfiniBand is active.',
  'roce-v2': 'An RDMA port over Ethernet is active, of an adapter that supports RoCE version 2.',
  either: 'An RDMA port is active, over InfiniBand or of an adapter that supports RoCE version 2.',
}

export const networkRdma = claimTest({
  id: 'network.rdma',
  title: 'An RDMA port of the claimed kind is active.',
  takes: { kind: 'text', oneOf: RDMA_KINDS },
  limitations: NETWORK_RDMA_LIMITS,
  of(value, check) {
    const kind = oneOf(value, RDMA_KINDS)
    if (kind === null) return null
    return check({
      property: 'operations',
      expected: CLAIMS[kind],
      requires: { fabric: infiniband, pci: pciDevices },
      optional: { rdma: rdmaLinks },
      evaluate({ fabric, pci }, { rdma }) {
        const steps = (kind === 'either' ? (['infiniband', 'roce-v2'] as const) : [kind]).map((one) =>
          stepOf(one, fabric, pci, rdma),
        )
        // Where two alternatives fit, one that is present suffices.
        const there = steps.filter(({ direction }) => direction === 'supports')
        const open = steps.filter(({ direction }) => direction === 'unclear')
        return decide(there.length > 0 ? there : open.length > 0 ? open : steps)
      },
    })
  },
})

function stepOf(
  kind: 'roce-v2' | 'infiniband',
  fabric: Fabric,
  pci: PciDevices,
  rdma: Parsed<RdmaLinks>,
): DraftObservation {
  const [layer, word] =
    kind === 'infiniband' ? (['InfiniBand', 'InfiniBand'] as const) : (['Ethernet', 'RoCE'] as const)
  const ports = portsOf(fabric).filter(({ linkLayer }) => linkLayer === layer)
  if (ports.length === 0) return withoutPort(pci, fabric, word)
  const active = ports.filter(({ isActive }) => isActive)
  if (active.length === 0) return withoutActive(ports, rdma, word)
  const able = active.filter(({ of }) => kind === 'infiniband' || VERSION_2.has(of.driver ?? ''))
  return able.length > 0
    ? supports(`Active over ${layer}: ${named(able.map(portName))}.`, infiniband)
    : unclear(
        `Active over ${layer}, by a driver that does not report the protocol: ${named(active.map(portName))}.`,
        infiniband,
      )
}
