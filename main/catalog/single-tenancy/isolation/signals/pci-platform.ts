import type { Read } from '../../../../core/recording/readings.ts'
import { contradicts, count, named, supports, unclear } from '../../../base/steps.ts'
import { pciIommu } from '../../../hardware/pci/iommu.ts'
import {
  isNvidiaGpu,
  isOnRootBus,
  type PciDevice,
  type PciPort,
  pciDevices,
  pciPorts,
  type UsbDevice,
  usbDevices,
} from '../../../hardware/pci/probes.ts'
import { type CpuFeatures, cpuFeatures, cpuPlatform } from '../../../hardware/processors/features.ts'
import { cpuSensors } from '../../../hardware/processors/instruments.ts'
import { fastPorts, isSwitchPort, showsUncore } from '../pci-hardware.ts'
import { workingControllers } from '../processors/cpu-hardware.ts'
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

const cpuOf = (read: Read): CpuFeatures | null => {
  const cpu = read(cpuFeatures)
  return cpu.ok ? cpu.fact : null
}

const isPort = ({ class: kind, maxLinkSpeed }: PciDevice): boolean => kind.startsWith('0604') && maxLinkSpeed !== null
const addresses = (devices: readonly { readonly address: string }[]): string =>
  named(
    devices.map(({ address }) => address),
    3,
  )

// PCI Express defined 32 lanes and no one built them; models of ports are set to the most there is.
const WIDEST_BUILT = 16
const GEN1 = 2.5

function linkSigns(devices: readonly PciDevice[], cpu: CpuFeatures | null): readonly Sign[] {
  const ports = devices.filter(isPort)
  const isX86 = cpu?.architecture === 'x86'
  const wide = ports.filter(({ maxLinkWidth }) => (maxLinkWidth ?? 0) > WIDEST_BUILT)
  const isServer = isX86 && showsUncore(cpu) === 'always' && cpu.vendor === 'GenuineIntel'
  const isSlow = ports.length > 0 && ports.every(({ maxLinkSpeed }) => maxLinkSpeed === GEN1)
  const throttled = devices
    .filter((device) => isNvidiaGpu(device) && (device.maxLinkSpeed ?? 0) >= 8)
    .filter((gpu) => {
      const port = ports.find(({ address }) => address === gpu.above.at(-1))
      return port?.maxLinkSpeed === GEN1
    })
  const signOf = (weight: Sign['weight'], text: string): Sign =>
    sign(weight, null, contradicts(text, pciDevices, 'links'))
  return [
    ...(wide.length > 0
      ? [
          signOf(
            isX86 ? 'odd' : 'hint',
            `${count(wide.length, 'PCI port')} (${addresses(wide)}) with 32 lanes: emulated ports report this, and no such port was built.`,
          ),
        ]
      : []),
    ...(isServer && isSlow
      ? [signOf('odd', 'All PCI ports stop at 2.5 GT/s, behind a server processor that has ports of 8 GT/s and more.')]
      : []),
    ...(throttled.length > 0
      ? [
          signOf(
            'hint',
            `${count(throttled.length, 'GPU')} (${addresses(throttled)}) of 8 GT/s and more hang on a port that stops at 2.5 GT/s.`,
          ),
        ]
      : []),
  ]
}

const link: Signal = {
  id: 'pci.link',
  family: 'pci',
  title: 'Speed and width of the PCI ports',
  onMetal: '8 to 64 GT/s on 1 to 16 lanes',
  onGuest: '2.5 GT/s on one lane, or 16 GT/s on 32 lanes, as models of ports are set',
  spoofingEffort: 'S0',
  pitfalls: [
    'Idle devices drop to 2.5 GT/s: only the highest speed and width are read.',
    'Small boards have nothing but slow ports.',
    'Newer monitors copy the values of the device below, and take any value.',
  ],
  source:
    'Documentation/ABI/testing/sysfs-bus-pci; PCI Express 5.0 §7.5.3.6. Measured: x32 on QEMU’s port, 2.5 GT/s x1 on its older one.',
  probes: [pciDevices, cpuFeatures],
  observe: (read) =>
    onPci(read, (devices) => {
      const signs = linkSigns(devices, cpuOf(read))
      const ports = devices.filter(isPort)
      const fast = fastPorts(devices)
      const summary = `${count(ports.length, 'port')} with a link, ${fast.length} of 8 GT/s or more`
      if (signs.length > 0) return virtual(summary, ...signs)
      return fast.length > 0
        ? metal(
            summary,
            supports(`${count(fast.length, 'PCI port')} with links of 8 GT/s or more.`, pciDevices, 'links'),
          )
        : neutral(summary)
    }),
}

// lspci of before 2019 has no word for 32 GT/s.
const isFast = ({ speed, width, isExtended }: PciPort): boolean =>
  isExtended && width !== null && (speed === null || speed >= 8)

