import { type Answer, defineProbe, glob, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { sysfsLines } from '../storage/sysfs-lines.ts'
import { parseLinks } from './vpn-interfaces.ts'

export interface RdmaPort {
  readonly device: string
  readonly port: string
  /** InfiniBand or Ethernet (RoCE). */
  readonly linkLayer: string
  readonly active: boolean
  /** Network interfaces behind the port's addresses. */
  readonly interfaces: readonly string[]
}

export interface RdmaLinks {
  readonly ports: readonly RdmaPort[]
  /** Names of MACsec interfaces that encrypt, not only authenticate. */
  readonly encryptingMacsec: readonly string[]
  /** MACsec interfaces that only authenticate; null where ip did not list any of that kind. */
  readonly clearMacsec: readonly string[] | null
  /** The kernel has the device class of Slingshot adapters, whose ports are not among those of RDMA. */
  readonly hasSlingshot: boolean
}

export const rdmaLinks = defineProbe({
  id: 'rdma.links',
  title: 'RDMA links and link encryption',
  why: 'GPU and storage fabrics move memory between servers, usually in clear text.',
  commands: {
    classes: run(['ls', '-1', '/sys/class', '/sys/class/infiniband']),
    ports: run([
      'grep',
      '-sH',
      '',
      glob('/sys/class/infiniband/*/ports/*/link_layer'),
      glob('/sys/class/infiniband/*/ports/*/state'),
      glob('/sys/class/infiniband/*/ports/*/gid_attrs/ndevs/*'),
    ]),
    macsec: run(['ip', '-d', '-j', 'link', 'show', 'type', 'macsec']),
  },
  parse: ({ classes, ports, macsec }) => parseRdmaLinks(classes.text, ports.text, macsec),
})

const PORT = /^\/sys\/class\/infiniband\/([^/]+)\/ports\/(\d+)\/(link_layer|state|gid_attrs\/ndevs\/\d+)$/

/**
 * Reads the RDMA class of sysfs (Documentation/ABI/stable/sysfs-class-infiniband). That a node has no RDMA port is known only when
 * /sys/class was listed and lacks infiniband, or the folder infiniband was listed and is empty.
 */
export function parseRdmaLinks(
  classes: string,
  text: string,
  macsec: Pick<Answer, 'exitCode' | 'text'>,
): Parsed<RdmaLinks> {
  const names = section(classes, '/sys/class')
  if (!names.includes('net')) return unknown('the kernel’s device classes were not listed')
  const found = new Map<string, { linkLayer: string; state: string; interfaces: Set<string> }>()
  for (const [path, value] of sysfsLines(text)) {
    const [, device, port, file] = PORT.exec(path) ?? []
    if (device === undefined || port === undefined) continue
    const entry = found.get(`${device}/${port}`) ?? { linkLayer: '', state: '', interfaces: new Set<string>() }
    if (file === 'link_layer') entry.linkLayer = value.trim()
    else if (file === 'state') entry.state = value.trim()
    else if (value.trim() !== '') entry.interfaces.add(value.trim())
    found.set(`${device}/${port}`, entry)
  }
  const listed = names.includes('infiniband') ? section(classes, '/sys/class/infiniband') : []
  const unread = listed.filter((name) => ![...found.keys()].some((key) => key.startsWith(`${name}/`)))
  if (unread.length > 0) return unknown(`the ports of ${unread.length} RDMA devices could not be read`)
  const links = macsec.exitCode === 0 ? parseLinks(macsec.text) : []
  const ports = [...found].map(([key, { linkLayer, state, interfaces }]) => {
    const [device = '', port = ''] = key.split('/')
    return { device, port, linkLayer, active: !/^(1|2|3): /.test(state), interfaces: [...interfaces].sort() }
  })
  // Without `protect` a MACsec interface sends its frames as they are (ip-macsec(8)).
  const encryptingMacsec = (links ?? []).filter(({ data }) => isOn(data.encrypt) && isOn(data.protect ?? true))
  const clearMacsec = (links ?? []).filter((link) => !encryptingMacsec.includes(link)).map(({ name }) => name)
  return known({
    ports,
    encryptingMacsec: encryptingMacsec.map(({ name }) => name).sort(),
    clearMacsec: macsec.exitCode === 0 && links !== null ? clearMacsec.sort() : null,
    hasSlingshot: names.includes('cxi'),
  })
}

const isOn = (value: unknown): boolean => value === true || value === 'on'

/** The names that ls(1) lists below the heading of one of several folders. */
function section(listing: string, folder: string): readonly string[] {
  const rows = listing.split('\n')
  const from = rows.indexOf(`${folder}:`)
  if (from < 0) return []
  const end = rows.indexOf('', from)
  return rows.slice(from + 1, end < 0 ? rows.length : end).filter((name) => name.trim() !== '')
}
