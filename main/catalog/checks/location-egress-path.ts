import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { compare } from '../../core/recording.ts'
import { netRoutes, type Route } from '../probes/net-routes.ts'
import { proxySettings } from '../probes/proxy-settings.ts'
import { vpnInterfaces } from '../probes/vpn-interfaces.ts'
import { count, named, supports, unclear } from '../steps.ts'

/** Names that tunnels usually have; the kernel lets anyone choose others. */
const TUNNEL = /^(tun|tap|wg|ppp|ipsec|gre|gretap|sit|ip6tnl|vti|xfrm|tailscale|zt|utun|nebula)[a-z0-9._-]*$/

export const locationEgressPath = defineCheck({
  id: 'location.egress-path',
  property: 'location',
  expected: 'The path of outgoing traffic from this server, as the server itself reports it, is recorded.',
  ends: 'recorded',
  limitations:
    'The server’s own view at one moment: its default routes, tunnels and proxies. Rules of policy routing and other network namespaces are not in it, and neither is what happens behind the first gateway. The address of the node as observed from outside is not visible from here.',
  requires: { routes: netRoutes },
  optional: { vpn: vpnInterfaces, proxies: proxySettings },
  evaluate({ routes }, { vpn, proxies }) {
    const all = [...routes.ipv4, ...routes.ipv6]
    const devices = new Set(all.flatMap(({ device }) => device ?? []))
    const tunnels = [...devices].filter((device) => TUNNEL.test(device)).sort(compare)
    return {
      verdict: 'informational',
      observations: [
        exits('IPv4', routes.ipv4),
        exits('IPv6', routes.ipv6),
        ...(tunnels.length === 0
          ? [supports('No route leads into an interface with the usual name of a tunnel.', netRoutes)]
          : [supports(`Routes lead into tunnels by their name: ${named(tunnels)}.`, netRoutes)]),
        ...(vpn.ok
          ? [
              supports(
                vpn.fact.wireguard.length === 0
                  ? 'There is no WireGuard interface.'
                  : `WireGuard interfaces: ${named(vpn.fact.wireguard.map(({ name }) => name))}.`,
                vpnInterfaces,
              ),
            ]
          : unclearAbout(vpnInterfaces, vpn)),
        ...(proxies.ok
          ? [
              supports(
                proxies.fact.files.length === 0
                  ? 'No proxy is set for the whole system.'
                  : `A proxy is named in ${named(proxies.fact.files, 5)}.`,
                proxySettings,
              ),
            ]
          : unclearAbout(proxySettings, proxies)),
      ],
    }
  },
})

function exits(family: string, routes: readonly Route[]): DraftObservation {
  const defaults = routes.filter(({ to, drops }) => to === 'default' && drops === null)
  if (defaults.length === 0) return unclear(`There is no default route for ${family}.`, netRoutes)
  const ways = defaults.map(({ via, device }) => `${via ?? 'the link itself'} on ${device ?? 'no named interface'}`)
  return supports(`${count(ways.length, 'default route')} for ${family}: ${named(ways)}.`, netRoutes)
}
