import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { longListing, sysfsFound, sysfsValues, wholeNumber } from '../isolation/listing.ts'
import { lines } from '../read-text.ts'

export interface NetInterface {
  readonly name: string
  readonly mac: string
  readonly isUp: boolean
  readonly mtu: number | null
  readonly speedMbps: number | null
  /** Null for interfaces that no device backs: bridges, tunnels, container ends. */
  readonly driver: string | null
  readonly pciId: string | null
}
export interface NetInterfaces {
  readonly interfaces: readonly NetInterface[]
}

/** Documentation/ABI/testing/sysfs-class-net. */
export const netInterfaces = defineProbe({
  id: 'net.interfaces',
  title: 'Network interfaces',
  why: 'Shows which network adapters are physical, virtual functions, or emulated.',
  commands: {
    list: run(['ls', '-l', '/sys/class/net']),
    values: run([
      'grep',
      '-sH',
      '',
      glob('/sys/class/net/*/address'),
      glob('/sys/class/net/*/operstate'),
      glob('/sys/class/net/*/mtu'),
      glob('/sys/class/net/*/speed'),
    ]),
    drivers: run(['grep', '-sH', '-E', '^(DRIVER|PCI_ID)=', glob('/sys/class/net/*/device/uevent')]),
  },
  parse({ list, values, drivers }) {
    if (list.exitCode !== 0) return unknown('the network interfaces could not be listed')
    const read = sysfsValues(values.text, ['address', 'operstate', 'mtu', 'speed'])
    const devices = new Map<string, string>()
    for (const { path, line } of sysfsFound(drivers.text, ['uevent'])) {
      const [key = '', value = ''] = line.split('=')
      devices.set(`${path.split('/')[4] ?? ''} ${key}`, value)
    }
    const links = longListing(lines(list.text)).filter(({ target }) => target !== null)
    if (links.length === 0) return unknown('the list of network interfaces is empty')
    return known<NetInterfaces>({
      interfaces: links.map(({ name, target }) => {
        const at = (file: string): string | undefined => read.get(`/sys/class/net/${name}/${file}`)
        const isBacked = !(target ?? '').includes('/virtual/net/')
        return {
          name,
          mac: at('address') ?? '',
          isUp: at('operstate') === 'up',
          mtu: wholeNumber(at('mtu')),
          speedMbps: wholeNumber(at('speed')),
          driver: isBacked ? (devices.get(`${name} DRIVER`) ?? 'unnamed') : null,
          pciId: devices.get(`${name} PCI_ID`)?.toLowerCase() ?? null,
        }
      }),
    })
  },
})
