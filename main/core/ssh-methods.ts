import { wireReader } from './tls/client-hello.ts'
import type { PassedOver, TlsTarget } from './tls/server-reply.ts'

/** For whom a server is asked which methods it offers: root, an account that the fleet file names, and a name that no node has. */
export type AskedName = 'root' | 'declared' | 'nobody'

/** A name that no account has. It appears in the logs of nodes, so that their owner can see where the line comes from. */
export const NO_SUCH_ACCOUNT = 'barewitness-no-such-account'

/** How a server answered a `none` request (RFC 4252 §5.2). */
export type MethodsOutcome =
  /** It declined, as it should, and named the methods that may go on. */
  | 'methods'
  /** It let the user in without asking for anything. The connection was ended then, and no session opened. */
  | 'accepted'
  /** It offers SSH, and shares no algorithm with the client that asked. */
  | 'no-common'
  /** It ended the connection before it answered. */
  | 'closed'
  /** No answer came within the time limit. */
  | 'silent'
  /** What answered is no SSH server. */
  | 'not-ssh'
  /** The SSH server of this session does not forward to it: nothing was observed. */
  | 'refused'
  /** Nothing took the connection. */
  | 'failed'

/** What one connection showed, as an adapter receives it. `lost`: the session that carries it has ended. */
export interface MethodsHeard {
  readonly outcome: MethodsOutcome | 'lost'
  /** Its name for itself, for example OpenSSH_9.6p1; null where it gave none. */
  readonly version: string | null
  readonly hostKey: { readonly type: string; readonly fingerprint: string } | null
  readonly offer: SshOffer | null
  readonly methods: readonly string[]
}

export interface SshAnswer {
  readonly who: AskedName
  readonly user: string
  readonly outcome: MethodsOutcome
  readonly methods: readonly string[]
}

/** One listener as it was asked. Version, host key and offer are those of its first answer. */
export interface SshServerObservation extends TlsTarget, Pick<MethodsHeard, 'version' | 'hostKey' | 'offer'> {
  readonly answers: readonly SshAnswer[]
  /** A later connection showed another version or host key. */
  readonly isMixed: boolean
}

/** The measure `ssh-servers` as it is recorded. */
export interface SshServersObservation {
  /** Whether this connection can reach ports of the node at all: ssh2 can, the system ssh program is not asked to. */
  readonly forwarding: 'used' | 'not-available'
  readonly asked: readonly SshServerObservation[]
  readonly passed: readonly (TlsTarget & { readonly why: PassedOver })[]
}

/** What an SSH server offers in its SSH_MSG_KEXINIT, before any login, in its own order (RFC 4253 §7.1). `ToNode`: client to server. */
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

/** Names of RFC 4251 §6: printable, without comma, at most 64 characters. null where a list holds anything else, or has no end. */
export function nameList(text: string): readonly string[] | null {
  if (text === '') return []
  const names = text.split(',', MOST_NAMES + 1)
  return names.length <= MOST_NAMES && names.every((name) => /^[!-+\--~]{1,64}$/.test(name)) ? names : null
}

/** An offer from its eight lists as text, or null where one of them is none. */
export function offerOf(lists: readonly (string | undefined)[]): SshOffer | null {
  const read = OFFER_LISTS.map((_, index) => nameList(lists[index] ?? ','))
  return read.includes(null)
    ? null
    : (Object.fromEntries(OFFER_LISTS.map((key, at) => [key, read[at]])) as unknown as SshOffer)
}

/** Reads the payload of SSH_MSG_KEXINIT: its number, 16 bytes of cookie, then name-lists with lengths of four bytes. */
export function readKexInit(payload: Uint8Array): SshOffer | null {
  const reader = wireReader(payload)
  if (reader.number(1) !== 20 || reader.take(16) === null) return null
  const lists = OFFER_LISTS.map(() => {
    // A list of 16 MiB and more is none.
    const bytes = reader.number(1) === 0 ? reader.vector(3) : null
    return bytes === null ? undefined : String.fromCharCode(...bytes.subarray(0, 65_536))
  })
  return offerOf(lists)
}
