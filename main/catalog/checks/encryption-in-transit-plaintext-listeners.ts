import { defineCheck, type Step } from '../../core/check.ts'
import { plain } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'
import { conventionOf } from '../port-conventions.ts'
import { type Listener, listenerProcesses, networkListeners } from '../probes/listeners.ts'
import { leavesUnclear, speaksAgainst, speaksFor, weigh } from '../steps.ts'

export const encryptionInTransitPlaintextListeners = defineCheck({
  id: 'encryption.in-transit.plaintext-listeners',
  property: 'encryption-in-transit',
  claim: 'No socket that other machines can address belongs to a service that accepts data in clear.',
  limits:
    'Services are told apart by port, not by speaking to them. A clear-text service may sit behind a protected tunnel or a firewall, which is not weighed here. Ports published by containers without a listening process, and sockets of other network namespaces, are not seen.',
  needs: { sockets: networkListeners },
  wants: { processes: listenerProcesses },
  evaluate({ sockets }, { processes }) {
    const owners = new Map(
      (processes.ok ? processes.fact.listeners : []).map((found) => [keyOf(found), found.processes]),
    )
    const reachable = [
      ...new Map(sockets.listeners.filter(({ loopback }) => !loopback).map((found) => [keyOf(found), found])).values(),
    ]
    const ordered = reachable.sort((a, b) => a.port - b.port || compare(keyOf(a), keyOf(b)))
    if (ordered.length === 0) {
      return weigh([speaksFor('Every listening socket is bound to the loopback interface.', networkListeners)])
    }
    return weigh(ordered.flatMap((listener) => argue(listener, owners.get(keyOf(listener)) ?? [])))
  },
})

const keyOf = ({ protocol, address, interface: bound, port }: Listener): string =>
  `${protocol} ${address}%${bound ?? ''}:${port}`

function argue(listener: Listener, processes: readonly string[]): readonly Step[] {
  const address = listener.address.includes(':') ? `[${listener.address}]` : listener.address
  const where = `${listener.protocol}/${listener.port} on ${plain(address, 60)}${listener.interface === null ? '' : ` (${plain(listener.interface, 20)})`}`
  const by = processes.length === 0 ? '' : `, process ${processes.map((name) => plain(name, 40)).join(', ')}`
  const convention = conventionOf(listener.protocol, listener.port)
  if (convention === undefined) {
    // The kernel's own listing shows sshd by name to root only; on another port nothing else tells it apart.
    return listener.protocol === 'tcp' && processes.length > 0 && processes.every((name) => name === 'sshd')
      ? [speaksFor(`${where}${by}: SSH, which is encrypted.`, listenerProcesses)]
      : [leavesUnclear(`${where}${by}: what is spoken there is not known.`, networkListeners)]
  }
  switch (convention.kind) {
    case 'clear':
      return [
        speaksAgainst(`${where}${by}: by convention ${convention.service}, which is clear text.`, networkListeners),
      ]
    case 'optional':
      return [
        leavesUnclear(
          `${where}${by}: by convention ${convention.service}; whether it is encrypted was not tested.`,
          networkListeners,
        ),
      ]
    case 'encrypted':
      return [speaksFor(`${where}${by}: by convention ${convention.service}, which is encrypted.`, networkListeners)]
    case 'control':
      return [speaksFor(`${where}${by}: ${convention.service}, which carries no stored data.`, networkListeners)]
  }
}