const phy: Signal = {
  id: 'pci.phy',
  family: 'pci',
  title: 'Electrical layer of the PCI ports',
  onMetal: 'registers for lane equalization on ports of 8 GT/s, for 16 and 32 GT/s and lane margining on faster ones',
  onGuest: 'ports that claim the speed and have none of these registers',
  spoofingEffort: 'S1',
  pitfalls: [
    'A patched monitor adds the registers, which are plain bytes in configuration space.',
    'Needs the capability space beyond 256 bytes, which some kernels and firmware switch off.',
    'Error reporting (AER) is no evidence: emulated ports have it.',
  ],
  source:
    'PCI Express 5.0 §7.7.3 (required of ports for 8 GT/s), §7.7.5 to §7.7.7. Measured: absent on QEMU’s port of 16 GT/s, present on a two-socket H100 server.',
  probes: [pciPorts, pciDevices, cpuFeatures],
  observe(read) {
    const reading = read(pciPorts)
    if (!reading.ok) return unreadable(pciPorts, reading.reason)
    const { ports } = reading.fact
    const bus = read(pciDevices)
    // The kernel's own list of the bus has ports, and the response has none: it is not the response of a working lspci.
    if (ports.length === 0 && bus.ok && bus.fact.devices.some(({ class: kind }) => kind.startsWith('0604')))
      return unreadable(pciPorts, 'the list of PCI ports is empty, and the bus has some')
    const fast = ports.filter(isFast)
    if (fast.length === 0)
      return neutral(
        ports.length === 0 ? 'no PCI port' : 'no port of 8 GT/s or more shows its extended registers',
        ...(ports.some(({ speed }) => (speed ?? 0) >= 8)
          ? [unclear('The extended registers of the fast PCI ports are not visible on this system.', pciPorts)]
          : []),
      )
    const whole = fast.filter(({ equalizes }) => equalizes)
    const summary = `${whole.length} of ${count(fast.length, 'fast port')} with equalization registers`
    if (whole.length === 0)
      return virtual(
        summary,
        sign(
          cpuOf(read)?.architecture === 'x86' ? 'odd' : 'hint',
          null,
          contradicts(
            `${count(fast.length, 'PCI port')} for 8 GT/s or more (${addresses(fast)}) and none has the registers for lane equalization, which the standard requires.`,
            pciPorts,
          ),
        ),
      )
    const newer = whole.filter(({ physical16, margins }) => physical16 || margins).length
    const up = whole.filter(({ isEqualized }) => isEqualized).length
    return metal(
      summary,
      supports(
        `${count(whole.length, 'PCI port')} with registers for lane equalization, ${newer} of them for 16 GT/s or margining too; ${up} ran it for the link that is up.`,
        pciPorts,
      ),
    )
  },
}

const above: Signal = {
  id: 'pci.switch',
  family: 'pci',
  title: 'Ports above the GPUs',
  onMetal: 'a port of the processor, or a PCI Express switch of PLX, Broadcom or Microchip',
  onGuest: 'nothing: the GPU sits on the root bus itself, or under a model of a port',
  spoofingEffort: 'S1',
  pitfalls: [
    'QEMU’s models of ports and switches have ids of their own; a patched monitor gives them any.',
    'Servers with GPUs as cards have no switch.',
    'Monitors can add an emulated port above.',
  ],
  source: 'PCI Express 5.0 §1.3 (an endpoint has a port above it). Measured: 42 switch ports on an 8-GPU H100 server.',
  probes: [pciDevices, cpuFeatures],
  observe: (read) =>
    onPci(read, (devices) => {
      const gpus = devices.filter(isNvidiaGpu)
      if (gpus.length === 0) return notApplicable('The PCI bus has no NVIDIA GPU.')
      // Displays on the root bus exist: graphics of old NVIDIA chipsets. A 3D controller is a card or module.
      const bare = gpus.filter((gpu) => gpu.class.startsWith('0302') && isOnRootBus(gpu))
      if (bare.length > 0)
        return virtual(
          `${bare.length} of ${count(gpus.length, 'GPU')} on the root bus`,
          sign(
            cpuOf(read)?.architecture === 'x86' ? 'impossible' : 'hint',
            null,
            contradicts(
              `${count(bare.length, 'GPU')} (${addresses(bare)}) on the root bus with no port above: hardware has one for every card.`,
              pciDevices,
              'tree',
            ),
          ),
        )
      const byAddress = new Map(devices.map((device) => [device.address, device]))
      const switched = gpus.filter((gpu) =>
        gpu.above.some((address) => {
          const bridge = byAddress.get(address)
          return bridge !== undefined && isSwitchPort(bridge)
        }),
      )
      return switched.length > 0
        ? metal(
            `${switched.length} of ${count(gpus.length, 'GPU')} behind switches`,
            supports(`${count(switched.length, 'GPU')} behind PCI Express switches.`, pciDevices, 'tree'),
          )
        : neutral(`${count(gpus.length, 'GPU')}, none behind a switch`)
    }),
}

