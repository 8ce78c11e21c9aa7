import { defineProbe, glob, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { compare } from '../../../core/recording/recording.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { foundLines, grepIsComplete, lines } from '../../base/read-text.ts'
import { count, named, supports } from '../../base/steps.ts'

export interface Connections {
  readonly tcp: readonly {
    readonly peer: string
    readonly port: number
    readonly unsentBytes: number
    /** Address and port at this end. */
    readonly local: { readonly address: string; readonly port: number }
  }[]
}

/** ss(8): established TCP connections without process names. Needed to see that a configured log target is in use. */
export const networkConnections = defineProbe({
  id: 'network.connections',
  title: 'Established network connections',
  why: 'Shows whether a configured service, such as a log receiver, is connected at this moment. No content is read.',
  ignoredInDrift: {
    why: 'Connections open and close continuously. Not detected: the peers of the node.',
    normalize: () => null,
  },
  commands: { tcp: run(['ss', '-H', '-t', '-n', 'state', 'established']) },
  parse({ tcp }) {
    if (tcp.exitCode !== 0) return unknown('the connections could not be listed')
    const read = lines(tcp.text).map((line) => {
      const [, unsent = '', near = '', peer = ''] = line.trim().split(/\s+/)
      const [, address, port] = SOCKET.exec(peer) ?? []
      const [, own, ownPort] = SOCKET.exec(near) ?? []
      return address === undefined || own === undefined || !/^\d{1,12}$/.test(unsent)
        ? null
        : {
            peer: address,
            port: Number(port),
            unsentBytes: Number(unsent),
            local: { address: own, port: Number(ownPort) },
          }
    })
    if (read.includes(null)) return unknown('the output of ss has an unexpected format')
    return known<Connections>({ tcp: read.filter((connection) => connection !== null) })
  },
})

const SOCKET = /^(.*):(\d{1,5})$/

interface ProxySettings {
  /** Files that name a proxy. The address is not collected, since it can contain a password. */
  readonly files: readonly string[]
}

/**
 * environment(7), apt.conf(5) Acquire::http::Proxy, dnf.conf(5) proxy, and /etc/sysconfig/proxy of SUSE. Only the name of the setting is
 * printed (grep -o up to the equals sign), never its value.
 */
export const proxySettings = defineProbe({
  id: 'network.proxies',
  title: 'Proxies for outgoing traffic',
  why: 'Shows whether outgoing traffic is configured to use a proxy. Only the names of settings are read, not the addresses.',
  commands: {
    names: run([
      'grep',
      '-HoiE',
      '^[[:space:]]*(export[[:space:]]+)?(https?_proxy|all_proxy|ftp_proxy|PROXY_ENABLED="?yes|Acquire::(https?|ftp)::Proxy|proxy[[:space:]]*=)',
      '/etc/environment',
      '/etc/sysconfig/proxy',
      '/etc/apt/apt.conf',
      glob('/etc/apt/apt.conf.d/*'),
      '/etc/dnf/dnf.conf',
      '/etc/yum.conf',
      glob('/etc/profile.d/*.sh'),
    ]),
  },
  parse({ names }) {
    if (!grepIsComplete(names)) return unknown('the settings for proxies could not all be read')
    return known<ProxySettings>({ files: [...new Set(foundLines(names.text).map(({ path }) => path))] })
  },
})

/** Whether a proxy is set for the whole system. */
export const proxySteps = (proxies: Parsed<ProxySettings>): readonly DraftObservation[] =>
  proxies.ok
    ? [
        supports(
          proxies.fact.files.length === 0
            ? 'No proxy is set for the whole system.'
            : `A proxy is named in ${named(proxies.fact.files, 5)}.`,
          proxySettings,
        ),
      ]
    : unclearAbout(proxySettings, proxies)

// RFC 6335 §6: the kernel draws the ports of clients from a range that begins at 32768 on Linux (ip-sysctl.rst, ip_local_port_range).
const FIRST_CLIENT_PORT = 32_768

export const networkFlowMap = defineCheck({
  id: 'network.flow-map',
  property: 'operations',
  expected: 'The peers of the TCP connections open at the time of collection are recorded, by network and port.',
  ends: 'recorded',
  limitations:
    'One look at one moment: connections that opened and closed at other times are missing, as are UDP, RDMA, other network namespaces and content. Peers are joined by the first 24 bits of an IPv4 and the first 64 of an IPv6 address; behind a gateway many hosts look like one.',
  requires: { connections: networkConnections },
  evaluate({ connections }) {
    const remote = connections.tcp.filter(({ peer }) => !isLoopback(addressOf(peer)))
    const flows = new Map<string, number>()
    for (const connection of remote) {
      const key = keyOf(connection)
      flows.set(key, (flows.get(key) ?? 0) + 1)
    }
    const listed = [...flows].sort(([a, many], [b, few]) => few - many || compare(a, b))
    return {
      verdict: 'informational',
      observations: [
        supports(
          remote.length === 0
            ? 'No TCP connection with another host was open.'
            : `${count(remote.length, 'TCP connection')} with other hosts open: ${named(
                listed.map(([key, number]) => `${key}: ${number}`),
                24,
              )}.`,
          networkConnections,
        ),
        ...(remote.length === connections.tcp.length
          ? []
          : [
              supports(
                `${count(connections.tcp.length - remote.length, 'connection')} stayed on the node itself.`,
                networkConnections,
              ),
            ]),
      ],
    }
  },
})

/** The bare address: ss prints IPv6 in brackets, and may add an interface after a percent sign. */
const addressOf = (peer: string): string =>
  (peer.replace(/^\[(.*)\]$/, '$1').split('%')[0] ?? '').toLowerCase().replace(/^::ffff:/, '')

const isLoopback = (address: string): boolean => address === '::1' || /^127\./.test(address)

function keyOf({ peer, port }: Connections['tcp'][number]): string {
  const to = port >= FIRST_CLIENT_PORT ? 'a port of a client’s choosing' : `port ${port}`
  return `${networkOf(addressOf(peer))} ${to}`
}

function networkOf(address: string): string {
  const parts = address.split('.')
  if (parts.length === 4) return `${parts.slice(0, 3).join('.')}.0/24`
  // RFC 4291 §2.2: a double colon represents as many zero groups as are missing.
  const [head = '', tail] = address.split('::')
  const first = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : Math.max(0, 8 - first.length - (tail === '' ? 0 : tail.split(':').length))
  const groups = [...first, ...Array<string>(missing).fill('0')].slice(0, 4)
  return `${groups.join(':')}::/64`
}
