import { defineProbe, known, type Parsed, unknown } from '../../../core/recording/probe.ts'
import { type CertificateFields, certificateFields } from '../../../core/tls/certificate-fields.ts'
import {
  type HelloKind,
  type PassedOver,
  type PortOutcome,
  readServerReply,
  type TlsTarget,
} from '../../../core/tls/server-reply.ts'
import { asList, asRecord, asText, FIRST_DRAWN_PORT, inOrder, type JsonValue, readJson } from '../../base/read-text.ts'
import { conventionOf } from '../listeners/forwarded.ts'
import type { Listener } from '../listeners/probes.ts'

const MOST_TLS_PORTS = 32

/** Exporters of Prometheus, as the kernel cuts their names (15 characters). */
const EXPORTERS: ReadonlySet<string> = new Set(['node_exporter', 'prometheus-node'])

/**
 * Raw printing: every byte received is printed (nmap-service-probes excludes the same ports; RFC 1179 for 515).
 * Software that measures servers uses 9100 too: where root saw that something else holds the port, it is not a
 * printer.
 */
const isPrinter = ({ port, processes }: Listener): boolean =>
  port === 515 ||
  (port >= 9100 && port <= 9107 && !(processes.length > 0 && processes.every((name) => EXPORTERS.has(name))))

/**
 * The default of ip_local_port_range, and the rendezvous of torchrun: sockets of running jobs (NCCL, MPI, UCX) whose peers take an unknown
 * user’s bytes ill.
 */
export const isJobs = (port: number): boolean => port >= 32_768 || (port >= 29_400 && port <= 29_600)

/** The SSH server: the port of this session, the usual one, or by process name where that was shown (systemd holds some of its sockets with it). */
export const isSshListener = ({ port, processes }: Listener, sshPort: number): boolean =>
  port === 22 ||
  port === sshPort ||
  (processes.includes('sshd') && processes.every((name) => name === 'sshd' || name === 'systemd'))

/** TCP sockets that other machines can address, one of each address and port, with process names where root saw them. */
export function reachableTcp(listeners: readonly Listener[], named: readonly Listener[]): readonly Listener[] {
  const owners = new Map(named.map((found) => [socketKey(found), found]))
  const reachable = listeners.filter(({ protocol, loopback }) => protocol === 'tcp' && !loopback)
  return [
    ...new Map(
      reachable.map((found) => [socketKey(found), { ...found, ...ownersOf(owners.get(socketKey(found)) ?? found) }]),
    ).values(),
  ].sort((a, b) => a.port - b.port || (socketKey(a) < socketKey(b) ? -1 : 1))
}

export const ownersOf = ({ processes, pids }: Listener): Pick<Listener, 'processes' | 'pids'> => ({ processes, pids })

export const socketKey = ({ protocol, address, interface: bound, port }: Listener): string =>
  `${protocol} ${address}%${bound ?? ''}:${port}`

/** The address at which the node itself reaches a socket: the loopback address where it listens on all. */
export function targetOf({ address, port }: Pick<Listener, 'address' | 'port'>): TlsTarget {
  if (address === '0.0.0.0' || address === '*') return { host: '127.0.0.1', port }
  return { host: address === '::' ? '::1' : address.replace(/^::ffff:(?=\d+\.)/i, ''), port }
}

/** What decides, besides the sockets themselves, which of them may be queried. */
export interface TargetRules {
  /** The port of this session. */
  readonly sshPort: number
  /**
   * Addresses that are the node's own. A socket may be bound to any address (ip(7), IP_FREEBIND), and an unknown user would answer there.
   */
  readonly own: ReadonlySet<string>
  /** Sockets on the loopback addresses, which are reached in place of those that listen on all. */
  readonly loopback: readonly Listener[]
}

/** Addresses that the kernel sends from, as the routes of `ip -j route` name them (ip-route(8), "prefsrc"); only an administrator sets them. */
export function ownAddresses(routes: string): readonly string[] {
  const read = readJson(routes, 'ip')
  const rows = read.ok ? asList(read.fact).map(asRecord) : []
  return rows.flatMap(({ prefsrc, protocol }) => {
    const address = asText(prefsrc)
    return address !== null && protocol === 'kernel' && isAddress(address) ? [address] : []
  })
}

