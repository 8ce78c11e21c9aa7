import { quote } from '../../../core/base/plain-text.ts'
import { type Answer, defineProbe, known, type Parsed, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { FIRST_DRAWN_PORT, inOrder, isAbsent, lines } from '../../base/read-text.ts'

/** A listening socket, as `ss` prints it. */
export interface Listener {
  readonly protocol: 'tcp' | 'udp'
  /** Without brackets and interface, for example 0.0.0.0, ::1 or *. */
  readonly address: string
  /** The interface the socket is bound to, where `ss` names one after a percent sign. */
  readonly interface: string | null
  readonly port: number
  /** True for 127.0.0.0/8, ::1, the same in mapped form, and sockets bound to the loopback interface. */
  readonly loopback: boolean
  /** Names of the owning processes; empty where they were not requested. */
  readonly processes: readonly string[]
  /** Their numbers. */
  readonly pids: readonly number[]
}

export interface Listeners {
  readonly listeners: readonly Listener[]
}

/** TCP and UDP sockets that accept traffic in our network namespace (ss(8)). Readable by any user. */
export const networkListeners = defineProbe({
  id: 'network.listeners',
  title: 'Network sockets that accept traffic',
  why: 'Shows which services other machines can reach, and on which addresses.',
  ignoredInDrift: {
    why: 'Programs use random ports for requests, and for local requests to them; such sockets appear and disappear with the programs. Not detected: a program configured to listen on such a port, over UDP or on the node itself only.',
    normalize: ({ listeners }: Listeners) => ({ listeners: lastingListeners(listeners) }),
  },
  commands: { sockets: run(['ss', '-H', '-tuln']) },
  parse: ({ sockets }) => readListeners(sockets),
})

/** The same with process names, which the kernel shows completely only to root. */
export const listenerProcesses = defineProbe({
  id: 'network.listener-processes',
  title: 'Network sockets that accept traffic, with their processes',
  why: 'Names the program behind each listening socket.',
  ignoredInDrift: {
    why: 'Programs use random ports for requests, and for local requests to them; such sockets appear and disappear with the programs. Not detected: a program configured to listen on such a port, over UDP or on the node itself only.',
    normalize: ({ listeners }: Listeners) => ({ listeners: lastingListeners(listeners) }),
  },
  commands: { sockets: runAsRoot(['ss', '-H', '-tulnp']) },
  parse: ({ sockets }) => readListeners(sockets),
})

function readListeners({ exitCode, text, errorText }: Answer): Parsed<Listeners> {
  if (exitCode !== 0) return unknown(`ss ended with status ${exitCode}`)
  if (errorText.trim() !== '') return unknown(`ss reported a problem: ${quote(errorText)}`)
  return parseListeners(text)
}

const ROW = /^(tcp|udp)\s+(?:LISTEN|UNCONN)\s+\d+\s+\d+\s+(\S+):(\d{1,5})\s+\S+(?:\s+(.*))?$/

/** A socket shared by thousands of processes has a line of this length; a longer one is invalid. */
const MAX_LINE = 16_384

/**
 * Reads `ss -H -tuln[p]`. One line that is not understood makes the whole response unusable, because it may be the listener that matters;
 * so does an empty list, which a reachable server does not have.
 */
export function parseListeners(text: string): Parsed<Listeners> {
  const listeners: Listener[] = []
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const row = line.length > MAX_LINE ? null : ROW.exec(line.trim())
    const port = Number(row?.[3])
    const local = row?.[2]
    if (local === undefined || port > 65535) return unknown(`a line of the output is not a socket: ${quote(line)}`)
    listeners.push({
      protocol: row?.[1] === 'udp' ? 'udp' : 'tcp',
      ...splitAddress(local),
      port,
      ...owners(row?.[4] ?? ''),
    })
  }
  return listeners.length > 0 ? known({ listeners }) : unknown('no listening socket was listed')
}

function splitAddress(local: string): Pick<Listener, 'address' | 'interface' | 'loopback'> {
  const [bare = '', bound] = local.replace(/^\[(.*)\](%.*)?$/, '$1$2').split('%')
  const mapped = bare.toLowerCase().replace(/^::ffff:/, '')
  const loopback = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(mapped) || bare === '::1' || bound === 'lo'
  return { address: bare, interface: bound ?? null, loopback }
}

function owners(field: string): Pick<Listener, 'processes' | 'pids'> {
  const found = [...field.matchAll(/\("((?:[^"\\]|\\.)*)",pid=(\d{1,10})/g)]
  return {
    processes: [...new Set(found.map((match) => match[1] ?? ''))],
    pids: [...new Set(found.map((match) => Number(match[2])))],
  }
}

/** Sockets other than those that programs draw by chance: to ask from over UDP, and to be queried at on the node itself. */
const lastingListeners = (listeners: readonly Listener[]): readonly Omit<Listener, 'pids'>[] =>
  inOrder(
    listeners
      .filter(({ protocol, loopback, port }) => port < FIRST_DRAWN_PORT || (protocol === 'tcp' && !loopback))
      .map(({ pids: _, ...listener }) => ({ ...listener, processes: inOrder(listener.processes) })),
  )

/** A virtual service: what arrives at it is handed to other machines, or to other network namespaces. */
interface VirtualService {
  /** Such as "tcp 10.0.0.1:443", or the mark of the packets that it takes. */
  readonly name: string
}

export interface VirtualServices {
  readonly services: readonly VirtualService[]
}

const TABLE = '/proc/net/ip_vs'

/**
 * Load balancing in the kernel (IPVS; net/netfilter/ipvs/ip_vs_ctl.c, ip_vs_info_seq_show), which Kubernetes can use
 * for its services. No process listens there. Without the module, the table does not exist.
 */
export const ipvsServices = defineProbe({
  id: 'ipvs.services',
  title: 'Ports load-balanced by the kernel to other machines',
  why: 'Shows ports that other machines reach although no program on this server listens there.',
  commands: { table: run(['cat', TABLE], { needsPath: [TABLE] }) },
  parse({ table }) {
    if (isAbsent(table)) return known<VirtualServices>({ services: [] })
    const [head = '', columns = '', ...rows] = lines(table.text)
    if (table.exitCode !== 0 || !head.startsWith('IP Virtual Server version') || !columns.startsWith('Prot '))
      return unknown('the table of virtual services has an unexpected format')
    const services: VirtualService[] = []
    // The line that names the columns of destinations begins as they do.
    for (const row of rows.filter((line) => !/^ {2}-> /.test(line))) {
      const name = serviceIn(row)
      if (name === null) return unknown('the table of virtual services has an unexpected format')
      services.push({ name })
    }
    return known<VirtualServices>({ services })
  },
})

/** Addresses and ports are hexadecimal, IPv6 addresses in square brackets; FWM is the mark that a firewall put on packets. */
function serviceIn(row: string): string | null {
  const mark = /^FWM {2}([0-9A-F]{8}) /.exec(row)?.[1]
  if (mark !== undefined) return `mark ${Number.parseInt(mark, 16)}`
  const [, protocol, v4, v6, port] =
    /^(TCP|UDP|SCTP) +(?:([0-9A-F]{8})|\[([0-9a-f:.]{2,45})\]):([0-9A-F]{4}) /.exec(row) ?? []
  if (protocol === undefined || port === undefined) return null
  const address =
    v4 === undefined ? `[${v6}]` : (v4.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join('.')
  return `${protocol.toLowerCase()} ${address}:${Number.parseInt(port, 16)}`
}
