import { quote } from '../../../core/base/plain-text.ts'
import { addressValue } from '../../../core/geo/addresses.ts'
import { known, type Parsed } from '../../../core/recording/probe.ts'
import type { DraftObservation } from '../../../core/rules/check.ts'
import { unclear } from '../../base/steps.ts'
import { netRoutes, type Route, type Routes } from '../network/links.ts'
import { type IpsecState, ipsec, type VpnInterfaces, vpnInterfaces } from '../vpn/probes.ts'

/** What a check wants to see whether traffic may be inside of a tunnel. */
export const TUNNEL_WANTS = { vpn: vpnInterfaces, routes: netRoutes, associations: ipsec } as const

export interface Tunnels {
  readonly vpn: Parsed<VpnInterfaces>
  readonly routes: Parsed<Routes>
  readonly associations: Parsed<IpsecState>
}

/** Whether some traffic is encrypted by IPsec: associations with ESP and a cipher other than the null cipher (RFC 4303, RFC 2410, RFC 4543). */
export const mayUseIpsec = (state: Parsed<IpsecState>): boolean =>
  state.ok &&
  state.fact.policies > 0 &&
  state.fact.associations.some(
    ({ protocol, algorithms }) =>
      protocol === 'esp' && !algorithms.some((one) => /cipher_null|digest_null|rfc4543/.test(one)),
  )

/**
 * Traffic to an address that is clear by itself: a tunnel below may encrypt it, which leaves the result open. The tables of policy routing and
 * the selectors of IPsec are not read, so that a tunnel never supports it.
 */
export function openByTunnels(
  steps: readonly DraftObservation[],
  address: string | undefined,
  tunnels: Tunnels | undefined,
): readonly DraftObservation[] {
  if (tunnels === undefined) return steps
  const tunnel = tunnelTo(address, tunnels)
  const isIpsec = mayUseIpsec(tunnels.associations)
  return steps.map((step) => {
    if (step.direction !== 'contradicts') return step
    if (tunnel !== null)
      return unclear(
        `${step.text} Its server is reached through the WireGuard interface ${quote(tunnel)} by the main table of routes; others were not read.`,
        netRoutes,
      )
    return isIpsec
      ? unclear(
          `${step.text} The kernel holds IPsec policies and encrypting associations; whether they cover this traffic is not read.`,
          ipsec,
        )
      : step
  })
}

/** The WireGuard interface, up now, on whose network an address of this node is, by its routes other than default ones. */
export const tunnelAt = (address: string, { routes, ...tunnels }: Tunnels): string | null =>
  tunnelTo(address, {
    ...tunnels,
    routes: routes.ok ? known({ ipv4: named(routes.fact.ipv4), ipv6: named(routes.fact.ipv6) }) : routes,
  })

const named = (routes: readonly Route[]): readonly Route[] => routes.filter(({ to }) => to !== 'default')

/** The WireGuard interface, up now, that the most specific route to an address leads through; null where it is another or none. */
function tunnelTo(address: string | undefined, { vpn, routes }: Tunnels): string | null {
  const to = address === undefined ? null : addressValue(address)
  if (to === null || !vpn.ok || !routes.ok) return null
  const all = to.family === 4 ? routes.fact.ipv4 : routes.fact.ipv6
  const lengths = all.map((route) => prefixLength(route, to))
  const longest = lengths.reduce((most, one) => Math.max(most, one), -1)
  const best = all.filter((_, at) => longest >= 0 && lengths[at] === longest)
  const [first] = best
  const isUp = (name: string | null): boolean => vpn.fact.wireguard.some((one) => one.name === name && one.up)
  return first !== undefined && best.every(({ device, drops }) => drops === null && isUp(device)) ? first.device : null
}

/** The length of the prefix of a route that covers an address; −1 for one that does not. */
function prefixLength({ to }: Route, { family, value }: NonNullable<ReturnType<typeof addressValue>>): number {
  if (to === 'default') return 0
  const [base = '', length] = to.split('/')
  const network = addressValue(base)
  const width = family === 4 ? 32 : 128
  const bits = length === undefined ? width : Number(length)
  if (network?.family !== family || !(bits >= 0 && bits <= width)) return -1
  const rest = BigInt(width - bits)
  return network.value >> rest === value >> rest ? bits : -1
}
