import type { DraftObservation } from '../core/check.ts'
import type { Parsed } from '../core/probe.ts'
import { compare } from '../core/recording.ts'
import { conventionOf } from './port-conventions.ts'
import { type Listener, type Listeners, listenerProcesses, networkListeners } from './probes/listeners.ts'
import { type TlsListeners, type TlsPort, tlsListeners } from './probes/tls-listeners.ts'
import { contradicts, supports, unclear } from './steps.ts'
import { observedAt, socketName } from './tls-reading.ts'
import { isJobs, isSshListener, socketKey } from './tls-targets.ts'

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

/** What a socket responded to TLS; null for UDP, which is not queried. */
export const seenAt = (tls: Parsed<TlsListeners>, listener: Listener): TlsPort | null =>
  tls.ok && listener.protocol === 'tcp' ? observedAt(tls.fact, listener).seen : null

/**
 * Whether what one socket uses is encrypted: by its response to a first message of TLS where there is one, else by the convention of its
 * port.
 */
export function argueListener(listener: Listener, seen: TlsPort | null, sshPort: number): DraftObservation {
  const name = socketName(listener)
  const { protocol, port, processes } = listener
  if (seen?.outcome === 'tls') return supports(`${name}: it responded with TLS.`, tlsListeners)
  if (seen?.says === 'http') return contradicts(`${name}: it responded in clear text, with HTTP.`, tlsListeners)
  if (seen?.says === 'ssh') return supports(`${name}: it responded as SSH, which is encrypted.`, tlsListeners)
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
        `${name}: by convention ${convention.service}, which may begin in clear text and encrypt later; that was not tested${seenText(seen)}.`,
        networkListeners,
      )
    case 'encrypted':
      if (seen?.outcome === 'plain')
        return contradicts(
          `${name}: by convention ${convention.service}, but it did not respond with TLS.`,
          tlsListeners,
        )
      // UDP services and SSH are not queried; of the others the number alone shows nothing.
      return protocol === 'udp' || isSshListener(listener, sshPort)
        ? supports(`${name}: by convention ${convention.service}, which is encrypted.`, networkListeners)
        : unclear(
            `${name}: by convention ${convention.service}, which is encrypted; that was not observed${seenText(seen)}.`,
            networkListeners,
          )
    case 'control':
      return supports(`${name}: ${convention.service}, which carries no stored data.`, networkListeners)
  }
}

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
