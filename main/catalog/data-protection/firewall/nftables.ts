import { plain } from '../../../core/base/plain-text.ts'
import { defineProbe, known, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { compare } from '../../../core/recording/recording.ts'
import { asList, asRecord, asText, isAbsent, type JsonValue, lines, readJson } from '../../base/read-text.ts'
import {
  type Chains,
  dropsForInterface,
  type Entry,
  type Fate,
  fates,
  groupByChain,
  leftOpen,
  type OpenTo,
  openInterfaces,
  place,
  settled,
  sibling,
  target,
} from './fates.ts'

/** A base chain of type filter on one hook. */
export interface InputChain {
  readonly family: 'ip' | 'ip6' | 'inet'
  readonly table: string
  readonly chain: string
  readonly policy: 'accept' | 'drop'
  /** The fate of a packet that no earlier rule decided: the first rule without a condition, or the policy. */
  readonly fallsTo: Fate
  readonly rules: number
  /** A rule of it drops everything that comes in by, or leaves by, certain interfaces, whatever happens on the others. */
  readonly dropsByInterface: boolean
  /** Interfaces by which every new connection is let in; each of them as a rule names it, and without the loopback interface. */
  readonly openTo: readonly OpenTo[]
}

export interface Nftables {
  /** Base chains of type filter on the input hook, for the families that carry IP. */
  readonly inputChains: readonly InputChain[]
  /** The same for the output hook, with outgoing traffic. */
  readonly outputChains: readonly InputChain[]
  /** The same for the forward hook, which traffic of containers and guests passes. */
  readonly forwardChains: readonly InputChain[]
  readonly tables: number
  /** Rules that hand packets from other machines to another port, machine or network namespace, and those that may and were not understood. */
  readonly forwards: readonly ForwardRule[]
}

interface ForwardRule {
  /** Family, table and chain. */
  readonly at: string
  /** What it does, worded to follow "the packet filter", in displayable form. */
  readonly does: string
}

/** nft(8) -j list ruleset: libnftables-json(5). Rules made with iptables-nft, firewalld and ufw appear here too. */
export const firewallNftables = defineProbe({
  id: 'firewall.nftables',
  title: 'Packet filter rules',
  why: 'Shows what the server’s own firewall does with traffic that no rule allows.',
  commands: { ruleset: runAsRoot(['nft', '-j', 'list', 'ruleset']) },
  parse({ ruleset }) {
    if (ruleset.exitCode !== 0) return unknown('the packet filter rules could not be listed')
    const json = readJson(ruleset.text, 'nft')
    if (!json.ok) return json
    const entries = asList(asRecord(json.fact).nftables).map(asRecord)
    if (!entries.some((entry) => entry.metainfo !== undefined))
      return unknown('the output of nft has an unexpected format')
    const chains = groupByChain(entries.map((entry) => asRecord(entry.rule)).filter((rule) => rule.chain !== undefined))
    const states = new Map(
      entries
        .map((entry) => asRecord(entry.table))
        .map((table) => [place(table.family, table.name, ''), tableState(table.flags)]),
    )
    const on = (hook: string): readonly InputChain[] =>
      entries
        .map((entry) => asRecord(entry.chain))
        .flatMap((chain) => {
          const state = states.get(place(chain.family, chain.table, '')) ?? 'in-force'
          if (state === 'dormant') return []
          const read = readChain(chain, hook, chains)
          return state === 'in-force' ? read : read.map((one) => ({ ...one, fallsTo: 'unclear' as const }))
        })
    return known<Nftables>({
      tables: entries.filter((entry) => entry.table !== undefined).length,
      inputChains: on('input'),
      outputChains: on('output'),
      forwardChains: on('forward'),
      forwards: forwardsIn(entries, chains, states),
    })
  },
})

/** More rules than these add nothing for a reader; Kubernetes makes thousands. */
const MOST_FORWARDS = 1000

/**
 * Rules with dnat or redirect in chains that packets from other machines come through before routing (hook prerouting), and in chains that
 * those lead to. Where a chain is chosen by a map, every chain of the table counts as reached. Rules of iptables-nft that nft does not know
 * stand as xt, with the name of their target or, in nft before 1.0.7, without.
 */
function forwardsIn(
  entries: readonly Entry[],
  chains: Chains,
  states: ReadonlyMap<string, ReturnType<typeof tableState>>,
): readonly ForwardRule[] {
  const reached = new Set<string>()
  const open = entries
    .map((entry) => asRecord(entry.chain))
    .filter((chain) => chain.hook === 'prerouting' && states.get(place(chain.family, chain.table, '')) !== 'dormant')
    .map((chain) => place(chain.family, chain.table, asText(chain.name) ?? ''))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue
    reached.add(next)
    for (const statement of (chains.get(next) ?? []).flatMap((rule) => asList(rule.expr)).map(asRecord)) {
      const to = target(statement.jump) || target(statement.goto)
      if (to !== '') open.push(sibling(next, to))
      if (statement.vmap !== undefined) {
        const table = next.slice(0, next.lastIndexOf('\n') + 1)
        for (const chain of chains.keys()) if (chain.startsWith(table)) open.push(chain)
      }
    }
  }
  return [...reached]
    .sort(compare)
    .flatMap((chain) =>
      (chains.get(chain) ?? []).flatMap((rule): readonly ForwardRule[] => {
        const does = forwardingOf(asList(rule.expr).map(asRecord))
        return does === null ? [] : [{ at: chain.split('\n').join(' '), does }]
      }),
    )
    .slice(0, MOST_FORWARDS)
}

