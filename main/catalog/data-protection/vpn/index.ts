import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { count, named, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { type RdmaLinks, rdmaLinks } from '../../hardware/fabric/rdma.ts'
import data from './checks.json' with { type: 'json' }
import { type IpsecState, ipsec, vpnInterfaces, type WireguardPeer, wireguardPeers } from './probes.ts'

/** A recorded fact, not an assertion: whether traffic must take a tunnel is for the data-flow map to state. */
const encryptionInTransitVpn = defineCheck({
  id: 'encryption.in-transit.vpn',
  property: 'encryption-in-transit',
  expected: 'WireGuard, IPsec and MACsec tunnels on this node are recorded.',
  ends: 'recorded',
  limitations:
    'Shows that tunnels exist and which algorithms they name, not which traffic takes them, who is at the other end, or their keys. Tunnels that a program implements on its own, such as OpenVPN, are not read.',
  requires: { vpn: vpnInterfaces },
  optional: { peers: wireguardPeers, associations: ipsec, links: rdmaLinks },
  evaluate({ vpn }, { peers, associations, links }) {
    const up = vpn.wireguard.filter(({ up }) => up).map(({ name }) => name)
    const down = vpn.wireguard.filter(({ up }) => !up).map(({ name }) => name)
    const observations = [
      ...(up.length > 0 ? [unclear(`WireGuard interfaces that are up: ${named(up)}.`, vpnInterfaces)] : []),
      ...(down.length > 0 ? [unclear(`WireGuard interfaces that are down: ${named(down)}.`, vpnInterfaces)] : []),
      ...(vpn.wireguard.length === 0 ? [unclear('No WireGuard interface was listed.', vpnInterfaces)] : []),
      ...(vpn.wireguard.length === 0
        ? []
        : peers.ok
          ? [peerStep(peers.fact.peers)]
          : unclearAbout(wireguardPeers, peers)),
      ...(associations.ok ? ipsecSteps(associations.fact) : unclearAbout(ipsec, associations)),
      ...(links.ok ? macsecSteps(links.fact) : []),
    ]
    return { verdict: 'informational', observations }
  },
})

function peerStep(peers: readonly WireguardPeer[]): DraftObservation {
  const used = peers.filter(({ lastHandshake }) => lastHandshake > 0)
  const last = used.reduce((latest, { lastHandshake }) => Math.max(latest, lastHandshake), 0)
  // Within what a date can hold; the node may state any number.
  const when = last > 0 && last < 4e9 ? `, last at ${new Date(last * 1000).toISOString().slice(0, 16)}Z` : ''
  return unclear(
    `WireGuard names ${count(peers.length, 'peer')}, of which ${used.length} ever exchanged keys${when}.`,
    wireguardPeers,
  )
}

function ipsecSteps({ associations, policies }: IpsecState): readonly DraftObservation[] {
  if (associations.length === 0 && policies === 0)
    return [unclear('The kernel holds no IPsec association and no policy.', ipsec)]
  const kinds = new Map(
    associations.map(({ protocol, mode, algorithms }) => [`${protocol} ${mode} ${algorithms.join(' ')}`, algorithms]),
  )
  const open = associations.filter(
    ({ protocol, algorithms }) =>
      protocol === 'ah' || algorithms.some((name) => /cipher_null|digest_null|rfc4543/.test(name)),
  )
  return [
    unclear(
      `The kernel holds ${count(associations.length, 'IPsec association')} (${kinds.size > 0 ? named([...kinds.keys()]) : 'none'}) and ${count(policies, 'policy', 'policies')}.`,
      ipsec,
    ),
    ...(open.length > 0
      ? [unclear(`${count(open.length, 'association')} of these authenticate and do not encrypt.`, ipsec)]
      : []),
  ]
}

function macsecSteps({ encryptingMacsec, clearMacsec }: RdmaLinks): readonly DraftObservation[] {
  if (clearMacsec === null) return [unclear('MACsec interfaces could not be listed.', rdmaLinks)]
  return [
    ...(encryptingMacsec.length > 0
      ? [unclear(`MACsec interfaces that encrypt: ${named(encryptingMacsec)}.`, rdmaLinks)]
      : []),
    ...(clearMacsec.length > 0
      ? [unclear(`MACsec interfaces that only authenticate: ${named(clearMacsec)}.`, rdmaLinks)]
      : []),
  ]
}

export const vpnSubject = defineSubject({
  id: 'vpn',
  title: 'VPN interfaces',
  probes: [vpnInterfaces, wireguardPeers, ipsec],
  checks: [encryptionInTransitVpn],
  data,
})
