import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { firewallLegacy } from '../probes/firewall-legacy.ts'
import { firewallNftables, type InputChain } from '../probes/firewall-nftables.ts'
import { proxySettings } from '../probes/proxy-settings.ts'
import { interfacesOf, sysctlNetwork } from '../probes/sysctl-network.ts'
import { named, supports } from '../steps.ts'

export const networkEgressPolicy = defineCheck({
  id: 'network.egress-policy',
  property: 'operations',
  expected: 'The server’s own packet filter drops outgoing IPv4 and IPv6 traffic that no rule allows.',
  ends: 'supported-or-recorded',
  limitations:
    'Neither HIPAA nor SOC 2 requires a node to filter its own outgoing traffic, and most sites do so at a gateway that is not visible here: its absence is recorded, not counted as a deviation. What the rules do allow was not evaluated. Traffic of containers passes other chains. A proxy setting does not cover traffic that bypasses it.',
  requires: { nft: firewallNftables },
  optional: { legacy: firewallLegacy, sysctl: sysctlNetwork, proxies: proxySettings },
  evaluate({ nft }, { legacy, sysctl, proxies }) {
    const isIpv6Off =
      sysctl.ok &&
      ['all', ...interfacesOf(sysctl.fact, 'ipv6')].every(
        (name) => sysctl.fact.values.get(`ipv6/conf/${name}/disable_ipv6`) === '1',
      )
    const families = [dropping('IPv4', 'ip', nft.outputChains), dropping('IPv6', 'ip6', nft.outputChains)]
    const isDropped = families.every(({ drops }, at) => drops || (at === 1 && isIpv6Off))
    const mayBeOlder = !isDropped && (!legacy.ok || legacy.fact.tables.includes('filter'))
    const forwarded = nft.forwardChains.filter(({ fallsTo }) => fallsTo === 'drop')
    return {
      verdict: isDropped ? 'satisfied' : 'informational',
      observations: [
        ...families.map(({ step }) => step),
        ...(isIpv6Off ? [supports('IPv6 is switched off on every interface.', sysctlNetwork)] : []),
        ...(mayBeOlder
          ? legacy.ok
            ? [supports('The older packet filter is in use, too; its rules were not read.', firewallLegacy)]
            : unclearAbout(firewallLegacy, legacy)
          : []),
        ...(forwarded.length === 0
          ? []
          : [
              supports(
                `Forwarded traffic, such as that of containers, is dropped by ${places(forwarded)} where no rule allows it.`,
                firewallNftables,
              ),
            ]),
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

function dropping(
  label: string,
  name: 'ip' | 'ip6',
  chains: readonly InputChain[],
): { readonly drops: boolean; readonly step: DraftObservation } {
  const own = chains.filter(({ family }) => family === name || family === 'inet')
  const found = own.filter(({ fallsTo }) => fallsTo === 'drop')
  if (found.length > 0)
    return {
      drops: true,
      step: supports(`Outgoing ${label} traffic that no rule allows is dropped by ${places(found)}.`, firewallNftables),
    }
  const text = own.some(({ fallsTo }) => fallsTo === 'unclear')
    ? `What happens to outgoing ${label} traffic that no rule allows could not be followed in ${places(own)}.`
    : own.length === 0
      ? `No rule of the node looks at outgoing ${label} traffic.`
      : `Outgoing ${label} traffic that no rule decides is let through by ${places(own)}.`
  return { drops: false, step: supports(text, firewallNftables) }
}

const places = (chains: readonly InputChain[]): string =>
  named(
    chains.map(({ family, table, chain }) => `${family} ${table} ${chain}`),
    3,
  )
