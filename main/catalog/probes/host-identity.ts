import { defineProbe, known, run, runAsRoot, unknown } from '../../core/probe.ts'
import { grepIsComplete, oneLineFiles } from '../read-text.ts'

export interface HostIdentity {
  readonly hostname: string
  /** Random at each boot (random(4)). machine-id(5) is not read: it is confidential. */
  readonly bootId: string
}

export const hostIdentity = defineProbe({
  id: 'host.identity',
  title: 'Name and boot of the server',
  why: 'Ties the captures of one run to one boot of one server.',
  ignoredInDrift: {
    why: 'The boot ID is generated at each start.',
    normalize: ({ hostname }: HostIdentity) => ({ hostname }),
  },
  commands: { ids: run(['grep', '-H', '', '/proc/sys/kernel/hostname', '/proc/sys/kernel/random/boot_id']) },
  parse({ ids }) {
    const values = oneLineFiles(ids.text)
    const hostname = values.get('/proc/sys/kernel/hostname')
    const bootId = values.get('/proc/sys/kernel/random/boot_id')
    if (hostname === undefined || bootId === undefined || !/^[0-9a-f-]{36}$/.test(bootId))
      return unknown('the server did not name itself and its boot')
    return known<HostIdentity>({ hostname, bootId })
  },
})

export interface HostSerials {
  readonly product: string
  readonly board: string
  readonly chassis: string
}

const FOLDER = '/sys/class/dmi/id/'

/** drivers/firmware/dmi-id.c: serial numbers are open to root only. */
export const hostSerials = defineProbe({
  id: 'host.serials',
  title: 'Serial numbers reported by firmware',
  why: 'Allows comparison with the provider’s inventory and with later runs.',
  commands: {
    serials: runAsRoot([
      'grep',
      '-H',
      '.',
      `${FOLDER}product_serial`,
      `${FOLDER}board_serial`,
      `${FOLDER}chassis_serial`,
    ]),
  },
  parse({ serials }) {
    if (!grepIsComplete(serials)) return unknown('the serial numbers could not be read')
    const values = oneLineFiles(serials.text)
    const field = (name: string): string => values.get(FOLDER + name) ?? ''
    if (values.size === 0) return unknown('the firmware gives no serial number')
    return known<HostSerials>({
      product: field('product_serial'),
      board: field('board_serial'),
      chassis: field('chassis_serial'),
    })
  },
})
