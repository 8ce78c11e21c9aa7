import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'
import type { PasswordState, PasswordStates } from './accounts-password-state.ts'

/**
 * lslogins(1), for Red Hat 8 and 9, whose passwd(1) knows no `-a`. PWD-LOCK or PWD-DENY is 1 only where the field begins with “!” or “*”
 * (login-utils/lslogins.c), so such an account is locked; with neither, a named scheme means a hash. All else stays open: by version,
 * “*”, an empty field and an old scheme look alike, and an account whose group does not exist ends the list with status 0.
 */
export const accountsPasswordLocks = defineProbe({
  id: 'accounts.password-locks',
  title: 'Locked passwords, where passwd cannot list them',
  why: 'Shows for each account whether its password is locked or set. The passwords and their hashes are not read.',
  commands: { accounts: runAsRoot(['lslogins', '-e', '-o', 'USER,PWD-LOCK,PWD-DENY,PWD-METHOD']) },
  parse({ accounts }) {
    if (accounts.exitCode !== 0) return unknown('lslogins did not respond')
    const rows = lines(accounts.text).map((line) =>
      /^USER="([^"]*)" PWD[-_]LOCK="([01]?)" PWD[-_]DENY="([01]?)" PWD[-_]METHOD="([^"]*)"$/.exec(line),
    )
    if (rows.length === 0 || rows.includes(null)) return unknown('the output of lslogins has an unexpected format')
    return known<PasswordStates>({
      states: new Map(
        rows.flatMap((row): readonly (readonly [string, PasswordState])[] => {
          const [, name = '', lock = '', deny = '', method = ''] = row ?? []
          if (lock === '1' || deny === '1') return [[name, 'locked']]
          return lock === '0' && deny === '0' && method !== '' ? [[name, 'usable']] : []
        }),
      ),
    })
  },
})
