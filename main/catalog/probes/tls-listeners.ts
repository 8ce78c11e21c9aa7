import { defineProbe, known, type Parsed, unknown } from '../../core/probe.ts'
import { type CertificateFields, certificateFields } from '../../core/tls/certificate-fields.ts'
import type { HelloKind, PassedOver, PortOutcome, TlsTarget } from '../../core/tls/observation.ts'
import { readServerReply } from '../../core/tls/server-reply.ts'
import { asList, asRecord, asText, type JsonValue, readJson } from '../read-text.ts'
import { FIRST_DRAWN_PORT, inOrder } from '../steady.ts'
import { readPassed, readTarget } from '../tls-targets.ts'

/** A version and suite that a server chose. */
export interface AcceptedTls {
  readonly version: TlsName
  readonly suite: number
}
export type TlsName = 'SSL 3.0' | 'TLS 1.0' | 'TLS 1.1' | 'TLS 1.2' | 'TLS 1.3'

export interface TlsPort extends TlsTarget {
  readonly outcome: PortOutcome
  /** How a response that is no TLS begins. */
  readonly says: string
  /** What was chosen when each version was requested on its own, newest first. */
  readonly accepted: readonly AcceptedTls[]
  /** Chosen when nothing but weak suites was offered. */
  readonly weak: readonly AcceptedTls[]
  /** Chosen when nothing but suites without forward secrecy was offered. */
  readonly staticRsa: readonly AcceptedTls[]
  /** Versions that were not requested, or whose response is not understood. */
  readonly open: readonly string[]
  /** A version below 1.3 is used, and whether weak suites alone are taken was not reported. */
  readonly isWeakOpen: boolean
  /** Leaf first. A certificate that cannot be read stands as null. */
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

/** What the node's own TCP ports responded to a ClientHello that came through the session (RFC 8446, RFC 5246). */
export const tlsListeners = defineProbe({
  id: 'tls.listeners',
  title: 'TLS on the node’s ports',
  why: 'Opens each listed port through the SSH session and sends one first message of TLS, nothing else: shows versions, ciphers and certificates of the response. Printer ports and sockets of running jobs are not contacted.',
  ignoredInDrift: {
    why: 'Service banners contain the time, and random ports appear and disappear with their programs.',
    normalize: ({ forwarding, ports, passed }: TlsListeners) => ({
      forwarding,
      ports: inOrder(ports.filter(isLasting).map(({ says: _, ...port }) => port)),
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
    says: asText(record.says) ?? '',
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

/** Bytes of base64 text; null where it is none. */
const bytesOf = (value: JsonValue | undefined): Uint8Array | null =>
  typeof value === 'string' && value.length <= 120_000 && BASE64.test(value)
    ? Uint8Array.from(Buffer.from(value, 'base64'))
    : null

/** A port that is no node-only one drawn by chance: see lastingListeners(). */
const isLasting = ({ host, port }: TlsTarget): boolean =>
  port < FIRST_DRAWN_PORT || !(host === '::1' || host.startsWith('127.'))
