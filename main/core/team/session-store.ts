import type { Sha256 } from '../base/digest.ts'
import type { Outcome } from '../base/failure.ts'

/**
 * A person’s session as stored: without its id, of which only the hash is stored. Times in milliseconds since 1970.
 */
export interface StoredSession {
  readonly hash: Sha256
  /** Identifies the session to people: 32 hexadecimal digits, unrelated to the id. */
  readonly publicId: string
  /** How the person signed in, from a closed list. */
  readonly way: string
  /** The person, as JSON. */
  readonly person: string
  readonly createdAt: number
  readonly usedAt: number
}

/** Stores sessions across restarts. Each method fails with store.failed or database.unreachable. */
export interface SessionStore {
  /** Returns the sessions created and used after these times, and removes all others. */
  readonly load: (after: {
    readonly createdAt: number
    readonly usedAt: number
  }) => Promise<Outcome<readonly StoredSession[]>>
  /** Resolves when it is durable. */
  readonly add: (session: StoredSession) => Promise<Outcome<null>>
  readonly use: (hash: Sha256, usedAt: number) => Promise<Outcome<null>>
  /** No effect on a session that is not stored. */
  readonly remove: (hash: Sha256) => Promise<Outcome<null>>
}
