import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { plain } from '../../core/plain-text.ts'
import { isKnownSuite, isStaticRsa, suiteName, suiteWeakness } from '../../core/tls/client-hello.ts'
import type { PassedOver } from '../../core/tls/server-reply.ts'
import { conventionOf } from '../listeners/forwarded.ts'
import { type Listener, type Listeners, listenerProcesses, networkListeners } from '../listeners/probes.ts'
import { contradicts, count, decide, supports, unclear } from '../steps.ts'
import {
  type AcceptedTls,
  isSshListener,
  reachableTcp,
  type TlsListeners,
  type TlsPort,
  targetOf,
  tlsListeners,
} from './probes.ts'

/** A TCP socket that other machines can address, other than the SSH server’s, with what it responded to TLS. */
export interface ReachablePort {
  readonly listener: Listener
  /** "tcp/443 on 0.0.0.0, process nginx": fit to be in a sentence. */
  readonly name: string
  readonly seen: TlsPort | null
  /** Why it was not used to; null where it was, or where nothing shows. */
  readonly passed: PassedOver | null
}

export const socketName = ({ protocol, address, interface: bound, port, processes }: Listener): string => {
  const host = address.includes(':') ? `[${address}]` : address
  const by = processes.length === 0 ? '' : `, process ${processes.map((name) => plain(name, 40)).join(', ')}`
  return `${protocol}/${port} on ${plain(host, 60)}${bound === null ? '' : ` (${plain(bound, 20)})`}${by}`
}

/** What was observed of a socket; by the other family where a service listens on all addresses of both. */
export function observedAt(
  { ports, passed }: TlsListeners,
  listener: Listener,
): Pick<ReachablePort, 'seen' | 'passed'> {
  const { host, port } = targetOf(listener)
  const hosts = host === '::1' ? [host, '127.0.0.1'] : [host]
  for (const one of hosts) {
    const at = (found: { readonly host: string; readonly port: number }): boolean =>
      found.host === one && found.port === port
    const [seen, left] = [ports.find(at), passed.find(at)]
    // One address may represent two sockets: what was passed over is not what was heard.
    if (left !== undefined) return { seen: null, passed: left.why }
    if (seen !== undefined) return { seen, passed: null }
  }
  return { seen: null, passed: null }
}

export const reachablePorts = (
  sockets: Listeners,
  named: Listeners | null,
  tls: TlsListeners,
  sshPort: number,
): readonly ReachablePort[] =>
  reachableTcp(sockets.listeners, named?.listeners ?? [])
    // A process can give itself any name: by port alone is the SSH server left out.
    .filter((listener) => !isSshListener({ ...listener, processes: [] }, sshPort))
    .map((listener) => ({ listener, name: socketName(listener), ...observedAt(tls, listener) }))

const WHY: Readonly<Record<PassedOver, string>> = {
  ssh: 'it was taken for the SSH server',
  printer: 'printer ports are not contacted',
  job: 'ports chosen by running jobs are not contacted',
  foreign: 'its address was not shown to be the node’s own',
  hidden: 'from the node itself, another socket may respond in its place',
  limit: 'more ports listen than the limit of this probe',
  time: 'the time for all ports was over',
  unreached: 'nothing could be reached through this session',
}

/** Why a port was passed over, to follow a colon. */
export const whyPassed = (why: PassedOver): string => WHY[why]

const isOtherProtocol = (port: number): boolean => {
  const kind = conventionOf('tcp', port)?.kind
  return kind !== undefined && kind !== 'encrypted'
}

/** Why nothing is known of TLS on a port, to follow its name; null where something is. */
export function whyUnobserved({ listener, seen, passed }: ReachablePort): string | null {
  if (seen === null) return `was not tested: ${passed === null ? 'it is not in the collector’s record' : WHY[passed]}`
  switch (seen.outcome) {
    case 'refused':
      return 'was not observed: the SSH server forwards no connections to it'
    case 'failed':
      return 'accepted no connection when tested'
    // Services of other protocols hang up on what they do not understand, or wait for more.
    case 'closed':
      return isOtherProtocol(listener.port) ? null : 'closed the connection without a response when TLS was started'
    case 'silent':
      return isOtherProtocol(listener.port) ? null : 'gave no complete response in time when TLS was started'
    default:
      return null
  }
}

