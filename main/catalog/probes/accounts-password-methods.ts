import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { readIsoMoment } from '../login-traces.ts'
import { lines } from '../read-text.ts'

export interface PasswordMethod {
  /** Scheme of the hash in the words of lslogins (MD5, SHA-512, Yescrypt …); null where there is none or an unknown one. */
  readonly method: string | null
  /** Last change, in milliseconds since 1970 UTC; null where not reported. */
  readonly changed: number | null
  /** Most days that it may stay unchanged; null for no limit. */
  readonly maxDays: number | null
}
export interface PasswordMethods {
  readonly accounts: ReadonlyMap<string, PasswordMethod>
}

const COLUMNS = 'USER,PWD-METHOD,PWD-CHANGE,PWD-MAX'

/**
 * lslogins(1) names the scheme of each password’s hash and never the hash. Columns about logins are requested elsewhere: without their
 * files lslogins gives no response at all. At an account whose group does not exist its list ends, with status 0; so an account that is not
 * named here was not examined.
 */
export const accountsPasswordMethods = defineProbe({
  id: 'accounts.password-methods',
  title: 'Password storage and expiry',
  why: 'Shows by which scheme each password is stored, when it was last changed, and when it must change. Passwords and hashes are not read.',
  commands: { accounts: runAsRoot(['lslogins', '--time-format=iso', '-e', '-o', COLUMNS]) },
  parse({ accounts }) {
    if (accounts.exitCode !== 0) return unknown('lslogins did not respond')
    const rows = lines(accounts.text).map((line) =>
      /^USER="([^"]*)" PWD[-_]METHOD="([^"]*)" PWD[-_]CHANGE="([^"]*)" PWD[-_]MAX="(-?\d{0,9})"$/.exec(line),
    )
    if (rows.length === 0 || rows.includes(null)) return unknown('the output of lslogins has an unexpected format')
    return known<PasswordMethods>({
      accounts: new Map(
        rows.map((row) => {
          const [, name = '', method = '', changed = '', days = ''] = row ?? []
          return [
            name,
            {
              method: method === '' ? null : method,
              changed: readIsoMoment(changed),
              maxDays: /^\d+$/.test(days) ? Number(days) : null,
            },
          ] as const
        }),
      ),
    })
  },
})
