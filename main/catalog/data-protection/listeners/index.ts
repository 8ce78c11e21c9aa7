import { plain } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { compare } from '../../../core/recording/recording.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { isInContainer, isInJob, type Processes, tenancyProcesses } from '../../base/processes.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { drawnRange, sysctlNetwork } from '../network/kernel.ts'
import { socketName } from '../tls/index.ts'
import {
  isJobs,
  isSshListener,
  observedAt,
  socketKey,
  type TlsListeners,
  type TlsPort,
  tlsListeners,
} from '../tls/probes.ts'
import data from './checks.json' with { type: 'json' }
import { conventionOf, FORWARDING, forwardedSteps } from './forwarded.ts'
import { ipvsServices, type Listener, type Listeners, listenerProcesses, networkListeners } from './probes.ts'

/** Sockets that other machines can address, one of each address and port, with process names where root saw them. */
export function reachableSockets(sockets: Listeners, processes: Parsed<Listeners>): readonly Listener[] {
  const owners = new Map(
    (processes.ok ? processes.fact.listeners : []).map((found) => [socketKey(found), found.processes]),
  )
  return [
    ...new Map(
      sockets.listeners
        .filter(({ loopback }) => !loopback)
        .map((found) => [socketKey(found), { ...found, processes: owners.get(socketKey(found)) ?? [] }]),
    ).values(),
  ].sort((a, b) => a.port - b.port || compare(socketKey(a), socketKey(b)))
}

/** How a socket responded to TLS; null for UDP, which is not queried. */
export const seenAt = (tls: Parsed<TlsListeners>, listener: Listener): TlsPort | null =>
  tls.ok && listener.protocol === 'tcp' ? observedAt(tls.fact, listener).seen : null

/**
 * Whether the traffic of a socket is encrypted: by its response to a TLS ClientHello where there is one, otherwise by
 * the convention of its port.
 */
export function argueListener(listener: Listener, seen: TlsPort | null, sshPort: number): DraftObservation {
  const name = socketName(listener)
  const { protocol, port, processes } = listener
  if (seen?.outcome === 'tls') return supports(`${name}: it responded with TLS.`, tlsListeners)
  if (isHealthOnly(listener)) return supports(`${name}: ${HEALTH}, which carries no stored data.`, listenerProcesses)
  if (seen?.greeting === 'http') return contradicts(`${name}: it responded in clear text, with HTTP.`, tlsListeners)
  if (seen?.greeting === 'ssh') return supports(`${name}: it responded as SSH, which is encrypted.`, tlsListeners)
  const convention = conventionOf(protocol, port)
  if (convention === undefined) {
    // The kernel's own listing shows sshd by name to root only; on another port nothing else distinguishes it.
    if (protocol === 'tcp' && processes.length > 0 && isSshListener(listener, sshPort))
      return supports(`${name}: SSH, which is encrypted.`, listenerProcesses)
    if (processes.some((process) => RPC_SERVICES.has(process)))
      return contradicts(`${name}: a service of ONC RPC, which is clear text.`, listenerProcesses)
    return unclear(`${name}: its protocol is not known${seenText(seen)}${ownerText(listener)}.`, networkListeners)
  }
  switch (convention.kind) {
    case 'clear':
      return contradicts(`${name}: by convention ${convention.service}, which is clear text.`, networkListeners)
    case 'optional':
      return unclear(
        `${name}: by convention ${convention.service}, which can be encrypted, from the start or later; that was not observed${seenText(seen)}.`,
        networkListeners,
      )
    case 'encrypted':
      if (seen?.outcome === 'plain')
        return contradicts(
          `${name}: by convention ${convention.service}, but it did not respond with TLS.`,
          tlsListeners,
        )
      // UDP services and SSH are not queried; of the others the number alone shows nothing.
      return (protocol === 'udp' && isShownByName(listener)) || isSshListener(listener, sshPort)
        ? supports(`${name}: by convention ${convention.service}, which is encrypted.`, networkListeners)
        : unclear(
            `${name}: by convention ${convention.service}, which is encrypted; that was not observed${seenText(seen)}.`,
            networkListeners,
          )
    case 'control':
      return supports(`${name}: ${convention.service}, which carries no stored data.`, networkListeners)
  }
}

const HEALTH = 'whether the node’s Kubernetes proxy is healthy'

/**
 * Where kube-proxy responds, in clear text and by default on every address, whether it and the node are healthy (Kubernetes documentation,
 * “Ports and Protocols”; SetDefaults_KubeProxyConfiguration). It takes no data; its metrics are on another port, of the loopback interface.
 */
const isHealthOnly = ({ protocol, port, processes }: Listener): boolean =>
  protocol === 'tcp' && port === 10_256 && processes.length > 0 && processes.every((name) => name === 'kube-proxy')

/** Servers of QUIC, of DTLS and of OpenVPN, by their names as the kernel cuts them (15 characters). */
const ENCRYPTING =
  /^(nginx|angie|caddy|haproxy|traefik|envoy|h2o|litespeed|lshttpd|openlitespeed|openvpn|ocserv(-\w{1,8})?)$/

