import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { isAbsent, lines } from '../read-text.ts'

export interface LegacyTables {
  /** Tables of the old packet filter that are loaded, for IPv4 and IPv6. */
  readonly tables: readonly string[]
}

const [IP, IP6] = ['/proc/net/ip_tables_names', '/proc/net/ip6_tables_names'] as const

/** Rules of iptables-legacy do not show in nft. iptables-save could load kernel modules by being asked, so only names are read. */
export const firewallLegacy = defineProbe({
  id: 'firewall.legacy',
  title: 'Tables of the older packet filter',
  why: 'Shows whether rules may exist in the older packet filter, which the newer tool does not list.',
  commands: {
    ip: runAsRoot(['cat', IP], { needsPath: [IP] }),
    ip6: runAsRoot(['cat', IP6], { needsPath: [IP6] }),
  },
  parse({ ip, ip6 }) {
    if ([ip, ip6].some((answer) => answer.exitCode !== 0 && !isAbsent(answer)))
      return unknown('the list of tables could not be read')
    return known<LegacyTables>({ tables: [...lines(ip.text), ...lines(ip6.text)] })
  },
})
