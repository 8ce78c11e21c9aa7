import { defineCheck } from '../../core/check.ts'
import { vpnInterfaces } from '../probes/vpn-interfaces.ts'
import { leavesUnclear, named } from '../steps.ts'

/** A record, not a judgement: whether traffic must take a tunnel is for the data-flow map to say. */
export const encryptionInTransitVpn = defineCheck({
  id: 'encryption.in-transit.vpn',
  property: 'encryption-in-transit',
  claim: 'WireGuard tunnels on this node were recorded.',
  ends: 'recorded',
  limits:
    'Shows that tunnels exist, not which traffic takes them, who is at the other end, or their keys. IPsec is not read.',
  needs: { vpn: vpnInterfaces },
  evaluate({ vpn }) {
    const up = vpn.wireguard.filter(({ up }) => up).map(({ name }) => name)
    const down = vpn.wireguard.filter(({ up }) => !up).map(({ name }) => name)
    const because = [
      ...(up.length > 0 ? [leavesUnclear(`WireGuard interfaces that are up: ${named(up)}.`, vpnInterfaces)] : []),
      ...(down.length > 0 ? [leavesUnclear(`WireGuard interfaces that are down: ${named(down)}.`, vpnInterfaces)] : []),
    ]
    const none = leavesUnclear('No WireGuard interface was listed.', vpnInterfaces)
    return { verdict: 'informational', because: because.length > 0 ? because : [none] }
  },
})
