import { plain } from '../../../core/base/plain-text.ts'
import { defineProbe, known, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { compare } from '../../../core/recording/recording.ts'
import { asList, asRecord, asText, isAbsent, type JsonValue, lines, readJson } from '../../base/read-text.ts'

/** A base chain of type filter on one hook. */
export interface InputChain {
  readonly family: 'ip' | 'ip6' | 'inet'
  readonly table: string
  readonly chain: string
  readonly policy: 'accept' | 'drop'
  /** The fate of a packet that no earlier rule decided: the first rule without a condition, or the policy. */
  readonly fallsTo: 'accept' | 'drop' | 'unclear'
  readonly rules: number
  /** A rule of it drops everything that comes in by, or leaves by, certain interfaces, whatever happens on the others. */
  readonly dropsByInterface: boolean
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

type Entry = { readonly [key: string]: JsonValue }

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
    },
  ]
}

type Chains = ReadonlyMap<string, readonly Entry[]>

const place = (family: JsonValue | undefined, table: JsonValue | undefined, chain: string): string =>
  `${asText(family)}\n${asText(table)}\n${chain}`

/** Jumps stay within the table. */
const sibling = (from: string, chain: string): string => [...from.split('\n').slice(0, 2), chain].join('\n')

/** What can become of a packet in a chain: a verdict, or it returns to where the chain was entered. */
type Fates = ReadonlySet<InputChain['fallsTo'] | 'return'>

const UNCLEAR: Fates = new Set(['unclear'])

/** The one verdict that all of them come to, where a packet that returns meets `after`; unclear where they differ. */
function settled(fates: Fates, after: 'accept' | 'drop'): InputChain['fallsTo'] {
  const [first, ...others] = new Set([...fates].map((fate) => (fate === 'return' ? after : fate)))
  return first === undefined || others.length > 0 ? 'unclear' : first
}

function groupByChain(rules: readonly Entry[]): Chains {
  const chains = new Map<string, Entry[]>()
  for (const rule of rules) {
    const name = place(rule.family, rule.table, asText(rule.chain) ?? '')
    const own = chains.get(name)
    if (own === undefined) chains.set(name, [rule])
    else own.push(rule)
  }
  return chains
}

/**
 * What a chain does with a packet that meets none of its conditions. Jumps without a condition are followed; a goto does
 * not return to this chain (nft(8), VERDICT STATEMENT). Each chain is evaluated once, and jumps only to the depth that
 * the kernel allows (16), so that a rule set built to fan out or to loop causes no unbounded work.
 */
function fates(chain: string, chains: Chains, seen: Map<string, Fates>, depth = 0): Fates {
  const before = seen.get(chain)
  if (before !== undefined) return before
  if (depth > 16) return UNCLEAR
  seen.set(chain, UNCLEAR)
  const found = readFates(chains.get(chain) ?? [], (next) => fates(sibling(chain, next), chains, seen, depth + 1))
  seen.set(chain, found)
  return found
}

function readFates(rules: readonly Entry[], follow: (chain: string) => Fates): Fates {
  const found = new Set<InputChain['fallsTo'] | 'return'>()
  for (const rule of rules) {
    const only = soleStatement(rule)
    if (only === null) {
      const opened = acceptsNew(rule)
      if (opened !== null) return found.add(opened)
      if (returnsOwn(rule)) found.add('return')
      continue
    }
    if (isDrop(only)) return found.add('drop')
    if ('xt' in only && asText(asRecord(only.xt).type) !== 'match') return found.add('unclear')
    if ('accept' in only) return found.add('accept')
    if ('queue' in only) return found.add('unclear')
    if ('return' in only) return found.add('return')
    if ('goto' in only) return new Set([...found, ...follow(target(only.goto))])
    if (!('jump' in only)) continue
    const next = follow(target(only.jump))
    for (const fate of next) if (fate !== 'return') found.add(fate)
    if (!next.has('return')) return found
  }
  return found.add('return')
}

/**
 * A rule that sends packets back by the kind of their destination, which every packet to the node itself can meet: in ufw the chain that drops
 * what is for others begins so. The match of iptables stands without the kind and, in nft before 1.0.7, without its name.
 */
function returnsOwn(rule: Entry): boolean {
  const statements = deciding(rule)
  const conditions = statements.slice(0, -1)
  return 'return' in (statements.at(-1) ?? {}) && conditions.length > 0 && conditions.every(isByDestinationKind)
}

function isByDestinationKind(entry: Entry): boolean {
  if ('xt' in entry) return (asText(asRecord(entry.xt).name) ?? 'addrtype') === 'addrtype'
  return asRecord(asRecord(asRecord(entry.match).left).fib).result === 'type'
}

/** The right side of a condition: one value, combined flags, or a set. */
const comparedWith = (right: JsonValue | undefined): readonly JsonValue[] =>
  typeof right === 'string' ? [right] : asList(Array.isArray(right) ? right : asRecord(right).set)