/** On the other ports nothing but IPsec and WireGuard is usual; on UDP 443 also STUN and TURN, which are clear text (RFC 8489, RFC 8656). */
const isShownByName = ({ port, processes }: Listener): boolean =>
  port !== 443 || (processes.length > 0 && processes.every((name) => ENCRYPTING.test(name)))

// Programs of NFS that listen wherever the port mapper puts them (rpc.statd(8), rpc.mountd(8)).
const RPC_SERVICES: ReadonlySet<string> = new Set(['rpcbind', 'rpc.statd', 'rpc.mountd', 'rpc.rquotad'])

function ownerText({ protocol, port, processes }: Listener): string {
  if (processes.includes('docker-proxy')) return '; a container is published there'
  return protocol === 'tcp' && isJobs(port)
    ? '; jobs that span servers (NCCL, MPI) send in clear text on such ports'
    : ''
}

const OUTCOMES: Readonly<Record<TlsPort['outcome'], string>> = {
  tls: '',
  plain: '; it did not respond with TLS',
  silent: '; it did not respond to TLS',
  closed: '; it closed the connection on TLS',
  refused: '; the SSH server forwards no connections to it',
  failed: '; it accepted no connection',
}

const seenText = (seen: TlsPort | null): string => (seen === null ? '' : OUTCOMES[seen.outcome])

/** One port that other machines can address, with every program that was seen behind it. */
interface OpenPort {
  readonly protocol: 'tcp' | 'udp'
  readonly port: number
  readonly programs: readonly string[]
}

// A scan of a hostile response can list 65,535 ports; a reader needs the first of them and the number.
const MOST_STEPS = 40

export const networkListeningPorts = defineCheck({
  id: 'network.listening-ports',
  property: 'operations',
  expected: 'Every port that other machines can address on this node is among the services declared for it.',
  limitations:
    'A port is compared with the fleet file by protocol and number: that the declared service is the one behind it was not tested. Of ports from the kernel’s own range (by default 32768 to 60999), those over UDP leave it inconclusive, and so do those over TCP that no program, a service of NFS, a batch job or a container holds. Sockets of other network namespaces, ports that eBPF programs other than Cilium’s forward, and services started by a first connection elsewhere are not detected. Where a rule, a proxy or Cilium forwards ports, or that could not be read, this is inconclusive.',
  requires: { sockets: networkListeners },
  optional: { processes: listenerProcesses, running: tenancyProcesses, sysctl: sysctlNetwork, ...FORWARDING },
  evaluate({ sockets }, { processes, running, sysctl, ...forwarding }, { node }) {
    const programs = processes.ok ? processes.fact.listeners : []
    const open = openPorts([...sockets.listeners, ...programs])
    const forwarded = forwardedSteps(forwarding, programs)
    const nameless = processes.ok ? [] : unclearAbout(listenerProcesses, processes)
    const declared = node.services ?? []
    if (declared.length === 0) {
      return decide([
        unclear(
          open.length === 0
            ? 'No services were declared for this node. Nothing listens beyond the loopback interface.'
            : `No services were declared for this node. ${count(open.length, 'port')} can be addressed by other machines: ${listed(open)}.`,
          networkListeners,
        ),
        ...nameless,
        ...forwarded,
      ])
    }
    const keys = new Map(declared.map((service) => [keyOf(service), service]))
    const undeclared = open.filter((port) => !keys.has(keyOf(port)))
    const range = drawnRange(sysctl)
    const inRange = undeclared.filter((port) => isInRange(port, range))
    const drawn = inRange.filter(({ protocol }) => protocol === 'udp')
    const hasNames = programs.some(({ processes: owners }) => owners.length > 0)
    const remote = inRange.filter((port) => !drawn.includes(port) && hasNames && isOfFileService(port))
    const ofJobs = inRange.filter((port) => isOfJobs(port, programs, running))
    const known = [...drawn, ...remote, ...ofJobs]
    const strangers = undeclared.filter((port) => !known.includes(port))
    const expected = open.filter((port) => keys.has(keyOf(port)))
    const idle = [...keys.values()].filter((service) => !open.some((port) => keyOf(port) === keyOf(service)))
    return decide([
      ...strangers
        .slice(0, MOST_STEPS)
        .map((port) =>
          contradicts(`${describe(port)} is open to other machines and was not declared.`, networkListeners),
        ),
      ...(strangers.length > MOST_STEPS
        ? [contradicts(`${strangers.length - MOST_STEPS} more ports were not declared.`, networkListeners)]
        : []),
      supports(
        expected.length === 0
          ? 'No declared port is open to other machines.'
          : `Open and declared: ${named(
              expected.map((port) => `${describe(port)}: ${keys.get(keyOf(port))?.name ?? ''}`),
              20,
            )}.`,
        networkListeners,
      ),
      ...(drawn.length === 0
        ? []
        : [
            unclear(
              `Not declared, and within the range that the kernel draws ports from; a program that only sends over UDP holds such a socket as well: ${listed(drawn)}.`,
              networkListeners,
            ),
          ]),
      ...(remote.length === 0
        ? []
        : [
            unclear(
              `Not declared, and held by the kernel itself or a service of NFS, at ports that are drawn again at each start: ${listed(remote)}.`,
              listenerProcesses,
            ),
          ]),
      ...(ofJobs.length === 0
        ? []
        : [
            unclear(
              `Not declared, and held by batch jobs or containers at ports that the kernel drew, as work that spans servers does (MPI, NCCL): ${listed(ofJobs)}.`,
              listenerProcesses,
            ),
          ]),
      ...idleSteps(idle.map((service) => `${keyOf(service)} ${service.name}`)),
      ...forwarded,
    ])
  },
})

