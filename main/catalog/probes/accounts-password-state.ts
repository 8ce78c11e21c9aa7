import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

/** locked: no password opens it. usable: a password is set. none: it opens without one. */
export type PasswordState = 'locked' | 'usable' | 'none'
export interface PasswordStates {
  readonly states: ReadonlyMap<string, PasswordState>
}

const STATES: Readonly<Record<string, PasswordState>> = {
  L: 'locked',
  LK: 'locked',
  P: 'usable',
  PS: 'usable',
  NP: 'none',
}

/**
 * passwd(1) `-S -a` prints L, P or NP per account and no hash. `lslogins` is not used: its PWD-EMPTY is 1 for `*`, for `!` and for truly
 * empty alike. Red Hat 8 and 9 know no `-a`; there `accounts.password-locks` shows a part of it.
 */
export const accountsPasswordState = defineProbe({
  id: 'accounts.password-state',
  title: 'Password state of each account',
  why: 'Shows for each account whether a password is set, locked or missing. The passwords and their hashes are not read.',
  commands: { states: runAsRoot(['passwd', '-S', '-a']) },
  parse({ states }) {
    if (states.exitCode !== 0) return unknown('passwd could not list the state of all accounts')
    const rows = lines(states.text).map((line) => line.split(/\s+/))
    const read = rows.map(([name, state]) => [name ?? '', STATES[state ?? ''] ?? null] as const)
    // A name with a blank would shift the words, and could so support another account.
    if (read.length === 0 || rows.some(([, , third]) => STATES[third ?? ''] !== undefined))
      return unknown('the output of passwd has an unexpected format')
    if (read.some(([name, state]) => name === '' || state === null))
      return unknown('the output of passwd has an unexpected format')
    return known<PasswordStates>({
      states: new Map(read.flatMap(([name, state]) => (state === null ? [] : [[name, state] as const]))),
    })
  },
})
