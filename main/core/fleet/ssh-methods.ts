import { wireReader } from '../tls/client-hello.ts'
import type { PassedOver, TlsTarget } from '../tls/server-reply.ts'

/**
 * The users for whom a server is asked which login methods it offers: root, an account in the fleet file, and a name
 * that no node has.
 */
export type AskedName = 'root' | 'declared' | 'nobody'

/**
 * A name that no account has. It appears in the logs of nodes, so that their owner can recognize the origin of the
 * line.
 */
export const NO_SUCH_ACCOUNT = 'barewitness-no-such-account'

/** The response of a server to a `none` request (RFC 4252 §5.2). */
export type MethodsOutcome =
  /** It declined, as it should, and named the methods that may continue. */
  | 'methods'
  /** It let the user in without credentials. The connection was then ended, and no session was opened. */
  | 'accepted'
  /** It is an SSH server without an algorithm in common with the requesting client. */
  | 'no-common'
  /** It ended the connection before responding. */
  | 'closed'
  /** No response within the time limit. */
  | 'silent'
  /** The other end is not an SSH server. */
  | 'not-ssh'
  /** The SSH server of this session does not allow forwarding: nothing was observed. */
  | 'refused'
  /** Nothing accepted the connection. */
  | 'failed'

/** The observation of one connection, as an adapter returns it. `lost`: the session that carries it has ended. */
export interface MethodsHeard {
  readonly outcome: MethodsOutcome | 'lost'
  /** The software version that it states, such as OpenSSH_9.6p1; null where it states none. */
  readonly version: string | null
  readonly hostKey: { readonly type: string; readonly fingerprint: string } | null
  readonly offer: SshOffer | null
  readonly methods: readonly string[]
}

interface SshAnswer {
  readonly who: AskedName
  readonly user: string
  readonly outcome: MethodsOutcome
  readonly methods: readonly string[]
}

/** The observations of one listener. Version, host key and offer are those of its first response. */
export interface SshServerObservation extends TlsTarget, Pick<MethodsHeard, 'version' | 'hostKey' | 'offer'> {
  readonly answers: readonly SshAnswer[]
  /** A later connection showed another version or host key. */
  readonly isMixed: boolean
}

/** The measurement `ssh-servers` as recorded. */
export interface SshServersObservation {
  /**
   * Whether this connection can reach ports of the node at all: ssh2 can; the system’s ssh program is not used for
   * it.
   */
  readonly forwarding: 'used' | 'not-available'
  readonly asked: readonly SshServerObservation[]
  readonly passed: readonly (TlsTarget & { readonly why: PassedOver })[]
}

/**
 * What an SSH server offers in its SSH_MSG_KEXINIT before any login, in its own order (RFC 4253 §7.1). `ToNode`:
 * client to server.
 */
export interface SshOffer {
  readonly kex: readonly string[]
  readonly hostKey: readonly string[]
  readonly cipherToNode: readonly string[]
  readonly cipherFromNode: readonly string[]
  readonly macToNode: readonly string[]
  readonly macFromNode: readonly string[]
  readonly compressionToNode: readonly string[]
  readonly compressionFromNode: readonly string[]
}

/** In the order of the message. */
export const OFFER_LISTS = [
  'kex',
  'hostKey',
  'cipherToNode',
  'cipherFromNode',
  'macToNode',
  'macFromNode',
  'compressionToNode',
  'compressionFromNode',
] as const satisfies readonly (keyof SshOffer)[]

const MOST_NAMES = 200

/**
 * Parses a name-list of RFC 4251 §6: printable names without comma, at most 64 characters. Null where a list contains
 * anything else, or is too long.
 */
export function nameList(text: string): readonly string[] | null {
  if (text === '') return []
  const names = text.split(',', MOST_NAMES + 1)
  return names.length <= MOST_NAMES && names.every((name) => /^[!-+\--~]{1,64}$/.test(name)) ? names : null
}

/** An offer from its eight lists as text; null where one of them is invalid. */
export function offerOf(lists: readonly (string | undefined)[]): SshOffer | null {
  const read = OFFER_LISTS.map((_, index) => nameList(lists[index] ?? ','))
  return read.includes(null)
    ? null
    : (Object.fromEntries(OFFER_LISTS.map((key, at) => [key, read[at]])) as unknown as SshOffer)
}

/**
 * Parses the payload of SSH_MSG_KEXINIT: its number, 16 bytes of cookie, then name-lists with lengths of four bytes.
 */
export function readKexInit(payload: Uint8Array): SshOffer | null {
  const reader = wireReader(payload)
  if (reader.number(1) !== 20 || reader.take(16) === null) return null
  const lists = OFFER_LISTS.map(() => {
    // A list of 16 MiB or more is invalid.
    const bytes = reader.number(1) === 0 ? reader.vector(3) : null
    return bytes === null ? undefined : String.fromCharCode(...bytes.subarray(0, 65_536))
  })
  return offerOf(lists)
}
