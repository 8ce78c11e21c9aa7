import type { Ports } from '../../core/all-ports.ts'
import type { ByteStream, Connection } from '../../core/ports/ports.ts'
import { clientHello, concat, SUITES, TLS_VERSIONS, type TlsVersion } from '../../core/tls/client-hello.ts'
import { type OwnShares, ownShares, sealedCertificates } from '../../core/tls/sealed-flight.ts'
import {
  type HelloAnswer,
  type HelloKind,
  MOST_REPLY,
  type PassedOver,
  type PortObservation,
  type PortOutcome,
  readServerReply,
  type ServerReply,
  type TlsObservation,
  type TlsTarget,
} from '../../core/tls/server-reply.ts'

export type TlsDeps = Pick<Ports, 'clock' | 'entropy' | 'pause'>

/** The ports to query, in this order, and those skipped beforehand. */
export interface TlsPlan {
  readonly ask: readonly TlsTarget[]
  readonly passed: readonly (TlsTarget & { readonly why: PassedOver })[]
}

const HELLO_MS = 2000
const ALL_MS = 30_000
/** A flight of messages arrives in few reads; a server that sends its reply slowly is cut off. */
const MOST_CHUNKS = 200

/**
 * Connects to ports that the node listed, one at a time, through the session of the collection: one ClientHello per
 * connection, no other byte, and no handshake is ever completed. Ends within half a minute, and at once when the
 * collection is stopped. A port that cannot be reached is recorded as such: nothing is concluded from it.
 */
export async function observeTls(
  deps: TlsDeps,
  { dial }: Pick<Connection, 'dial'>,
  { ask, passed }: TlsPlan,
  { signal, heard }: { readonly signal: AbortSignal; readonly heard: () => void },
): Promise<TlsObservation> {
  if (dial === undefined) return nothingAsked({ ask, passed })
  const end = deps.clock.ticks() + BigInt(ALL_MS) * 1_000_000n
  const asked: PortObservation[] = []
  const left: { host: string; port: number; why: PassedOver }[] = []
  let over: 'unreached' | 'time' | null = null
  const stopped = stopOf(signal)
  for (const target of ask) {
    const why = over ?? (signal.aborted ? 'unreached' : deps.clock.ticks() >= end ? 'time' : null)
    if (why !== null) {
      left.push({ ...target, why })
      continue
    }
    const seen = await observePort({ deps, dial, target, end, signal, stopped })
    heard()
    if (typeof seen === 'string') {
      over = seen
      left.push({ ...target, why: seen })
    } else asked.push(seen)
  }
  return { forwarding: 'used', asked, passed: [...passed, ...left] }
}

/** The result where the session forwards no connections. */
export const nothingAsked = ({ ask, passed }: TlsPlan) =>
  ({
    forwarding: 'not-available',
    asked: [],
    passed: [...passed, ...ask.map((one) => ({ ...one, why: 'unreached' as const }))],
  }) as const

/** Resolves when the collection is stopped. */
export const stopOf = (signal: AbortSignal): Promise<'late'> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve('late'), { once: true })
    if (signal.aborted) resolve('late')
  })

interface Port {
  readonly deps: TlsDeps
  readonly dial: NonNullable<Connection['dial']>
  readonly target: TlsTarget
  /** The deadline, in ticks of the clock. */
  readonly end: bigint
  readonly signal: AbortSignal
  /** Resolves when the collection is stopped. */
  readonly stopped: Promise<'late'>
}

/**
 * Reasons why a missing reply means nothing: the session or the collection ended, or less than the usual waiting time
 * was left.
 */
type Unheard = 'unreached' | 'time'

/** The result of one ClientHello. */
interface Heard {
  readonly outcome: PortOutcome | Unheard
  readonly bytes: Uint8Array
  readonly reply: ServerReply
  readonly certificates: readonly Uint8Array[] | null
}

/**
 * Queries one port: each version separately, then weak and static RSA suites where a version below 1.3 is supported.
 */
async function observePort(port: Port): Promise<PortObservation | Unheard> {
  const { host, port: number } = port.target
  const hellos: HelloAnswer[] = []
  let certificates: readonly Uint8Array[] | null = null
  let outcome: PortOutcome = 'closed'
  let isOld = false
  const kinds: readonly HelloKind[] = [...TLS_VERSIONS, 'weak', 'static-rsa']
  for (const kind of kinds) {
    if ((kind === 'weak' || kind === 'static-rsa') && !isOld) break
    const heard = await sendHello(port, kind)
    if (heard.outcome === 'unreached') return heard.outcome
    if (heard.outcome === 'time') {
      if (outcome !== 'tls') return heard.outcome
      break
    }
    // The first reply shows whether this is TLS; later behavior of the port, for example under load, does not change
    // that.
    if (outcome !== 'tls') outcome = heard.outcome
    if (outcome === 'plain') return { host, port: number, outcome, says: beginningOf(heard.bytes) }
    if (outcome === 'silent' || outcome === 'refused' || outcome === 'failed') return { host, port: number, outcome }
    // A hello without a timely reply shows nothing: it counts as not sent.
    if (heard.outcome === 'tls' || heard.outcome === 'closed')
      hellos.push({ hello: kind, reply: Buffer.from(usedBytes(heard)).toString('base64') })
    certificates ??= heard.certificates
    isOld ||= heard.reply.kind === 'hello' && heard.reply.version < 0x0304
    if (port.signal.aborted || port.deps.clock.ticks() >= port.end) break
  }
  if (outcome === 'closed') return { host, port: number, outcome }
  const shown = fitting(certificates ?? []).map((der) => Buffer.from(der).toString('base64'))
  return { host, port: number, outcome, hellos, ...(shown.length === 0 ? {} : { certificates: shown }) }
}

