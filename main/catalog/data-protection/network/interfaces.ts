import { defineProbe, glob, known, run, unknown } from '../../../core/recording/probe.ts'
import { defineCheck } from '../../../core/rules/check.ts'
import { longListing, sysfsFound, sysfsValues, wholeNumber } from '../../base/read-listing.ts'
import { ALWAYS_FILE, inOrder, isContainerEnd, lines, OF_ALWAYS_FILE } from '../../base/read-text.ts'
import { count, named, supports } from '../../base/steps.ts'

export interface NetInterface {
  readonly name: string
  readonly mac: string
  readonly isUp: boolean
  readonly mtu: number | null
  readonly speedMbps: number | null
  /** Null for interfaces that no device backs: bridges, tunnels, container ends. */
  readonly driver: string | null
  readonly pciId: string | null
  /** Its position in the kernel’s device tree. */
  readonly path: string
  /** The PCI function that carries it. */
  readonly pciAddress: string | null
  /**
   * Origin of its address: 0 the device, 1 random, 2 another device, 3 set by a person. Null where the kernel did not
   * state it.
   */
  readonly addressSource: number | null
  /**
   * PCI address of the physical function that this one is a part of; null where it is not a part, or the whole is not
   * in this system.
   */
  readonly physicalFunction: string | null
  /** Virtual functions that it can be divided into; null where it cannot. */
  readonly divisibleInto: number | null
  /**
   * The kernel’s name of the port on the adapter; pf0vf3 and similar names represent a switch port toward another
   * function.
   */
  readonly portName: string
}

interface NetInterfaces {
  readonly interfaces: readonly NetInterface[]
}

const FILES = ['address', 'operstate', 'mtu', 'speed', 'addr_assign_type', 'phys_port_name', 'sriov_totalvfs']
/** PATH_MAX: the kernel has no longer path. */
const LONGEST_PATH = 4096
const PCI_ADDRESS = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/

/** Documentation/ABI/testing/sysfs-class-net and sysfs-bus-pci; include/uapi/linux/netdevice.h for where an address comes from. */
export const netInterfaces = defineProbe({
  id: 'net.interfaces',
  title: 'Network interfaces',
  why: 'Shows which network adapters are physical, virtual functions, or emulated.',
  ignoredInDrift: {
    why: 'Container interfaces appear and disappear with their containers, and software interfaces have random addresses. Not detected: an interface created or named like a container interface.',
    normalize: ({ interfaces }: NetInterfaces) => ({
      interfaces: inOrder(
        interfaces
          .filter(({ name, driver }) => driver !== null || !isContainerEnd(name))
          .map(({ mac, ...rest }) => (rest.addressSource === 1 ? rest : { ...rest, mac: lastingAddress(mac) })),
      ),
    }),
  },
  commands: {
    list: run(['ls', '-l', '/sys/class/net']),
    values: run(
      [
        'grep',
        '-sH',
        '',
        glob('/sys/class/net/*/address'),
        glob('/sys/class/net/*/operstate'),
        glob('/sys/class/net/*/mtu'),
        glob('/sys/class/net/*/speed'),
        glob('/sys/class/net/*/addr_assign_type'),
        glob('/sys/class/net/*/phys_port_name'),
        glob('/sys/class/net/*/device/sriov_totalvfs'),
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
    drivers: run(
      [
        'grep',
        '-sH',
        '-E',
        '^(DRIVER|PCI_ID|PCI_SLOT_NAME)=|^Linux$',
        glob('/sys/class/net/*/device/uevent'),
        glob('/sys/class/net/*/device/physfn/uevent'),
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
  },
  parse({ list, values, drivers }) {
    if (list.exitCode !== 0) return unknown('the network interfaces could not be listed')
    const read = sysfsValues(values.text, FILES)
    const devices = new Map<string, string>()
    for (const { path, line } of sysfsFound(drivers.text, ['uevent'])) {
      const [key = '', value = ''] = line.split('=')
      devices.set(`${path.slice(0, -'/uevent'.length)} ${key}`, value)
    }
    const links = longListing(lines(list.text)).filter(({ target }) => target !== null)
    if (links.length === 0) return unknown('the list of network interfaces is empty')
    return known<NetInterfaces>({
      interfaces: links.map(({ name, target }): NetInterface => {
        const own = `/sys/class/net/${name}`
        const at = (file: string): string | undefined => read.get(`${own}/${file}`)
        const of = (key: string, device = 'device'): string | undefined => devices.get(`${own}/${device} ${key}`)
        const path = (target ?? '').slice(0, LONGEST_PATH)
        const isBacked = !path.includes('/virtual/net/')
        const slot = of('PCI_SLOT_NAME')
        const onPath = path.split('/').filter((part) => PCI_ADDRESS.test(part))
        return {
          name,
          mac: at('address') ?? '',
          isUp: at('operstate') === 'up',
          mtu: wholeNumber(at('mtu')),
          speedMbps: wholeNumber(at('speed')),
          driver: isBacked ? (of('DRIVER') ?? 'unnamed') : null,
          pciId: of('PCI_ID')?.toLowerCase() ?? null,
          path,
          pciAddress: slot !== undefined && PCI_ADDRESS.test(slot) ? slot : (onPath.at(-1) ?? null),
          addressSource: wholeNumber(at('addr_assign_type')),
          physicalFunction: of('PCI_SLOT_NAME', 'device/physfn') ?? null,
          divisibleInto: wholeNumber(at('device/sriov_totalvfs')),
          portName: at('phys_port_name') ?? '',
        }
      }),
    })
  },
})

/**
 * The part of an address that lasts. One over InfiniBand has 20 bytes: the number of a queue pair and the prefix of the subnet, which change
 * between starts, and the 8 bytes of the port itself (Documentation/infiniband/ipoib.rst, RFC 4391 §9.1.1).
 */
export const lastingAddress = (mac: string): string =>
  /^([0-9a-f]{2}:){19}[0-9a-f]{2}$/i.test(mac) ? mac.slice(-'00:00:00:00:00:00:00:00'.length) : mac

export const inventoryNetworkInterfaces = defineCheck({
  id: 'inventory.network-interfaces',
  property: 'evidence',
  expected: 'The network interfaces of this server are recorded with their addresses and drivers.',
  ends: 'recorded',
  limitations: 'Reported by the kernel. Addresses can be set by software, and the other end of a link is not shown.',
  requires: { nics: netInterfaces },
  evaluate({ nics: { interfaces } }) {
    const backed = interfaces.filter(({ driver }) => driver !== null)
    const list = backed.map(
      ({ name, driver, mac, speedMbps, isUp }) =>
        `${name} (${driver}, ${mac}${speedMbps === null || speedMbps <= 0 ? '' : `, ${speedMbps} Mb/s`}${isUp ? '' : ', down'})`,
    )
    return {
      verdict: 'informational',
      observations: [
        supports(
          `${count(backed.length, 'interface')} backed by a device${list.length === 0 ? '' : `: ${named(list, 12)}`}; ${interfaces.length - backed.length} made by software.`,
          netInterfaces,
        ),
      ],
    }
  },
})
