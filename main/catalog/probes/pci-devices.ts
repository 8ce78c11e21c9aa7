import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { longListing, sysfsFound, sysfsValues } from '../isolation/listing.ts'
import {
  ALWAYS_FILE,
  ALWAYS_FOLDER,
  grepIsComplete,
  isAbsent,
  lines,
  OF_ALWAYS_FILE,
  OF_ALWAYS_FOLDER,
} from '../read-text.ts'

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
  /** GT/s the link could run at; null where there is no link. */
  readonly maxLinkSpeed: number | null
  /** Lanes the link could have; null where there is no link or the kernel does not state. */
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

export const isGpu = (device: PciDevice): boolean =>
  /^(0300|0302|0380|1200)/.test(device.class) &&
  ['10de', '1002', '8086', '1da3'].includes(device.vendor) &&
  device.class !== '030000'
export const isNvidiaGpu = (device: PciDevice): boolean => device.vendor === '10de' && /^03(00|02)/.test(device.class)