/** A condition that every new connection meets: ct state with new among its states (nft(8), CONNTRACK EXPRESSIONS). */
function isAnyNew(entry: Entry): boolean {
  const { op, left, right } = asRecord(entry.match)
  return asRecord(asRecord(left).ct).key === 'state' && comparedWith(right).includes('new') !== (op === '!=')
}

/** A condition that TCP or UDP meets as a whole, without a port. */
function isAnyPort(entry: Entry): boolean {
  const { op, left, right } = asRecord(entry.match)
  const { meta, payload } = asRecord(left)
  const { protocol, field } = asRecord(payload)
  const isProtocol = asRecord(meta).key === 'l4proto' || `${shown(protocol)} ${shown(field)}` === 'ip protocol'
  return isProtocol && op !== '!=' && comparedWith(right).some((value) => value === 'tcp' || value === 'udp')
}

/** The effect of a rule that accepts all new connections, or all of TCP or UDP; null for any other rule. */
function acceptsNew(rule: Entry): 'accept' | 'unclear' | null {
  const statements = deciding(rule)
  const conditions = statements.slice(0, -1)
  if (!('accept' in (statements.at(-1) ?? {})) || !conditions.some(isAnyNew)) return null
  const others = conditions.filter((entry) => !isAnyNew(entry))
  return others.length === 0 ? 'accept' : others.every(isAnyPort) ? 'unclear' : null
}

/** Where all new connections are dropped, only packets of no connection remain, which the chain may well accept. */
function leftOpen(ending: InputChain['fallsTo'], own: readonly Entry[]): InputChain['fallsTo'] {
  if (ending !== 'accept') return ending
  const open = own.findIndex((rule) => 'accept' in (soleStatement(rule) ?? {}) || acceptsNew(rule) === 'accept')
  return (open < 0 ? own : own.slice(0, open)).some(dropsNew) ? 'unclear' : 'accept'
}

function dropsNew(rule: Entry): boolean {
  const statements = deciding(rule)
  const last = statements.at(-1) ?? {}
  const { key, data } = asRecord(last.vmap)
  if (statements.length === 1 && asRecord(asRecord(key).ct).key === 'state')
    return asList(asRecord(data).set).some((pair) => asList(pair)[0] === 'new' && isDrop(asRecord(asList(pair)[1])))
  const conditions = statements.slice(0, -1)
  return conditions.length > 0 && conditions.every(isAnyNew) && isDrop(last)
}

const INTERFACE_KEYS = ['iif', 'iifname', 'iifgroup', 'oif', 'oifname', 'oifgroup']

/** Whether the only condition of a rule is an interface, and all new connections that meet it are dropped, here or in the chain that it leads to. */
function dropsForInterface(rule: Entry, chain: string, chains: Chains): boolean {
  const statements = deciding(rule)
  const last = statements.at(-1) ?? {}
  const conditions = statements.slice(0, -1)
  const isByInterface = (entry: Entry): boolean =>
    INTERFACE_KEYS.includes(asText(asRecord(asRecord(asRecord(entry.match).left).meta).key) ?? '')
  if (!conditions.some(isByInterface) || !conditions.every((entry) => isByInterface(entry) || isAnyNew(entry)))
    return false
  if (isDrop(last)) return true
  const next = target(last.goto) || target(last.jump)
  return next !== '' && settled(fates(sibling(chain, next), chains, new Map()), 'accept') === 'drop'
}

const target = (statement: JsonValue | undefined): string => asText(asRecord(statement).target) ?? ''

/** Targets of iptables after which the next rule is looked at (iptables-extensions(8)). */
const PASSING =
  /^(AUDIT|CHECKSUM|CLASSIFY|CONNMARK|CONNSECMARK|CT|DSCP|ECN|HL|HMARK|IDLETIMER|LED|LOG|MARK|NFLOG|NOTRACK|RATEEST|SECMARK|SET|TCPMSS|TEE|TOS|TRACE|TTL)$/

/** Counts, writes to the log, marks or comments: no condition, and no decision. */
function isAside(entry: Entry): boolean {
  if (entry.counter !== undefined || entry.log !== undefined) return true
  const { type, name } = asRecord(entry.xt)
  return type === 'match' ? name === 'comment' : type === 'target' && PASSING.test(asText(name) ?? '')
}

const deciding = (rule: Entry): readonly Entry[] =>
  asList(rule.expr)
    .map(asRecord)
    .filter((entry) => !isAside(entry))

/** REJECT of iptables-nft is a target that nft prints in place of its own statement. */
function isDrop(entry: Entry): boolean {
  const { type, name } = asRecord(entry.xt)
  return 'drop' in entry || 'reject' in entry || (type === 'target' && name === 'REJECT')
}

/** The single statement of a rule apart from those without effect; only then does it apply to every packet. */
function soleStatement(rule: Entry): Entry | null {
  const statements = deciding(rule)
  return statements.length === 1 ? (statements[0] ?? null) : null
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
