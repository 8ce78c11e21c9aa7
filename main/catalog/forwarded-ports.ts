import type { DraftObservation } from '../core/check.ts'
import { plain, quote } from '../core/plain-text.ts'
import type { Parsed } from '../core/probe.ts'
import { firewallLegacy, type LegacyTables } from './probes/firewall-legacy.ts'
import { firewallNftables, type Nftables } from './probes/firewall-nftables.ts'
import { ipvsServices, type VirtualServices } from './probes/ipvs-services.ts'
import { type Listener, listenerProcesses } from './probes/listeners.ts'
import { unclear } from './steps.ts'

/** What shows ports that other machines reach although nothing of this server's network namespace listens there. */
export const FORWARDING = { nft: firewallNftables, legacy: firewallLegacy, ipvs: ipvsServices }

export interface ForwardingReadings {
  readonly nft: Parsed<Nftables>
  readonly legacy: Parsed<LegacyTables>
  readonly ipvs: Parsed<VirtualServices>
}

const MOST_RULES = 8

/**
 * What a list of listening sockets does not show: ports that address translation, Kubernetes node ports, load balancing in the kernel or a
 * proxy of a container runtime hand on. Each rule that was found is named, and so is what could not be read. Empty where everything was
 * read and nothing is handed on.
 */
export function forwardedSteps(
  { nft, legacy, ipvs }: ForwardingReadings,
  listeners: readonly Listener[],
): readonly DraftObservation[] {
  return [...rulesOf(nft), ...olderRules(legacy), ...virtualServices(ipvs), ...proxies(listeners)]
}

function rulesOf(nft: Parsed<Nftables>): readonly DraftObservation[] {
  if (!nft.ok)
    return [
      unclear(
        `Whether the packet filter forwards ports is not known (${nft.reason}). As root, “nft -j list ruleset” shows it.`,
        firewallNftables,
      ),
    ]
  const { forwards } = nft.fact
  return [
    ...forwards
      .slice(0, MOST_RULES)
      .map(({ at, does }) =>
        unclear(
          `The packet filter ${does}, by a rule in ${quote(at, 150)}. What other machines reach by it is not in the list of listening sockets.`,
          firewallNftables,
        ),
      ),
    ...(forwards.length > MOST_RULES
      ? [unclear(`${forwards.length - MOST_RULES} more rules forward what arrives.`, firewallNftables)]
      : []),
  ]
}

function olderRules(legacy: Parsed<LegacyTables>): readonly DraftObservation[] {
  if (!legacy.ok)
    return [
      unclear(
        `Whether the older packet filter forwards ports is not known (${legacy.reason}). As root, “iptables-legacy-save -t nat” shows it.`,
        firewallLegacy,
      ),
    ]
  return legacy.fact.tables.includes('nat')
    ? [
        unclear(
          'The older packet filter has a table of address translation, whose rules were not read. As root, “iptables-legacy-save -t nat” shows which ports it forwards.',
          firewallLegacy,
        ),
      ]
    : []
}

function virtualServices(ipvs: Parsed<VirtualServices>): readonly DraftObservation[] {
  if (!ipvs.ok)
    return [unclear(`Whether the kernel balances ports over others is not known (${ipvs.reason}).`, ipvsServices)]
  const { services } = ipvs.fact
  const shown = services.slice(0, MOST_RULES).map(({ name }) => plain(name, 60))
  const more = services.length > shown.length ? [`${services.length - shown.length} more`] : []
  return services.length === 0
    ? []
    : [
        unclear(
          `The kernel hands on what arrives at virtual services (IPVS): ${[...shown, ...more].join(', ')}. They are not in the list of listening sockets.`,
          ipvsServices,
        ),
      ]
}

/** Programs that listen for a container, and pass on what arrives: of Docker, of containers without root, of Podman and of K3s. */
const PROXIES: ReadonlySet<string> = new Set([
  'docker-proxy',
  'rootlessport',
  'rootlesskit',
  'slirp4netns',
  'pasta',
  'lb-tcp',
])

function proxies(listeners: readonly Listener[]): readonly DraftObservation[] {
  const open = listeners.filter(({ loopback, processes }) => !loopback && processes.some((name) => PROXIES.has(name)))
  const ports = [
    ...new Set(
      open.map(
        ({ protocol, port, processes }) =>
          `${protocol}/${port} (${processes.filter((name) => PROXIES.has(name)).join(', ')})`,
      ),
    ),
  ].sort()
  return ports
    .slice(0, MOST_RULES)
    .map((port) =>
      unclear(
        `${plain(port, 80)} is held by a proxy that passes connections to a container. The service behind it is not in the list of listening sockets.`,
        listenerProcesses,
      ),
    )
}
