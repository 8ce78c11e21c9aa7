import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, type MaybeFactsOf, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { proxySettings, proxySteps } from '../network/flows.ts'
import { ipv6State, NO_IPV6, sysctlNetwork, sysctlNetworkMore } from '../network/kernel.ts'
import { netRoutes, type Routes } from '../network/links.ts'
import data from './checks.json' with { type: 'json' }
import { isOpenTo } from './fates.ts'
import { firewallLegacy, firewallNftables, type InputChain } from './nftables.ts'

const WANTS = { legacy: firewallLegacy, sysctl: sysctlNetwork, more: sysctlNetworkMore } as const
const INPUT_WANTS = { ...WANTS, routes: netRoutes } as const

const networkHostFirewall = defineCheck({
  id: 'network.host-firewall',
  property: 'operations',
  expected: 'The server’s own packet filter drops incoming IPv4 and IPv6 traffic that no rule allows.',
  limitations:
    'What the rules do allow was not evaluated, nor were rules that depend on an address, or on an interface other than those of default routes. Traffic forwarded to containers passes other chains. Firewalls outside the node are not visible here.',
  requires: { nft: firewallNftables },
  optional: INPUT_WANTS,
  evaluate({ nft }, wanted) {
    return decide([...family('IPv4', 'ip', nft.inputChains, wanted), ...ipv6(nft.inputChains, wanted)])
  },
})

function family(
  label: string,
  name: 'ip' | 'ip6',
  chains: readonly InputChain[],
  { legacy, routes }: Pick<MaybeFactsOf<typeof INPUT_WANTS>, 'legacy' | 'routes'>,
): readonly DraftObservation[] {
  const own = chains.filter((chain) => chain.family === name || chain.family === 'inet')
  // A packet must pass every base chain of the hook: one that drops is enough, and one that accepts does not overrule it.
  const dropping = own.filter((chain) => chain.fallsTo === 'drop')
  if (dropping.length > 0) {
    return [
      supports(`Incoming ${label} traffic that no rule allows is dropped by ${places(dropping)}.`, firewallNftables),
      ...openWays(label, name, dropping, routes),
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

/** Interfaces of default routes by which everything is let in all the same, as in firewalld’s zone “trusted”. One chain that does not is enough. */
function openWays(
  label: string,
  name: 'ip' | 'ip6',
  dropping: readonly InputChain[],
  routes: Parsed<Routes>,
): readonly DraftObservation[] {
  if (dropping.some(({ openTo }) => openTo.length === 0)) return []
  if (!routes.ok) return unclearAbout(netRoutes, routes)
  const ways = routes.fact[name === 'ip' ? 'ipv4' : 'ipv6']
    .filter(({ to, drops }) => to === 'default' && drops === null)
    .flatMap(({ device }) => device ?? [])
  const open = [...new Set(ways)].filter((device) =>
    dropping.every(({ openTo }) => openTo.some((one) => isOpenTo(one, device))),
  )
  return open.length === 0
    ? []
    : [
        unclear(
          `New ${label} connections by ${named(open)}, which a default route leads through, are all let in by ${places(dropping)}.`,
          firewallNftables,
        ),
      ]
}

const places = (chains: readonly InputChain[]): string =>
  named(
    chains.map((chain) => `${chain.family} ${chain.table} ${chain.chain}`),
    3,
  )

/** Nothing to filter where the kernel carries no IPv6. A filter that is missing is a deviation only where it is known to. */
function ipv6(chains: readonly InputChain[], wanted: MaybeFactsOf<typeof INPUT_WANTS>): readonly DraftObservation[] {
  const { sysctl, more } = wanted
  const state = ipv6State(sysctl, more)
  const without = withoutIpv6(state)
  if (without.length > 0) return without
  const steps = family('IPv6', 'ip6', chains, wanted)
  return state === null && sysctl.ok && steps.some(({ direction }) => direction === 'contradicts')
    ? [
        unclear('No packet filter drops incoming IPv6 traffic; whether there is any is not known.', firewallNftables),
        ...unclearAbout(sysctlNetworkMore, more),
      ]
    : steps
}

const withoutIpv6 = (state: ReturnType<typeof ipv6State>): readonly DraftObservation[] =>
  state === 'off'
    ? [supports('IPv6 is switched off on every interface.', sysctlNetwork)]
    : state === 'absent'
      ? [NO_IPV6]
      : []

const networkEgressPolicy = defineCheck({
  id: 'network.egress-policy',
  property: 'operations',
  expected: 'The server’s own packet filter drops outgoing IPv4 and IPv6 traffic that no rule allows.',
  ends: 'supported-or-recorded',
  limitations:
    'Neither HIPAA nor SOC 2 requires a node to filter its own outgoing traffic, and most sites do so at a gateway that is not visible here: its absence is recorded, not counted as a deviation. What the rules do allow was not evaluated. Traffic of containers passes other chains. A proxy setting does not cover traffic that bypasses it.',
  requires: { nft: firewallNftables },
  optional: { ...WANTS, proxies: proxySettings },
  evaluate({ nft }, { legacy, sysctl, more, proxies }) {
    const off = withoutIpv6(ipv6State(sysctl, more))
    const families = [dropping('IPv4', 'ip', nft.outputChains), dropping('IPv6', 'ip6', nft.outputChains)]
    const isDropped = families.every(({ drops }, at) => drops || (at === 1 && off.length > 0))
    const mayBeOlder = !isDropped && (!legacy.ok || legacy.fact.tables.includes('filter'))
    const forwarded = nft.forwardChains.filter(({ fallsTo }) => fallsTo === 'drop')
    return {
      verdict: isDropped ? 'satisfied' : 'informational',
      observations: [
        ...families.map(({ step }) => step),
        ...off,
        ...(mayBeOlder
          ? legacy.ok
            ? [supports('The older packet filter is in use, too; its rules were not read.', firewallLegacy)]
            : unclearAbout(firewallLegacy, legacy)
          : []),
        ...(forwarded.length === 0
          ? []
          : [
              supports(
                `Forwarded traffic, such as that of containers, is dropped by ${egressPlaces(forwarded)} where no rule allows it.`,
                firewallNftables,
              ),
            ]),
        ...proxySteps(proxies),
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
      step: supports(
        `Outgoing ${label} traffic that no rule allows is dropped by ${egressPlaces(found)}.`,
        firewallNftables,
      ),
    }
  const text = own.some(({ fallsTo }) => fallsTo === 'unclear')
    ? `What happens to outgoing ${label} traffic that no rule allows could not be followed in ${egressPlaces(own)}.`
    : own.length === 0
      ? `No rule of the node looks at outgoing ${label} traffic.`
      : `Outgoing ${label} traffic that no rule decides is let through by ${egressPlaces(own)}.`
  return { drops: false, step: supports(text, firewallNftables) }
}

const egressPlaces = (chains: readonly InputChain[]): string =>
  named(
    chains.map(({ family, table, chain }) => `${family} ${table} ${chain}`),
    3,
  )

export const firewallSubject = defineSubject({
  id: 'firewall',
  title: 'Host firewall',
  probes: [firewallNftables, firewallLegacy],
  checks: [networkHostFirewall, networkEgressPolicy],
  data,
})
