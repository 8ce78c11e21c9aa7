import { pciIommu } from '../../pci/iommu.ts'
import { isOnRootBus, type PciDevice, pciDevices, type UsbDevice, usbDevices } from '../../pci/probes.ts'
import { cpuFeatures, cpuPlatform } from '../../processors/features.ts'
import { cpuSensors } from '../../processors/instruments.ts'
import { contradicts, count, named, supports } from '../../steps.ts'
import { workingControllers } from '../cpu-hardware.ts'
import { showsUncore } from '../pci-generations.ts'
import { metal, neutral, notApplicable, type Signal, sign, unreadable, virtual } from '../signal.ts'
import { onPci } from './on-gpu.ts'

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
          sign(
            'odd',
            null,
            contradicts(
              `${count(alone.length, 'device')} (${named(
                alone.map(({ address }) => address),
                3,
              )}) in PCI domains that hold no bridge, as Hyper-V hands devices to guests.`,
              pciDevices,
              'tree',
            ),
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
    const said = `${count(units.length, 'unit')}, ${count(groups.length, 'group')}`
    const vendor = cpu.ok ? cpu.fact.vendor : null
    const isAmd = vendor === 'AuthenticAMD' || vendor === 'HygonGenuine'
    const foreign = units.filter((unit) =>
      (isAmd ? /^dmar\d+$/ : vendor === 'GenuineIntel' ? /^ivhd\d+$/ : /$^/).test(unit),
    )
    if (foreign.length > 0)
      return virtual(
        said,
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
      ? metal(said, supports(`The kernel drives ${said} of memory protection.`, pciIommu, 'lists'))
      : neutral(said)
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
          sign(
            'hint',
            null,
            contradicts(
              'The kernel watches no memory controller for errors, which servers with this processor have; its driver may not be loaded.',
              cpuPlatform,
              'lists',
            ),
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
