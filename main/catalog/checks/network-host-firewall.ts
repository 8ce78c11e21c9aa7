import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { firewallLegacy, type LegacyTables } from '../probes/firewall-legacy.ts'
import { firewallNftables, type InputChain } from '../probes/firewall-nftables.ts'
import { interfacesOf, type NetworkSysctls, sysctlNetwork } from '../probes/sysctl-network.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'

export const networkHostFirewall = defineCheck({
  id: 'network.host-firewall',
  property: 'operations',
  expected: 'The server’s own packet filter drops incoming IPv4 and IPv6 traffic that no rule allows.',
  limitations:
    'What the rules do allow was not evaluated, nor were rules that depend on an interface or address. Traffic forwarded to containers passes other chains. Firewalls outside the node are not visible here.',
  requires: { nft: firewallNftables },
  optional: { legacy: firewallLegacy, sysctl: sysctlNetwork },
  evaluate({ nft }, { legacy, sysctl }) {
    return decide([
      ...family('IPv4', 'ip', nft.inputChains, legacy),
      ...(withoutIpv6(sysctl) ?? family('IPv6', 'ip6', nft.inputChains, legacy)),
    ])
  },
})

function family(
  label: string,
  name: 'ip' | 'ip6',
  chains: readonly InputChain[],
  legacy: Parsed<LegacyTables>,
): readonly DraftObservation[] {
  const own = chains.filter((chain) => chain.family === name || chain.family === 'inet')
  // A packet must pass every base chain of the hook: one that drops is enough, and one that accepts does not overrule it.
  const dropping = own.filter((chain) => chain.fallsTo === 'drop')
  if (dropping.length > 0) {
    return [
      supports(`Incoming ${label} traffic that no rule allows is dropped by ${places(dropping)}.`, firewallNftables),
    ]
  }
  if (own.some((chain) => chain.fallsTo === 'unclear')) {
    return [
      unclear(
        `What happens to incoming ${label} traffic that no rule allows could not be followed in ${places(own)}.`,
        firewallNftables,
      ),
    ]
  }
  const byInterface = own.filter((chain) => chain.dropsByInterface)
  if (byInterface.length > 0) {
    return [
      unclear(
        `Incoming ${label} traffic is dropped on some interfaces by ${places(byInterface)} and let through on the others; which of them lead outside was not evaluated.`,
        firewallNftables,
      ),
    ]
  }
  if (!legacy.ok)
    return [
      unclear(`No rule of the newer packet filter drops incoming ${label} traffic.`, firewallNftables),
      ...unclearAbout(firewallLegacy, legacy),
    ]
  if (legacy.fact.tables.includes('filter')) {
    return [
      unclear(
        `No rule of the newer packet filter drops incoming ${label} traffic; the older one is in use and was not read.`,
        firewallLegacy,
      ),
    ]
  }
  return [
    own.length === 0
      ? contradicts(`No packet filter looks at incoming ${label} traffic.`, firewallNftables)
      : contradicts(`Incoming ${label} traffic that no rule decides is accepted by ${places(own)}.`, firewallNftables),
  ]
}

const places = (chains: readonly InputChain[]): string =>
  named(
    chains.map((chain) => `${chain.family} ${chain.table} ${chain.chain}`),
    3,
  )

function withoutIpv6(sysctl: Parsed<NetworkSysctls>): readonly DraftObservation[] | null {
  if (!sysctl.ok) return null
  const names = ['all', ...interfacesOf(sysctl.fact, 'ipv6')]
  const off = names.every((name) => sysctl.fact.values.get(`ipv6/conf/${name}/disable_ipv6`) === '1')
  return off ? [supports('IPv6 is switched off on every interface.', sysctlNetwork)] : null
}
