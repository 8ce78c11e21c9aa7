import type { PassedOver, TlsTarget } from '../core/tls/observation.ts'
import { conventionOf } from './port-conventions.ts'
import type { Listener } from './probes/listeners.ts'

export const MOST_TLS_PORTS = 32

/**
 * Raw printing: every byte that comes is printed (nmap-service-probes excludes the same ports; RFC 1179 for 515). Software that measures servers
 * uses 9100 too, and in clear by default, which its number alone tells.
 */
const isPrinter = (port: number): boolean => port === 515 || (port >= 9100 && port <= 9107)

/** The default of ip_local_port_range, and the rendezvous of torchrun: sockets of running jobs (NCCL, MPI, UCX) whose peers take a stranger’s bytes ill. */
const isJobs = (port: number): boolean => port >= 32_768 || (port >= 29_400 && port <= 29_600)

/** The SSH server: the port of this session, the usual one, or by process name where that was shown (systemd holds some of its sockets with it). */
export const isSshListener = ({ port, processes }: Listener, sshPort: number): boolean =>
  port === 22 ||
  port === sshPort ||
  (processes.includes('sshd') && processes.every((name) => name === 'sshd' || name === 'systemd'))

/** TCP sockets that other machines can address, one of each address and port, with process names where root saw them. */
export function reachableTcp(listeners: readonly Listener[], named: readonly Listener[]): readonly Listener[] {
  const owners = new Map(named.map((found) => [socketKey(found), found.processes]))
  const reachable = listeners.filter(({ protocol, loopback }) => protocol === 'tcp' && !loopback)
  return [
    ...new Map(
      reachable.map((found) => [
        socketKey(found),
        { ...found, processes: owners.get(socketKey(found)) ?? found.processes },
      ]),
    ).values(),
  ].sort((a, b) => a.port - b.port || (socketKey(a) < socketKey(b) ? -1 : 1))
}

export const socketKey = ({ protocol, address, interface: bound, port }: Listener): string =>
  `${protocol} ${address}%${bound ?? ''}:${port}`

/** Where the node itself reaches a socket: on the loopback address when it listens on all. */
export function targetOf({ address, port }: Pick<Listener, 'address' | 'port'>): TlsTarget {
  if (address === '0.0.0.0' || address === '*') return { host: '127.0.0.1', port }
  return { host: address === '::' ? '::1' : address.replace(/^::ffff:(?=\d+\.)/i, ''), port }
}

/**
 * Which ports to speak to, those that are encrypted by convention first, and why others are passed over. A service that listens on all
 * addresses of both families is asked once, by IPv4.
 */
export function tlsTargets(
  listeners: readonly Listener[],
  sshPort: number,
): { readonly ask: readonly TlsTarget[]; readonly passed: readonly (TlsTarget & { readonly why: PassedOver })[] } {
  const found = new Map<string, { readonly target: TlsTarget; readonly why: PassedOver | null }>()
  for (const listener of listeners) {
    const target = targetOf(listener)
    const why = isSshListener(listener, sshPort)
      ? 'ssh'
      : isPrinter(target.port)
        ? 'printer'
        : isJobs(target.port) && conventionOf('tcp', target.port)?.kind !== 'encrypted'
          ? 'job'
          : null
    const isTwin = target.host === '::1' && found.has(`127.0.0.1 ${target.port}`)
    if (!isTwin) found.set(`${target.host} ${target.port}`, { target, why })
  }
  const rank = ({ port }: TlsTarget): number => (conventionOf('tcp', port)?.kind === 'encrypted' ? 0 : 1)
  const open = [...found.values()]
    .filter(({ why }) => why === null)
    .map(({ target }) => target)
    .sort((a, b) => rank(a) - rank(b) || a.port - b.port)
  return {
    ask: open.slice(0, MOST_TLS_PORTS),
    passed: [
      ...[...found.values()].flatMap(({ target, why }) => (why === null ? [] : [{ ...target, why }])),
      ...open.slice(MOST_TLS_PORTS).map((target) => ({ ...target, why: 'limit' as const })),
    ],
  }
}