/** An address in digits, as opposed to a name. */
export const isAddress = (text: string): boolean =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(text) || /^[0-9a-f]{0,4}(:[0-9a-f]{0,4}){2,7}$/i.test(text)

const keyOf = (listener: Listener): string => {
  const { host, port } = targetOf(listener)
  return `${host} ${port}`
}

/** Packets from the node to itself arrive by the loopback interface, and at the socket whose address fits best. */
export function whyNotReached(
  listener: Listener,
  own: ReadonlySet<string>,
  taken: ReadonlySet<string>,
): 'foreign' | 'hidden' | null {
  const { host } = targetOf(listener)
  if (listener.interface !== null || taken.has(keyOf(listener))) return 'hidden'
  return host === '127.0.0.1' || host === '::1' || own.has(host) ? null : 'foreign'
}

/** By IPv6 the same service as by IPv4, where its processes were shown. */
const isSame = (a: Listener, b: Listener): boolean =>
  a.processes.length > 0 && [...a.processes].sort().join() === [...b.processes].sort().join()

/**
 * The ports to query, those encrypted by convention first, and why others are skipped. Only loopback addresses and
 * the node’s own are contacted. A service that listens on all addresses of both families is queried once, over IPv4.
 */
export function tlsTargets(
  listeners: readonly Listener[],
  { sshPort, own, loopback }: TargetRules,
): { readonly ask: readonly TlsTarget[]; readonly passed: readonly (TlsTarget & { readonly why: PassedOver })[] } {
  const found = new Map<string, { readonly target: TlsTarget; readonly why: PassedOver | null; from: Listener }>()
  const taken = new Set(loopback.map(keyOf))
  for (const listener of listeners) {
    const target = targetOf(listener)
    const why = isSshListener(listener, sshPort)
      ? 'ssh'
      : isPrinter(listener)
        ? 'printer'
        : isJobs(target.port) && conventionOf('tcp', target.port)?.kind !== 'encrypted'
          ? 'job'
          : whyNotReached(listener, own, taken)
    const key = keyOf(listener)
    const before = found.get(key)
    const twin = target.host === '::1' ? found.get(`127.0.0.1 ${target.port}`) : undefined
    // Two sockets at one address are distinguished by an interface: what responds there may be either.
    if (before !== undefined) found.set(key, { ...before, why: before.why ?? 'hidden' })
    else if (twin === undefined || !(isSame(listener, twin.from) || (why !== null && why === twin.why)))
      found.set(key, { target, why, from: listener })
  }
  const rank = ({ port }: TlsTarget): number => (conventionOf('tcp', port)?.kind === 'encrypted' ? 0 : 1)
  const open = [...found.values()]
    .filter(({ why }) => why === null)
    .map(({ target }) => target)
    .sort((a, b) => rank(a) - rank(b) || a.port - b.port)
  return {
    ask: open.slice(0, MOST_TLS_PORTS),
    passed: [
      ...[...found.values()].flatMap(({ target, why }) => (why === null ? [] : [{ ...target, why }])),
      ...open.slice(MOST_TLS_PORTS).map((target) => ({ ...target, why: 'limit' as const })),
    ],
  }
}

/** Host and port of a row that the collector wrote about one of these sockets; null where it has another form. */
export function readTarget({ host, port }: { readonly [key: string]: JsonValue }): TlsTarget | null {
  return typeof host === 'string' &&
    host.length <= 64 &&
    typeof port === 'number' &&
    Number.isInteger(port) &&
    port > 0 &&
    port < 65_536
    ? { host, port }
    : null
}

/** A socket that was not queried, and which of the known reasons was given; null where it has another form. */
export function readPassed(
  value: JsonValue,
  reasons: readonly PassedOver[],
): (TlsTarget & { readonly why: PassedOver }) | null {
  const row = asRecord(value)
  const target = readTarget(row)
  const why = reasons.find((reason) => reason === row.why)
  return target === null || why === undefined ? null : { ...target, why }
}

