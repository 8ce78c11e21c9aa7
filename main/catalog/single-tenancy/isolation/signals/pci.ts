import { contradicts, count, named, supports, unclear } from '../../../base/steps.ts'
import { osIdentity } from '../../../hardware/machine/identity.ts'
import { type PciDevice, pciDevices, pciPorts } from '../../../hardware/pci/probes.ts'
import { type CpuFeatures, cpuFeatures } from '../../../hardware/processors/features.ts'
import { isSince2009 } from '../cpu-tables.ts'
import {
  BRIDGES_OF_32_BITS,
  COPIED_HOST_BRIDGES,
  COPIED_PARTS,
  cardFunctions,
  fitOfBridge,
  isSince2011,
  isUncore,
  LEAST_UNCORE,
  rootFitsProcessor,
  rootFunction,
  SHARED_VENDORS,
  showsUncore,
  VIRTUAL_HOST_BRIDGES,
  virtualDevicePlatform,
} from '../pci-hardware.ts'
import {
  hintSign,
  metal,
  neutral,
  notApplicable,
  oddSign,
  type Sign,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'
import { onPci } from './fabric.ts'
import { linkSignals, platformSignals } from './pci-platform.ts'

const id = ({ vendor, device }: PciDevice): string => `${vendor}:${device}`
const against = (weight: Sign['weight'], platform: string | null, text: string): Sign =>
  sign(weight, platform, contradicts(text, pciDevices, 'ids'))

/** Names of VIRTUAL_HOST_BRIDGES that are names of one platform. */
const ONE_PLATFORM: ReadonlySet<string> = new Set(['QEMU', 'Apple Virtualization', 'bhyve', 'OpenBSD vmm'])

const isHead = ({ address }: PciDevice): boolean => /^[0-9a-f]{4,8}:00:00\.0$/.test(address)

function virtualBridges(devices: readonly PciDevice[]): readonly Sign[] {
  return devices.filter(isHead).flatMap((bridge) => {
    const of = VIRTUAL_HOST_BRIDGES.get(id(bridge))
    if (of === undefined) return []
    const platform = ONE_PLATFORM.has(of) ? of : null
    return [
      against('impossible', platform, `The host bridge ${bridge.address} is ${id(bridge)}, as ${of} presents it.`),
    ]
  })
}

function copiedParts(devices: readonly PciDevice[], cpu: CpuFeatures | null, is64: boolean): readonly Sign[] {
  const isX86 = cpu?.architecture === 'x86'
  const bridges = devices.filter(isHead).flatMap((bridge) => {
    const copied = COPIED_HOST_BRIDGES.get(id(bridge))
    if (copied === undefined) return []
    if (is64 && BRIDGES_OF_32_BITS.has(id(bridge)))
      return [`This system runs in 64 bits behind the chipset ${copied}, which joins only 32-bit processors.`]
    return isX86 && isSince2009(cpu)
      ? [`A processor launched after 2009 sits behind the chipset ${copied}; on hardware the two cannot meet.`]
      : []
  })
  const parts = new Set(
    devices.flatMap((device) => {
      const part = COPIED_PARTS.get(id(device))
      const never = part?.never === '64-bit' ? is64 : isX86 && isSince2011(cpu)
      return part !== undefined && never ? [`${part.name} (${id(device)})`] : []
    }),
  )
  return [
    ...bridges,
    ...[...parts].map((part) => `The machine has ${part}; no hardware joins it with a processor like this one.`),
  ].map((text) => against('impossible', null, text))
}

function foreignBridge(root: PciDevice, cpu: CpuFeatures): readonly Sign[] {
  if (!root.class.startsWith('06') || VIRTUAL_HOST_BRIDGES.has(id(root))) return []
  const isAmd = cpu.vendor === 'AuthenticAMD' || cpu.vendor === 'HygonGenuine'
  if (isAmd && root.vendor === '8086')
    return [against('impossible', null, `The processor is AMD’s design, and its host bridge is Intel’s ${id(root)}.`)]
  if (cpu.vendor === 'GenuineIntel' && root.vendor === '1022')
    return [against('impossible', null, `The processor is Intel, and its host bridge is AMD’s ${id(root)}.`)]
  return []
}

function otherGeneration(root: PciDevice, cpu: CpuFeatures): readonly Sign[] {
  if (root.vendor !== '8086') return []
  const { fit, bridgeOf, processor } = fitOfBridge(cpu, root.device)
  return fit === 'differs'
    ? [
        against(
          'odd',
          null,
          `The host bridge ${id(root)} is part of a ${bridgeOf} processor, and this is a ${processor}.`,
        ),
      ]
    : []
}

const hostBridge: Signal = {
  id: 'pci.hostbridge',
  family: 'pci',
  title: 'Chipset behind the processor',
  onMetal:
    'the bridge of the processor’s own generation: 2020 Skylake, 09a2 Ice Lake and newer, 1022:1480 or 14a4 EPYC',
  onGuest: '440FX, Q35 or 440BX of 1996 to 2007 behind a current processor, or a bridge that no hardware has',
  spoofingEffort: 'S1',
  pitfalls: [
    'Q35’s bridge was a real part of 2007: only the mismatch with the processor counts.',
    'Chipsets of NVIDIA, ATI, VIA and others were used with old processors of Intel and AMD.',
    'The IDs are text in the source of a machine monitor: a rebuilt monitor can have others.',
  ],
  source:
    'pci.ids; QEMU hw/pci-host, Firecracker and Cloud Hypervisor sources. Measured: in 5 of 6 recorded guests (of the sixth the processor is not known), in none of 27 physical machines.',
  probes: [pciDevices, cpuFeatures, osIdentity],
  observe: (read) =>
    onPci(read, (devices) => {
      const [cpu, system] = [read(cpuFeatures), read(osIdentity)]
      const root = rootFunction(devices)
      const is64 = system.ok && system.fact.machine === 'x86_64'
      const signs = [
        ...virtualBridges(devices),
        ...copiedParts(devices, cpu.ok ? cpu.fact : null, is64),
        ...(cpu.ok && root !== null ? foreignBridge(root, cpu.fact) : []),
      ]
      const other = signs.length === 0 && cpu.ok && root !== null ? otherGeneration(root, cpu.fact) : []
      const summary = root === null ? 'no function 0000:00:00.0' : `0000:00:00.0 is ${id(root)}`
      if (signs.length + other.length > 0) return virtual(summary, ...signs, ...other)
      if (!cpu.ok) return unreadable(cpuFeatures, cpu.reason)
      const { holds, text } = rootFitsProcessor(read)
      return holds ? metal(summary, supports(text, pciDevices, 'ids')) : neutral(summary)
    }),
}

const uncore: Signal = {
  id: 'pci.uncore',
  family: 'pci',
  title: 'Inside of the processor on the PCI bus',
  onMetal:
    'memory controllers and mesh (Intel servers), northbridge or data fabric at 00:18 (AMD): dozens of functions',
  onGuest: 'none',
  spoofingEffort: 'S0',
  pitfalls: [
    'vfio-pci’s x-pci-vendor-id and x-pci-device-id give any function that is handed through any id.',
    'A patched monitor adds functions with any id.',
    'Intel’s desktop processors and arm64 show none.',
    'Firmware of older Intel servers can hide these buses.',
    'Ids alone can be copied; the drivers behind them (memory error detection, counters) then find nothing.',
  ],
  source:
    'pci.ids; Linux arch/x86/kernel/amd_nb.c, drivers/edac. Measured: 224 functions on a two-socket H100 server, none in any guest.',
  probes: [pciDevices, cpuFeatures],
  observe: (read) =>
    onPci(read, (devices) => {
      const found = devices.filter(isUncore)
      const cpu = read(cpuFeatures)
      if (found.length >= LEAST_UNCORE)
        return metal(
          `${count(found.length, 'function')} of the processor’s inside`,
          supports(
            `${count(found.length, 'PCI function belongs', 'PCI functions belong')} to the inside of the processor (memory controllers, mesh, data fabric).`,
            pciDevices,
            'ids',
          ),
        )
      if (!cpu.ok) return unreadable(cpuFeatures, cpu.reason)
      const shows = cpu.fact.architecture === 'x86' ? showsUncore(cpu.fact) : 'never'
      if (shows === 'never') return notApplicable('Processors of this kind show no inside on the PCI bus.')
      if (found.length > 0) return neutral(`${count(found.length, 'function')}, fewer than hardware has`)
      if (shows === null) return neutral('none, of a processor that is on no record')
      if (rootFunction(devices) === null) return neutral('none, in a tree whose root 0000:00:00.0 is missing')
      const text =
        'The PCI bus shows nothing of the processor’s inside (memory controllers, mesh, data fabric), which hardware of its kind does.'
      return virtual('none', against(shows === 'always' ? 'odd' : 'hint', null, text))
    }),
}

const chipsetSignals: readonly Signal[] = [hostBridge, uncore]

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
    oddSign(
      `${count(number, 'PCI device')} with the vendor id ${vendor} (${SHARED_VENDORS.get(vendor)}): guests have them, and so has hardware with a data-processing unit.`,
      pciDevices,
      'ids',
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
        oddSign('The machine has no PCI device at all; hardware of this kind always has.', pciDevices, 'tree'),
      )
    return onPci(read, (devices) => {
      const roots = new Set(devices.flatMap(({ root }) => root ?? [])).size
      const summary = `${count(devices.length, 'PCI function')} on ${count(Math.max(1, roots), 'root bus', 'root buses')}`
      if (devices.length <= FEW)
        return virtual(summary, hintSign(`${summary}: small servers have more, guests as few.`, pciDevices, 'tree'))
      return devices.length >= MANY && roots > 1
        ? metal(summary, supports(`${summary}, as servers have.`, pciDevices, 'tree'))
        : neutral(summary)
    })
  },
}

/**
 * Signals of the PCI tree: its manufacturers, root, size and ports, and the memory protection and instruments next to
 * it.
 */
export const pciSignals: readonly Signal[] = [
  vendors,
  subsystem,
  ...chipsetSignals,
  size,
  ...linkSignals,
  ...platformSignals,
]