/** The certificates that fit into the limit together; a longer chain is cut at its end. */
function fitting(certificates: readonly Uint8Array[]): readonly Uint8Array[] {
  let total = 0
  return certificates.filter(({ length }) => {
    total += length
    return total <= MOST_REPLY
  })
}

const usedBytes = ({ bytes, reply }: Heard): Uint8Array =>
  reply.kind === 'hello'
    ? bytes.subarray(0, Math.min(reply.end, 1024))
    : reply.kind === 'alert'
      ? bytes.subarray(0, 7)
      : bytes.subarray(0, 0)

function beginningOf(bytes: Uint8Array): NonNullable<PortObservation['says']> {
  const text = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  if (text.startsWith('HTTP/')) return 'http'
  if (text.startsWith('SSH-')) return 'ssh'
  return /^\d{3}[ -]|^\+OK|^\* OK/.test(text) ? 'greeting' : 'other'
}

/** TLS 1.2 reveals the versions below 1.3 when only some suites are offered: a server may choose any lower version. */
const versionOf = (kind: HelloKind): TlsVersion => (kind === 'weak' || kind === 'static-rsa' ? '1.2' : kind)

const suitesOf = (kind: HelloKind): readonly number[] =>
  kind === '1.3'
    ? SUITES.tls13
    : kind === 'weak'
      ? SUITES.weak
      : kind === 'static-rsa'
        ? SUITES.staticRsa
        : SUITES.broad

async function sendHello(port: Port, kind: HelloKind): Promise<Heard> {
  const { deps, dial, target, end, stopped } = port
  const own: OwnShares | null = kind === '1.3' ? ownShares(deps.entropy.bytes(64)) : null
  const hello = clientHello({
    version: versionOf(kind),
    suites: suitesOf(kind),
    random: deps.entropy.bytes(32),
    sessionId: kind === '1.3' ? deps.entropy.bytes(32) : new Uint8Array(),
    ...(own === null ? {} : { shares: own.shares }),
  })
  const left = Math.min(HELLO_MS, Math.max(0, Number((end - deps.clock.ticks()) / 1_000_000n)))
  const late = deps.pause(left).then(() => 'late' as const)
  const dialing = dial(target.host, target.port)
  const dialed = await Promise.race([dialing, late, stopped])
  const nothing = { bytes: new Uint8Array(), reply: { kind: 'incomplete' }, certificates: null } as const
  if (dialed === 'late') {
    void dialing.then((opened) => (opened.ok ? opened.stream.close() : undefined))
    return { outcome: unheard(port, left) ?? 'failed', ...nothing }
  }
  if (!dialed.ok) return { outcome: dialed.why === 'lost' ? 'unreached' : dialed.why, ...nothing }
  const heard = await converse(dialed.stream, hello, own, Promise.race([late, stopped]))
  return heard.outcome === 'silent' ? { ...heard, outcome: unheard(port, left) ?? 'silent' } : heard
}

/** Silence is a result only when the port had the full waiting time. */
const unheard = ({ signal }: Port, milliseconds: number): Unheard | null =>
  signal.aborted ? 'unreached' : milliseconds < HELLO_MS ? 'time' : null

/** Sends the hello, and reads until the reply contains all we can use, the peer has closed, or time is up. */
function converse(stream: ByteStream, hello: Uint8Array, own: OwnShares | null, late: Promise<'late'>): Promise<Heard> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let size = 0
    let isOver = false
    const look = (ending: 'silent' | 'closed' | 'unreached' | null): void => {
      if (isOver) return
      const bytes = concat(chunks)
      const reply = readServerReply(bytes)
      const certificates =
        reply.kind !== 'hello'
          ? null
          : (reply.certificates ?? (own === null ? null : sealedCertificates(hello, reply, own)))
      const isEnough = reply.kind === 'hello' ? certificates !== null || reply.isDone : reply.kind !== 'incomplete'
      if (!isEnough && ending === null && size < MOST_REPLY && chunks.length < MOST_CHUNKS) return
      isOver = true
      stream.close()
      resolve({ outcome: outcomeOf(reply, size, ending), bytes, reply, certificates })
    }
    stream.onData((chunk) => {
      if (isOver) return
      chunks.push(Uint8Array.from(chunk))
      size += chunk.length
      look(null)
    })
    void stream.closed.then((how) => look(how === 'lost' ? 'unreached' : 'closed'))
    void late.then(() => look('silent'))
    stream.write(hello)
  })
}

/** A reply that begins like TLS but is incomplete counts neither as TLS nor as another protocol. */
function outcomeOf(
  { kind }: ServerReply,
  size: number,
  ending: 'silent' | 'closed' | 'unreached' | null,
): PortOutcome | Unheard {
  if (kind === 'hello' || kind === 'alert') return 'tls'
  if (ending === 'unreached') return ending
  if (kind === 'not-tls') return 'plain'
  return size > 0 ? 'silent' : (ending ?? 'silent')
}
