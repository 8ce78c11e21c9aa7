import type { Sha256 } from './digest.ts'
import type { Outcome } from './failure.ts'

/** A session of a person as it is stored: without its id, of which only the hash is known. Times in milliseconds since 1970. */
export interface StoredSession {
  readonly hash: Sha256
  /** Names the session to people: 32 hexadecimal digits that follow from nothing else. */
  readonly publicId: string
  /** How the person signed in, by a name of a closed list. */
  readonly way: string
  /** The person, as JSON. */
  readonly person: string
  readonly createdAt: number
  readonly usedAt: number
}

/** What keeps sessions over a restart. Each function fails with store.failed or database.unreachable. */
export interface SessionStore {
  /** The sessions that were created and used after these times; all others are removed. */
  readonly load: (after: {
    readonly createdAt: number
    readonly usedAt: number
  }) => Promise<Outcome<readonly StoredSession[]>>
  /** Resolves once it is stored. */
  readonly add: (session: StoredSession) => Promise<Outcome<null>>
  readonly use: (hash: Sha256, usedAt: number) => Promise<Outcome<null>>
  /** Without effect on one that is not stored. */
  readonly remove: (hash: Sha256) => Promise<Outcome<null>>
}