/** A version and suite that a server chose. */
export interface AcceptedTls {
  readonly version: TlsName
  readonly suite: number
}

type TlsName = 'SSL 3.0' | 'TLS 1.0' | 'TLS 1.1' | 'TLS 1.2' | 'TLS 1.3'

export interface TlsPort extends TlsTarget {
  readonly outcome: PortOutcome
  /** The beginning of a response that is not TLS. */
  readonly greeting: string
  /** The parameters chosen when each version was requested separately, newest first. */
  readonly accepted: readonly AcceptedTls[]
  /** Chosen when nothing but weak suites was offered. */
  readonly weak: readonly AcceptedTls[]
  /** Chosen when nothing but suites without forward secrecy was offered. */
  readonly staticRsa: readonly AcceptedTls[]
  /** Versions that were not requested, or whose response is not understood. */
  readonly open: readonly string[]
  /** A version below 1.3 is used, and whether weak suites alone are taken was not reported. */
  readonly isWeakOpen: boolean
  /** Leaf first. A certificate that cannot be read is null. */
  readonly certificates: readonly (CertificateFields | null)[]
}

export interface TlsListeners {
  readonly forwarding: boolean
  readonly ports: readonly TlsPort[]
  readonly passed: readonly (TlsTarget & { readonly why: PassedOver })[]
}

const NAMES: Readonly<Record<number, TlsName>> = {
  768: 'SSL 3.0',
  769: 'TLS 1.0',
  770: 'TLS 1.1',
  771: 'TLS 1.2',
  772: 'TLS 1.3',
}

const OUTCOMES: readonly PortOutcome[] = ['tls', 'plain', 'silent', 'closed', 'refused', 'failed']
const REASONS: readonly PassedOver[] = ['ssh', 'printer', 'job', 'foreign', 'hidden', 'limit', 'time', 'unreached']
/** The highest version that each kind of ClientHello offers. */
const OFFERED: ReadonlyMap<string, number> = new Map<HelloKind, number>([
  ['1.3', 772],
  ['1.2', 771],
  ['1.1', 770],
  ['1.0', 769],
  ['weak', 771],
  ['static-rsa', 771],
])
const MOST_PORTS = 256

/** The responses of the node’s own TCP ports to a ClientHello sent through the session (RFC 8446, RFC 5246). */
export const tlsListeners = defineProbe({
  id: 'tls.listeners',
  title: 'TLS on the node’s ports',
  why: 'Opens each listed port through the SSH session and sends one first message of TLS, nothing else: shows versions, ciphers and certificates of the response. Printer ports and sockets of running jobs are not contacted.',
  ignoredInDrift: {
    why: 'Service banners contain the time, and random ports appear and disappear with their programs.',
    normalize: ({ forwarding, ports, passed }: TlsListeners) => ({
      forwarding,
      ports: inOrder(ports.filter(isLasting).map(({ greeting: _, ...port }) => port)),
      passed: inOrder(passed.filter(isLasting)),
    }),
  },
  commands: { listeners: { kind: 'measure', measure: 'tls-listeners' } },
  parse({ listeners }) {
    const json = readJson(listeners.text, 'the collector')
    if (!json.ok) return json
    const { forwarding, asked, passed } = asRecord(json.fact)
    const form = unknown('the collector’s record of the ports has an unexpected format')
    if ((forwarding !== 'used' && forwarding !== 'not-available') || !Array.isArray(asked) || !Array.isArray(passed))
      return form
    if (asked.length + passed.length > 65_536) return form
    const ports = asked.slice(0, MOST_PORTS + 1).map(readPort)
    const left = passed.map((one) => readPassed(one, REASONS))
    if (ports.length > MOST_PORTS || ports.includes(null) || left.includes(null)) return form
    return known<TlsListeners>({
      forwarding: forwarding === 'used',
      ports: ports.filter((port) => port !== null),
      passed: left.filter((port) => port !== null),
    }) satisfies Parsed<TlsListeners>
  },
})

