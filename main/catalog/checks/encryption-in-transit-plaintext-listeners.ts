import { defineCheck } from '../../core/check.ts'
import { argueListener, reachableSockets, seenAt } from '../clear-listeners.ts'
import { FORWARDING, forwardedSteps } from '../forwarded-ports.ts'
import { listenerProcesses, networkListeners } from '../probes/listeners.ts'
import { tlsListeners } from '../probes/tls-listeners.ts'
import { decide, supports } from '../steps.ts'

export const encryptionInTransitPlaintextListeners = defineCheck({
  id: 'encryption.in-transit.plaintext-listeners',
  property: 'encryption-in-transit',
  expected: 'No socket that other machines can address belongs to a service that accepts data in clear text.',
  limitations:
    'TCP services are identified by their response to a first TLS message, else by port; UDP services by port. A clear-text service may sit behind a protected tunnel or a firewall, which is not evaluated here. Sockets of other network namespaces, and ports that eBPF programs (such as Cilium) forward, are not covered. Where a rule or a proxy forwards ports, or that could not be read, the result is inconclusive.',
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
