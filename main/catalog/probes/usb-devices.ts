import { defineProbe, glob, known, run } from '../../core/probe.ts'
import { sysfsValues } from '../isolation/listing.ts'
import { ALWAYS_FILE, OF_ALWAYS_FILE } from '../read-text.ts'
import { inOrder } from '../steady.ts'

export interface UsbDevice {
  /** Four lower-case hex digits each. */
  readonly vendor: string
  readonly product: string
  /** The device's own words; empty where it has none. */
  readonly maker: string
  readonly name: string
}
export interface UsbDevices {
  readonly devices: readonly UsbDevice[]
}

const FILES = ['idVendor', 'idProduct', 'manufacturer', 'product']

/** Documentation/ABI/stable/sysfs-bus-usb. Serial numbers are not requested. Without a bus there is no response, and no device. */
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
