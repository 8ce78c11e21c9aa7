import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { type LoginTrace, readIsoMoment } from '../login-traces.ts'
import { lines } from '../read-text.ts'

/**
 * lslogins(1), export form: the last session of each account in /var/log/wtmp. That file rotates, so an account without a session here may
 * have had one before; since when it is kept is queried of the file itself (`accounts.login-files`).
 */
export const accountsLastLogin = defineProbe({
  id: 'accounts.last-login',
  title: 'Last session of each account',
  why: 'Shows when each account was last used, so that unused ones can be identified.',
  ignoredInDrift: {
    why: 'Logins are recorded and old records are removed. Not detected: who logged in.',
    normalize: () => null,
  },
  commands: { accounts: run(['lslogins', '--time-format=iso', '-e', '-o', 'USER,LAST-LOGIN']) },
  parse({ accounts }) {
    if (accounts.exitCode !== 0) return unknown('the record of sessions could not be read')
    const rows = lines(accounts.text).map((line) => /^USER="([^"]*)" LAST[-_]LOGIN="([^"]*)"$/.exec(line))
    if (rows.length === 0 || rows.includes(null)) return unknown('the output of lslogins has an unexpected format')
    const last = new Map(
      rows.map((row) => [row?.[1] ?? '', row?.[2] === '' ? null : readIsoMoment(row?.[2] ?? '')] as const),
    )
    if (rows.some((row) => row?.[2] !== '' && last.get(row?.[1] ?? '') === null))
      return unknown('a time in the output of lslogins has an unexpected format')
    return known<LoginTrace>({ last, since: null })
  },
})
