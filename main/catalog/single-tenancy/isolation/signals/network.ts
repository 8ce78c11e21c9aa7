import { quote } from '../../../../core/base/plain-text.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { contradicts, count, named, unclear } from '../../../base/steps.ts'
import { type NetInterface, netInterfaces } from '../../../data-protection/network/interfaces.ts'
import {
  guestAddress,
  HYPERVISOR_DRIVERS,
  IMITATED_DRIVERS,
  isLocallyGiven,
  isVirtio,
  PROVIDER_DRIVERS,
} from '../../../data-protection/network/known-adapters.ts'
import { pciDevices, pciPorts } from '../../../hardware/pci/probes.ts'
import { cpuFeatures } from '../../../hardware/processors/features.ts'
import { isRepresentor, partOf } from '../attachments.ts'
import { cardFunctions } from '../pci-hardware.ts'
import { hintSign, metal, neutral, oddSign, type Sign, type Signal, sign, unreadable, virtual } from '../signal.ts'
import { fabricSignals } from './fabric.ts'
import { surroundingSignals } from './surroundings.ts'

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
        oddSign(
          `${names(alone)} (${named(
            alone.map(({ pciId }) => pciId ?? 'no id'),
            2,
          )}): a virtual function, and the adapter that it is a part of is not in this system; on hardware both are.`,
          netInterfaces,
          'drivers',
        ),
      ]

function virtioSigns(virtio: readonly Backed[]): readonly Sign[] {
  return virtio.length === 0
    ? []
    : [
        hintSign(
          `${names(virtio)} on virtio. Guests have such adapters, and so has hardware with a data-processing unit.`,
          netInterfaces,
          'drivers',
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
            // Where the driver shows that the adapter is the hypervisor’s or provider’s, the address adds nothing;
            // under a manufacturer’s driver, it contradicts.
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

/**
 * Signals of the adapters and the network around them. Adapters that only look virtual show where they are attached,
 * not what the machine is.
 */
export const networkSignals: readonly Signal[] = [driver, mac, ...surroundingSignals, ...fabricSignals]
