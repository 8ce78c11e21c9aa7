import { putModalias } from './from-dmi.ts'
import type { VirtualNode } from './virtual-node.ts'

interface Device {
  readonly path: string
  readonly fields: ReadonlyMap<string, string>
}

// What the kernel itself puts into a device's uevent file; the rest of the database comes from udev's rules.
const OWN =
  /^(DRIVER|PCI_CLASS|PCI_ID|PCI_SUBSYS_ID|PCI_SLOT_NAME|MODALIAS|MAJOR|MINOR|DEVNAME|DEVTYPE|INTERFACE|IFINDEX|PRODUCT|TYPE|HID_ID|HID_NAME|NVME_.*)$/
const ATTRIBUTES: Readonly<Record<string, string>> = {
  ID_MODEL: 'model',
  ID_VENDOR: 'vendor',
  ID_SERIAL_SHORT: 'serial',
  ID_REVISION: 'rev',
}

/** Where the kernel links devices of a subsystem: buses, else classes. */
const BUSES = new Set(
  'acpi pci usb virtio xen vmbus event_source platform pnp scsi i2c hid edac nvmem clocksource cpu node memory ipmi serio'.split(
    ' ',
  ),
)
const ON_SYSTEM: Readonly<Record<string, string>> = { node: '/sys/devices/system/node' }
/** Subsystems of which a whole database would show a device. */
const TELLING = [
  'vmbus',
  'xen',
  'virtio',
  'usb',
  'ipmi',
  'powercap',
  'nvme',
  'infiniband',
  'hwmon',
  'tpm',
  'iommu',
  'fc_host',
  'iscsi_session',
]

/** udevadm info --export-db: every device of the machine with its place in the tree, as the tree. */
export function putUdev(node: VirtualNode, text: string): void {
  const devices = text.split(/\n\s*\n/).flatMap(readDevice)
  const subsystems = new Set(devices.map(({ fields }) => fields.get('SUBSYSTEM') ?? ''))
  for (const device of devices) putDevice(node, device)
  // Only a database of all devices tells what is not there.
  const isWhole = ['platform', 'pci', 'tty', 'mem'].every((name) => subsystems.has(name))
  for (const subsystem of subsystems)
    if (subsystem !== '') node.folder(linkFolder(subsystem), isWhole ? 'whole' : 'part')
  if (isWhole) for (const name of TELLING.filter((one) => !subsystems.has(one))) node.folder(linkFolder(name), 'whole')
  const nodes = devices.filter(({ path }) => /^\/devices\/system\/node\/node\d+$/.test(path))
  if (nodes.length > 0 && isWhole) node.folder('/sys/devices/system/node', 'shown')
}

function readDevice(block: string): readonly Device[] {
  const path = /^P: (\/\S+)$/m.exec(block)?.[1]
  if (path === undefined) return []
  const rows = block.split('\n').flatMap((line): readonly (readonly [string, string])[] => {
    const [, name, value] = /^E: ([^=]+)=(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value]]
  })
  return [{ path, fields: new Map(rows) }]
}

const linkFolder = (subsystem: string): string => {
  if (subsystem === 'block') return '/sys/block'
  return BUSES.has(subsystem) ? `/sys/bus/${subsystem}/devices` : `/sys/class/${subsystem}`
}

function putDevice(node: VirtualNode, { path, fields }: Device): void {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const subsystem = fields.get('SUBSYSTEM') ?? ''
  const own = [...fields].filter(([key]) => OWN.test(key)).map(([key, value]) => `${key}=${value}\n`)
  const isPci = subsystem === 'pci'
  node.folder(`/sys${path}`, isPci ? 'whole' : 'part')
  node.file(`/sys${path}/uevent`, own.join(''))
  const isPartition = subsystem === 'block' && fields.get('DEVTYPE') !== 'disk'
  if (subsystem !== '' && !isPartition) {
    const folder = linkFolder(subsystem)
    const up = '../'.repeat(folder.split('/').length - 2)
    if (ON_SYSTEM[subsystem] === undefined) node.link(`${folder}/${name}`, `${up}${path.slice(1)}`)
  }
  if (subsystem === 'dmi' || path === '/devices/virtual/dmi/id') putModalias(node, fields.get('MODALIAS') ?? '')
  if (subsystem === 'block' && fields.get('DEVTYPE') === 'disk') putAttributes(node, `/sys${path}/device`, fields)
  if (subsystem === 'net') putNet(node, path, fields)
  if (subsystem === 'usb' && fields.get('DEVTYPE') === 'usb_device') putUsb(node, path, fields)
}

function putAttributes(node: VirtualNode, folder: string, fields: ReadonlyMap<string, string>): void {
  for (const [key, file] of Object.entries(ATTRIBUTES)) {
    const value = fields.get(key)
    if (value !== undefined) node.file(`${folder}/${file}`, `${value.replace(/_+/g, ' ').trim()}\n`)
  }
}

/** An interface stands below the device that carries it: what it says of itself and a link to that device. */
function putNet(node: VirtualNode, path: string, fields: ReadonlyMap<string, string>): void {
  const mac = /^enx([0-9a-f]{12})$/.exec(fields.get('ID_NET_NAME_MAC') ?? '')?.[1]
  if (mac !== undefined) node.file(`/sys${path}/address`, `${mac.replace(/(..)(?=.)/g, '$1:')}\n`)
  const device = /^(.*)\/net\/[^/]+$/.exec(path)?.[1]
  if (device !== undefined && !device.includes('/virtual')) node.link(`/sys${path}/device`, '../..')
}

function putUsb(node: VirtualNode, path: string, fields: ReadonlyMap<string, string>): void {
  const put = (file: string, value: string | undefined): void => {
    if (value !== undefined) node.file(`/sys${path}/${file}`, `${value}\n`)
  }
  put('idVendor', fields.get('ID_VENDOR_ID'))
  put('idProduct', fields.get('ID_MODEL_ID'))
  put('manufacturer', fields.get('ID_VENDOR')?.replace(/_/g, ' '))
  put('product', fields.get('ID_MODEL')?.replace(/_/g, ' '))
}
