import type { DeclaredNode } from '../../../../schemas/types.ts'
import {
  type AskedName,
  type MethodsOutcome,
  NO_SUCH_ACCOUNT,
  nameList,
  OFFER_LISTS,
  type SshOffer,
} from '../../../core/fleet/ssh-methods.ts'
import { defineProbe, known, type Parsed, unknown } from '../../../core/recording/probe.ts'
import type { PassedOver, TlsTarget } from '../../../core/tls/server-reply.ts'
import type { SshProcess } from '../../access/sshd/probes.ts'
import { asList, asRecord, asText, inOrder, type JsonValue, readJson } from '../../base/read-text.ts'
import type { Listener } from '../listeners/probes.ts'
import {
  observedAt,
  ownersOf,
  readPassed,
  readTarget,
  socketKey,
  type TargetRules,
  type TlsListeners,
  targetOf,
  whyNotReached,
} from '../tls/probes.ts'

interface SshAnswer {
  readonly who: AskedName
  readonly user: string
  readonly outcome: MethodsOutcome
  readonly methods: readonly string[]
}

/** An SSH server as it responded through the session. */
export interface SshServer extends TlsTarget {
  /** Its name for itself, for example OpenSSH_9.6p1; empty where it gave none. */
  readonly version: string
  readonly hostKey: { readonly type: string; readonly fingerprint: string } | null
  readonly offer: SshOffer | null
  readonly answers: readonly SshAnswer[]
  readonly isMixed: boolean
}

export interface SshServers {
  readonly forwarding: boolean
  readonly servers: readonly SshServer[]
  readonly passed: readonly (TlsTarget & { readonly why: PassedOver })[]
}

const NAMES: readonly AskedName[] = ['root', 'declared', 'nobody']
const OUTCOMES: readonly MethodsOutcome[] = [
  'methods',
  'accepted',
  'no-common',
  'closed',
  'silent',
  'not-ssh',
  'refused',
  'failed',
]
const REASONS: readonly PassedOver[] = ['foreign', 'hidden', 'limit', 'time', 'unreached']
const MOST_SERVERS = 64

/** The responses of the node’s SSH servers to `none` requests sent through the session (RFC 4252 §5.2). */
export const sshServers = defineProbe({
  id: 'ssh.servers',
  title: 'Login methods offered by running SSH servers',
  why: 'Queries each listening SSH server, through the session, for the methods it offers to root, to one declared account and to a name that no account has. No password, key or signature is sent; if a server grants access without one, the connection is closed at once.',
  leaves: [
    'OpenSSH: “Received disconnect from 127.0.0.1 port …” and “Disconnected from authenticating user root 127.0.0.1 port … [preauth]”, the same for the declared account, and “Invalid user barewitness-no-such-account from 127.0.0.1 port …” with “Disconnected from invalid user …”. Where empty passwords are permitted, also “Failed none for …”, or “Accepted none for …”. OpenSSH 9.8 and newer may count these against the address that they come from, which is the node’s own, for some seconds (PerSourcePenalties).',
    'dropbear: “Child connection from 127.0.0.1:…” and “Exit before auth from <127.0.0.1:…>”, with “Login attempt for nonexistent user” for the name without an account.',
    'Three connections for each listener, to eight listeners at most, from the node’s own address. Where the session’s server does not forward, its refusal is all that may be logged.',
  ],
  ignoredInDrift: {
    why: 'A busy server responds late or not at all, and the total time limit may end earlier.',
    normalize: ({ forwarding, servers }: SshServers) => ({
      forwarding,
      servers: inOrder(
        servers.map(({ answers, ...server }) => ({
          ...server,
          answers: answers.filter(({ outcome }) => outcome === 'methods' || outcome === 'accepted'),
        })),
      ),
    }),
  },
  commands: { servers: { kind: 'measure', measure: 'ssh-servers' } },
  parse({ servers }) {
    const json = readJson(servers.text, 'the collector')
    if (!json.ok) return json
    const { forwarding, asked, passed } = asRecord(json.fact)
    const form = unknown('the collector’s record of the SSH servers has an unexpected format')
    if ((forwarding !== 'used' && forwarding !== 'not-available') || !Array.isArray(asked) || !Array.isArray(passed))
      return form
    if (asked.length > MOST_SERVERS || passed.length > 65_536) return form
    const read = asked.map(readServer)
    const left = passed.map((one) => readPassed(one, REASONS))
    if (read.includes(null) || left.includes(null)) return form
    return known<SshServers>({
      forwarding: forwarding === 'used',
      servers: read.filter((server) => server !== null),
      passed: left.filter((target) => target !== null),
    }) satisfies Parsed<SshServers>
  },
})

