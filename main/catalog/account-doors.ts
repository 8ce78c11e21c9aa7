import type { Parsed } from '../core/probe.ts'
import type { Account } from './probes/accounts-local.ts'
import type { PasswordStates } from './probes/accounts-password-state.ts'
import { type AuthorizedKey, type AuthorizedKeys, homeOfKeyFile } from './probes/authorized-keys.ts'

/** What opens an account from outside, as far as it was read; null where it was not. */
export interface Doors {
  readonly password: boolean | null
  readonly keys: readonly AuthorizedKey[] | null
}

/** Folders whose key files are read. Accounts that live elsewhere may have keys that nobody looked for. */
const SEARCHED = /^\/(home|root)(\/|$)/

/** How an account can be opened. An account that can start a session by neither is reached only by those who are root already. */
export function doorsOf(
  { name, home }: Account,
  passwords: Parsed<PasswordStates>,
  keys: Parsed<AuthorizedKeys>,
): Doors {
  const state = passwords.ok ? passwords.fact.states.get(name) : undefined
  return {
    password: state === undefined ? null : state !== 'locked',
    keys:
      keys.ok && SEARCHED.test(home)
        ? keys.fact.keys.filter(({ path }) => homeOfKeyFile(path) === home.replace(/(?<=.)\/$/, ''))
        : null,
  }
}

/** open: a password or a key. closed: neither. unclear: something was not read, and what was read does not open it. */
export function doorState({ password, keys }: Doors): 'open' | 'closed' | 'unclear' {
  if (password === true || (keys !== null && keys.length > 0)) return 'open'
  return password === false && keys !== null ? 'closed' : 'unclear'
}
