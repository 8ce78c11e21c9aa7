import { hexOf } from '../base/digest.ts'
import { concat, type TlsVersion, type WireReader, wireReader } from './client-hello.ts'

/** Most bytes of a server that are read; a longer answer is read as far as this. */
export const MOST_REPLY = 65_536
const MOST_CERTIFICATES = 5

/** What a server answered to a ClientHello. */
export type ServerReply =
  /** Nothing contradicts TLS yet, and nothing is settled. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'not-tls' }
  /** AlertDescription (RFC 8446 §6). */
  | { readonly kind: 'alert'; readonly description: number }
  | ServerHello

export interface ServerHello {
  readonly kind: 'hello'
  /** ProtocolVersion that the server chose. */
  readonly version: number
  readonly suite: number
  /** TLS 1.3 asks for another key share before it continues (RFC 8446 §4.1.4). */
  readonly isRetry: boolean
  /** The server's key share (TLS 1.3). */
  readonly share: { readonly group: number; readonly publicKey: Uint8Array } | null
  /** The handshake message with its header, as the transcript has it. */
  readonly message: Uint8Array
  /** How many bytes of the reply the ServerHello takes, records and all. */
  readonly end: number
  /** DER, leaf first; null until the Certificate message was read whole, and always for TLS 1.3, which encrypts it. */
  readonly certificates: readonly Uint8Array[] | null
  /** TLS 1.3: encrypted records after the ServerHello, with their headers. */
  readonly sealed: readonly Uint8Array[]
  /** The server sent in clear all that it sends before we answer. */
  readonly isDone: boolean
}

interface Records {
  /** Handshake bytes in clear, joined. */
  readonly handshake: Uint8Array
  /** For each record of them: how many handshake bytes, and bytes of the reply, there are at its end. */
  readonly ends: readonly { readonly handshake: number; readonly reply: number }[]
  readonly sealed: readonly Uint8Array[]
  readonly alert: number | null
  readonly isBroken: boolean
}

const [CHANGE_CIPHER, ALERT, HANDSHAKE, APPLICATION] = [20, 21, 22, 23]
const [SERVER_HELLO, CERTIFICATE, HELLO_DONE] = [2, 11, 14]

/** SHA-256 of “HelloRetryRequest”, which takes the place of the random (RFC 8446 §4.1.3). */
const RETRY = 'cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c'

/** Reads as much of a server's answer as has come. Never throws, whatever the bytes. */
export function readServerReply(bytes: Uint8Array): ServerReply {
  if (!beginsLikeTls(bytes)) return { kind: 'not-tls' }
  const records = readRecords(bytes.subarray(0, MOST_REPLY))
  const messages = readMessages(records.handshake)
  const first = messages[0]
  if (first === undefined) {
    if (records.alert !== null) return { kind: 'alert', description: records.alert }
    return { kind: records.isBroken ? 'not-tls' : 'incomplete' }
  }
  const hello = first.type === SERVER_HELLO ? readHello(first.body) : null
  if (hello === null) return { kind: 'not-tls' }
  const message = records.handshake.subarray(0, first.end)
  const end = records.ends.find(({ handshake }) => handshake >= first.end)?.reply ?? bytes.length
  const certificate = messages.find(({ type }) => type === CERTIFICATE)
  const certificates = certificate === undefined ? null : certificateList(wireReader(certificate.body), false)
  const isDone =
    hello.isRetry || messages.some(({ type }) => type === HELLO_DONE) || records.alert !== null || records.isBroken
  return { kind: 'hello', ...hello, message, end, certificates, sealed: records.sealed, isDone }
}

/** Handshake or alert record of SSL 3.0 to TLS 1.3; of a shorter answer, its beginning. */
function beginsLikeTls([type, major, minor]: Uint8Array): boolean {
  if (type !== undefined && type !== HANDSHAKE && type !== ALERT) return false
  return (major === undefined || major === 3) && (minor === undefined || minor <= 4)
}

function readRecords(bytes: Uint8Array): Records {
  const reader = wireReader(bytes)
  const clear: Uint8Array[] = []
  const ends: { handshake: number; reply: number }[] = []
  const sealed: Uint8Array[] = []
  let alert: number | null = null
  let length = 0
  let isBroken = false
  while (reader.left() >= 5 && alert === null && !isBroken) {
    const start = bytes.length - reader.left()
    const type = reader.number(1)
    const version = reader.number(2) ?? 0
    const body = reader.vector(2)
    if (body === null) break
    const reply = bytes.length - reader.left()
    if (version >> 8 !== 3 || body.length > 0x4800) isBroken = true
    else if (type === HANDSHAKE) {
      clear.push(body)
      length += body.length
      ends.push({ handshake: length, reply })
    } else if (type === ALERT) alert = body[1] ?? 0
    else if (type === APPLICATION) sealed.push(bytes.subarray(start, reply))
    else if (type !== CHANGE_CIPHER) isBroken = true
  }
  return { handshake: concat(clear), ends, sealed, alert, isBroken }
}