const XT_FORWARDS: readonly string[] = ['DNAT', 'REDIRECT', 'NETMAP']

function forwardingOf(statements: readonly Entry[]): string | null {
  const arriving = portsOf(statements)
  for (const statement of statements) {
    if ('dnat' in statement) {
      const { addr, port } = asRecord(statement.dnat)
      const to = [shown(addr), shown(port)].filter((part) => part !== '').join(' port ')
      return `sends ${arriving} on to ${to === '' ? 'another address' : to}`
    }
    if ('redirect' in statement) {
      const port = shown(asRecord(statement.redirect).port)
      return `sends ${arriving} on to ${port === '' ? 'another local port' : `local port ${port}`}`
    }
    if ('xt' in statement) {
      const name = asText(asRecord(statement.xt).name)
      if (name === null) return `has a rule for ${arriving} that nft does not print in full`
      if (XT_FORWARDS.includes(name)) return `sends ${arriving} on (${name})`
    }
  }
  return null
}

/** The ports that a rule is for, where a condition names them. */
function portsOf(statements: readonly Entry[]): string {
  const named = statements.flatMap((statement): readonly string[] => {
    const { left, right } = asRecord(statement.match)
    const { protocol, field } = asRecord(asRecord(left).payload)
    return field === 'dport' ? [`${shown(protocol)} port ${shown(right) || 'of a list'}`] : []
  })
  return named.length === 0 ? 'packets' : named.join(', ')
}

/** A number or word of a rule; empty for composed values. */
const shown = (value: JsonValue | undefined): string =>
  typeof value === 'number' ? String(value) : typeof value === 'string' ? plain(value, 60) : ''

/**
 * A dormant table exists but filters nothing (nft(8), TABLES). Up to 1.0.6, nft prints different text in place of the
 * flags, so that a value that is neither dormant nor a flag of ownership is unclear.
 */
function tableState(flags: JsonValue | undefined): 'in-force' | 'dormant' | 'unclear' {
  const words = flags === undefined ? [] : typeof flags === 'string' ? [flags] : asList(flags).map(asText)
  if (words.includes('dormant')) return 'dormant'
  return words.every((word) => word === 'owner' || word === 'persist') ? 'in-force' : 'unclear'
}

function readChain(chain: Entry, hook: string, chains: Chains): readonly InputChain[] {
  const family = asText(chain.family)
  const isAsked = chain.hook === hook && chain.type === 'filter'
  if (!isAsked || (family !== 'ip' && family !== 'ip6' && family !== 'inet')) return []
  const policy = chain.policy === 'drop' ? 'drop' : 'accept'
  const name = asText(chain.name) ?? ''
  const here = place(chain.family, chain.table, name)
  const own = chains.get(here) ?? []
  const ending = settled(fates(here, chains, new Map()), policy)
  return [
    {
      family,
      table: asText(chain.table) ?? '',
      chain: name,
      policy,
      fallsTo: leftOpen(ending, own),
      rules: own.length,
      dropsByInterface: own.some((rule) => dropsForInterface(rule, here, chains)),
      openTo: openInterfaces(here, chains),
    },
  ]
}

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