export const encryptionInTransitTlsListeners = defineCheck({
  id: 'encryption.in-transit.tls-listeners',
  property: 'encryption-in-transit',
  expected:
    'Every port of this node that responded with TLS supports version 1.2 or later, and accepted no suite that is broken, export-grade or anonymous.',
  limitations:
    'Tested from the node itself, without a host name: a service may treat outside clients, or a host name, differently. Services that begin in clear text and switch to TLS, and UDP services, are not evaluated here; clear-text ports have their own check. The listener on port 22 and on the port of this session is taken for the SSH server. A program that listens on all addresses of both families is tested over IPv4.',
  requires: { sockets: networkListeners, tls: tlsListeners },
  optional: { processes: listenerProcesses },
  evaluate({ sockets, tls }, { processes }, { node }) {
    const ports = reachablePorts(sockets, processes.ok ? processes.fact : null, tls, node.port)
    if (ports.length === 0) {
      const text = `${count(sockets.listeners.length, 'socket')} listed: other than the SSH server, no TCP port can be addressed by other machines.`
      return { verdict: 'not-applicable', observations: [unclear(text, networkListeners)] }
    }
    const spoken = ports.filter(({ seen }) => seen?.outcome === 'tls')
    const because = ports.flatMap(argue)
    if (spoken.length > 0 || because.length > 0) return decide(because)
    const text = `None of ${count(ports.length, 'port')} responded with TLS: ${ports
      .map(({ listener }) => listener.port)
      .slice(0, 12)
      .join(', ')}. Whether they use clear text is tested by another check.`
    return decide([unclear(text, tlsListeners)])
  },
})

/** Steps about one port; none where it plainly uses something else. */
function argue(port: ReachablePort): readonly DraftObservation[] {
  const { name, seen, listener } = port
  const why = whyUnobserved(port)
  if (why !== null) return [unclear(`${name} ${why}.`, tlsListeners)]
  const isExpected = conventionOf('tcp', listener.port)?.kind === 'encrypted'
  if (seen?.outcome !== 'tls') {
    return isExpected ? [unclear(`${name} did not respond with TLS, as expected by convention.`, tlsListeners)] : []
  }
  return argueTls(name, seen)
}

const OLD = ['SSL 3.0', 'TLS 1.0', 'TLS 1.1']

function argueTls(name: string, { accepted, weak, staticRsa, open, isWeakOpen }: TlsPort): readonly DraftObservation[] {
  const old = [...new Set(accepted.filter(({ version }) => OLD.includes(version)).map(({ version }) => version))].sort()
  const refused = [...accepted, ...weak].filter(({ suite }) => suiteWeakness(suite) !== null)
  const unknown = [...accepted, ...weak].filter(({ suite }) => !isKnownSuite(suite))
  const modern = accepted.filter(
    (one) => !OLD.includes(one.version) && !refused.includes(one) && !unknown.includes(one),
  )
  const without = [...staticRsa, ...accepted].find(({ suite }) => isStaticRsa(suite))
  const note =
    without === undefined
      ? ''
      : `; it also takes key exchange by the certificate’s own RSA key (${suiteName(without.suite)}), which gives no forward secrecy`
  return [
    ...(old.length > 0 ? [contradicts(`${name} accepts ${old.join(' and ')}.`, tlsListeners)] : []),
    ...[...new Map(refused.map((one) => [one.suite, one])).values()].map((one) =>
      contradicts(`${name} accepts ${shown(one)}: ${suiteWeakness(one.suite)}.`, tlsListeners),
    ),
    ...(unknown.length > 0
      ? [unclear(`${name} chose ${unknown.map(shown).join(', ')}, which is not listed in this catalog.`, tlsListeners)]
      : []),
    ...(open.length > 0
      ? [unclear(`${name} did not respond on TLS ${[...open].sort().join(', ')}.`, tlsListeners)]
      : []),
    ...(isWeakOpen ? [unclear(`${name} gave no response to an offer of weak suites only.`, tlsListeners)] : []),
    ...(accepted.length === 0
      ? [unclear(`${name} uses TLS and declined every version that was offered.`, tlsListeners)]
      : []),
    ...(modern.length > 0
      ? [supports(`${name} supports ${modern.map(shown).join(' and ')}${note}.`, tlsListeners)]
      : []),
  ]
}

const shown = ({ version, suite }: AcceptedTls): string => `${version} with ${suiteName(suite)}`
