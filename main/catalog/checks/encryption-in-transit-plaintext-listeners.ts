import { defineCheck, type Step } from '../../core/check.ts'
import { compare } from '../../core/recording.ts'
import { FORWARDING, forwardedSteps } from '../forwarded-ports.ts'
import { conventionOf } from '../port-conventions.ts'
import { type Listener, listenerProcesses, networkListeners } from '../probes/listeners.ts'
import { type TlsPort, tlsListeners } from '../probes/tls-listeners.ts'
import { leavesUnclear, speaksAgainst, speaksFor, weigh } from '../steps.ts'
import { observedAt, socketName } from '../tls-reading.ts'
import { isJobs, isSshListener, socketKey } from '../tls-targets.ts'

export const encryptionInTransitPlaintextListeners = defineCheck({
  id: 'encryption.in-transit.plaintext-listeners',
  property: 'encryption-in-transit',
  claim: 'No socket that other machines can address belongs to a service that accepts data in clear.',
  limits:
    'TCP services are told apart by what they answered to a first message of TLS, else by port; UDP services by port. A clear-text service may sit behind a protected tunnel or a firewall, which is not weighed here. Sockets of other network namespaces, and ports that eBPF programs (such as Cilium) forward, are not seen. Where a rule or a proxy forwards ports, or that could not be read, this is not decided.',
  needs: { sockets: networkListeners },
  wants: { processes: listenerProcesses, tls: tlsListeners, ...FORWARDING },
  evaluate({ sockets }, { processes, tls, ...forwarding }, { node }) {
    const owners = new Map(
      (processes.ok ? processes.fact.listeners : []).map((found) => [socketKey(found), found.processes]),
    )
    const reachable = [
      ...new Map(
        sockets.listeners
          .filter(({ loopback }) => !loopback)
          .map((found) => [socketKey(found), { ...found, processes: owners.get(socketKey(found)) ?? [] }]),
      ).values(),
    ].sort((a, b) => a.port - b.port || compare(socketKey(a), socketKey(b)))
    const forwarded = forwardedSteps(forwarding, reachable)
    if (reachable.length === 0)
      return weigh([
        speaksFor('Every listening socket is bound to the loopback interface.', networkListeners),
        ...forwarded,
      ])
    return weigh([
      ...reachable.map((listener) => {
        const seen = tls.ok && listener.protocol === 'tcp' ? observedAt(tls.fact, listener).seen : null
        return argue(listener, seen, node.port)
      }),
      ...forwarded,
    ])
  },
})

function argue(listener: Listener, seen: TlsPort | null, sshPort: number): Step {
  const name = socketName(listener)
  const { protocol, port, processes } = listener
  if (seen?.outcome === 'tls') return speaksFor(`${name}: it answered with TLS.`, tlsListeners)
  if (seen?.says === 'http') return speaksAgainst(`${name}: it answered in clear, with HTTP.`, tlsListeners)
  if (seen?.says === 'ssh') return speaksFor(`${name}: it answered as SSH, which is encrypted.`, tlsListeners)
  const convention = conventionOf(protocol, port)
  if (convention === undefined) {
    // The kernel's own listing shows sshd by name to root only; on another port nothing else tells it apart.
    if (protocol === 'tcp' && processes.length > 0 && isSshListener(listener, sshPort))
      return speaksFor(`${name}: SSH, which is encrypted.`, listenerProcesses)
    if (processes.some((process) => RPC_SERVICES.has(process)))
      return speaksAgainst(`${name}: a service of ONC RPC, which is clear text.`, listenerProcesses)
    return leavesUnclear(
      `${name}: what is spoken there is not known${seenText(seen)}${ownerText(listener)}.`,
      networkListeners,
    )
  }
  switch (convention.kind) {
    case 'clear':
      return speaksAgainst(`${name}: by convention ${convention.service}, which is clear text.`, networkListeners)
    case 'optional':
      return leavesUnclear(
        `${name}: by convention ${convention.service}, which may begin in clear and encrypt later; that was not tested${seenText(seen)}.`,
        networkListeners,
      )
    case 'encrypted':
      if (seen?.outcome === 'plain')
        return speaksAgainst(
          `${name}: by convention ${convention.service}, yet it did not answer with TLS.`,
          tlsListeners,
        )
      // UDP services and SSH are not asked; of the others the number alone shows nothing.
      return protocol === 'udp' || isSshListener(listener, sshPort)
        ? speaksFor(`${name}: by convention ${convention.service}, which is encrypted.`, networkListeners)
        : leavesUnclear(
            `${name}: by convention ${convention.service}, which is encrypted; that was not observed${seenText(seen)}.`,
            networkListeners,
          )
    case 'control':
      return speaksFor(`${name}: ${convention.service}, which carries no stored data.`, networkListeners)
  }
}

// Programs of NFS that listen wherever the port mapper puts them (rpc.statd(8), rpc.mountd(8)).
const RPC_SERVICES: ReadonlySet<string> = new Set(['rpcbind', 'rpc.statd', 'rpc.mountd', 'rpc.rquotad'])

function ownerText({ protocol, port, processes }: Listener): string {
  if (processes.includes('docker-proxy')) return '; a container is published there'
  return protocol === 'tcp' && isJobs(port) ? '; jobs that span servers (NCCL, MPI) send in clear on such ports' : ''
}

const OUTCOMES: Readonly<Record<TlsPort['outcome'], string>> = {
  tls: '',
  plain: '; it did not answer with TLS',
  silent: '; it did not answer to TLS',
  closed: '; it hung up on TLS',
  refused: '; the SSH server forwards no connections to it',
  failed: '; it took no connection',
}
const seenText = (seen: TlsPort | null): string => (seen === null ? '' : OUTCOMES[seen.outcome])