function readPort(value: JsonValue): TlsPort | null {
  const record = asRecord(value)
  const target = readTarget(record)
  const outcome = OUTCOMES.find((one) => one === record.outcome)
  if (target === null || outcome === undefined) return null
  const accepted: AcceptedTls[] = []
  const [weak, staticRsa]: [AcceptedTls[], AcceptedTls[]] = [[], []]
  const open = new Set(['1.3', '1.2', '1.1', '1.0'])
  let isWeakAnswered = false
  for (const hello of asList(record.hellos).slice(0, 16).map(asRecord)) {
    const kind = asText(hello.hello) ?? ''
    const bytes = bytesOf(hello.reply)
    if (bytes === null) return null
    const offered = OFFERED.get(kind)
    const reply = readServerReply(bytes)
    const name = reply.kind === 'hello' ? NAMES[reply.version] : undefined
    // An alert, or an end without a word, is how a server declines.
    const isDeclined = bytes.length === 0 || reply.kind === 'alert'
    const isChosen = reply.kind === 'hello' && offered !== undefined && isAnswerTo(offered, reply)
    if (kind === 'weak' && (isDeclined || isChosen)) isWeakAnswered = true
    if (isDeclined) open.delete(kind)
    else if (isChosen && name !== undefined) {
      const chosen = { version: name, suite: reply.suite }
      ;(kind === 'weak' ? weak : kind === 'static-rsa' ? staticRsa : accepted).push(chosen)
      open.delete(kind)
      open.delete(name.slice(4))
    }
  }
  const certificates = asList(record.certificates).slice(0, 8)
  return {
    ...target,
    outcome,
    greeting: asText(record.says) ?? '',
    accepted: [...new Map(accepted.map((one) => [`${one.version} ${one.suite}`, one])).values()],
    weak,
    staticRsa,
    open: outcome === 'tls' ? [...open] : [],
    isWeakOpen: !isWeakAnswered && [...accepted, ...staticRsa].some(({ version }) => version !== 'TLS 1.3'),
    certificates: certificates.map((one) => certificateFields(bytesOf(one) ?? new Uint8Array())),
  }
}

/** No version above what was offered, and suites of TLS 1.3 (0x13…) with that version alone. */
const isAnswerTo = (offered: number, { version, suite }: { version: number; suite: number }): boolean =>
  version <= offered && (suite >> 8 === 0x13) === (version === 772)

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Decodes base64; null where it is invalid. */
const bytesOf = (value: JsonValue | undefined): Uint8Array | null =>
  typeof value === 'string' && value.length <= 120_000 && BASE64.test(value)
    ? Uint8Array.from(Buffer.from(value, 'base64'))
    : null

/** Excludes ephemeral ports reachable only from the node; see lastingListeners(). */
const isLasting = ({ host, port }: TlsTarget): boolean =>
  port < FIRST_DRAWN_PORT || !(host === '::1' || host.startsWith('127.'))

/** What a socket responded to TLS. */
export interface ObservedPort {
  readonly seen: TlsPort | null
  /** Why it was not used to; null where it was, or where nothing shows. */
  readonly passed: PassedOver | null
}

/** The observation of a socket; that of the other address family where a service listens on all addresses of both. */
export function observedAt({ ports, passed }: TlsListeners, listener: Listener): ObservedPort {
  const { host, port } = targetOf(listener)
  const hosts = host === '::1' ? [host, '127.0.0.1'] : [host]
  for (const one of hosts) {
    const at = (found: { readonly host: string; readonly port: number }): boolean =>
      found.host === one && found.port === port
    const [seen, left] = [ports.find(at), passed.find(at)]
    // One address may represent two sockets: an address that was skipped is not one that replied.
    if (left !== undefined) return { seen: null, passed: left.why }
    if (seen !== undefined) return { seen, passed: null }
  }
  return { seen: null, passed: null }
}
