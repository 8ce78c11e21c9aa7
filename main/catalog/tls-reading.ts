import { plain } from '../core/plain-text.ts'
import type { PassedOver } from '../core/tls/observation.ts'
import { conventionOf } from './port-conventions.ts'
import type { Listener, Listeners } from './probes/listeners.ts'
import type { TlsListeners, TlsPort } from './probes/tls-listeners.ts'
import { isSshListener, reachableTcp, targetOf } from './tls-targets.ts'

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
