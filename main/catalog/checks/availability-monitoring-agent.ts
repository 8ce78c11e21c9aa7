import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { type Listeners, networkListeners } from '../probes/listeners.ts'
import { type Connections, networkConnections } from '../probes/network-connections.ts'
import { type Monitor, servicesMonitoring } from '../probes/services-monitoring.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'

// ss shows no process to an ordinary user: an agent that sends its figures uses HTTPS, or one of these ports of its own receivers.
const RECEIVERS: Readonly<Record<string, readonly number[]>> = {
  telegraf: [443, 8086],
  // Its own protocol is UDP, which holds no connection.
  collectd: [],
  otelcol: [443, 4317, 4318],
  'otelcol-contrib': [443, 4317, 4318],
  alloy: [443, 4317, 4318],
}
const HTTPS = [443]

export const availabilityMonitoringAgent = defineCheck({
  id: 'availability.monitoring-agent',
  property: 'operations',
  expected: 'A monitoring agent runs on this node, and it accepts queries or is connected to a receiver.',
  limitations:
    'Only agents known to this catalog, run by the service manager, are found; agents in containers and programs of a site’s own are not. An open port does not show that a monitoring system queries it; a connection to a receiver’s port is not tied to the agent. Review of figures and alerts is not shown.',
  requires: { services: servicesMonitoring, listeners: networkListeners },
  optional: { connections: networkConnections },
  evaluate({ services: { installed }, listeners }, { connections }) {
    const active = installed.filter((found) => found.active).map(({ monitor }) => monitor)
    const stopped = installed.filter((found) => !found.active).map(({ monitor }) => monitor.name)
    if (active.length === 0) {
      return decide([
        stopped.length === 0
          ? contradicts('No monitoring agent known to this catalog is installed as a service.', servicesMonitoring)
          : contradicts(
              `Monitoring agents are installed and none runs: ${named([...new Set(stopped)])}.`,
              servicesMonitoring,
            ),
      ])
    }
    const signs = active.flatMap((monitor) => signsOf(monitor, listeners, connections))
    const running = supports(`Running: ${named([...new Set(active.map(({ name }) => name))])}.`, servicesMonitoring)
    const shown = signs.filter(({ direction }) => direction === 'supports')
    if (shown.length > 0) return decide([running, ...shown])
    if (signs.length > 0) return decide([running, ...signs])
    return decide([
      running,
      unclear(
        'No sign was found that a running agent reports: no port of its own is open, and no connection to a receiver’s usual port.',
        networkListeners,
      ),
      ...(connections.ok ? [] : unclearAbout(networkConnections, connections)),
    ])
  },
})

function signsOf(
  monitor: Monitor,
  { listeners }: Listeners,
  connections: Parsed<Connections>,
): readonly DraftObservation[] {
  const ports: readonly number[] = monitor.ports
  const open = listeners.filter(({ protocol, port }) => protocol === 'tcp' && ports.includes(port))
  if (open.some(({ loopback }) => !loopback))
    return [supports(`${monitor.name} accepts queries on port ${ports.join(' or ')}.`, networkListeners)]
  if (open.length > 0)
    return [
      unclear(
        `${monitor.name} accepts queries on port ${ports.join(' or ')} from the node itself only; no program that forwards its figures was found.`,
        networkListeners,
      ),
    ]
  if (ports.length > 0 || !connections.ok) return []
  const receivers = RECEIVERS[monitor.unit] ?? HTTPS
  const peers = connections.fact.tcp.filter(
    ({ port, peer }) => receivers.includes(port) && !/^\[?(::ffff:)?127\.|^\[?::1\]?$/i.test(peer),
  )
  return peers.length === 0
    ? []
    : [
        supports(
          `A connection to port ${[...new Set(peers.map(({ port }) => port))].join(' or ')} is open, as ${monitor.name} uses it.`,
          networkConnections,
        ),
      ]
}
