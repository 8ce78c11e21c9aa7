import { plain, quote } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import type { DraftObservation } from '../../../core/rules/check.ts'
import { unclear } from '../../base/steps.ts'
import { firewallLegacy, firewallNftables, type LegacyTables, type Nftables } from '../firewall/nftables.ts'
import { ipvsServices, type Listener, listenerProcesses, type VirtualServices } from './probes.ts'

/**
 * Conventional use of a port (IANA service names, and defaults of common software). `clear`: the protocol is not
 * encrypted there; `optional`: the same port may be encrypted, which its number cannot show; `encrypted`: the
 * protocol is encrypted; `control`: host plumbing without user data (address assignment, time).
 */
type Convention = 'clear' | 'optional' | 'encrypted' | 'control'

interface PortConvention {
  readonly kind: Convention
  readonly service: string
}

const table = (kind: Convention, rows: string): readonly (readonly [string, PortConvention])[] =>
  rows
    .trim()
    .split('\n')
    .flatMap((row) => {
      const [ports = '', ...service] = row.trim().split(' ')
      return ports
        .split(',')
        .map((port): readonly [string, PortConvention] => [port, { kind, service: service.join(' ') }])
    })

const PORTS: ReadonlyMap<string, PortConvention> = new Map([
  ...table(
    'clear',
    `tcp/21 FTP
    tcp/23 Telnet
    udp/69 TFTP
    tcp/79 Finger
    tcp/80,tcp/8080,tcp/8000 HTTP
    tcp/8888 HTTP (Jupyter)
    tcp/512,tcp/513,tcp/514 remote shell services
    udp/514 syslog
    udp/161,udp/162 SNMP
    tcp/873 rsync
    tcp/1883 MQTT
    tcp/2375 Docker without TLS
    tcp/6000,tcp/6001 X11
    tcp/6379 Redis or Ray
    tcp/10255 kubelet without TLS
    tcp/11211,udp/11211 memcached
    tcp/6817,tcp/6818,tcp/6819 Slurm
    tcp/8265 Ray dashboard over HTTP
    tcp/29500 PyTorch rendezvous (before NCCL connects)
    tcp/5555 GPU management (DCGM)
    tcp/6006 TensorBoard over HTTP
    tcp/111,udp/111 RPC port mapper
    udp/4789,udp/8472 VXLAN
    udp/6081 Geneve
    udp/4791 RDMA over Ethernet`,
  ),
  ...table(
    'optional',
    `tcp/25,tcp/587 mail
    tcp/110 POP3
    tcp/143 IMAP
    tcp/389 LDAP
    tcp/5000 container registry or other HTTP
    tcp/10001 Ray client
    tcp/139,tcp/445 SMB
    tcp/2049,udp/2049 NFS
    tcp/1433 SQL Server
    tcp/1521 Oracle
    tcp/3306 MySQL
    tcp/5432 PostgreSQL
    tcp/5672 AMQP
    tcp/5900,tcp/5901 VNC
    tcp/3389 remote desktop
    tcp/27017 MongoDB
    tcp/9200,tcp/9300 Elasticsearch
    tcp/9092 Kafka
    tcp/2181 ZooKeeper
    tcp/2379,tcp/2380 etcd
    tcp/3260 iSCSI
    tcp/4420 NVMe over TCP
    tcp/6789,tcp/3300 Ceph
    tcp/988 Lustre
    tcp/9000 object storage or other HTTP
    tcp/9090,tcp/9100,tcp/9400 metrics or administration over HTTP
    udp/53,tcp/53 DNS`,
  ),
  ...table(
    'encrypted',
    `tcp/22 SSH
    tcp/443,udp/443,tcp/8443 HTTPS
    tcp/465,tcp/993,tcp/995 mail over TLS
    tcp/636 LDAP over TLS
    tcp/853 DNS over TLS
    tcp/2376 Docker with TLS
    tcp/5671 AMQP over TLS
    tcp/5986 WinRM over TLS
    tcp/6443 Kubernetes API
    tcp/10250 kubelet with TLS
    tcp/6514 syslog over TLS
    udp/500,udp/4500 IPsec
    udp/51820 WireGuard`,
  ),
  ...table(
    'control',
    `udp/67,udp/68,udp/546,udp/547 address assignment
    udp/123 NTP
    udp/323 chrony control
    udp/319,udp/320 PTP
    udp/5353 local names
    udp/5355,tcp/5355 local names`,
  ),
])

export const conventionOf = (protocol: 'tcp' | 'udp', port: number): PortConvention | undefined =>
  PORTS.get(`${protocol}/${port}`)

/** Evidence of ports that other machines reach although nothing in this server’s network namespace listens there. */
export const FORWARDING = { nft: firewallNftables, legacy: firewallLegacy, ipvs: ipvsServices }