interface Message {
  readonly type: number
  readonly body: Uint8Array
  /** Bytes from the beginning to its end. */
  readonly end: number
}

/** Whole handshake messages; a last one that is cut is left out. */
export function readMessages(bytes: Uint8Array): readonly Message[] {
  const reader = wireReader(bytes)
  const found: Message[] = []
  while (reader.left() >= 4) {
    const type = reader.number(1)
    const body = reader.vector(3)
    if (type === null || body === null) break
    found.push({ type, body, end: bytes.length - reader.left() })
  }
  return found
}

function readHello(body: Uint8Array): Pick<ServerHello, 'version' | 'suite' | 'isRetry' | 'share'> | null {
  const reader = wireReader(body)
  const legacy = reader.number(2)
  const random = reader.take(32)
  const session = reader.vector(1)
  const suite = reader.number(2)
  const compression = reader.number(1)
  if (legacy === null || random === null || session === null || suite === null || compression === null) return null
  const extensions = wireReader(reader.vector(2) ?? new Uint8Array())
  const isRetry = hexOf(random) === RETRY
  let version = legacy
  let share: ServerHello['share'] = null
  while (extensions.left() > 0) {
    const type = extensions.number(2)
    const value = extensions.vector(2)
    if (type === null || value === null) return null
    const inside = wireReader(value)
    if (type === 43) version = inside.number(2) ?? version
    if (type === 51 && !isRetry) {
      const [group, publicKey] = [inside.number(2), inside.vector(2)]
      if (group !== null && publicKey !== null) share = { group, publicKey }
    }
  }
  return { version, suite, isRetry, share }
}

/** The list of a Certificate message: with context and extensions in TLS 1.3 (RFC 8446 §4.4.2), without before. */
export function certificateList(reader: WireReader, isTls13: boolean): readonly Uint8Array[] | null {
  if (isTls13 && reader.vector(1) === null) return null
  const list = reader.vector(3)
  if (list === null) return null
  const entries = wireReader(list)
  const certificates: Uint8Array[] = []
  while (entries.left() > 0 && certificates.length < MOST_CERTIFICATES) {
    const der = entries.vector(3)
    if (der === null || (isTls13 && entries.vector(2) === null)) return null
    certificates.push(Uint8Array.from(der))
  }
  return certificates
}

/** One TCP port of the node as the collector asks for it. */
export interface TlsTarget {
  /** The loopback address for sockets that listen on all addresses; else an address that was shown to be the node's own. */
  readonly host: string
  readonly port: number
}

/** Why a port was not queried. */
export type PassedOver =
  /** The SSH server itself. */
  | 'ssh'
  /** Ports of raw printing, where every byte is printed. */
  | 'printer'
  /** Ports that running programs chose for themselves: peers of a job may break when an unknown client connects to them. */
  | 'job'
  /** It listens on an address that was not shown to be the node's own: another host may answer there. */
  | 'foreign'
  /** What is sent to it from the node itself may reach another socket. */
  | 'hidden'
  /** More ports than are asked. */
  | 'limit'
  /** The time for all of them was over. */
  | 'time'
  /** The SSH server forwards nothing, or the connection had ended. */
  | 'unreached'

/** What a port did when it was sent a ClientHello. */
export type PortOutcome =
  | 'tls'
  /** It answered something else. */
  | 'plain'
  /** Nothing, or no whole answer, came within the time limit. */
  | 'silent'
  /** It ended the connection without a word. */
  | 'closed'
  /** The SSH server does not forward to it: nothing was observed. */
  | 'refused'
  /** Nothing took the connection. */
  | 'failed'

/** Which ClientHello: a version with every known suite, or TLS 1.2 and below with weak, or static RSA, suites alone. */
export type HelloKind = TlsVersion | 'weak' | 'static-rsa'

export interface HelloAnswer {
  readonly hello: HelloKind
  /** Base64 of the server's first bytes up to the end of its ServerHello or alert; empty where it sent nothing. */
  readonly reply: string
}

export interface PortObservation extends TlsTarget {
  readonly outcome: PortOutcome
  /** How a plain answer begins. Its words are not kept. */
  readonly says?: 'http' | 'ssh' | 'greeting' | 'other'
  readonly hellos?: readonly HelloAnswer[]
  /** DER in base64, leaf first, at most five. */
  readonly certificates?: readonly string[]
}

/** The measure `tls-listeners` as it is recorded. */
export interface TlsObservation {
  /** Whether this connection can reach ports of the node at all: ssh2 can, the system ssh program is not asked to. */
  readonly forwarding: 'used' | 'not-available'
  readonly asked: readonly PortObservation[]
  readonly passed: readonly (TlsTarget & { readonly why: PassedOver })[]
}