function readServer(value: JsonValue): SshServer | null {
  const row = asRecord(value)
  const target = readTarget(row)
  const answers = asList(row.answers).map(readAnswer)
  if (target === null || answers.length === 0 || answers.length > NAMES.length || answers.includes(null)) return null
  const key = asRecord(row.hostKey)
  const [type, fingerprint] = [asText(key.type), asText(key.fingerprint)]
  return {
    ...target,
    version: asText(row.version) ?? '',
    hostKey: type === null || fingerprint === null ? null : { type, fingerprint },
    offer: readOffer(row.offer),
    answers: answers.filter((answer) => answer !== null),
    isMixed: row.isMixed !== false,
  }
}

function readAnswer(value: JsonValue): SshAnswer | null {
  const row = asRecord(value)
  const [who, outcome] = [NAMES.find((name) => name === row.who), OUTCOMES.find((name) => name === row.outcome)]
  const user = asText(row.user)
  const methods = nameList(
    asList(row.methods)
      .map((name) => asText(name) ?? ',')
      .join(','),
  )
  return who === undefined || outcome === undefined || user === null || methods === null
    ? null
    : { who, user, outcome, methods }
}

function readOffer(value: JsonValue | undefined): SshOffer | null {
  const row = asRecord(value)
  const lists = OFFER_LISTS.map((key) => {
    const names = asList(row[key]).map(asText)
    return names.includes(null) ? null : nameList(names.join(','))
  })
  if (lists.includes(null)) return null
  const offer = Object.fromEntries(OFFER_LISTS.map((key, at) => [key, lists[at]])) as unknown as SshOffer
  return offer.kex.length === 0 ? null : offer
}

/** The server's own proposal in the key exchange of the collecting session (RFC 4253 §7.1): its offer to every client, before any login. */
export const sshOffers = defineProbe({
  id: 'ssh.offers',
  title: 'Algorithms offered by the SSH server',
  why: 'Records the algorithms that the running server offered to this connection. Observed by the collector; no command runs on the node, and there is no second login.',
  commands: { offers: { kind: 'measure', measure: 'ssh-offers' } },
  parse({ offers }) {
    const json = readJson(offers.text, 'the collector')
    if (!json.ok) return json
    const record = asRecord(json.fact)
    const lists = OFFER_LISTS.map((key) => {
      const names = asList(record[key]).map(asText)
      return names.includes(null) ? null : nameList(names.join(','))
    })
    if (lists.includes(null)) return unknown('the collector’s record of the key exchange has an unexpected format')
    const offer = Object.fromEntries(OFFER_LISTS.map((key, at) => [key, lists[at]])) as unknown as SshOffer
    return offer.kex.length === 0 || offer.cipherToNode.length === 0
      ? unknown('the server’s proposal names no key exchange or no cipher')
      : known(offer)
  },
})

/** How many listeners are queried, three connections each: see ssh.servers. */
export const MOST_SSH_SERVERS = 8

/** Programs that are SSH servers, by the name of their process. */
const SERVERS: ReadonlySet<string> = new Set(['sshd', 'dropbear', 'tinysshd', 'gitlab-sshd', 'lshd'])

/** Evidence of which sockets belong to SSH servers. */
interface SshSigns {
  /** Ports at which the session's own server may listen. */
  readonly sshPorts: readonly number[]
  /** Processes of SSH servers; empty where they were not listed. */
  readonly processes: readonly SshProcess[]
  /** The responses of ports to TLS: an SSH server greets first. Null where ports were not queried. */
  readonly tls: TlsListeners | null
}