export const linkSignals: readonly Signal[] = [link, phy, above]

const domainOf = ({ address }: PciDevice): string => address.slice(0, -8)
const isEndpoint = ({ class: kind }: PciDevice): boolean => /^(01|02|03|12)/.test(kind)

const domain: Signal = {
  id: 'pci.domain',
  family: 'pci',
  title: 'PCI domains of single devices',
  onMetal: 'all in domain 0000, or domains with ports of their own',
  onGuest: 'Hyper-V gives each passed-through device a domain of its own, with nothing else in it',
  spoofingEffort: 'S0',
  pitfalls: [
    'QEMU and most monitors have one domain by default.',
    'Intel’s volume management device opens domains from 10000 on.',
    'Large and arm64 machines have several domains.',
  ],
  source: 'Linux drivers/pci/controller/pci-hyperv.c. Known of Azure machines with GPUs.',
  probes: [pciDevices, cpuFeatures],
  observe: (read) =>
    onPci(read, (devices) => {
      const cpu = read(cpuFeatures)
      if (cpu.ok && cpu.fact.architecture !== 'x86') return notApplicable('Only x86 keeps its devices in one domain.')
      const alone = devices.filter(
        (device) =>
          isEndpoint(device) &&
          isOnRootBus(device) &&
          domainOf(device) !== '0000' &&
          domainOf(device).length === 4 &&
          !devices.some((other) => domainOf(other) === domainOf(device) && other.class.startsWith('06')),
      )
      if (alone.length > 0)
        return virtual(
          `${count(alone.length, 'device')} in domains of their own`,
          oddSign(
            `${count(alone.length, 'device')} (${named(
              alone.map(({ address }) => address),
              3,
            )}) in PCI domains that hold no bridge, as Hyper-V hands devices to guests.`,
            pciDevices,
            'tree',
          ),
        )
      return cpu.ok
        ? metal(`${count(new Set(devices.map(domainOf)).size, 'domain')}`)
        : unreadable(cpuFeatures, cpu.reason)
    }),
}

const MANY_GROUPS = 10

const iommu: Signal = {
  id: 'pci.iommu',
  family: 'pci',
  title: 'Memory protection units',
  onMetal: 'units of the processor’s manufacturer and 50 to 300 groups, or none where firmware or kernel switch it off',
  onGuest: 'none, or a model of Intel’s unit also behind an AMD processor',
  spoofingEffort: 'S0',
  pitfalls: [
    'QEMU’s intel-iommu and amd-iommu are options; so is what they call themselves.',
    'Images for AI servers often switch it off: its absence is no evidence.',
  ],
  source:
    'Documentation/ABI/testing/sysfs-class-iommu, sysfs-kernel-iommu_groups; Linux drivers/iommu. Measured in guests.',
  probes: [pciIommu, cpuFeatures],
  observe(read) {
    const [reading, cpu] = [read(pciIommu), read(cpuFeatures)]
    if (!reading.ok) return unreadable(pciIommu, reading.reason)
    const { units, groups } = reading.fact
    const summary = `${count(units.length, 'unit')}, ${count(groups.length, 'group')}`
    const vendor = cpu.ok ? cpu.fact.vendor : null
    const isAmd = vendor === 'AuthenticAMD' || vendor === 'HygonGenuine'
    const foreign = units.filter((unit) =>
      (isAmd ? /^dmar\d+$/ : vendor === 'GenuineIntel' ? /^ivhd\d+$/ : /$^/).test(unit),
    )
    if (foreign.length > 0)
      return virtual(
        summary,
        sign(
          'impossible',
          null,
          contradicts(
            `The processor is ${isAmd ? 'AMD’s design' : 'Intel'}, and the kernel drives memory protection units of ${isAmd ? 'Intel' : 'AMD'} (${named(foreign, 3)}).`,
            pciIommu,
            'lists',
          ),
        ),
      )
    if (!cpu.ok) return unreadable(cpuFeatures, cpu.reason)
    return units.length > 0 && groups.length >= MANY_GROUPS
      ? metal(summary, supports(`The kernel drives ${summary} of memory protection.`, pciIommu, 'lists'))
      : neutral(summary)
  },
}

