import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'
import { inOrder } from '../steady.ts'

/** A file that logins are written to. Moments in milliseconds since 1970 UTC. */
export interface LoginFile {
  readonly bytes: number
  /** When it was made; null where the file system does not show (stat(1), %W). */
  readonly since: number | null
}
export interface LoginFiles {
  readonly files: ReadonlyMap<string, LoginFile>
}

export const LASTLOG = '/var/log/lastlog'
export const LASTLOG2 = '/var/lib/lastlog/lastlog2.db'
export const WTMP = '/var/log/wtmp'

/** Since when the records of logins are kept, from the files themselves; their contents are requested elsewhere. */
export const accountsLoginFiles = defineProbe({
  id: 'accounts.login-files',
  title: 'Login record files',
  why: 'Shows since when logins are recorded: an account without one may be unused, or the record may be recent.',
  ignoredInDrift: {
    why: 'Logins are recorded and old records are removed; only which files record them is compared.',
    normalize: ({ files }: LoginFiles) => ({ files: inOrder(files.keys()) }),
  },
  commands: { files: run(['stat', '-c', '%s %W %n', LASTLOG, LASTLOG2, WTMP]) },
  parse({ files }) {
    const complaints = lines(files.errorText)
    if (!complaints.every((said) => /No such file or directory$/.test(said)) || files.exitCode > 1)
      return unknown('the files that logins are written to could not be looked at')
    const rows = lines(files.text).map((line) => /^(\d{1,15}) (\d{1,12}|\S{1,3}) (\/\S+)$/.exec(line))
    if (rows.includes(null)) return unknown('the list of login record files has an unexpected format')
    return known<LoginFiles>({
      files: new Map(
        rows.map((row) => {
          const made = Number(row?.[2])
          return [row?.[3] ?? '', { bytes: Number(row?.[1]), since: made > 0 ? made * 1000 : null }] as const
        }),
      ),
    })
  },
})
