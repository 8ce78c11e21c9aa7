import type { Parsed, Probe } from '../core/probe.ts'
import { accountsPasswordLocks } from './probes/accounts-password-locks.ts'
import { accountsPasswordState, type PasswordStates } from './probes/accounts-password-state.ts'

/** State of passwords, and the question that reported it. */
export interface ToldPasswords {
  readonly passwords: Parsed<PasswordStates>
  readonly toldBy: Probe<PasswordStates>
}

/** What passwd(1) listed, or else the part of it that lslogins(1) knows; an account that the latter leaves open has no state. */
export const passwordsTold = ({
  passwords,
  locks,
}: {
  readonly passwords: Parsed<PasswordStates>
  readonly locks: Parsed<PasswordStates>
}): ToldPasswords =>
  passwords.ok || !locks.ok
    ? { passwords, toldBy: accountsPasswordState }
    : { passwords: locks, toldBy: accountsPasswordLocks }
