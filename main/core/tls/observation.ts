import type { TlsVersion } from './client-hello.ts'

/** One TCP port of the node as the collector asks for it. */
export interface TlsTarget {
  /** The loopback address for sockets that listen on all addresses; else an address that was shown to be the node's own. */
  readonly host: string
  readonly port: number
}

/** Why a port was not spoken to. */
export type PassedOver =
  /** The SSH server itself. */
  | 'ssh'
  /** Ports of raw printing, where every byte is printed. */
  | 'printer'
  /** Ports that running programs chose for themselves: peers of a job may break when a stranger speaks to them. */
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
  /** Nobody took the connection. */
  | 'failed'

/** Which ClientHello: a version with every suite we know, or TLS 1.2 and below with weak, or static RSA, suites alone. */
export type HelloKind = TlsVersion | 'weak' | 'static-rsa'

export interface HelloAnswer {
  readonly hello: HelloKind
  /** Base64 of the server's first bytes up to the end of its ServerHello or alert; empty where it said nothing. */
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
