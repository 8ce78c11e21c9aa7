import { defineProbe, glob, known, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { longListing, sysfsFound, sysfsValues } from '../../base/read-listing.ts'
import {
  ALWAYS_FILE,
  ALWAYS_FOLDER,
  grepIsComplete,
  inOrder,
  isAbsent,
  lines,
  OF_ALWAYS_FILE,
  OF_ALWAYS_FOLDER,
} from '../../base/read-text.ts'

export interface PciDevice {
  /** domain:bus:slot.function */
  readonly address: string
  /** Four lower-case hex digits each. */
  readonly vendor: string
  readonly device: string
  readonly subsystemVendor: string
  readonly subsystemDevice: string
  /** Six lower-case hex digits: class, subclass, interface. */
  readonly class: string
  readonly driver: string | null
  /** Addresses of the bridges above it, outermost first. */
  readonly above: readonly string[]
  /** Domain and bus of the root bus that it hangs below, such as 0000:15; null where the path names none. */
  readonly root: string | null
  /** Maximum speed of the link in GT/s; null where there is no link. */
  readonly maxLinkSpeed: number | null
  /** Maximum number of lanes of the link; null where there is no link, or the kernel does not state it. */
  readonly maxLinkWidth: number | null
  /** Virtual functions that are switched on. */
  readonly virtualFunctions: number
}

export interface PciDevices {
  readonly devices: readonly PciDevice[]
}

const ADDRESS = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/

/** Documentation/ABI/testing/sysfs-bus-pci. One small file per device holds its ids and driver. */
export const pciDevices = defineProbe({
  id: 'pci.devices',
  title: 'Devices on the PCI bus',
  why: 'Shows which devices are real, which are emulated or shared, and whether the chipset matches the processor.',
  commands: {
    ids: run(
      [
        'grep',
        '-H',
        '-E',
        '^(DRIVER|PCI_CLASS|PCI_ID|PCI_SUBSYS_ID)=|^Linux$',
        glob('/sys/bus/pci/devices/*/uevent'),
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
    tree: run(['ls', '-l', '/sys/bus/pci/devices', ALWAYS_FOLDER], OF_ALWAYS_FOLDER),
    links: run(
      [
        'grep',
        '-sH',
        '',
        glob('/sys/bus/pci/devices/*/max_link_speed'),
        glob('/sys/bus/pci/devices/*/max_link_width'),
        glob('/sys/bus/pci/devices/*/sriov_numvfs'),
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
  },
  parse({ ids, tree, links }) {
    if (isAbsent(tree)) return known<PciDevices>({ devices: [] })
    if (tree.exitCode !== 0 || !grepIsComplete(ids)) return unknown('the PCI bus could not be listed')
    const listed = longListing(lines(tree.text)).filter(({ name }) => ADDRESS.test(name))
    const fields = new Map<string, Map<string, string>>()
    for (const { path, line } of sysfsFound(ids.text, ['uevent'])) {
      const address = path.split('/').at(-2) ?? ''
      const equals = line.indexOf('=')
      const own = fields.get(address) ?? new Map<string, string>()
      fields.set(address, own.set(line.slice(0, equals), line.slice(equals + 1)))
    }
    const values = sysfsValues(links.text, ['max_link_speed', 'max_link_width', 'sriov_numvfs'])
    const devices = listed.map(({ name, target }) => readDevice(name, target ?? '', fields.get(name), values))
    if (devices.includes(null)) return unknown('the ids of a listed PCI device could not be read')
    return known<PciDevices>({ devices: devices.filter((device) => device !== null) })
  },
})

function readDevice(
  address: string,
  target: string,
  fields: ReadonlyMap<string, string> | undefined,
  values: ReadonlyMap<string, string>,
): PciDevice | null {
  const [, vendor, device] = /^([0-9a-f]{4}):([0-9a-f]{4})$/.exec(fields?.get('PCI_ID')?.toLowerCase() ?? '') ?? []
  const [subsystemVendor = '0000', subsystemDevice = '0000'] = (fields?.get('PCI_SUBSYS_ID') ?? '')
    .toLowerCase()
    .split(':')
  const kind = /^[0-9a-f]{1,6}$/.exec(fields?.get('PCI_CLASS')?.toLowerCase() ?? '')?.[0]
  if (vendor === undefined || device === undefined || kind === undefined) return null
  const speed = /^(\d+(\.\d+)?) GT\/s/.exec(values.get(`/sys/bus/pci/devices/${address}/max_link_speed`) ?? '')?.[1]
  const width = values.get(`/sys/bus/pci/devices/${address}/max_link_width`) ?? ''
  const functions = values.get(`/sys/bus/pci/devices/${address}/sriov_numvfs`) ?? ''
  return {
    address,
    vendor,
    device,
    subsystemVendor,
    subsystemDevice,
    class: kind.padStart(6, '0'),
    driver: fields?.get('DRIVER') ?? null,
    above: target
      .split('/')
      .slice(0, -1)
      .filter((part) => ADDRESS.test(part)),
    root: /(?:^|\/)pci([0-9a-f]{4,8}:[0-9a-f]{2})(?=\/)/.exec(target)?.[1] ?? null,
    maxLinkSpeed: speed === undefined ? null : Number(speed),
    maxLinkWidth: /^[1-9]\d?$/.test(width) ? Number(width) : null,
    virtualFunctions: /^\d{1,5}$/.test(functions) ? Number(functions) : 0,
  }
}

/** On the root bus itself, with no port above. The bus in its address must be the root bus: else the path was not what the kernel gives. */
export const isOnRootBus = ({ address, above, root }: PciDevice): boolean =>
  above.length === 0 && root !== null && address.startsWith(`${root}:`)

export const isNvidiaGpu = (device: PciDevice): boolean => device.vendor === '10de' && /^03(00|02)/.test(device.class)
/** Manufacturers of GPUs and accelerators: NVIDIA, AMD, Intel, Habana. */
const MAKERS: ReadonlySet<string> = new Set(['10de', '1002', '8086', '1da3'])

/**
 * GPUs and accelerators of a bus, without the graphics of processors and mainboards. Cards of AMD and Intel for workstations and for home use
 * are VGA controllers (class 030000) and compute like all others.
 */
export const gpusOf = (devices: readonly PciDevice[]): readonly PciDevice[] =>
  devices.filter(
    (device) =>
      isNvidiaGpu(device) ||
      (MAKERS.has(device.vendor) &&
        /^(0300|0302|0380|1200)/.test(device.class) &&
        // Screens of mainboards and old servers (ES1000, chipsets) have no link of PCI Express.
        (device.class !== '030000' || device.maxLinkWidth !== null) &&
        !isProcessorGraphics(device, devices)),
  )

/**
 * Whether a device is the graphics of a processor. Intel’s is at 00:02.0, of which older ones have a second function;
 * AMD’s was at 00:01.0, and since Zen shares its slot with functions under the processor’s own vendor id, such as its
 * security coprocessor. Firmware assigns the class 0380 in place of 0300 where another device has the screen.
 */
function isProcessorGraphics(device: PciDevice, devices: readonly PciDevice[]): boolean {
  const { vendor, address, above } = device
  if (!device.class.startsWith('03')) return false
  const slot = address.slice(0, -1)
  if (vendor === '8086') return above.length === 0 && slot === '0000:00:02.'
  if (vendor !== '1002') return false
  return (
    (above.length === 0 && slot === '0000:00:01.') ||
    devices.some((other) => other.vendor === '1022' && other.address.startsWith(slot))
  )
}

export interface PciPort {
  /** domain:bus:slot.function */
  readonly address: string
  readonly vendor: string
  readonly device: string
  /** Highest speed in GT/s; null where there is no link, or lspci does not know the number. */
  readonly speed: number | null
  readonly width: number | null
  /** Its configuration space beyond 256 bytes was visible, where the register blocks below stand. */
  readonly isExtended: boolean
  /** Secondary PCI Express capability (0x19): lane equalization, required of ports for 8 GT/s and more. */
  readonly equalizes: boolean
  /** Physical Layer 16.0 GT/s (0x26) and 32.0 GT/s (0x2A), Lane Margining (0x27). */
  readonly physical16: boolean
  readonly physical32: boolean
  readonly margins: boolean
  readonly reportsErrors: boolean
  /** The link that is up now was equalized. */
  readonly isEqualized: boolean
}

interface PciPorts {
  readonly ports: readonly PciPort[]
}

/**
 * lspci(8), numeric, PCI-to-PCI bridges only: the class filter keeps it from reading other devices, some of which are slow to respond.
 * Reading configuration space can wake a port that sleeps; it changes nothing else. Only root sees the capabilities.
 */
export const pciPorts = defineProbe({
  id: 'pci.ports',
  title: 'Capabilities of the PCI ports',
  why: 'Real fast ports carry the register blocks of their electrical layer; emulated ports report the speed without them.',
  ignoredInDrift: {
    why: 'Links are retrained at another speed to save power.',
    normalize: ({ ports }: PciPorts) => ({ ports: inOrder(ports.map(({ isEqualized: _, ...port }) => port)) }),
  },
  commands: {
    ports: runAsRoot(['lspci', '-Dnvvv', '-d', '::0604'], { timeoutSeconds: 60, maxBytes: 4 * 1024 * 1024 }),
  },
  parse({ ports }) {
    if (ports.exitCode !== 0) return unknown(`the PCI ports could not be read (exit status ${ports.exitCode})`)
    const read = parsePorts(ports.text)
    if (/<access denied>/.test(ports.text)) return unknown('the capabilities of the PCI ports were not shown')
    return ports.text.trim() !== '' && read.length === 0
      ? unknown('the list of PCI ports has an unexpected format')
      : known<PciPorts>({ ports: read })
  },
})

const HEADING = /^([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) 0604: ([0-9a-f]{4}):([0-9a-f]{4})\b/
// Releases of pciutils before 3.6 print the numbers of extended capabilities that they do not know.
const EXTENDED = /^\tCapabilities: \[[1-9a-f][0-9a-f]{2} v\d+\] (.*)$/

type Growing = { -readonly [K in keyof PciPort]: PciPort[K] }

function parsePorts(text: string): readonly PciPort[] {
  const ports: Growing[] = []
  for (const line of text.split('\n')) {
    const [, address, vendor, device] = HEADING.exec(line) ?? []
    const port = ports.at(-1)
    if (address !== undefined && vendor !== undefined && device !== undefined)
      ports.push({ ...EMPTY, address, vendor, device })
    else if (port !== undefined) readLine(port, line.slice(0, 300))
  }
  return ports
}

const EMPTY: PciPort = {
  address: '',
  vendor: '',
  device: '',
  speed: null,
  width: null,
  isExtended: false,
  equalizes: false,
  physical16: false,
  physical32: false,
  margins: false,
  reportsErrors: false,
  isEqualized: false,
}

function readLine(port: Growing, line: string): void {
  const extended = EXTENDED.exec(line)?.[1]
  if (extended !== undefined) {
    port.isExtended = true
    if (/^(Secondary PCI Express|#19$)/.test(extended)) port.equalizes = true
    if (/^(Physical Layer 16\.0 GT\/s|#26$)/.test(extended)) port.physical16 = true
    if (/^(Physical Layer 32\.0 GT\/s|#2a$)/.test(extended)) port.physical32 = true
    if (/^(Lane Margining|#27$)/.test(extended)) port.margins = true
    if (/^Advanced Error Reporting/.test(extended)) port.reportsErrors = true
    return
  }
  const [, speed, width] = /^\t\tLnkCap:\tPort #\d+, Speed (\S+?),? Width x(\d{1,2})\b/.exec(line) ?? []
  if (width !== undefined) {
    port.speed = /^\d+(\.\d+)?GT\/s$/.test(speed ?? '') ? Number.parseFloat(speed ?? '') : null
    port.width = Number(width)
  }
  if (line.includes('EqualizationComplete+')) port.isEqualized = true
}

export interface UsbDevice {
  /** Four lower-case hex digits each. */
  readonly vendor: string
  readonly product: string
  /** The device's own words; empty where it has none. */
  readonly maker: string
  readonly name: string
}

interface UsbDevices {
  readonly devices: readonly UsbDevice[]
}

const FILES = ['idVendor', 'idProduct', 'manufacturer', 'product']

/**
 * Documentation/ABI/stable/sysfs-bus-usb. Serial numbers are not requested. Without a bus, there is no answer and no
 * device.
 */
export const usbDevices = defineProbe({
  id: 'usb.devices',
  title: 'Devices on the USB bus',
  why: 'Management controllers plug a virtual keyboard into their server; hypervisors plug a virtual tablet into their guests.',
  ignoredInDrift: {
    why: 'Devices are numbered in the order in which they were found.',
    normalize: ({ devices }: UsbDevices) => ({ devices: inOrder(devices) }),
  },
  commands: {
    ids: run(['grep', '-sH', '', ...FILES.map((file) => glob(`/sys/bus/usb/devices/*/${file}`)), ALWAYS_FILE], {
      ...OF_ALWAYS_FILE,
      maxBytes: 256 * 1024,
    }),
  },
  parse({ ids }) {
    const values = sysfsValues(ids.text, FILES)
    const devices = [...values].flatMap(([path, vendor]) => {
      if (!path.endsWith('/idVendor')) return []
      const folder = path.slice(0, -'/idVendor'.length)
      const product = values.get(`${folder}/idProduct`) ?? ''
      if (!/^[0-9a-f]{4}$/.test(vendor) || !/^[0-9a-f]{4}$/.test(product)) return []
      const word = (file: string): string => (values.get(`${folder}/${file}`) ?? '').slice(0, 80)
      return [{ vendor, product, maker: word('manufacturer'), name: word('product') }]
    })
    return known<UsbDevices>({ devices })
  },
})