/**
 * TCP sockets that belong to SSH servers: by the name of a process that holds them, by port, or by their greeting.
 * Sockets held open by a login, such as those of forwarded ports and displays, do not: whoever connects there reaches
 * what that login chose. `named` are the same sockets with their processes.
 */
export function sshListeners(
  listeners: readonly Listener[],
  named: readonly Listener[],
  { sshPorts, processes, tls }: SshSigns,
): readonly Listener[] {
  const owners = new Map(named.map((found) => [socketKey(found), found]))
  const sessions = new Set(processes.filter(({ isSession }) => isSession).map(({ pid }) => pid))
  const joined = listeners
    .filter(({ protocol }) => protocol === 'tcp')
    .map((found) => ({ ...found, ...ownersOf(owners.get(socketKey(found)) ?? found) }))
  return [...new Map(joined.map((found) => [socketKey(found), found])).values()]
    .filter((found) => {
      const greets = tls !== null && observedAt(tls, found).seen?.greeting === 'ssh'
      if (greets || found.port === 22 || sshPorts.includes(found.port)) return true
      const isForwarded = found.pids.length > 0 && found.pids.every((pid) => sessions.has(pid))
      return found.processes.some((name) => SERVERS.has(name)) && !isForwarded
    })
    .sort((a, b) => a.port - b.port || (socketKey(a) < socketKey(b) ? -1 : 1))
}

/** A socket of each family is one server where the same processes hold both. */
export const isTwin = (a: Listener, b: Listener): boolean =>
  a.port === b.port &&
  a.pids.length > 0 &&
  [...a.pids].sort().join() === [...b.pids].sort().join() &&
  targetOf(a).host === '127.0.0.1' &&
  targetOf(b).host === '::1'

/** The SSH servers to query, and why others are skipped. Only loopback addresses and the node’s own are contacted. */
export function sshTargets(
  servers: readonly Listener[],
  { own, loopback }: Omit<TargetRules, 'sshPort'>,
): { readonly ask: readonly TlsTarget[]; readonly passed: readonly (TlsTarget & { readonly why: PassedOver })[] } {
  const asked = new Set(servers.map(socketKey))
  const hidden = new Set(
    loopback.filter((one) => !asked.has(socketKey(one))).map((one) => `${targetOf(one).host} ${one.port}`),
  )
  const found = new Map<string, { readonly target: TlsTarget; readonly why: PassedOver | null }>()
  for (const listener of servers) {
    if (servers.some((other) => isTwin(other, listener))) continue
    const target = targetOf(listener)
    const key = `${target.host} ${target.port}`
    const why = whyNotReached(listener, own, hidden)
    const before = found.get(key)
    // Two sockets that one address leads to: what responds there may be either.
    found.set(key, before === undefined ? { target, why } : { ...before, why: 'hidden' })
  }
  const open = [...found.values()].filter(({ why }) => why === null).map(({ target }) => target)
  return {
    ask: open.slice(0, MOST_SSH_SERVERS),
    passed: [
      ...[...found.values()].flatMap(({ target, why }) => (why === null ? [] : [{ ...target, why }])),
      ...open.slice(MOST_SSH_SERVERS).map((target) => ({ ...target, why: 'limit' as const })),
    ],
  }
}

const LOGIN_NAME = /^[a-zA-Z_][a-zA-Z0-9_.-]{0,31}\$?$/

/**
 * The names that each server is asked about: root, a person of the fleet file where it names one and else the collecting account, and no one.
 */
export function askedNames({
  user,
  roster = [],
  accounts = [],
}: Pick<DeclaredNode, 'user' | 'roster' | 'accounts'>): readonly { readonly who: AskedName; readonly user: string }[] {
  const declared = [...accounts.map(({ account }) => account), ...roster, user].find(
    (name) => name !== 'root' && (name !== user || accounts.length + roster.length === 0) && LOGIN_NAME.test(name),
  )
  return [
    { who: 'root', user: 'root' },
    ...(declared === undefined && user === 'root' ? [] : [{ who: 'declared' as const, user: declared ?? user }]),
    { who: 'nobody', user: NO_SUCH_ACCOUNT },
  ]
}
