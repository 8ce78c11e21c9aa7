import { type PciDevice, pciDevices, pciPorts } from '../../pci/probes.ts'
import { cpuFeatures } from '../../processors/features.ts'
import { contradicts, count, named, supports, unclear } from '../../steps.ts'
import { cardFunctions, SHARED_VENDORS, virtualDevicePlatform } from '../pci-hardware.ts'
import { metal, neutral, type Sign, type Signal, sign, virtual } from '../signal.ts'
import { onPci } from './on-gpu.ts'
import { chipsetSignals } from './pci-chipset.ts'
import { linkSignals } from './pci-links.ts'
import { platformSignals } from './pci-platform.ts'

function groups<K>(devices: readonly PciDevice[], key: (device: PciDevice) => K | null): ReadonlyMap<K, number> {
  const counts = new Map<K, number>()
  for (const device of devices) {
    const name = key(device)
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

const vendorSigns = (devices: readonly PciDevice[]): readonly Sign[] => [
  ...[...groups(devices, virtualDevicePlatform)].map(([platform, number]) =>
    sign(
      'names',
      platform,
      contradicts(
        `${count(number, 'PCI device')} with a vendor or device id that only ${platform} presents.`,
        pciDevices,
        'ids',
      ),
    ),
  ),
  ...[
    ...groups(devices, (device) =>
      virtualDevicePlatform(device) === null && SHARED_VENDORS.has(device.vendor) ? device.vendor : null,
    ),
  ].map(([vendor, number]) =>
    sign(
      'odd',
      null,
      contradicts(
        `${count(number, 'PCI device')} with the vendor id ${vendor} (${SHARED_VENDORS.get(vendor)}): guests have them, and so has hardware with a data-processing unit.`,
        pciDevices,
        'ids',
      ),
    ),
  ),
]

const vendors: Signal = {
  id: 'pci.vendors',
  family: 'pci',
  title: 'Manufacturers of the PCI devices',
  onMetal: 'chip manufacturers: 8086, 1022, 10de, 15b3 and the like',
  onGuest:
    'ids that only hypervisors present (1b36, 15ad, 5853, 80ee), or paravirtual devices (1af4, 1d0f, 1ae0, 1414)',
  spoofingEffort: 'S0',
  pitfalls: [
    'Bare metal behind a data-processing unit shows 1af4, 1d0f, 1ded or 1ae0 on real hardware: those alone decide nothing. Behind a processor port that is known to be real, or as virtio with such a unit, they are no evidence about the machine.',
    'A guest with emulated or passed-through devices of real manufacturers shows none.',
  ],
  source: 'pci.ids; QEMU docs/specs/pci-ids. Measured: in all 6 recorded guests, in none of 27 physical machines.',
  probes: [pciDevices, pciPorts, cpuFeatures],
  observe: (read) =>
    onPci(read, (devices) => {
      const cards = cardFunctions(read)
      const ofCards = devices.filter(({ address }) => cards.has(address))
      const signs = vendorSigns(devices.filter(({ address }) => !cards.has(address)))
      if (signs.length === 0 && ofCards.length > 0)
        return neutral(
          `${count(devices.length, 'device')}, ${ofCards.length} of them presented by a card`,
          unclear(
            `${count(ofCards.length, 'PCI function')} (${named(
              ofCards.map(({ address }) => address),
              4,
            )}) presented by a data-processing unit or a card of the provider, behind a port of the processor: the device behind the function is not visible from here. It is no evidence about the machine.`,
            pciDevices,
            'ids',
          ),
        )
      return signs.length === 0
        ? metal(`${count(devices.length, 'device')}, none of a manufacturer of virtual devices`)
        : virtual(`${signs.length === 1 ? 'one kind' : `${signs.length} kinds`} of virtual or shared devices`, ...signs)
    }),
}

const subsystem: Signal = {
  id: 'pci.subsystem',
  family: 'pci',
  title: 'Board manufacturer, as reported by its chips',
  onMetal: 'the manufacturer of the server or of the card',
  onGuest: 'QEMU’s 1af4:1100 on copied chips, also where everything else was renamed',
  spoofingEffort: 'S1',
  pitfalls: ['Virtio devices carry 1af4 in this place by their own standard; they are not counted.'],
  source:
    'QEMU include/hw/pci/pci.h, default subsystem of its devices. Measured: in every recorded guest of QEMU, disguised or not.',
  probes: [pciDevices],
  observe: (read) =>
    onPci(read, (devices) => {
      const own = devices.filter(
        ({ vendor, subsystemVendor, subsystemDevice }) =>
          subsystemVendor === '1af4' && subsystemDevice === '1100' && vendor !== '1af4',
      )
      if (own.length > 0)
        return virtual(
          `1af4:1100 on ${count(own.length, 'device')}`,
          sign(
            'impossible',
            'QEMU',
            contradicts(
              `QEMU’s subsystem ID 1af4:1100 is on ${count(own.length, 'device')} of other manufacturers (${named(
                own.map(({ address }) => address),
                3,
              )}).`,
              pciDevices,
              'ids',
            ),
          ),
        )
      const filled = devices.filter(({ subsystemVendor }) => subsystemVendor !== '0000')
      return filled.length === 0
        ? neutral('no chip names a board')
        : metal(`${filled.length} of ${devices.length} devices name a board, none QEMU’s`)
    }),
}

const FEW = 9
const MANY = 60

const size: Signal = {
  id: 'pci.count',
  family: 'pci',
  title: 'Size of the PCI tree',
  onMetal: 'servers 100 to 600 functions on several root buses',
  onGuest: '6 to 45 functions on one root bus',
  spoofingEffort: 'S0',
  pitfalls: [
    'Functions, ports and root buses (pxb-pcie) can be added by QEMU options, in any number.',
    'Small edge boards have 10 to 30 functions.',
    'A guest with many passed-through devices has more.',
  ],
  source: 'Measured: 11 to 281 functions on physical machines captured whole, 6 to 9 in 6 guests.',
  probes: [pciDevices, cpuFeatures],
  observe(read) {
    const [pci, cpu] = [read(pciDevices), read(cpuFeatures)]
    if (pci.ok && pci.fact.devices.length === 0 && cpu.ok && cpu.fact.architecture === 'x86')
      return virtual(
        'none',
        sign(
          'odd',
          null,
          contradicts('The machine has no PCI device at all; hardware of this kind always has.', pciDevices, 'tree'),
        ),
      )
    return onPci(read, (devices) => {
      const roots = new Set(devices.flatMap(({ root }) => root ?? [])).size
      const said = `${count(devices.length, 'PCI function')} on ${count(Math.max(1, roots), 'root bus', 'root buses')}`
      if (devices.length <= FEW)
        return virtual(
          said,
          sign('hint', null, contradicts(`${said}: small servers have more, guests as few.`, pciDevices, 'tree')),
        )
      return devices.length >= MANY && roots > 1
        ? metal(said, supports(`${said}, as servers have.`, pciDevices, 'tree'))
        : neutral(said)
    })
  },
}

/** What the PCI tree shows: its manufacturers, its head, its size, its ports, the memory protection and instruments next to it. */
export const pciSignals: readonly Signal[] = [
  vendors,
  subsystem,
  ...chipsetSignals,
  size,
  ...linkSignals,
  ...platformSignals,
]