export interface ForwardingReadings {
  readonly nft: Parsed<Nftables>
  readonly legacy: Parsed<LegacyTables>
  readonly ipvs: Parsed<VirtualServices>
}

const MOST_RULES = 8

/**
 * What a list of listening sockets does not show: ports forwarded by address translation, Kubernetes node ports, load
 * balancing in the kernel, or a proxy of a container runtime. Each rule found is named, and so is what could not be
 * read. Empty where everything was read and nothing is forwarded.
 */
export function forwardedSteps(
  { nft, legacy, ipvs }: ForwardingReadings,
  listeners: readonly Listener[],
): readonly DraftObservation[] {
  return [
    ...rulesOf(nft),
    ...olderRules(legacy),
    ...virtualServices(ipvs),
    ...proxies(listeners),
    ...kernelPrograms(listeners),
  ]
}

function rulesOf(nft: Parsed<Nftables>): readonly DraftObservation[] {
  if (!nft.ok)
    return [
      unclear(
        `Whether the packet filter forwards ports is not known (${nft.reason}). As root, “nft -j list ruleset” shows it.`,
        firewallNftables,
      ),
    ]
  const { forwards } = nft.fact
  return [
    ...forwards
      .slice(0, MOST_RULES)
      .map(({ at, does }) =>
        unclear(
          `The packet filter ${does}, by a rule in ${quote(at, 150)}. What other machines reach by it is not in the list of listening sockets.`,
          firewallNftables,
        ),
      ),
    ...(forwards.length > MOST_RULES
      ? [unclear(`${forwards.length - MOST_RULES} more rules forward what arrives.`, firewallNftables)]
      : []),
  ]
}

function olderRules(legacy: Parsed<LegacyTables>): readonly DraftObservation[] {
  if (!legacy.ok)
    return [
      unclear(
        `Whether the older packet filter forwards ports is not known (${legacy.reason}). As root, “iptables-legacy-save -t nat” shows it.`,
        firewallLegacy,
      ),
    ]
  return legacy.fact.tables.includes('nat')
    ? [
        unclear(
          'The older packet filter has a table of address translation, whose rules were not read. As root, “iptables-legacy-save -t nat” shows which ports it forwards.',
          firewallLegacy,
        ),
      ]
    : []
}

function virtualServices(ipvs: Parsed<VirtualServices>): readonly DraftObservation[] {
  if (!ipvs.ok)
    return [unclear(`Whether the kernel balances ports over others is not known (${ipvs.reason}).`, ipvsServices)]
  const { services } = ipvs.fact
  const shown = services.slice(0, MOST_RULES).map(({ name }) => plain(name, 60))
  const more = services.length > shown.length ? [`${services.length - shown.length} more`] : []
  return services.length === 0
    ? []
    : [
        unclear(
          `The kernel hands on what arrives at virtual services (IPVS): ${[...shown, ...more].join(', ')}. They are not in the list of listening sockets.`,
          ipvsServices,
        ),
      ]
}

/** Programs that listen for a container, and pass on what arrives: of Docker, of containers without root, of Podman and of K3s. */
const PROXIES: ReadonlySet<string> = new Set([
  'docker-proxy',
  'rootlessport',
  'rootlesskit',
  'slirp4netns',
  'pasta',
  'lb-tcp',
])

function proxies(listeners: readonly Listener[]): readonly DraftObservation[] {
  const open = listeners.filter(({ loopback, processes }) => !loopback && processes.some((name) => PROXIES.has(name)))
  const ports = [
    ...new Set(
      open.map(
        ({ protocol, port, processes }) =>
          `${protocol}/${port} (${processes.filter((name) => PROXIES.has(name)).join(', ')})`,
      ),
    ),
  ].sort()
  return ports
    .slice(0, MOST_RULES)
    .map((port) =>
      unclear(
        `${plain(port, 80)} is held by a proxy that passes connections to a container. The service behind it is not in the list of listening sockets.`,
        listenerProcesses,
      ),
    )
}

/**
 * The agent of Cilium, which holds ports of its own. It can serve ports of Kubernetes services (NodePort) by programs that it loads into the
 * kernel (Cilium documentation, “Kubernetes Without kube-proxy”): no socket and no rule of the packet filter is there for them.
 */
const kernelPrograms = (listeners: readonly Listener[]): readonly DraftObservation[] =>
  listeners.some(({ processes }) => processes.includes('cilium-agent'))
    ? [
        unclear(
          'Cilium runs here. What it forwards by programs in the kernel (eBPF) was not read, and is not in the list of listening sockets.',
          listenerProcesses,
        ),
      ]
    : []