const keyOf = ({ protocol, port }: { readonly protocol: string; readonly port: number }): string =>
  `${protocol}/${port}`

// ss shows a socket over UDP that only sent, such as rsyslogd's to a receiver, like one that serves.
const isInRange = ({ protocol, port }: OpenPort, { first, last }: ReturnType<typeof drawnRange>): boolean =>
  port >= first && port <= last && conventionOf(protocol, port) === undefined

/** Whether all processes that hold a port over TCP are in a batch job or a container; each of them has to be in the list of processes. */
function isOfJobs(port: OpenPort, programs: readonly Listener[], running: Parsed<Processes>): boolean {
  if (!running.ok || port.protocol !== 'tcp') return false
  const byId = new Map(running.fact.processes.map((one) => [one.pid, one]))
  const pids = programs.filter((one) => !one.loopback && keyOf(one) === keyOf(port)).flatMap((one) => one.pids)
  return (
    pids.length > 0 &&
    pids.every((pid) => {
      const holder = byId.get(pid)
      return holder !== undefined && (isInJob(holder) || isInContainer(holder))
    })
  )
}

/**
 * A client of NFS listens for its server: the kernel for locks and callbacks (Documentation/admin-guide/kernel-parameters.txt,
 * lockd.nlm_tcpport and nfs.callback_tcpport, by default at any port), which belongs to no program, and rpc.statd(8). No number can be declared
 * for them.
 */
const isOfFileService = ({ programs }: OpenPort): boolean => programs.every((name) => RPC_SERVICES.has(name))

const idleSteps = (idle: readonly string[]): readonly DraftObservation[] =>
  idle.length === 0 ? [] : [supports(`Declared and not open to other machines now: ${named(idle)}.`, networkListeners)]

/** TCP before UDP, then by number, whatever the order of the response. */
function openPorts(listeners: readonly Listener[]): readonly OpenPort[] {
  const found = new Map<string, { protocol: 'tcp' | 'udp'; port: number; programs: Set<string> }>()
  for (const { protocol, port, loopback, processes } of listeners) {
    if (loopback) continue
    const key = `${protocol}/${port}`
    const known = found.get(key) ?? { protocol, port, programs: new Set<string>() }
    for (const name of processes) known.programs.add(name)
    found.set(key, known)
  }
  return [...found.values()]
    .map(({ programs, ...rest }) => ({ ...rest, programs: [...programs].sort(compare) }))
    .sort((a, b) => compare(a.protocol, b.protocol) || a.port - b.port)
}

const describe = (port: OpenPort): string =>
  port.programs.length === 0
    ? keyOf(port)
    : `${keyOf(port)} (${port.programs
        .slice(0, 4)
        .map((name) => plain(name, 40))
        .join(', ')})`

const listed = (ports: readonly OpenPort[]): string => named(ports.map(describe), 30)

const encryptionInTransitPlaintextListeners = defineCheck({
  id: 'encryption.in-transit.plaintext-listeners',
  property: 'encryption-in-transit',
  expected: 'No socket that other machines can address belongs to a service that accepts data in clear text.',
  limitations:
    'TCP services are identified by their response to a first TLS message, else by port; UDP services by port. A clear-text service may sit behind a protected tunnel or a firewall, which is not evaluated here. Sockets of other network namespaces, and ports that eBPF programs other than Cilium’s forward, are not covered. Where a rule, a proxy or Cilium forwards ports, or that could not be read, the result is inconclusive.',
  requires: { sockets: networkListeners },
  optional: { processes: listenerProcesses, tls: tlsListeners, ...FORWARDING },
  evaluate({ sockets }, { processes, tls, ...forwarding }, { node }) {
    const reachable = reachableSockets(sockets, processes)
    const forwarded = forwardedSteps(forwarding, reachable)
    if (reachable.length === 0)
      return decide([
        supports('Every listening socket is bound to the loopback interface.', networkListeners),
        ...forwarded,
      ])
    return decide([
      ...reachable.map((listener) => argueListener(listener, seenAt(tls, listener), node.port)),
      ...forwarded,
    ])
  },
})

export const listenersSubject = defineSubject({
  id: 'listeners',
  title: 'Listening ports',
  probes: [networkListeners, listenerProcesses, ipvsServices],
  checks: [encryptionInTransitPlaintextListeners, networkListeningPorts],
  data,
})
