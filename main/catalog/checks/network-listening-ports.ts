import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { plain } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'
import { FORWARDING, forwardedSteps } from '../forwarded-ports.ts'
import { type Listener, listenerProcesses, networkListeners } from '../probes/listeners.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'

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
    'A port is compared with the fleet file by protocol and number: that the declared service is the one behind it was not tested. Sockets of other network namespaces, ports that eBPF programs (such as Cilium) forward, and services started by a first connection elsewhere are not detected. Where a rule or a proxy forwards ports, or that could not be read, this is not decided.',
  requires: { sockets: networkListeners },
  optional: { processes: listenerProcesses, ...FORWARDING },
  evaluate({ sockets }, { processes, ...forwarding }, { node }) {
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
    const strangers = open.filter((port) => !keys.has(keyOf(port)))
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
      ...idleSteps(idle.map((service) => `${keyOf(service)} ${service.name}`)),
      ...forwarded,
    ])
  },
})

const keyOf = ({ protocol, port }: { readonly protocol: string; readonly port: number }): string =>
  `${protocol}/${port}`

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
