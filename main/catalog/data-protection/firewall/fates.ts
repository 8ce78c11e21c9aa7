import { asList, asRecord, asText, type JsonValue } from '../../base/read-text.ts'

export type Entry = { readonly [key: string]: JsonValue }

/** What becomes of a packet. */
export type Fate = 'accept' | 'drop' | 'unclear'

export type Chains = ReadonlyMap<string, readonly Entry[]>

export const place = (family: JsonValue | undefined, table: JsonValue | undefined, chain: string): string =>
  `${asText(family)}\n${asText(table)}\n${chain}`

/** Jumps stay within the table. */
export const sibling = (from: string, chain: string): string => [...from.split('\n').slice(0, 2), chain].join('\n')

/** What can become of a packet in a chain: a verdict, or it returns to where the chain was entered. */
type Fates = ReadonlySet<Fate | 'return'>

const UNCLEAR: Fates = new Set(['unclear'])

/** The one verdict that all of them come to, where a packet that returns meets `after`; unclear where they differ. */
export function settled(fates: Fates, after: 'accept' | 'drop'): Fate {
  const [first, ...others] = new Set([...fates].map((fate) => (fate === 'return' ? after : fate)))
  return first === undefined || others.length > 0 ? 'unclear' : first
}

export function groupByChain(rules: readonly Entry[]): Chains {
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
export function fates(chain: string, chains: Chains, seen: Map<string, Fates>, depth = 0): Fates {
  const before = seen.get(chain)
  if (before !== undefined) return before
  if (depth > 16) return UNCLEAR
  seen.set(chain, UNCLEAR)
  const found = readFates(chains.get(chain) ?? [], (next) => fates(sibling(chain, next), chains, seen, depth + 1))
  seen.set(chain, found)
  return found
}

function readFates(rules: readonly Entry[], follow: (chain: string) => Fates): Fates {
  const found = new Set<Fate | 'return'>()
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
  const isProtocol = asRecord(meta).key === 'l4proto' || (protocol === 'ip' && field === 'protocol')
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
export function leftOpen(ending: Fate, own: readonly Entry[]): Fate {
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
export function dropsForInterface(rule: Entry, chain: string, chains: Chains): boolean {
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

/** The interfaces of one rule. */
export interface OpenTo {
  readonly names: readonly string[]
  /** All interfaces but these. */
  readonly isExcept: boolean
}

/**
 * Interfaces by which every new connection is accepted, by rules that each packet meets: in a chain, and in those that it leads to without a
 * condition, as to the zones of firewalld.
 */
export const openInterfaces = (chain: string, chains: Chains): readonly OpenTo[] =>
  openBelow(chain, chains, new Set(), new Map())

function openBelow(
  chain: string,
  chains: Chains,
  seen: Set<string>,
  evaluated: Map<string, Fates>,
  depth = 0,
): readonly OpenTo[] {
  if (seen.has(chain) || depth > 16) return []
  seen.add(chain)
  const found: OpenTo[] = []
  for (const rule of chains.get(chain) ?? []) {
    const only = soleStatement(rule) ?? {}
    const next = target(only.goto) || target(only.jump)
    if (next !== '') found.push(...openBelow(sibling(chain, next), chains, seen, evaluated, depth + 1))
    if ('goto' in only || 'accept' in only || isDrop(only)) break
    const open = openTo(rule, (to) => fates(sibling(chain, to), chains, evaluated))
    if (open !== null) found.push(open)
  }
  return found
}

function openTo(rule: Entry, follow: (chain: string) => Fates): OpenTo | null {
  const statements = deciding(rule)
  const last = statements.at(-1) ?? {}
  const [by, ...more] = statements.slice(0, -1).filter((entry) => !isAnyNew(entry))
  const { op, left, right } = asRecord(by?.match)
  if (more.length > 0 || !/^iif(name)?$/.test(asText(asRecord(asRecord(left).meta).key) ?? '')) return null
  const next = target(last.goto) || target(last.jump)
  const isOpen = 'accept' in last || (next !== '' && settled(follow(next), 'drop') === 'accept')
  const names = comparedWith(right).flatMap((name) => asText(name) ?? [])
  const isExcept = op === '!='
  return isOpen && (isExcept || names.some((name) => name !== 'lo')) ? { names, isExcept } : null
}

/** Whether a rule is for an interface; a name may end in “*” (nft(8), iifname). */
export const isOpenTo = ({ names, isExcept }: OpenTo, device: string): boolean =>
  names.some((name) => (name.endsWith('*') ? device.startsWith(name.slice(0, -1)) : device === name)) !== isExcept

export const target = (statement: JsonValue | undefined): string => asText(asRecord(statement).target) ?? ''

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
