import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

type Done = (problem: Error | null, key: Buffer) => void
interface Scrypt {
  (password: string, salt: Buffer, length: number, options: ScryptOptions, done: Done): void
  /** What this one stands in for; absent in Node's own. */
  readonly slow?: Scrypt
}

const present = crypto.scrypt as Scrypt
const slow = present.slow ?? present
/** Costs (N) that were asked for since the last look. */
const asked: number[] = []

/** The key still depends on every byte of the passphrase and the salt; making it takes next to nothing. */
const quick: Scrypt = Object.assign(
  (...[password, salt, length, options, done]: Parameters<Scrypt>): void => {
    asked.push(Number(options.N))
    slow(password, salt, length, { ...options, N: 2 }, done)
  },
  { slow },
)

function use(scrypt: Scrypt): void {
  crypto.scrypt = scrypt as typeof crypto.scrypt
  syncBuiltinESMExports()
}

/**
 * Stretching a passphrase takes half a second of a processor by intent, and hundreds of unit tests open a key that lies under one. As a
 * set-up file, this gives scrypt its least cost in the process of the tests, and nowhere else: programs that they start have Node's own.
 * test/identity.test.ts tests which cost is asked for, and the envelope with that cost.
 */
use(quick)

/** Does work with Node's own scrypt. */
export async function withSlowScrypt<T>(work: () => Promise<T>): Promise<T> {
  use(slow)
  try {
    return await work()
  } finally {
    use(quick)
  }
}

/** The costs that were asked for since the last look. */
export const costsAsked = (): readonly number[] => asked.splice(0)
