import { plain } from '../../../core/base/plain-text.ts'
import { type Answer, defineProbe, glob, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck } from '../../../core/rules/check.ts'
import { grepIsComplete, isAbsent, lines, sysfsLines } from '../../base/read-text.ts'
import { contradicts, decide, supports, unclear } from '../../base/steps.ts'
import { parseLinks } from '../../data-protection/vpn/probes.ts'
import { portsOfBoard } from '../gpu/models.ts'
import { pciDevices } from '../pci/probes.ts'

interface RdmaPort {
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
  // Without `protect`, a MACsec interface sends its frames unmodified (ip-macsec(8)).
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

export interface GpuDirect {
  /** Loaded modules that give adapters or drives direct access to GPU memory, and software RDMA devices. */
  readonly modules: readonly string[]
  /** The kernel shows the driver of GPUDirect Storage. */
  readonly hasStorageDriver: boolean
}

/** NVIDIA's GPUDirect RDMA and GPUDirect Storage guides name the modules; proc_modules(5). */
export const rdmaGpudirect = defineProbe({
  id: 'rdma.gpudirect',
  title: 'Direct paths between GPUs, fabric and drives',
  why: 'Shows whether the fabric adapters can reach GPU memory directly, which needs real adapters or whole passed-through functions.',
  commands: {
    modules: run(['grep', '-E', '^(nvidia_peermem|nv_peer_mem|gdrdrv|nvidia_fs|rdma_rxe|siw) ', '/proc/modules']),
    drivers: run(['ls', '-1', '/proc/driver']),
  },
  parse({ modules, drivers }) {
    if (!grepIsComplete(modules)) return unknown('the loaded modules could not be read')
    if (drivers.exitCode !== 0 && !isAbsent(drivers)) return unknown('the drivers could not be listed')
    return known<GpuDirect>({
      modules: lines(modules.text).flatMap((line) => /^\w{1,64}(?= )/.exec(line)?.[0] ?? []),
      hasStorageDriver: drivers.exitCode === 0 && lines(drivers.text).includes('nvidia-fs'),
    })
  },
})

export const encryptionInTransitFabric = defineCheck({
  id: 'encryption.in-transit.fabric',
  property: 'encryption-in-transit',
  expected: 'Every active RDMA port encrypts its traffic.',
  limitations:
    'Most GPU fabrics send in clear text and depend on physical isolation: a risk acceptance is more likely here than a satisfied result. Ethernet adapters offer RDMA also where nothing uses it; traffic is not counted. Encryption inside an adapter, a switch or a provider’s network (as clouds state of EFA) is not visible from here. NVLink, inside the chassis or between racks, is not evaluated. Partition keys and virtual networks separate, they do not encrypt.',
  requires: { links: rdmaLinks },
  optional: { direct: rdmaGpudirect, pci: pciDevices },
  evaluate({ links }, { direct, pci }) {
    const active = links.ports.filter(({ active }) => active)
    const slingshot = links.hasSlingshot ? [unclear(SLINGSHOT, rdmaLinks)] : []
    if (active.length === 0 && slingshot.length === 0) {
      const text =
        links.ports.length === 0
          ? 'The kernel lists no RDMA port.'
          : `None of ${links.ports.length} RDMA ports is active.`
      return { verdict: 'not-applicable', observations: [unclear(text, rdmaLinks)] }
    }
    const covered = new Set(links.encryptingMacsec)
    const uses = direct.ok && direct.fact.modules.some((module) => USES_FABRIC.has(module))
    const native = active.filter(({ linkLayer }) => linkLayer === 'InfiniBand').length
    const isOfBoard = pci.ok && native <= portsOfBoard(pci.fact.devices)
    return decide([
      ...active.map((port) =>
        isOfBoard && port.linkLayer === 'InfiniBand' ? ofBoard(port) : argue(port, covered, uses),
      ),
      ...slingshot,
    ])
  },
})

const SLINGSHOT =
  'The kernel has Slingshot adapters; nothing on this node shows that they encrypt, so take what they send as clear.'

/** Modules that exist for RDMA between adapters and GPUs alone (NVIDIA, GPUDirect RDMA). */
const USES_FABRIC: ReadonlySet<string> = new Set(['nvidia_peermem', 'nv_peer_mem'])

const ofBoard = ({ device, port }: RdmaPort): DraftObservation =>
  unclear(
    `${plain(device, 40)} port ${port} is InfiniBand, which has no encryption of its own. The board of these GPUs has such ports, which lead to its NVSwitches alone; whether this is one was not read.`,
    rdmaLinks,
  )

/**
 * An InfiniBand port exists for its fabric. Ethernet adapters offer RDMA whether or not it is used: their drivers
 * create an RDMA device for each (mlx5_core, bnxt_en, ice), so that it counts as a port in use only where something
 * else shows it.
 */
function argue(port: RdmaPort, covered: ReadonlySet<string>, uses: boolean): DraftObservation {
  const name = `${plain(port.device, 40)} port ${port.port}`
  switch (port.linkLayer) {
    case 'InfiniBand':
      return contradicts(`${name} is InfiniBand, which has no encryption of its own.`, rdmaLinks)
    case 'Ethernet':
      return isCovered(port, covered)
        ? supports(`${name} reaches the network only over MACsec interfaces that encrypt: ${shown(port)}.`, rdmaLinks)
        : uses
          ? contradicts(
              `${name} is RDMA over Ethernet, and nothing on this node encrypts it (${shown(port)}).`,
              rdmaLinks,
            )
          : unclear(
              `${name} offers RDMA over Ethernet, which nothing on this node encrypts (${shown(port)}); whether programs use it is not shown.`,
              rdmaLinks,
            )
    // rdma_link_layer of ib_verbs.h; Amazon’s adapter is neither of the two.
    case 'Unspecified':
      return unclear(
        `${name} belongs to a fabric of its own kind${/^(efa|rdmap)/.test(port.device) ? ' (EFA)' : ''}; nothing on this node shows that it encrypts, so take what it sends as clear.`,
        rdmaLinks,
      )
    default:
      return unclear(`${name} does not name its link layer.`, rdmaLinks)
  }
}

const isCovered = ({ interfaces }: RdmaPort, encrypting: ReadonlySet<string>): boolean =>
  interfaces.length > 0 && interfaces.every((name) => encrypting.has(name))

const shown = ({ interfaces }: RdmaPort): string =>
  interfaces.length === 0 ? 'no interface named' : interfaces.map((name) => plain(name, 20)).join(', ')
