import type { SshOffer } from './ssh-offer.ts'
import type { PassedOver, TlsTarget } from './tls/observation.ts'

/** For whom a server is asked which methods it offers: root, an account that the fleet file names, and a name that no node has. */
export type AskedName = 'root' | 'declared' | 'nobody'

/** A name that no account has. It stands in the logs of nodes, so that its owner can tell where the line comes from. */
export const NO_SUCH_ACCOUNT = 'barewitness-no-such-account'

/** How a server answered a `none` request (RFC 4252 §5.2). */
export type MethodsOutcome =
  /** It declined, as it should, and named the methods that may go on. */
  | 'methods'
  /** It let the user in without asking for anything. The connection was ended then, and no session opened. */
  | 'accepted'
  /** It speaks SSH, and shares no algorithm with the client that asked. */
  | 'no-common'
  /** It ended the connection before it answered. */
  | 'closed'
  /** No answer came within the time limit. */
  | 'silent'
  /** What answered is no SSH server. */
  | 'not-ssh'
  /** The SSH server of this session does not forward to it: nothing was observed. */
  | 'refused'
  /** Nobody took the connection. */
  | 'failed'

/** What one connection brought, as an adapter hears it. `lost`: the session that carries it has ended. */
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
