import { type Listener, listenerProcesses, networkListeners } from '../catalog/probes/listeners.ts'
import { netRoutes } from '../catalog/probes/net-routes.ts'
import { isAddress, ownAddresses, reachableTcp, tlsTargets } from '../catalog/tls-targets.ts'
import type { Connection } from '../core/ports.ts'
import { captureKey, type Probe, readProbe } from '../core/probe.ts'
import type { CapturedAnswer } from '../core/recording.ts'
import type { TlsObservation } from '../core/tls/observation.ts'
import { isOpen } from './measures.ts'
import { observeTls, type TlsDeps } from './tls-listeners.ts'
import type { Watch } from './watch.ts'

const LISTENERS: readonly string[] = [networkListeners.id, listenerProcesses.id, netRoutes.id]

/** Whether a probe's answer tells which ports may be asked. */
export const isAboutListeners = (probe: string): boolean => LISTENERS.includes(probe)

/** The ports that the node listed in this collection, asked for TLS; null where it listed none that could be read. */
export async function observeListeners(
  deps: TlsDeps,
  connection: Connection,
  {
    listed,
    sshPort,
    address,
  }: {
    /** What the node answered, by probe and command. */
    readonly listed: ReadonlyMap<string, CapturedAnswer>
    readonly sshPort: number
    /** Where this session found the node. */
    readonly address: string
  },
  watch: Watch,
): Promise<TlsObservation | null> {
  const read = (probe: typeof networkListeners): readonly Listener[] | null => {
    const reading = readProbe(probe, listed)
    return reading.ok ? reading.fact.listeners : null
  }
  const sockets = read(networkListeners)
  if (sockets === null) return null
  const routes = readProbe(netRoutes, listed).ok ? listed.get(captureKey(netRoutes.id, 'ipv4')) : undefined
  const own = [...(routes === undefined ? [] : ownAddresses(Buffer.from(routes.stdout).toString())), address]
  const plan = tlsTargets(reachableTcp(sockets, read(listenerProcesses) ?? []), {
    sshPort,
    own: new Set(own.filter(isAddress)),
    loopback: sockets.filter(({ protocol, loopback }) => protocol === 'tcp' && loopback),
  })
  return await observeTls(deps, connection, plan, watch)
}

/** A resumed collection asks for the listeners again when their ports have not been asked yet: it goes by what it heard itself. */
export function withListeners(probes: readonly Probe<unknown>[], skip: ReadonlySet<string>): ReadonlySet<string> {
  if (!isOpen(probes, 'tls-listeners', skip)) return skip
  return new Set([...skip].filter((key) => !isAboutListeners(key.slice(0, key.lastIndexOf('/')))))
}