const edac: Signal = {
  id: 'pci.edac',
  family: 'pci',
  title: 'Memory error detection',
  onMetal: 'one controller for each memory controller of the processor',
  onGuest: 'none: the drivers refuse where the hypervisor flag is set, and find no controller where it is hidden',
  spoofingEffort: 'S1',
  pitfalls: ['The driver may not be loaded.', 'Desktops without error correction have none.'],
  source: 'Documentation/ABI/testing/sysfs-devices-edac; Linux drivers/edac/skx_base.c, amd64_edac.c.',
  probes: [cpuPlatform, cpuSensors, cpuFeatures],
  observe(read) {
    const [platform, cpu] = [read(cpuPlatform), read(cpuFeatures)]
    if (!platform.ok) return unreadable(cpuPlatform, platform.reason)
    const { memoryControllers } = platform.fact
    if (!cpu.ok) return unreadable(cpuFeatures, cpu.reason)
    if (memoryControllers.length > 0) {
      const sensors = read(cpuSensors)
      if (!sensors.ok) return unreadable(cpuSensors, sensors.reason)
      const working = workingControllers(sensors.fact)
      const modules = working.reduce((sum, controller) => sum + controller.modules, 0)
      return working.length > 0
        ? metal(
            `${count(working.length, 'controller')}, ${count(modules, 'module')}`,
            supports(
              `The kernel watches ${count(working.length, 'memory controller')} with ${count(modules, 'module')} for errors.`,
              cpuSensors,
            ),
          )
        : neutral(`${count(memoryControllers.length, 'controller')} by the firmware’s report, or without a module`)
    }
    return cpu.fact.architecture === 'x86' && showsUncore(cpu.fact) === 'always' && cpu.fact.vendor === 'GenuineIntel'
      ? virtual(
          'none',
          hintSign(
            'The kernel watches no memory controller for errors, which servers with this processor have; its driver may not be loaded.',
            cpuPlatform,
            'lists',
          ),
        )
      : neutral('none')
  },
}

interface KnownUsb {
  readonly is: (device: UsbDevice) => boolean
  readonly name: string
}

/** Devices that exist as software alone (usb.ids; QEMU hw/usb, VirtualBox, VMware, Parallels). */
const VIRTUAL_USB: readonly KnownUsb[] = [
  { is: ({ vendor, maker }) => vendor === '46f4' || (vendor === '0627' && /^QEMU/.test(maker)), name: 'QEMU' },
  { is: ({ vendor, maker }) => vendor === '0e0f' && /^VMware/i.test(maker), name: 'VMware' },
  { is: ({ vendor, product }) => vendor === '80ee' && /^00[23]\d$/.test(product), name: 'VirtualBox' },
  { is: ({ vendor, product }) => vendor === '203a' && product.startsWith('fff'), name: 'Parallels' },
]
/** Keyboards and media that management controllers present to their own server. */
const CONTROLLER_USB: readonly KnownUsb[] = [
  { is: ({ vendor }) => vendor === '046b', name: 'American Megatrends' },
  { is: ({ vendor, product }) => vendor === '0557' && /^(2221|2419|7000|9241)$/.test(product), name: 'ATEN' },
  { is: ({ vendor, product }) => vendor === '413c' && /^a[01]0\d$/.test(product), name: 'Dell iDRAC' },
  { is: ({ vendor, product }) => vendor === '03f0' && /^(1027|1327|2227|7029)$/.test(product), name: 'HPE iLO' },
  { is: ({ vendor, product }) => vendor === '04b3' && product === '4010', name: 'IBM or Lenovo' },
  { is: ({ vendor, maker }) => vendor === '1d6b' && /^OpenBMC/.test(maker), name: 'OpenBMC' },
]

const usb: Signal = {
  id: 'pci.usb',
  family: 'pci',
  title: 'Keyboards and tablets on the USB bus',
  onMetal: 'the virtual hub and keyboard of the management controller',
  onGuest: 'QEMU’s, VMware’s or VirtualBox’s tablet, or nothing',
  spoofingEffort: 'S0',
  pitfalls: [
    'Cloud servers without a console show nothing.',
    'A guest’s owner can leave the tablet out, or pass a device through.',
  ],
  source:
    'usb.ids; measured: the hub of American Megatrends on three of three recorded servers, the tablet in QEMU guests.',
  probes: [usbDevices],
  observe(read) {
    const reading = read(usbDevices)
    if (!reading.ok) return unreadable(usbDevices, reading.reason)
    const { devices } = reading.fact
    const found = VIRTUAL_USB.filter(({ is }) => devices.some(is))
    if (found.length > 0)
      return virtual(
        `a virtual device of ${found.map(({ name }) => name).join(' and ')}`,
        ...found.map(({ name }) =>
          sign('names', name, contradicts(`The USB bus has a device that only ${name} presents.`, usbDevices)),
        ),
      )
    const controller = CONTROLLER_USB.find(({ is }) => devices.some(is))
    return controller === undefined
      ? neutral(`${count(devices.length, 'device')}, none of a management controller`)
      : metal(`the virtual keyboard or hub of a management controller (${controller.name})`)
  },
}

export const platformSignals: readonly Signal[] = [domain, iommu, edac, usb]
